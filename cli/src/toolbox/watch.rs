//! The `Watch` over a call, which collects what the call used and what its tool wrote meanwhile.

use std::sync::{Mutex, PoisonError};

use tool_hub_host::{Interaction, Output, Usage};
use tool_hub_toolbox::byte_size::ByteSize;

use crate::terminal::escape::escape_line;

/// Collects what a call used and what its tool wrote. It answers no questions and shows no
/// progress.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    usage: Mutex<Option<Usage>>,
    output: Mutex<Output>,
}

impl Watch {
    /// The call's use of resources, once it is over.
    pub(crate) fn usage(&self) -> Option<Usage> {
        *self.usage.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The tool's standard streams and its log, line by line, each marked with `name`, so that
    /// nobody takes them for the command's own.
    pub(crate) fn written(&self, name: &str) -> Vec<String> {
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
