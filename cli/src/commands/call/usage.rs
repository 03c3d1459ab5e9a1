//! Collects and formats what a call used and its tool printed, for `--stats` and `--verbose`.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};
use tool_hub_host::{Interaction, Output, Usage};
use tool_hub_toolbox::byte_size::ByteSize;

use crate::terminal::escape::escape_line;
use crate::terminal::phrases::counted;

/// Collects what a call used and what its tool wrote. It answers no questions and shows no
/// progress.
#[derive(Debug, Default)]
pub(super) struct Watch {
    usage: Mutex<Option<Usage>>,
    output: Mutex<Output>,
}

impl Watch {
    /// The call's use of resources, once it is over.
    pub(super) fn usage(&self) -> Option<Usage> {
        *self.usage.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The tool's standard streams and its log, line by line, each marked with `name`, so that
    /// nobody takes them for the command's own.
    pub(super) fn written(&self, name: &str) -> Vec<String> {
        let output = self.output.lock().unwrap_or_else(PoisonError::into_inner);
        let mut lines = Vec::new();
        for (stream, bytes) in [("stdout", &output.stdout), ("stderr", &output.stderr)] {
            let text = String::from_utf8_lossy(bytes);
            lines.extend(text.lines().map(|line| marked(name, stream, line)));
        }
        lines.extend(output.log.iter().map(|entry| {
            let level = format!("{:?}", entry.level).to_lowercase();
            marked(
                name,
                &level,
                &format!("{}: {}", entry.context, entry.message),
            )
        }));
        if output.dropped_bytes > 0 {
            let more = ByteSize(output.dropped_bytes);
            lines.push(format!("{name} wrote {more} more, which were not kept"));
        }
        lines
    }
}

impl Interaction for Watch {
    fn used(&self, usage: &Usage) {
        *self.usage.lock().unwrap_or_else(PoisonError::into_inner) = Some(*usage);
    }

    fn output(&self, output: &Output) {
        *self.output.lock().unwrap_or_else(PoisonError::into_inner) = output.clone();
    }
}

fn marked(name: &str, stream: &str, line: &str) -> String {
    format!("[{name} {stream}] {}", escape_line(line))
}

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
