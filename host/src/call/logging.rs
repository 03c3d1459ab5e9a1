//! `wasi:logging`: what a tool says about its work. It is kept for the embedder up to a
//! bound, and becomes an event of this process, so that whoever looks for a fault sees it
//! where it happens.

mod pieces;

use wasmtime::component::{HasSelf, Linker};

use crate::interaction::{LogEntry, LogLevel};
use crate::secret::Secrets;

use super::record::Record;
use super::state::CallState;

use self::pieces::Pieces;

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
    pieces: Pieces,
    entries: Vec<LogEntry>,
    bytes: u64,
    /// How many bytes of text did not fit.
    dropped: u64,
}

impl Log {
    /// Adds an entry, unless the log would exceed `bytes_max`. Returns the entries that can be
    /// released with it, with secrets masked.
    fn keep(&mut self, entry: LogEntry, bytes_max: u64, secrets: &Secrets) -> &[LogEntry] {
        let text = (entry.context.len() + entry.message.len()) as u64;
        if self.bytes + text + ENTRY_BYTES > bytes_max {
            self.dropped += text;
            return &[];
        }
        self.bytes += text + ENTRY_BYTES;
        let out = self.pieces.push(entry, secrets);
        self.put_out(out, secrets)
    }

    /// Releases the remaining entries, with secrets masked.
    fn finish(&mut self, secrets: &Secrets) -> &[LogEntry] {
        let out = self.pieces.finish(secrets);
        self.put_out(out, secrets)
    }

    /// Pieces are searched as they are written, and then each text by itself with its escapes
    /// undone.
    fn put_out(&mut self, out: Vec<LogEntry>, secrets: &Secrets) -> &[LogEntry] {
        let before = self.entries.len();
        self.entries.extend(out.into_iter().map(|entry| LogEntry {
            context: secrets.mask(entry.context),
            message: secrets.mask(entry.message),
            ..entry
        }));
        &self.entries[before..]
    }

    /// The released entries, and the number of bytes that were dropped.
    fn contents(&self) -> (Vec<LogEntry>, u64) {
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
        let record = &self.record;
        let entry = LogEntry {
            level: level.into(),
            context,
            message,
        };
        let max = record.limits.output_stream_bytes;
        record.tell(record.log().keep(entry, max, &record.secrets));
        Ok(())
    }
}

impl Record {
    /// The complete log of a finished call, and the number of bytes that were dropped.
    pub(crate) fn finished_log(&self) -> (Vec<LogEntry>, u64) {
        let mut log = self.log();
        self.tell(log.finish(&self.secrets));
        log.contents()
    }

    fn tell(&self, entries: &[LogEntry]) {
        for entry in entries {
            emit(&self.tool.name, entry);
            self.interaction.logged(entry);
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::secret::Secret;

    #[test]
    fn secrets_are_found_in_entries_whose_letters_are_escaped() {
        let secrets = Secrets::new([Secret::new("sk-Canary/77".to_owned())]);
        let entry = LogEntry {
            level: LogLevel::Info,
            context: r"at sk-Canary\/77".to_owned(),
            message: r#"sent {"key":"\u0073k-Canary%2f77"}"#.to_owned(),
        };
        let mut log = Log::default();
        log.keep(entry, 1 << 10, &secrets);
        log.finish(&secrets);
        let (entries, _) = log.contents();
        assert_eq!(entries.len(), 1);
        assert_eq!(entries[0].context, "at ***");
        assert_eq!(entries[0].message, r#"sent {"key":"***"}"#);
    }
}
