//! The `Log` of a call: masks secrets in the guest's entries, bounds their bytes, and emits events.
//! There is an event for each entry, and one for what a guest wrote to each standard stream.

pub(crate) mod pending;

use crate::call::log::pending::PendingEntries;
use crate::interaction::{LogEntry, LogLevel};
use crate::secret::Secrets;

/// The bytes that each entry counts beyond its texts, so that their number is bounded too.
const ENTRY_BYTES: u64 = 64;

/// The log of a call.
#[derive(Debug, Default)]
pub(crate) struct Log {
    pending: PendingEntries,
    entries: Vec<LogEntry>,
    bytes: u64,
    /// The bytes of text that did not fit.
    dropped: u64,
}

impl Log {
    /// Adds an entry, unless the log would exceed `bytes_max`. Returns the entries that can be
    /// released with it, with secrets masked.
    pub(crate) fn keep(
        &mut self,
        entry: LogEntry,
        bytes_max: u64,
        secrets: &Secrets,
    ) -> &[LogEntry] {
        let text = (entry.context.len() + entry.message.len()) as u64;
        if self.bytes + text + ENTRY_BYTES > bytes_max {
            self.dropped += text;
            return &[];
        }
        self.bytes += text + ENTRY_BYTES;
        let released = self.pending.push(entry, secrets);
        self.release(released, secrets)
    }

    /// Releases the remaining entries, with secrets masked.
    pub(crate) fn finish(&mut self, secrets: &Secrets) -> &[LogEntry] {
        let released = self.pending.finish(secrets);
        self.release(released, secrets)
    }

    /// Entries are masked as they are written, and then each text by itself with its escapes
    /// undone.
    fn release(&mut self, released: Vec<LogEntry>, secrets: &Secrets) -> &[LogEntry] {
        let before = self.entries.len();
        self.entries
            .extend(released.into_iter().map(|entry| LogEntry {
                context: secrets.mask(entry.context),
                message: secrets.mask(entry.message),
                ..entry
            }));
        &self.entries[before..]
    }

    /// The released entries, and the number of bytes that were dropped.
    pub(crate) fn contents(&self) -> (Vec<LogEntry>, u64) {
        (self.entries.clone(), self.dropped)
    }
}

/// Makes an event of `entry`. Texts go out in their debug form, which escapes everything that could
/// move a cursor, end a line or turn the direction of writing: subscribers print to terminals.
pub(crate) fn emit(tool: &str, entry: &LogEntry) {
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

/// An event for what a guest wrote to one of its standard streams, once it is over.
pub(crate) fn emit_written(tool: &str, stream: &str, written: &[u8]) {
    if !written.is_empty() {
        let text = String::from_utf8_lossy(written);
        tracing::info!(target: TARGET, tool, stream, ?text);
    }
}

/// The target by which the events of guests are filtered.
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
