//! Masks secrets in a text released in pieces, and finds the beginning of one at the text's end.

use std::cmp::Reverse;
use std::ops::Range;

use crate::secret::{MASK, Secrets, escapes};

/// The least number of matching bytes at the end of a text that count as the beginning of a secret.
const BEGUN_BYTES_MIN: usize = 2;

/// The ranges of secrets in a text.
pub(crate) struct SecretRanges(Vec<Range<usize>>);

impl SecretRanges {
    /// Those in `part` of the text, cut to it and counted from its beginning.
    pub(crate) fn within(&self, part: Range<usize>) -> impl Iterator<Item = Range<usize>> {
        let first = self.0.partition_point(|secret| secret.end <= part.start);
        let near = self.0[first..].iter();
        near.map(move |secret| secret.start.max(part.start)..secret.end.min(part.end))
            .take_while(|cut| !cut.is_empty())
            .map(move |cut| cut.start - part.start..cut.end - part.start)
    }
}

/// `text` with the mask in the place of each of the `secrets`, which may hold one another.
pub(crate) fn mask_at(text: &str, mut secrets: Vec<Range<usize>>) -> String {
    secrets.sort_unstable_by_key(|secret| (secret.start, Reverse(secret.end)));
    let mut masked = String::with_capacity(text.len());
    let mut read = 0;
    for secret in secrets {
        if secret.end > read {
            masked.push_str(&text[read..secret.start.max(read)]);
            masked.push_str(MASK);
            read = secret.end;
        }
    }
    masked.push_str(&text[read..]);
    masked
}

impl Secrets {
    /// The places of the secrets in `text`.
    pub(crate) fn ranges_in(&self, text: &str) -> SecretRanges {
        let found = self.matching_search(text.as_bytes());
        let found = found.into_iter().flat_map(|search| search.find_iter(text));
        SecretRanges(found.map(|secret| secret.range()).collect())
    }

    /// The number of bytes at the end of `text` that begin a secret.
    pub(crate) fn begun_at_the_end_of(&self, text: &[u8]) -> usize {
        self.begun(text, BEGUN_BYTES_MIN)
    }

    /// The number of bytes at the start of `text` in which nothing changes, whatever follows: no
    /// secret begins in them that may end behind them.
    pub(crate) fn settled_length(&self, text: &[u8]) -> usize {
        let plain = text.len() - self.begun(text, 1);
        let whole = &text[..text.len() - escapes::unfinished_length(text)];
        let tail = whole.len().saturating_sub(self.longest_written());
        let escaped = match escapes::unescape(&whole[tail..]) {
            Some(undone) => self.begun(&undone, 1) * escapes::WRITTEN_BYTES_MAX,
            None => self.begun(whole, 1),
        };
        let settled = plain.min(whole.len().saturating_sub(escaped));
        let mut secrets = self.ranges(text).into_iter();
        let cut = secrets.find(|secret| secret.start < settled && settled < secret.end);
        cut.map_or(settled, |secret| secret.start)
    }

    /// The number of bytes at the end of `text`, at least `least`, that begin a secret.
    fn begun(&self, text: &[u8], least: usize) -> usize {
        let forms = self.0.iter().flat_map(|search| &search.texts);
        let begun = forms.filter_map(|form| {
            let lengths = least..form.len().min(text.len() + 1);
            lengths.rev().find(|length| {
                let end = &text[text.len() - length..];
                end.eq_ignore_ascii_case(&form.as_bytes()[..*length])
            })
        });
        begun.max().unwrap_or_default()
    }
}
