//! Measures a text by Unicode's segmentation: counts, averages, reading time, frequent words.
//! The segmentation is UAX #29.

// Ordered collections, because hashed ones make the component ask its host for a random seed.
use std::collections::{BTreeMap, BTreeSet};

use unicode_segmentation::UnicodeSegmentation;

/// Silent reading of non-fiction in English (Brysbaert 2019).
const WORDS_PER_MINUTE: f64 = 238.0;
const FREQUENT_WORDS_DEFAULT: u32 = 10;
const FREQUENT_WORDS_MAX: u32 = 1000;

/// Counts of one text; averages are derived from them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Statistics {
    /// Words, numbers included.
    pub words: u64,
    /// Words that differ in lower case.
    pub distinct_words: u64,
    /// Sentences that hold at least one letter or digit.
    pub sentences: u64,
    /// Blocks of lines with an empty line between them.
    pub paragraphs: u64,
    /// Lines, empty ones included.
    pub lines: u64,
    /// Grapheme clusters.
    pub characters: u64,
    /// Grapheme clusters that are not white space.
    pub characters_without_spaces: u64,
    /// Unicode scalar values.
    pub code_points: u64,
    /// Bytes in UTF-8.
    pub bytes: u64,
    /// The first of the longest words.
    pub longest_word: Option<String>,
    word_characters: u64,
}

impl Statistics {
    /// Words per sentence, 0 without sentences.
    #[must_use]
    pub fn average_sentence_words(&self) -> f64 {
        ratio(self.words, self.sentences)
    }

    /// Grapheme clusters per word, 0 without words.
    #[must_use]
    pub fn average_word_characters(&self) -> f64 {
        ratio(self.word_characters, self.words)
    }

    /// Reading time in seconds.
    #[must_use]
    pub fn reading_seconds(&self) -> f64 {
        round(self.words as f64 * 60.0 / WORDS_PER_MINUTE)
    }
}

/// A word in lower case and how often it occurs.
#[derive(Debug, Clone, PartialEq)]
pub struct Frequency {
    /// The word in lower case.
    pub word: String,
    /// Occurrences, at least 1.
    pub count: u64,
    /// Occurrences divided by all words that were counted.
    pub share: f64,
}

/// Counts words; numbers count, punctuation does not.
#[must_use]
pub fn count_words(text: &str) -> u64 {
    text.unicode_words().count() as u64
}

/// Counts sentences that hold at least one letter or digit.
#[must_use]
pub fn count_sentences(text: &str) -> u64 {
    text.unicode_sentences().count() as u64
}

/// Counts grapheme clusters.
#[must_use]
pub fn count_characters(text: &str) -> u64 {
    text.graphemes(true).count() as u64
}

/// Counts everything at once.
#[must_use]
pub fn statistics(text: &str) -> Statistics {
    let mut found = Statistics {
        sentences: count_sentences(text),
        paragraphs: count_paragraphs(text),
        lines: text.lines().count() as u64,
        code_points: text.chars().count() as u64,
        bytes: text.len() as u64,
        ..Statistics::default()
    };
    for character in text.graphemes(true) {
        found.characters += 1;
        found.characters_without_spaces += u64::from(!character.trim().is_empty());
    }
    let mut distinct = BTreeSet::new();
    let mut longest = 0;
    for word in text.unicode_words() {
        let characters = count_characters(word);
        found.words += 1;
        found.word_characters += characters;
        if characters > longest {
            longest = characters;
            found.longest_word = Some(word.to_owned());
        }
        distinct.insert(word.to_lowercase());
    }
    found.distinct_words = distinct.len() as u64;
    found
}

/// Lists words by falling frequency, equal ones by the alphabet.
#[must_use]
pub fn frequent_words(text: &str, limit: Option<u32>, shortest: Option<u32>) -> Vec<Frequency> {
    let limit = limit
        .unwrap_or(FREQUENT_WORDS_DEFAULT)
        .clamp(1, FREQUENT_WORDS_MAX);
    let shortest = u64::from(shortest.unwrap_or(1));
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    let mut total = 0;
    for word in text.unicode_words() {
        if count_characters(word) >= shortest {
            *counts.entry(word.to_lowercase()).or_default() += 1;
            total += 1;
        }
    }
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_unstable_by(|(a, a_count), (b, b_count)| b_count.cmp(a_count).then(a.cmp(b)));
    counts.truncate(limit as usize);
    counts
        .into_iter()
        .map(|(word, count)| Frequency {
            word,
            count,
            share: ratio(count, total),
        })
        .collect()
}

fn count_paragraphs(text: &str) -> u64 {
    let mut paragraphs = 0;
    let mut inside = false;
    for line in text.lines() {
        let blank = line.trim().is_empty();
        paragraphs += u64::from(!blank && !inside);
        inside = !blank;
    }
    paragraphs
}

fn ratio(part: u64, whole: u64) -> f64 {
    if whole == 0 {
        0.0
    } else {
        round(part as f64 / whole as f64)
    }
}

/// Four digits after the point are more than such estimates deserve, and read well.
fn round(value: f64) -> f64 {
    (value * 10_000.0).round() / 10_000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_counts(text: &str, words: u64, sentences: u64, characters: u64) {
        assert_eq!(
            (
                count_words(text),
                count_sentences(text),
                count_characters(text)
            ),
            (words, sentences, characters),
            "words, sentences, characters of {text:?}"
        );
        let all = statistics(text);
        assert_eq!(
            (all.words, all.sentences, all.characters),
            (words, sentences, characters)
        );
    }

    #[test]
    fn counts_follow_unicode() {
        check_counts("", 0, 0, 0);
        check_counts("   \n", 0, 0, 4);
        check_counts("one two three", 3, 1, 13);
        check_counts("Stop! Who goes there?", 4, 2, 21);
        check_counts("I don't know 3.5 things.", 5, 1, 24);
        check_counts("née 👩\u{200d}🚒", 1, 1, 5);
        check_counts("nai\u{308}ve", 1, 1, 5);
        check_counts("Ça va ? Très bien !", 4, 2, 19);
        check_counts("日本語", 3, 1, 3);
        check_counts("Привет, мир. Как дела?", 4, 2, 22);
        check_counts("...", 0, 0, 3);
        check_counts("line one\r\nline two", 4, 2, 17);
    }

    #[test]
    fn statistics_measure_everything() {
        let found = statistics("One two two.\nThree!\n\n  \nFourth é.\n");
        assert_eq!(found.words, 6);
        assert_eq!(found.distinct_words, 5);
        assert_eq!(found.paragraphs, 2);
        assert_eq!(found.lines, 5);
        assert_eq!(found.code_points, 34);
        assert_eq!(found.bytes, 35);
        assert_eq!(found.characters_without_spaces, 24);
        assert_eq!(found.longest_word.as_deref(), Some("Fourth"));
        assert_eq!(found.average_sentence_words(), 2.0);
        assert_eq!(found.average_word_characters(), 3.5);
        assert_eq!(found.reading_seconds(), 1.5126);
    }

    #[test]
    fn an_empty_text_has_no_averages() {
        let found = statistics("");
        assert_eq!(found, Statistics::default());
        assert_eq!(found.average_sentence_words(), 0.0);
        assert_eq!(found.average_word_characters(), 0.0);
    }

    #[track_caller]
    fn check_frequent(
        text: &str,
        limit: Option<u32>,
        shortest: Option<u32>,
        expected: &[(&str, u64, f64)],
    ) {
        let found = frequent_words(text, limit, shortest);
        let found: Vec<_> = found
            .iter()
            .map(|entry| (entry.word.as_str(), entry.count, entry.share))
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn frequent_words_are_ordered_and_bounded() {
        let text = "The cat and the dog";
        check_frequent(text, Some(1), None, &[("the", 2, 0.4)]);
        check_frequent(
            text,
            None,
            None,
            &[
                ("the", 2, 0.4),
                ("and", 1, 0.2),
                ("cat", 1, 0.2),
                ("dog", 1, 0.2),
            ],
        );
        check_frequent(text, Some(0), None, &[("the", 2, 0.4)]);
        check_frequent(
            "Éa éA a bb",
            None,
            Some(2),
            &[("éa", 2, 0.6667), ("bb", 1, 0.3333)],
        );
        check_frequent("", None, None, &[]);
        check_frequent("short", None, Some(9), &[]);
        let many: String = (0..1500).map(|number| format!("w{number} ")).collect();
        assert_eq!(frequent_words(&many, Some(5000), None).len(), 1000);
        assert_eq!(frequent_words(&many, None, None).len(), 10);
    }
}
