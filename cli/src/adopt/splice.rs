//! The part of a text that a change replaced, by which the whole text comes back.

use serde::{Deserialize, Serialize};
use tool_hub_manifest::Digest;

/// A replaced part, kept without what stood around it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Splice {
    /// The bytes before it.
    offset: usize,
    before: String,
    after: String,
    /// The digest of the whole text after the change.
    digest: Digest,
}

impl Splice {
    /// The part in which `after` differs from `before`.
    pub(crate) fn between(before: &str, after: &str) -> Self {
        let same = before.char_indices().zip(after.chars());
        let same = same.take_while(|((_, a), b)| a == b);
        let offset = same.map(|((_, letter), _)| letter.len_utf8()).sum();
        let (old, new) = (&before[offset..], &after[offset..]);
        let same = old.chars().rev().zip(new.chars().rev());
        let same = same.take_while(|(a, b)| a == b);
        let end: usize = same.map(|(letter, _)| letter.len_utf8()).sum();
        Self {
            offset,
            before: old[..old.len() - end].to_owned(),
            after: new[..new.len() - end].to_owned(),
            digest: Digest::of(after.as_bytes()),
        }
    }

    /// The whole text before the change, where `text` is still the one after it.
    pub(crate) fn undone(&self, text: &str) -> Option<String> {
        if !self.is_made(text) {
            return None;
        }
        let (head, rest) = text.split_at_checked(self.offset)?;
        let tail = rest.strip_prefix(&*self.after)?;
        Some([head, &self.before, tail].concat())
    }

    /// True if `text` is the whole text after the change.
    pub(crate) fn is_made(&self, text: &str) -> bool {
        Digest::of(text.as_bytes()) == self.digest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_comes_back_as_it_was() {
        let texts = [
            "",
            "a",
            "ab",
            "aéb",
            "aèb",
            "aab",
            "{x: [1]}\n",
            "{x: [1, 1]}\n",
        ];
        for before in texts {
            for after in texts {
                let splice = Splice::between(before, after);
                assert_eq!(splice.undone(after).as_deref(), Some(before));
                assert_eq!(splice.undone(&format!("{after} ")), None);
            }
        }
        let splice = Splice::between("secret: 1, other: 2", "other: 2");
        assert!(!splice.before.contains("other: 2"), "{splice:?}");
    }
}
