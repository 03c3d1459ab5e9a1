//! Builds the failure of a call that ended by an engine error, a trap or the host's own stop.

use tool_hub_manifest::Limits;
use tool_hub_manifest::contract::{Failure, FailureKind};
use wasmtime::Trap;
use wasmtime_wasi::{I32Exit, ResourceTableError};
use wasmtime_wasi_http::FieldMapError;

use crate::call::limit;
use crate::call::meter::RefusedGrowth;
use crate::call::record::Record;
use crate::call::state::CallState;
use crate::call::stop::Stop;
use crate::compilation::engine_messages;

/// At most so much of a guest's last words is repeated.
const LAST_WORDS_MAX: usize = 500;

/// At most so many characters of what an interpreter says of a program are repeated.
const PROGRAM_SAYS_MAX: usize = 8_000;

/// The failure of a call that ended with `error`.
pub(crate) fn of_error(error: &wasmtime::Error, state: &CallState) -> Failure {
    let (limits, record) = (&state.record.limits, &state.record);
    match error.downcast_ref::<Stop>() {
        // An interpreter's error message is the guest's text.
        Some(Stop::Program(why)) => {
            let why = record.secrets.mask(why.clone());
            return Failure::new(FailureKind::Trapped, shortened(why));
        }
        Some(stop) => return of_stop(stop, limits),
        None => {}
    }
    // A guest that is refused memory usually aborts; the refusal is the reason, not the trap.
    if let Some(refused) = state.meter.refused {
        return refused_growth(refused, limits);
    }
    if let Some(trap) = error.downcast_ref::<Trap>() {
        return trapped(
            record,
            match trap {
                Trap::StackOverflow => "the tool's call stack is exhausted".to_owned(),
                trap => format!("the tool trapped: {trap}"),
            },
        );
    }
    if let Some(exit) = error.downcast_ref::<I32Exit>() {
        return trapped(
            record,
            format!("the tool ended itself with status {}", exit.0),
        );
    }
    if matches!(error.downcast_ref(), Some(ResourceTableError::Full)) {
        return limit::failure(
            "handles",
            limits.handles.into(),
            "it holds too many handles",
        );
    }
    if let Some(FieldMapError::TooManyFields | FieldMapError::TotalSizeTooBig) =
        error.downcast_ref()
    {
        let why = "its HTTP headers are too long";
        return limit::failure("http_header_bytes", limits.http_header_bytes, why);
    }
    // Only the root cause: the context around it is a place in the guest, which is of no use to an
    // agent. The cause may repeat the guest's text, and only its first line is kept.
    let text = record.secrets.mask(error.root_cause().to_string());
    match engine_messages::limit_of_call(&text, limits) {
        Some((name, value, why)) => limit::failure(name, value, why),
        None => trapped(record, format!("the tool trapped: {}", first_line(&text))),
    }
}

/// The failure of a call that the host itself ended.
pub(crate) fn of_stop(stop: &Stop, limits: &Limits) -> Failure {
    match stop {
        Stop::Cpu => limit::failure("cpu_ms", limits.cpu_ms, "its code ran too long"),
        Stop::Wall => limit::failure("call_ms", limits.call_ms, "it took too long"),
        Stop::Question(question) => {
            let message = format!("the tool asks: {}", question.text);
            Failure::new(FailureKind::InputRequired(question.clone()), message).retryable()
        }
        Stop::Streamed => {
            let why = "it writes too much to the streams of its answer";
            limit::failure("transfer_bytes", limits.transfer_bytes, why)
        }
        Stop::Dependency(_, failure) => Failure {
            // The argument's name is the dependency's, and means nothing to this tool's caller.
            argument: None,
            message: stop.to_string(),
            ..*failure.clone()
        },
        Stop::MissingExport | Stop::StreamType => {
            Failure::new(FailureKind::Internal, stop.to_string())
        }
        Stop::Program(_) | Stop::NotImported(_) | Stop::NoValue => {
            Failure::new(FailureKind::Trapped, stop.to_string())
        }
    }
}

fn refused_growth(refused: RefusedGrowth, limits: &Limits) -> Failure {
    match refused {
        RefusedGrowth::Memory => {
            limit::failure("memory_bytes", limits.memory_bytes, "it needs more memory")
        }
        RefusedGrowth::TableElements => {
            let why = "it needs more table elements";
            limit::failure("table_elements", limits.table_elements.into(), why)
        }
    }
}

fn trapped(record: &Record, message: String) -> Failure {
    Failure::new(FailureKind::Trapped, with_last_output(message, record))
}

/// The end of a long text: what Python says last is what is wrong.
fn shortened(text: String) -> String {
    let characters = text.chars().count();
    if characters <= PROGRAM_SAYS_MAX {
        return text;
    }
    text.chars().skip(characters - PROGRAM_SAYS_MAX).collect()
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

/// Adds the guest's last words on standard error to the message: a panic ends in a trap that says
/// nothing. They are masked before they are cut, because half a secret would not be found.
fn with_last_output(message: String, record: &Record) -> String {
    let (stderr, _) = record.stderr.contents();
    let text = String::from_utf8_lossy(&stderr);
    let words = text.trim();
    if words.is_empty() {
        return message;
    }
    let skipped = words.chars().count().saturating_sub(LAST_WORDS_MAX);
    let tail: String = words.chars().skip(skipped).collect();
    format!("{message}; last output on stderr: {tail}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::streams::CapturedStream;
    use crate::secret::{Secret, Secrets};
    use wasmtime_wasi::p2::OutputStream as _;

    #[test]
    fn last_words_are_masked_before_they_are_cut() {
        let secret = "sk-canary77aa01secretx";
        let secrets = Secrets::new([Secret::new(secret.to_owned())]);
        // For every position of the cut.
        for behind in LAST_WORDS_MAX - 30..LAST_WORDS_MAX {
            let mut record = Record::blank(Limits::standard());
            record.stderr = CapturedStream::new(1 << 20, &secrets);
            let output = format!("API_KEY={secret} {}", "x".repeat(behind));
            record.stderr.write(output.into()).unwrap();
            let words = with_last_output("it trapped".to_owned(), &record);
            let shown = words
                .strip_prefix("it trapped; last output on stderr: ")
                .unwrap();
            let whole = format!("API_KEY=*** {}", "x".repeat(behind));
            assert!(whole.ends_with(shown), "{behind}: {words}");
        }
    }
}
