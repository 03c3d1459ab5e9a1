//! Errors of `tool-hub-embed` as JavaScript takes them.

use serde_json::json;
use tool_hub_embed::{Error, ErrorKind};

use crate::event::Event;

/// The end of an operation that failed.
pub(crate) fn error_event(operation: u32, error: &Error) -> Event {
    Event::new(operation, "error", error_text(error))
}

fn error_text(error: &Error) -> String {
    let kind = match error.kind() {
        ErrorKind::Refused => "refused",
        ErrorKind::Registry => "hub",
        _ => "other",
    };
    json!({ "kind": kind, "message": error.text(), "hint": error.hint() }).to_string()
}
