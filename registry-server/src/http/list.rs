//! A list in a JSON request body, with bounds on the number of its entries.

use std::fmt;
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::{Deserializer, Error as _, SeqAccess, Visitor};

use super::Refusal;

/// The most entries that are parsed of any list. One or two bytes of a body can take a hundred
/// bytes of memory, so checking the length after parsing would be too late.
pub(crate) const ENTRIES_MAX: usize = 100_000;

/// A list from a request. Its entries can only be had by naming a bound on their number.
#[derive(Debug)]
pub(crate) struct List<T>(Vec<T>);

impl<T> List<T> {
    /// The entries, if there are at most `entries_max`; `what` names them in the refusal.
    pub(crate) fn within(self, entries_max: usize, what: &str) -> Result<Vec<T>, Refusal> {
        if self.0.len() > entries_max {
            return Err(too_many(entries_max, what));
        }
        Ok(self.0)
    }
}

pub(crate) fn too_many(entries_max: usize, what: &str) -> Refusal {
    Refusal::bad_request(format!("a request may hold at most {entries_max} {what}"))
}

impl<T> Default for List<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for List<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(EntriesVisitor(PhantomData))
    }
}

struct EntriesVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for EntriesVisitor<T> {
    type Value = List<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<List<T>, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = sequence.next_element()? {
            if entries.len() == ENTRIES_MAX {
                let message = format!("a list has more than {ENTRIES_MAX} entries");
                return Err(A::Error::custom(message));
            }
            entries.push(entry);
        }
        Ok(List(entries))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(count: usize, entries_max: usize, expect: bool) {
        let text = format!("[{}]", vec!["\"a\""; count].join(","));
        let list: Result<List<String>, _> = serde_json::from_str(&text);
        let taken = list.is_ok_and(|list| list.within(entries_max, "words").is_ok());
        assert_eq!(taken, expect, "{count} of {entries_max}");
    }

    #[test]
    fn lists_are_bounded() {
        check(0, 0, true);
        check(3, 3, true);
        check(4, 3, false);
        check(ENTRIES_MAX, usize::MAX, true);
        check(ENTRIES_MAX + 1, usize::MAX, false);
    }
}
