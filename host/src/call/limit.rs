//! Builds the failure of a call that reached a limit.

use tool_hub_manifest::contract::{Failure, FailureKind};

/// The call reached `limit`.
pub(crate) fn failure(limit: &'static str, value: u64, why: &str) -> Failure {
    Failure::new(
        FailureKind::HostLimit { limit, value },
        format!("the call was stopped: {why} (limit {limit} = {value})"),
    )
    .with_fix("ask for less in one call")
}

/// The outcome has more than `max` bytes.
pub(crate) fn outcome_too_long(max: u64) -> Failure {
    failure("outcome_bytes", max, "its answer is too long")
}
