//! Secrets: the values of variables, and the search that masks them in everything a tool says.

mod escapes;
mod forms;
mod json;
pub(crate) mod mask;
pub(crate) mod parts;
pub(crate) mod pieces;
mod values;

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

/// Stands in place of a value.
const MASK: &str = "***";

/// The value of a variable.
#[derive(Clone)]
pub(crate) struct Secret(String);

impl Secret {
    pub(crate) fn new(value: String) -> Self {
        Self(value)
    }

    /// The value, for the guest that it was granted to.
    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(MASK)
    }
}

/// The secrets of a tool, which may repeat them by accident: in a panic, a log, an answer with a
/// URL. Everything the host passes on is masked here as the last step, after it is composed and
/// before it is cut, because half a secret would not be found. This does not stop a tool that leaks
/// one on purpose in a form that is not searched for; the network grants bound whom it can send it
/// to.
#[derive(Clone, Default)]
pub(crate) struct Secrets(Option<Arc<Search>>);

struct Search {
    forms: AhoCorasick,
    /// The forms, in lower case.
    texts: Vec<String>,
}

impl Secrets {
    pub(crate) fn new(secrets: impl IntoIterator<Item = Secret>) -> Self {
        let mut forms = Vec::new();
        for secret in secrets {
            forms.extend(parts::of(&secret.0).into_iter().flat_map(forms::of));
        }
        forms.sort_unstable();
        forms.dedup();
        if forms.is_empty() {
            return Self::default();
        }
        // The longest match wins, so a secret that contains another one is masked as a whole. Case
        // is ignored because host names are lower-cased, and hexadecimal digits come in both cases.
        let search = AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostLongest)
            .kind(Some(AhoCorasickKind::ContiguousNFA))
            .ascii_case_insensitive(true)
            .build(&forms)
            .expect("an environment is shorter than what can be searched for");
        Self(Some(Arc::new(Search {
            forms: search,
            texts: forms,
        })))
    }

    /// The length in bytes of the longest form of a secret.
    pub(crate) fn longest(&self) -> usize {
        let forms = self.0.iter().flat_map(|search| &search.texts);
        forms.map(String::len).max().unwrap_or_default()
    }

    /// The most bytes that a secret takes in a text. Code that cuts a text before it is masked
    /// keeps this many bytes beyond the cut, for [`Secrets::mask_start`].
    pub(crate) fn longest_written(&self) -> usize {
        self.longest() * escapes::WRITTEN_BYTES_MAX
    }

    /// `text` without the secrets.
    pub(crate) fn mask(&self, text: String) -> String {
        let ranges = self.ranges(text.as_bytes());
        if ranges.is_empty() {
            return text;
        }
        let masked = replaced(text.as_bytes(), text.len(), &ranges);
        String::from_utf8_lossy(&masked).into_owned()
    }

    /// Like [`Secrets::mask`], with a type that shows that the text is masked.
    pub(crate) fn masked(&self, text: &str) -> MaskedText {
        MaskedText(self.mask(text.to_owned()))
    }

    /// True if `text` contains a secret.
    pub(crate) fn are_in(&self, text: &str) -> bool {
        !self.ranges(text.as_bytes()).is_empty()
    }

    /// `bytes` without the secrets.
    pub(crate) fn mask_bytes(&self, bytes: Vec<u8>) -> Vec<u8> {
        let all = bytes.len();
        self.mask_start(bytes, all)
    }

    /// Puts asterisks in place of the secrets in `bytes`; true if there was one.
    pub(crate) fn cover(&self, bytes: &mut [u8]) -> bool {
        let ranges = self.ranges(bytes);
        for range in &ranges {
            bytes[range.clone()].fill(b'*');
        }
        !ranges.is_empty()
    }

    /// The first `length` bytes, with the secrets masked that begin in them.
    pub(crate) fn mask_start(&self, mut bytes: Vec<u8>, length: usize) -> Vec<u8> {
        let length = length.min(bytes.len());
        let ranges = self.ranges(&bytes);
        if ranges.is_empty() {
            bytes.truncate(length);
            return bytes;
        }
        replaced(&bytes, length, &ranges)
    }

    /// The places of the secrets in `bytes`, in order, and of what is a secret once its escapes
    /// are undone. They do not overlap.
    fn ranges(&self, bytes: &[u8]) -> Vec<Range<usize>> {
        let Some(search) = &self.0 else {
            return Vec::new();
        };
        let find = |bytes: &[u8]| -> Vec<Range<usize>> {
            let found = search.forms.find_iter(bytes);
            found.map(|secret| secret.range()).collect()
        };
        let mut ranges = find(bytes);
        let undone = escapes::unescape(bytes).map(|undone| find(&undone));
        let Some(escaped) = undone.filter(|found| !found.is_empty()) else {
            return ranges;
        };
        ranges.extend(escapes::source_ranges(bytes, &escaped));
        ranges.sort_unstable_by_key(|range| range.start);
        ranges.dedup_by(|next, last| {
            let overlap = next.start < last.end;
            if overlap {
                last.end = last.end.max(next.end);
            }
            overlap
        });
        ranges
    }

    /// The search for secrets, if there is one in `bytes`.
    fn matching_search(&self, bytes: &[u8]) -> Option<&AhoCorasick> {
        let forms = &self.0.as_ref()?.forms;
        forms.is_match(bytes).then_some(forms)
    }
}

/// The first `length` bytes, with a mask in place of each of `ranges` that begins in them.
fn replaced(bytes: &[u8], length: usize, ranges: &[Range<usize>]) -> Vec<u8> {
    let mut masked = Vec::with_capacity(length);
    let mut read = 0;
    for range in ranges.iter().take_while(|range| range.start < length) {
        masked.extend_from_slice(&bytes[read..range.start]);
        masked.extend_from_slice(MASK.as_bytes());
        read = range.end;
    }
    masked.extend_from_slice(bytes.get(read..length).unwrap_or_default());
    masked
}

/// Text of a guest with its secrets masked. Only [`Secrets`] can make one, so refusals and events,
/// which require this type, cannot show a secret.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct MaskedText(String);

impl AsRef<str> for MaskedText {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

/// Escaped, because subscribers print events to terminals.
impl fmt::Debug for MaskedText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secrets(secrets: &[&str]) -> Secrets {
        Secrets::new(secrets.iter().map(|text| Secret::new((*text).to_owned())))
    }

    #[track_caller]
    fn check(secret: &[&str], text: &str, expect: &str) {
        let secrets = secrets(secret);
        assert_eq!(secrets.mask(text.to_owned()), expect);
        let bytes = secrets.mask_bytes(text.as_bytes().to_vec());
        assert_eq!(bytes, expect.as_bytes());
    }

    #[test]
    fn secrets_are_taken_out_of_texts() {
        check(&["hunter2"], "nothing here", "nothing here");
        check(&["hunter2"], "hunter2", "***");
        check(&["hunter2"], "a hunter2hunter2 b hunter2", "a ****** b ***");
        check(&["hunter", "hunter2"], "hunter2 hunter3", "*** ***3");
        check(&["abc"], "abc", "abc");
        check(&["hunter2"], "", "");
        check(&["grün"], "ein grüner", "ein ***er");
        check(&[], "hunter2", "hunter2");
    }

    #[test]
    fn secrets_are_found_in_either_case() {
        check(&["sk-Canary"], "SK-CANARY sk-canary", "*** ***");
    }

    #[test]
    fn no_part_of_a_secret_is_left_by_a_cut() {
        let secrets = secrets(&["hunter2"]);
        let text = r"a hunter2 b hunter2 \u0068\u0075\u006e\u0074\u0065\u0072\u0032 c";
        let whole = secrets.mask(text.to_owned());
        for length in 0..=text.len() {
            let kept = (length + secrets.longest_written()).min(text.len());
            let cut = secrets.mask_start(text.as_bytes()[..kept].to_vec(), length);
            assert!(whole.as_bytes().starts_with(&cut), "{length}: {cut:?}");
            assert!(cut.len() <= length + MASK.len());
        }
    }

    #[test]
    fn secrets_have_no_debug_form() {
        assert_eq!(format!("{:?}", Secret::new("hunter2".into())), "***");
    }
}
