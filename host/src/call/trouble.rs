//! What a call that did not come to an end tells the agent.

use std::fmt;

use tool_hub_manifest::Limits;
use wasmtime::Trap;
use wasmtime_wasi::{I32Exit, ResourceTableError};

use crate::{Failure, FailureKind, Question};

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
    let limits = &state.limits;
    if let Some(stop) = error.downcast_ref::<Stop>() {
        return stopped(stop, limits);
    }
    // A guest that is refused memory usually aborts; the refusal is the reason, not the trap.
    if state.meter.refused {
        return limit("memory_bytes", limits.memory_bytes, "it needs more memory");
    }
    if let Some(exit) = error.downcast_ref::<I32Exit>() {
        let message = format!("the tool ended itself with status {}", exit.0);
        return Failure::new(FailureKind::Trapped, with_last_words(message, state));
    }
    if matches!(error.downcast_ref(), Some(ResourceTableError::Full)) {
        return limit(
            "handles",
            limits.handles.into(),
            "it holds too many handles",
        );
    }
    if let Some(trap) = error.downcast_ref::<Trap>() {
        let message = match trap {
            Trap::StackOverflow => "the tool's call stack is exhausted".to_owned(),
            trap => format!("the tool trapped: {trap}"),
        };
        return Failure::new(FailureKind::Trapped, with_last_words(message, state));
    }
    other(&format!("{error:#}"), state)
}

/// Errors that the engine offers as text only.
fn other(text: &str, state: &CallState) -> Failure {
    let limits = &state.limits;
    if text.contains("fuel allocated for hostcalls has been exhausted") {
        return limit(
            "transfer_bytes",
            limits.transfer_bytes,
            "it hands too much to the host at once",
        );
    }
    if text.contains("minimum size") || text.contains("limit exceeded") {
        return limit("memory_bytes", limits.memory_bytes, "it needs more memory");
    }
    if text.contains("maximum concurrent") {
        return super::busy(0, 0);
    }
    let message = format!("the tool trapped: {}", first_line(text));
    Failure::new(FailureKind::Trapped, with_last_words(message, state))
}

fn stopped(stop: &Stop, limits: &Limits) -> Failure {
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

/// Panics end in a trap that says nothing; what the guest wrote before says more.
fn with_last_words(message: String, state: &CallState) -> String {
    let (stderr, _) = state.stderr.contents();
    let text = String::from_utf8_lossy(&stderr);
    let words = text.trim();
    if words.is_empty() {
        return message;
    }
    let skipped = words.chars().count().saturating_sub(LAST_WORDS_MAX);
    let tail: String = words.chars().skip(skipped).collect();
    format!("{message}; its last words: {tail}")
}
