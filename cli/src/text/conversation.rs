//! Reads conversations of any API from files, and prints what is lost in converting them.

use std::path::Path;

use serde_json::Value;
use tool_hub_agent::conversation::{MessageLoss, MessageLossKind};

use crate::files::{Limit, json_or_input};
use crate::terminal::printer::Printer;

/// The longest conversation, pictures included.
const CONVERSATION: Limit = Limit {
    name: "conversation_bytes",
    bytes_max: 64 << 20,
    hint: "leave older messages out",
};
/// The most losses that are told one by one.
const TOLD_MAX: usize = 20;

/// Reads a list of messages or a request that has it; `-` is standard input.
pub(crate) fn read(file: &Path, working: &Path) -> anyhow::Result<Value> {
    json_or_input(file, working, &CONVERSATION)
}

/// Prints the losses: as warnings if the API will refuse them, else as notes.
pub(crate) fn tell(losses: &[MessageLoss], printer: &Printer) {
    let is_refusal = |loss: &&MessageLoss| matches!(loss.kind, MessageLossKind::NoCall { .. });
    let (refused, lost): (Vec<_>, Vec<_>) = losses.iter().partition(is_refusal);
    for loss in refused.iter().take(TOLD_MAX) {
        printer.warning(&loss.to_string());
    }
    for loss in lost.iter().take(TOLD_MAX) {
        printer.note(&loss.to_string());
    }
    let untold = refused.len().saturating_sub(TOLD_MAX) + lost.len().saturating_sub(TOLD_MAX);
    if untold > 0 {
        printer.note(&format!("{untold} more are lost"));
    }
}
