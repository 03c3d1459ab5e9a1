//! Formats the time, memory, traffic and storage that a call used, for `tool call --stats`.

use std::time::Duration;

use serde_json::{Value, json};
use tool_hub_host::Usage;
use tool_hub_toolbox::byte_size::ByteSize;

use crate::terminal::phrases::counted;

/// `answer`, for programs, with what the call used where that is given.
pub(super) fn beside(mut answer: Value, usage: Option<Usage>) -> Value {
    if let Some(usage) = usage {
        answer["usage"] = json!(usage);
    }
    answer
}

/// A few lines for people.
pub(super) fn lines(usage: &Usage) -> Vec<String> {
    let ms = |time: Duration| format!("{:.2} ms", time.as_secs_f64() * 1e3);
    let mut lines = vec![
        format!(
            "time: {} ({} in the queue, {} in the tool, {} in the host and waiting)",
            ms(usage.total),
            ms(usage.queued),
            ms(usage.guest),
            ms(usage.host)
        ),
        format!("memory: {}", ByteSize(usage.memory_bytes)),
        format!(
            "arguments: {}, answer: {}",
            ByteSize(usage.input_bytes),
            ByteSize(usage.output_bytes)
        ),
    ];
    if usage.http_requests > 0 {
        lines.push(format!(
            "network: {}, {} sent, {} received",
            counted(number(usage.http_requests), "request"),
            ByteSize(usage.http_sent_bytes),
            ByteSize(usage.http_received_bytes)
        ));
    }
    if usage.storage_operations > 0 {
        let operations = counted(number(usage.storage_operations), "operation");
        lines.push(format!("storage: {operations}"));
    }
    lines
}

fn number(count: u64) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
}
