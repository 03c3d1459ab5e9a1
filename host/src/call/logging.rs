//! `wasi:logging`: what a tool says about its work. It is kept for the embedder up to a
//! bound, and becomes an event of this process, so that whoever looks for a fault sees it
//! where it happens.

use wasmtime::component::{HasSelf, Linker};

use crate::interaction::{LogEntry, LogLevel};

use super::state::CallState;

mod bindings {
    wasmtime::component::bindgen!({
        inline: "
            package tool-hub:host;
            world logging { import wasi:logging/logging@0.1.0-draft; }
        ",
        path: "../wit",
        imports: { default: async | trappable },
    });
}
use bindings::wasi::logging::logging::{self, Level};

/// What each entry counts beyond its texts, so that their number is bounded too.
const ENTRY_BYTES: u64 = 64;

/// Offers the interface to guests.
pub(crate) fn add_to_linker(linker: &mut Linker<CallState>) -> wasmtime::Result<()> {
    logging::add_to_linker::<_, HasSelf<CallState>>(linker, |state| state)
}

/// The log of a call.
#[derive(Debug, Default)]
pub(crate) struct Log {
    entries: Vec<LogEntry>,
    bytes: u64,
    /// How many bytes of text did not fit.
    dropped: u64,
}

impl Log {
    /// Keeps an entry, unless the log would become longer than `bytes_max`.
    fn keep(&mut self, entry: LogEntry, bytes_max: u64) -> Option<&LogEntry> {
        let text = (entry.context.len() + entry.message.len()) as u64;
        if self.bytes + text + ENTRY_BYTES > bytes_max {
            self.dropped += text;
            return None;
        }
        self.bytes += text + ENTRY_BYTES;
        self.entries.push(entry);
        self.entries.last()
    }

    /// The entries, and how many bytes of others were dropped.
    pub(crate) fn contents(&self) -> (Vec<LogEntry>, u64) {
        (self.entries.clone(), self.dropped)
    }
}

impl logging::Host for CallState {
    async fn log(
        &mut self,
        level: Level,
        context: String,
        message: String,
    ) -> wasmtime::Result<()> {
        let entry = LogEntry {
            level: level.into(),
            context: self.record.secrets.mask(context),
            message: self.record.secrets.mask(message),
        };
        let max = self.record.limits.output_stream_bytes;
        if let Some(entry) = self.record.log().keep(entry, max) {
            emit(&self.tool.known.name, entry);
            self.record.interaction.logged(entry);
        }
        Ok(())
    }
}

impl From<Level> for LogLevel {
    fn from(level: Level) -> Self {
        match level {
            Level::Trace => Self::Trace,
            Level::Debug => Self::Debug,
            Level::Info => Self::Info,
            Level::Warn => Self::Warn,
            Level::Error => Self::Error,
            Level::Critical => Self::Critical,
        }
    }
}

/// Texts go out in their debug form, which escapes everything that could move a cursor, end
/// a line or turn the direction of writing: subscribers print to terminals.
fn emit(tool: &str, entry: &LogEntry) {
    let LogEntry {
        level,
        context,
        message,
    } = entry;
    match level {
        LogLevel::Trace => tracing::trace!(target: TARGET, tool, ?context, ?message),
        LogLevel::Debug => tracing::debug!(target: TARGET, tool, ?context, ?message),
        LogLevel::Info => tracing::info!(target: TARGET, tool, ?context, ?message),
        LogLevel::Warn => tracing::warn!(target: TARGET, tool, ?context, ?message),
        LogLevel::Error | LogLevel::Critical => {
            tracing::error!(target: TARGET, tool, ?context, ?message);
        }
    }
}

/// What the events of guests are filtered by.
const TARGET: &str = "tool_hub_host::guest";
