//! What a call that did not come to an end tells the agent.

use std::fmt;

use tool_hub_manifest::Limits;
use wasmtime::Trap;
use wasmtime_wasi::{I32Exit, ResourceTableError};
use wasmtime_wasi_http::FieldMapError;

use crate::{Failure, FailureKind, Question};

use super::meter::Refused;
use super::record::Record;
use super::state::CallState;

/// How much of a guest's last words is repeated.
const LAST_WORDS_MAX: usize = 500;

/// Why the host itself ended a call.
#[derive(Debug, Clone)]
pub(crate) enum Stop {
    /// The guest's code ran too long.
    Cpu,
    /// The call took too long.
    Wall,
    /// The guest asked a question that has to be answered first.
    Question(Box<Question>),
    /// The instance lacks an export that its component has.
    Gone,
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Cpu => "the guest's code ran too long",
            Self::Wall => "the call took too long",
            Self::Question(_) => "the guest asked a question",
            Self::Gone => "the export is gone",
        })
    }
}

impl std::error::Error for Stop {}

/// The failure that `error` comes to.
pub(crate) fn trouble(error: &wasmtime::Error, state: &CallState) -> Failure {
    let limits = &state.record.limits;
    if let Some(stop) = error.downcast_ref::<Stop>() {
        return stopped(stop, limits);
    }
    // A guest that is refused memory usually aborts; the refusal is the reason, not the trap.
    if let Some(refused) = state.meter.refused {
        return growth(refused, limits);
    }
    if let Some(exit) = error.downcast_ref::<I32Exit>() {
        let message = format!("the tool ended itself with status {}", exit.0);
        return Failure::new(
            FailureKind::Trapped,
            with_last_words(message, &state.record),
        );
    }
    if matches!(error.downcast_ref(), Some(ResourceTableError::Full)) {
        return too_many_handles(limits);
    }
    if let Some(FieldMapError::TooManyFields | FieldMapError::TotalSizeTooBig) =
        error.downcast_ref()
    {
        let why = "its HTTP headers are too long";
        return limit("http_header_bytes", limits.http_header_bytes, why);
    }
    if let Some(trap) = error.downcast_ref::<Trap>() {
        let message = match trap {
            Trap::StackOverflow => "the tool's call stack is exhausted".to_owned(),
            trap => format!("the tool trapped: {trap}"),
        };
        return Failure::new(
            FailureKind::Trapped,
            with_last_words(message, &state.record),
        );
    }
    other(error, state)
}

fn too_many_handles(limits: &Limits) -> Failure {
    let why = "it holds too many handles";
    limit("handles", limits.handles.into(), why)
}

fn growth(refused: Refused, limits: &Limits) -> Failure {
    match refused {
        Refused::Memory => limit("memory_bytes", limits.memory_bytes, "it needs more memory"),
        Refused::TableElements => {
            let why = "it needs more table elements";
            limit("table_elements", limits.table_elements.into(), why)
        }
    }
}

/// Errors that the engine offers as text only.
fn other(error: &wasmtime::Error, state: &CallState) -> Failure {
    // Only the root cause: the context around it is a place in the guest, which is of no use to an
    // agent. The cause may repeat the guest's text, and only its first line is kept.
    let text = state.record.secrets.mask(error.root_cause().to_string());
    let limits = &state.record.limits;
    if text.contains("fuel allocated for hostcalls has been exhausted") {
        let why = "it hands too much to the host at once";
        return limit("transfer_bytes", limits.transfer_bytes, why);
    }
    if text.contains("handle limit exceeded") {
        return too_many_handles(limits);
    }
    if text.contains("requested len") {
        let why = "it asks for too many random bytes at once";
        return limit("random_bytes", limits.random_bytes, why);
    }
    let message = format!("the tool trapped: {}", first_line(&text));
    Failure::new(
        FailureKind::Trapped,
        with_last_words(message, &state.record),
    )
}

/// The failure that the host's own reason to end a call comes to.
pub(crate) fn stopped(stop: &Stop, limits: &Limits) -> Failure {
    match stop {
        Stop::Cpu => limit("cpu_ms", limits.cpu_ms, "its code ran too long"),
        Stop::Wall => limit("call_ms", limits.call_ms, "it took too long"),
        Stop::Question(question) => {
            let message = format!("the tool asks: {}", question.text);
            Failure::new(FailureKind::InputRequired(question.clone()), message).retryable()
        }
        Stop::Gone => Failure::new(FailureKind::Internal, stop.to_string()),
    }
}

/// The answer has more than `max` bytes.
pub(crate) fn too_long(max: u64) -> Failure {
    limit("outcome_bytes", max, "its answer is too long")
}

/// The call reached `limit`.
pub(crate) fn limit(limit: &'static str, value: u64, why: &str) -> Failure {
    Failure::new(
        FailureKind::HostLimit { limit, value },
        format!("the call was stopped: {why} (limit {limit} = {value})"),
    )
    .with_fix("ask for less in one call")
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

/// Adds the guest's last words on standard error to the message: a panic ends in a trap that says
/// nothing. They are masked before they are cut, because half a secret would not be found.
fn with_last_words(message: String, record: &Record) -> String {
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
    use crate::call::streams::Captured;
    use crate::secret::{Secret, Secrets};
    use wasmtime_wasi::p2::OutputStream as _;

    #[test]
    fn last_words_are_masked_before_they_are_cut() {
        let secret = "sk-canary77aa01secretx";
        let secrets = Secrets::new([Secret::new(secret.to_owned())]);
        // For every position of the cut.
        for behind in LAST_WORDS_MAX - 30..LAST_WORDS_MAX {
            let mut record = Record::blank(Limits::standard());
            record.stderr = Captured::new(1 << 20, &secrets);
            let said = format!("API_KEY={secret} {}", "x".repeat(behind));
            record.stderr.write(said.into()).unwrap();
            let words = with_last_words("it trapped".to_owned(), &record);
            let shown = words
                .strip_prefix("it trapped; last output on stderr: ")
                .unwrap();
            let whole = format!("API_KEY=*** {}", "x".repeat(behind));
            assert!(whole.ends_with(shown), "{behind}: {words}");
        }
    }
}
