//! Helpers for the lists of prompts and resources: the limit of their number, quoting, failures.

use tool_hub_manifest::contract::{Failure, FailureKind};

/// The most prompts, resources, templates or parts of a resource that a tool names at once.
pub(crate) const ENTRIES_MAX: usize = 1_000;
/// The longest text of the tool that is quoted in an error.
const QUOTED_BYTES_MAX: usize = 200;

/// Refuses more entries at once than the host takes.
pub(crate) fn bounded(count: usize, what: &str) -> Result<(), Failure> {
    if count <= ENTRIES_MAX {
        return Ok(());
    }
    Err(fault(format!(
        "the tool gives {count} {what} at once; the host takes {ENTRIES_MAX}"
    )))
}

/// The tool's text for an error message of the host. It is quoted whole or not at all: secrets are
/// masked later, and half of one would not be found.
pub(crate) fn quoted(text: &str) -> String {
    match text.len() {
        0..=QUOTED_BYTES_MAX => text.escape_debug().to_string(),
        bytes => format!("({bytes} bytes)"),
    }
}

/// The tool says what the contract does not allow.
pub(crate) fn fault(message: String) -> Failure {
    Failure::new(FailureKind::Internal, message)
}
