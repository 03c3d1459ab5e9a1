//! Masks secrets that are split between log messages, by searching the messages as one text. A
//! message that may end with the beginning of a secret is held until the next one, or until the end
//! of the call.

use crate::interaction::LogEntry;
use crate::secret::{Secrets, Split};

/// The most messages that are held. Each new message joins all of them again, so without a bound a
/// guest could make the host do quadratic work.
const HELD_MAX: usize = 64;
const HELD_BYTES_MAX: usize = 64 << 10;

/// The log messages that are not released yet.
#[derive(Debug, Default)]
pub(super) struct Pieces {
    /// The end of the released text, as long as the longest secret.
    gone: String,
    held: Vec<LogEntry>,
}

impl Pieces {
    /// Adds the next entry. Returns the entries that can be released, with secrets masked.
    pub(super) fn push(&mut self, entry: LogEntry, secrets: &Secrets) -> Vec<LogEntry> {
        if secrets.longest() == 0 {
            return vec![entry];
        }
        self.held.push(entry);
        let joined = self.joined();
        let many = self.held.len() > HELD_MAX || joined.len() > HELD_BYTES_MAX;
        match secrets.begin_at_the_end_of(&joined) && !many {
            true => Vec::new(),
            false => self.release(&joined, secrets),
        }
    }

    /// Releases all entries at the end of the call, with secrets masked.
    pub(super) fn finish(&mut self, secrets: &Secrets) -> Vec<LogEntry> {
        let joined = self.joined();
        self.release(&joined, secrets)
    }

    fn joined(&self) -> String {
        let held = self.held.iter().map(|entry| entry.message.as_str());
        std::iter::once(self.gone.as_str()).chain(held).collect()
    }

    fn release(&mut self, joined: &str, secrets: &Secrets) -> Vec<LogEntry> {
        let split = Split::new(joined, secrets);
        let mut begins = self.gone.len();
        let mut released = std::mem::take(&mut self.held);
        for entry in &mut released {
            let ends = begins + entry.message.len();
            entry.message = split.masked(begins..ends);
            begins = ends;
        }
        let end = joined.ceil_char_boundary(joined.len().saturating_sub(secrets.longest()));
        self.gone = joined[end..].to_owned();
        released
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interaction::LogLevel;
    use crate::secret::Secret;

    /// Checks which messages are released at once, and which at the end of the call.
    #[track_caller]
    fn check(messages: &[&str], at_once: &[&str], at_the_end: &[&str]) {
        let secrets = Secrets::new([Secret::new("sk-canary77".to_owned())]);
        let mut pieces = Pieces::default();
        let texts = |entries: Vec<LogEntry>| entries.into_iter().map(|entry| entry.message);
        let out: Vec<String> = messages
            .iter()
            .flat_map(|message| {
                let entry = LogEntry {
                    level: LogLevel::Info,
                    context: String::new(),
                    message: (*message).to_owned(),
                };
                texts(pieces.push(entry, &secrets))
            })
            .collect();
        assert_eq!(out, at_once);
        assert_eq!(
            texts(pieces.finish(&secrets)).collect::<Vec<_>>(),
            at_the_end
        );
    }

    #[test]
    fn what_is_split_between_entries_is_found() {
        check(&["key=sk-can", "ary77 ok"], &["key=***", "*** ok"], &[]);
        check(
            &["sk-", "", "canary", "77", "x"],
            &["***", "", "***", "***", "x"],
            &[],
        );
        // A single first letter is released: it would match too much to be held.
        let letters = ["s", "k", "-", "c", "a", "n", "a", "r", "y", "7", "7", "."];
        let mut masked = ["***"; 12];
        (masked[0], masked[11]) = ("s", ".");
        check(&letters, &masked, &[]);
    }

    #[test]
    fn what_only_looks_like_a_secret_waits_no_longer_than_the_call() {
        check(&["key=sk-can", "dle"], &["key=sk-can", "dle"], &[]);
        check(&["plain", "key=sk-can"], &["plain"], &["key=sk-can"]);
        let more = vec![""; HELD_MAX];
        let all = [&["sk-"], &more[..]].concat();
        check(&all, &all, &[]);
    }
}
