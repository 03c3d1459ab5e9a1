//! Splits a long text into passages of some lines, and shows them page by page or by a search.

use std::ops::Range;

use crate::index::Index;

/// The longest passage, in bytes.
const PASSAGE_BYTES_MAX: usize = 2 << 10;
/// The shortest passage where little may be handed over at once.
const PASSAGE_BYTES_MIN: usize = 128;
/// The number of passages that are shown at once.
const SHOWN: usize = 6;

/// The places of the passages in a text.
pub(crate) struct Passages {
    ranges: Vec<Range<usize>>,
}

/// Some passages of a text.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Page<'a> {
    /// The passages, each with its number from 1.
    pub(crate) passages: Vec<(usize, &'a str)>,
    /// The number of pages.
    pub(crate) pages: usize,
}

impl Passages {
    /// Cuts `text` into passages, of which a page is well within `bytes_max`.
    pub(crate) fn of(text: &str, bytes_max: usize) -> Self {
        let most = (bytes_max / (2 * SHOWN)).clamp(PASSAGE_BYTES_MIN, PASSAGE_BYTES_MAX);
        let mut ranges = Vec::new();
        let mut from = 0;
        while from < text.len() {
            let to = from + end(&text[from..], most);
            ranges.push(from..to);
            from = to;
        }
        Self { ranges }
    }

    /// The memory that they take beside the text.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.ranges.capacity() * size_of::<Range<usize>>()
    }

    pub(crate) fn count(&self) -> usize {
        self.ranges.len()
    }

    /// The number of pages of the text.
    pub(crate) fn pages(&self) -> usize {
        self.count().div_ceil(SHOWN)
    }

    /// The beginning of `text`.
    pub(crate) fn first<'a>(&self, text: &'a str) -> &'a str {
        self.ranges.first().map_or("", |range| &text[range.clone()])
    }

    /// The page with this number, from 1, of `text`.
    pub(crate) fn page<'a>(&self, text: &'a str, page: usize) -> Page<'a> {
        self.show(text, 0..self.count(), page)
    }

    /// The page with this number, from 1, of the passages that have a word of `query`.
    pub(crate) fn search<'a>(&self, text: &'a str, query: &str, page: usize) -> Page<'a> {
        let texts = self.ranges.iter().map(|range| &text[range.clone()]);
        self.show(text, Index::rank(texts, query).into_iter(), page)
    }

    fn show<'a>(
        &self,
        text: &'a str,
        places: impl ExactSizeIterator<Item = usize>,
        page: usize,
    ) -> Page<'a> {
        let pages = places.len().div_ceil(SHOWN);
        let skipped = page.saturating_sub(1).saturating_mul(SHOWN);
        let shown = places.skip(skipped).take(SHOWN);
        let passages = shown.map(|place| (place + 1, &text[self.ranges[place].clone()]));
        Page {
            passages: passages.collect(),
            pages,
        }
    }
}

/// The end of the passage that `text` begins with: after the last line that is whole, or a comma or
/// a blank if a line is longer than a passage.
fn end(text: &str, most: usize) -> usize {
    if text.len() <= most {
        return text.len();
    }
    let window = &text[..text.floor_char_boundary(most)];
    let cut = |ends: &[char]| window.rfind(ends).map(|at| at + 1);
    // An early end would make passages of a few bytes.
    cut(&['\n'])
        .or_else(|| cut(&[',', ' ']))
        .filter(|end| *end > most / 4)
        .unwrap_or(window.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(count: usize) -> String {
        let line = |number| format!("line {number} says nothing of note\n");
        (0..count).map(line).collect()
    }

    #[test]
    fn passages_together_are_the_text() {
        for text in [
            lines(1_000),
            "x".repeat(10_000),
            "ä🦀".repeat(3_000),
            "1,".repeat(5_000),
            "\n".repeat(9_000),
            String::new(),
        ] {
            for bytes_max in [0, 5_000, 1 << 20] {
                let passages = Passages::of(&text, bytes_max);
                let mut whole = String::new();
                for page in 1..=passages.pages() {
                    let page = passages.page(&text, page);
                    assert_eq!(page.pages, passages.pages());
                    for (_, passage) in page.passages {
                        assert!(!passage.is_empty() && passage.len() <= PASSAGE_BYTES_MAX);
                        whole.push_str(passage);
                    }
                }
                assert!(whole == text);
            }
        }
    }

    #[test]
    fn passages_end_with_lines() {
        let text = lines(1_000);
        let passages = Passages::of(&text, 1 << 20);
        assert!(passages.first(&text).ends_with('\n'));
        assert_eq!(passages.count(), 15);
    }

    #[test]
    fn a_search_finds_passages_and_says_which() {
        let mut text = lines(500);
        text.push_str("the needle is here\n");
        text.push_str(&lines(500));
        let passages = Passages::of(&text, 1 << 20);
        let found = passages.search(&text, "needle", 1);
        let [(number, passage)] = found.passages[..] else {
            panic!("{found:?}");
        };
        assert!(passage.contains("the needle is here"));
        assert_eq!(passages.page(&text, 1).passages[0].0, 1);
        assert_eq!(number, 8);
        assert_eq!(passages.search(&text, "needle", 2).passages, []);
        assert_eq!(passages.search(&text, "haystack", 1).pages, 0);
        assert_eq!(passages.page(&text, usize::MAX).passages, []);
    }
}
