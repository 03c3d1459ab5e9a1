//! Makes the calls of a model's reply that are run here, with unique ids and limits.
//! There are limits on their number and results.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;

use futures::FutureExt as _;
use futures::future::{self, BoxFuture};
use serde_json::Value;
use tool_hub_agent::definition::export::from_strict;
use tool_hub_host::Nobody;
use tool_hub_manifest::contract::{Failure, FailureKind, Reply};

use super::available_tools::AvailableTools;
use super::gateway::Strictness;
use super::refusal::Refusal;
use crate::audit::FrontEnd;
use crate::call_result::CallResult;
use crate::prepared_call::PreparedCall;
use crate::tool_loop::{CallEnd, WrittenCall};

/// Calls that a reply may hold at all, whoever answers them.
const REPLY_CALLS_MAX: usize = 1_024;
/// The most bytes that the results of all calls of an answer may take up.
pub(super) const RESULTS_BYTES_MAX: usize = 16 << 20;
/// The most characters of an unknown name that are given back.
const SHOWN_CHARACTERS_MAX: usize = 80;

/// A call, whoever answers it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Call {
    pub(super) id: String,
    pub(super) name: String,
    /// The text of a JSON object, if the model did as it should.
    pub(super) arguments: String,
}

impl WrittenCall for Call {
    fn name(&self) -> &str {
        &self.name
    }

    fn arguments(&self) -> Cow<'_, str> {
        self.arguments.as_str().into()
    }
}

/// An id for a call that nobody can guess: nine letters and digits, the one form that every
/// endpoint takes.
pub(super) fn fresh_id() -> Result<String, Refusal> {
    const LETTERS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    let mut rest = getrandom::u64().map_err(Refusal::Random)?;
    let letters = (0..9).map(|_| {
        let letter = LETTERS[(rest % 62) as usize];
        rest /= 62;
        char::from(letter)
    });
    Ok(letters.collect())
}

/// The id of a call: `written`, or a fresh one if that is empty or already in `ids`, to which it is
/// added. Some servers give none, or the same to every call.
pub(super) fn unique_id(
    written: Option<&str>,
    ids: &mut HashSet<String>,
) -> Result<String, Refusal> {
    let id = match written {
        Some(id) if !id.is_empty() && !ids.contains(id) => id.to_owned(),
        _ => fresh_id()?,
    };
    ids.insert(id.clone());
    Ok(id)
}

/// Refuses a reply that holds more calls than any model makes.
pub(super) fn bounded(calls: usize) -> Result<(), Refusal> {
    if calls <= REPLY_CALLS_MAX {
        return Ok(());
    }
    Err(Refusal::malformed(format!(
        "its reply holds more than {REPLY_CALLS_MAX} calls"
    )))
}

/// The result of a call of `name` as the model reads it.
pub(super) fn result(name: &str, result: Result<Reply, Failure>, room: &mut usize) -> CallResult {
    let result = match result {
        Ok(reply) => CallResult::of_reply(reply),
        Err(failure) => CallResult::of_failure(&shown(name), &failure),
    };
    fitted(result, name, room)
}

/// The result, or a failure where it takes up more than is left.
fn fitted(result: CallResult, name: &str, room: &mut usize) -> CallResult {
    if let Some(left) = room.checked_sub(result.bytes()) {
        *room = left;
        return result;
    }
    let limit = FailureKind::HostLimit {
        limit: "results_bytes",
        value: RESULTS_BYTES_MAX as u64,
    };
    let message = "there is no room for its result beside those of the calls before";
    CallResult::of_failure(&shown(name), &Failure::new(limit, message))
}

fn shown(name: &str) -> String {
    name.chars().take(SHOWN_CHARACTERS_MAX).collect()
}

/// Makes a call of a function that is `available`.
pub(super) fn make(available: &AvailableTools, call: &Call) -> BoxFuture<'static, CallEnd> {
    let Some(resolved) = available.resolved(&call.name) else {
        let mut failure = Failure::new(FailureKind::UnknownFunction, "there is no such function");
        if let Some(nearest) = available.nearest(&shown(&call.name)) {
            failure = failure.with_fix(format!("call `{nearest}`"));
        }
        return future::ready(CallEnd::Made(Err(failure))).boxed();
    };
    let schema = &resolved.spec().input_schema;
    let arguments = arguments(available.strictness(), schema, &call.arguments);
    let call = PreparedCall::new(resolved, arguments);
    async move {
        let outcome = call.run(FrontEnd::OpenAi, Arc::new(Nobody)).await;
        CallEnd::Made(outcome.into_result())
    }
    .boxed()
}

/// The arguments as the tool takes them. What is no JSON stays as it is: the host says why.
fn arguments(strictness: Strictness, schema: &Value, text: &str) -> String {
    if text.trim_ascii().is_empty() {
        // Many models write this if there are no arguments.
        return "{}".to_owned();
    }
    match (strictness, serde_json::from_str(text)) {
        (Strictness::Strict, Ok(value)) => from_strict(schema, value).to_string(),
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_take_up_no_more_than_there_is_room_for() {
        let result = |message: &str| {
            let failure = Failure::new(FailureKind::Internal, message);
            CallResult::of_failure("guest__echo", &failure)
        };
        let long = result(&"x".repeat(1_000));
        let mut room = 2 * long.bytes() + 10;
        for _ in 0..2 {
            let fitted = fitted(result(&"x".repeat(1_000)), "guest__echo", &mut room);
            assert_eq!(fitted.bytes(), long.bytes());
        }
        let refused = fitted(long, "guest__echo", &mut room).text();
        assert!(
            refused.contains("there is no room for its result"),
            "{refused}"
        );
        assert_eq!(room, 10);
    }
}
