//! Masks secrets in a text that is released in pieces.

use std::ops::Range;

use super::{MASK, Secrets};

/// The least number of matching bytes at the end of a text that count as the beginning of a secret.
const BEGUN_BYTES_MIN: usize = 2;

/// A text, and the ranges of the secrets in it.
pub(crate) struct Split<'a> {
    text: &'a str,
    secrets: Vec<Range<usize>>,
}

impl<'a> Split<'a> {
    pub(crate) fn new(text: &'a str, secrets: &Secrets) -> Self {
        let found = secrets.found(text.as_bytes());
        let found = found.into_iter().flat_map(|search| search.find_iter(text));
        Self {
            text,
            secrets: found.map(|secret| secret.range()).collect(),
        }
    }

    /// A part of the text. A secret that is only partly inside is masked, too.
    pub(crate) fn masked(&self, part: Range<usize>) -> String {
        let mut masked = String::with_capacity(part.len());
        let mut read = part.start;
        for secret in &self.secrets {
            if part.is_empty() || secret.end <= part.start || secret.start >= part.end {
                continue;
            }
            masked.push_str(&self.text[read..secret.start.max(read)]);
            masked.push_str(MASK);
            read = secret.end.min(part.end);
        }
        masked.push_str(&self.text[read..part.end]);
        masked
    }
}

impl Secrets {
    /// True if `text` ends with the beginning of a secret.
    pub(crate) fn begin_at_the_end_of(&self, text: &str) -> bool {
        let Some(search) = &self.0 else {
            return false;
        };
        let text = text.as_bytes();
        search.texts.iter().any(|form| {
            let lengths = BEGUN_BYTES_MIN..form.len().min(text.len() + 1);
            lengths.into_iter().any(|length| {
                let end = &text[text.len() - length..];
                end.eq_ignore_ascii_case(&form.as_bytes()[..length])
            })
        })
    }
}
