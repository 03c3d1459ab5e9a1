//! Holds log entries back while they may contain part of a secret, and releases them masked.
//! Entries are read as pieces of one text, so that a secret split between them is found. An entry
//! that may hold the beginning of a secret waits until later entries decide that, or until the call
//! ends.

use std::collections::VecDeque;

use crate::interaction::LogEntry;
use crate::secret::Secrets;
use crate::secret::pieces::mask_at;

/// The entries of a log that are not released yet.
#[derive(Debug)]
pub(super) struct PendingEntries {
    readings: [ReadingOrder; 3],
    held: VecDeque<LogEntry>,
}

/// A text of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Field {
    Context,
    Message,
}

/// An order in which the texts of a log may be read: down one column, or line by line.
#[derive(Debug)]
struct ReadingOrder {
    fields: &'static [Field],
    /// The end of the released text, and the held text.
    text: String,
    /// The bytes of the text that are released.
    out: usize,
    /// The bytes at its end that begin a secret.
    begun: usize,
}

impl Default for PendingEntries {
    fn default() -> Self {
        use Field::{Context, Message};
        Self {
            readings: [&[Message] as &[_], &[Context], &[Context, Message]].map(ReadingOrder::new),
            held: VecDeque::new(),
        }
    }
}

impl PendingEntries {
    /// Adds the next entry. Returns the entries that can be released, with secrets masked.
    pub(super) fn push(&mut self, entry: LogEntry, secrets: &Secrets) -> Vec<LogEntry> {
        if secrets.longest() == 0 {
            return vec![entry];
        }
        for reading in &mut self.readings {
            reading.take(&entry, secrets);
        }
        self.held.push_back(entry);
        self.release(self.ready(), secrets)
    }

    /// Releases all entries at the end of the call, with secrets masked.
    pub(super) fn finish(&mut self, secrets: &Secrets) -> Vec<LogEntry> {
        self.release(self.held.len(), secrets)
    }

    /// The number of held entries that end before a possible secret begins.
    fn ready(&self) -> usize {
        let mut ends = self.readings.each_ref().map(|reading| reading.out);
        let is_ready = |entry: &&LogEntry| {
            let mut each = self.readings.iter().zip(&mut ends);
            each.all(|(reading, end)| {
                *end += reading.bytes_of(entry);
                *end + reading.begun <= reading.text.len()
            })
        };
        self.held.iter().take_while(is_ready).count()
    }

    fn release(&mut self, count: usize, secrets: &Secrets) -> Vec<LogEntry> {
        if count == 0 {
            return Vec::new();
        }
        let found = self.readings.each_ref();
        let found = found.map(|reading| secrets.ranges_in(&reading.text));
        let mut released: Vec<LogEntry> = self.held.drain(..count).collect();
        for entry in &mut released {
            let (mut context, mut message) = (Vec::new(), Vec::new());
            for (reading, ranges) in self.readings.iter_mut().zip(&found) {
                for field in reading.fields {
                    let end = reading.out + field.of(entry).len();
                    let cuts = ranges.within(reading.out..end);
                    match field {
                        Field::Context => context.extend(cuts),
                        Field::Message => message.extend(cuts),
                    }
                    reading.out = end;
                }
            }
            entry.context = mask_at(&entry.context, context);
            entry.message = mask_at(&entry.message, message);
        }
        for reading in &mut self.readings {
            reading.discard_released(secrets.longest());
        }
        released
    }
}

impl ReadingOrder {
    fn new(fields: &'static [Field]) -> Self {
        Self {
            fields,
            text: String::new(),
            out: 0,
            begun: 0,
        }
    }

    fn bytes_of(&self, entry: &LogEntry) -> usize {
        self.fields.iter().map(|field| field.of(entry).len()).sum()
    }

    fn take(&mut self, entry: &LogEntry, secrets: &Secrets) {
        for field in self.fields {
            self.text.push_str(field.of(entry));
        }
        // A secret that begins earlier is counted in `begun`, unless only one byte of it was there.
        let new = self.begun + 1 + self.bytes_of(entry);
        let end = &self.text.as_bytes()[self.text.len().saturating_sub(new)..];
        self.begun = secrets.begun_at_the_end_of(end);
    }

    /// Keeps only the end of the released text, in which a secret may begin.
    fn discard_released(&mut self, longest: usize) {
        let kept = self
            .text
            .floor_char_boundary(self.out.saturating_sub(longest));
        self.text.drain(..kept);
        self.out -= kept;
    }
}

impl Field {
    fn of(self, entry: &LogEntry) -> &str {
        match self {
            Self::Context => &entry.context,
            Self::Message => &entry.message,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interaction::LogLevel;
    use crate::secret::Secret;

    const SECRET: &str = "sk-canary77";

    fn entry(context: &str, message: &str) -> LogEntry {
        LogEntry {
            level: LogLevel::Info,
            context: context.to_owned(),
            message: message.to_owned(),
        }
    }

    /// The entries that go out at once, and at the end of the call.
    fn out(secret: &str, entries: Vec<LogEntry>) -> [Vec<LogEntry>; 2] {
        let secrets = Secrets::new([Secret::new(secret.to_owned())]);
        let mut pending = PendingEntries::default();
        let entries = entries.into_iter();
        let at_once = entries.flat_map(|entry| pending.push(entry, &secrets));
        [at_once.collect(), pending.finish(&secrets)]
    }

    #[track_caller]
    fn check(messages: &[&str], at_once: &[&str], at_the_end: &[&str]) {
        let entries = |messages: &[&str]| messages.iter().map(|text| entry("", text)).collect();
        let expect = [entries(at_once), entries(at_the_end)];
        assert_eq!(out(SECRET, entries(messages)), expect);
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

    /// However long the secret, and whatever stands beside its letters.
    #[test]
    fn a_long_secret_is_found_letter_by_letter() {
        let secret: String = (0..600)
            .map(|n| char::from(b'a' + (n * n / 3 % 26) as u8))
            .collect();
        for (form, empty) in [(secret.clone(), 0), (secret.chars().rev().collect(), 100)] {
            let letters = form
                .chars()
                .map(|letter| entry("http", &letter.to_string()));
            let padding = std::iter::repeat_n(entry("http", ""), empty);
            let mut entries: Vec<_> = letters.collect();
            entries.splice(300..300, padding);
            entries.push(entry("http", " end"));
            let [at_once, at_the_end] = out(&secret, entries);
            assert!(at_the_end.is_empty(), "{at_the_end:?}");
            let shown: String = at_once.iter().map(|entry| entry.message.as_str()).collect();
            assert_eq!(shown, format!("{}{} end", &form[..1], "***".repeat(599)));
        }
    }

    #[test]
    fn contexts_are_pieces_too() {
        for (entries, expect) in [
            // One beside the other, one below the other, and both.
            (vec![("sk-can", "ary77!")], vec![("***", "***!")]),
            (
                vec![("at sk-can", "a"), ("ary77", "b")],
                vec![("at ***", "a"), ("***", "b")],
            ),
            (
                vec![("a", "sk-can"), ("ary77 b", "")],
                vec![("a", "***"), ("*** b", "")],
            ),
            (
                vec![(SECRET, "sk-ca"), ("c", "nary77"), ("d", "e")],
                vec![("***", "***"), ("c", "***"), ("d", "e")],
            ),
        ] {
            let entries_of = |all: Vec<(&str, &str)>| -> Vec<_> {
                all.into_iter().map(|(c, m)| entry(c, m)).collect()
            };
            let [mut shown, rest] = out(SECRET, entries_of(entries));
            shown.extend(rest);
            assert_eq!(shown, entries_of(expect));
        }
    }

    #[test]
    fn what_only_looks_like_a_secret_waits_no_longer_than_the_call() {
        check(&["key=sk-can", "dle"], &["key=sk-can", "dle"], &[]);
        check(&["plain", "key=sk-can"], &["plain"], &["key=sk-can"]);
        // An entry that ends before the beginning does not wait with it.
        check(&["sk-", "sk-", "x sk-"], &["sk-", "sk-"], &["x sk-"]);
        let all = [&["sk-"], &vec![""; 200][..]].concat();
        check(&all, &[], &all);
    }
}
