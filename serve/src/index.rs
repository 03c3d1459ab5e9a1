//! A search index in memory that ranks texts by a few words with BM25, always in the same order.
//!
//! The functions of a toolbox and the passages of one answer are few and short. An index of
//! them is a map from words to places, so no engine with files and threads stands behind it.

use std::collections::HashMap;

/// BM25's `k1`: the smaller it is, the sooner a repeated word counts no more.
const SATURATION: f64 = 1.2;
/// BM25's `b`: the weight of a text's length, from 0 to 1.
const LENGTH_WEIGHT: f64 = 0.75;
/// The most words of a query that are looked for.
const QUERY_WORDS_MAX: usize = 32;
/// Longer words are told apart by their beginning.
const WORD_CHARACTERS_MAX: usize = 40;
/// From here on letters stand for words: ideographs, kana, syllables of Hangul.
const FIRST_IDEOGRAPH: char = '\u{2e80}';

/// Texts that can be searched. Each is known by its place in what the index was made from.
pub(crate) struct Index {
    /// The texts in which a word occurs, and how often.
    places: HashMap<Box<str>, Vec<(u32, f32)>>,
    /// The length of each text, in words.
    lengths: Vec<f64>,
    mean_length: f64,
}

impl Index {
    /// Makes texts searchable. A text is made of parts, each with what a word in it counts.
    pub(crate) fn new<'a, P>(texts: impl IntoIterator<Item = P>) -> Self
    where
        P: IntoIterator<Item = (&'a str, f32)>,
    {
        Self::of_words(texts, |_| true)
    }

    /// Makes texts searchable by the words that are `wanted`.
    fn of_words<'a, P>(texts: impl IntoIterator<Item = P>, wanted: impl Fn(&str) -> bool) -> Self
    where
        P: IntoIterator<Item = (&'a str, f32)>,
    {
        let mut places: HashMap<Box<str>, Vec<(u32, f32)>> = HashMap::new();
        let mut lengths = Vec::new();
        for text in texts {
            let place = u32::try_from(lengths.len()).unwrap_or(u32::MAX);
            let mut length = 0.0;
            for (part, weight) in text {
                words(part, |word| {
                    length += f64::from(weight);
                    if !wanted(word) {
                        return;
                    }
                    let found = match places.get_mut(word) {
                        Some(found) => found,
                        None => places.entry(word.into()).or_default(),
                    };
                    match found.last_mut() {
                        Some((last, count)) if *last == place => *count += weight,
                        _ => found.push((place, weight)),
                    }
                });
            }
            lengths.push(length);
        }
        let mean_length = lengths.iter().sum::<f64>() / lengths.len().max(1) as f64;
        Self {
            places,
            lengths,
            mean_length,
        }
    }

    /// Searches `texts` once: the places of those with a word of `query`, best first. Only the
    /// words of the query are indexed, which saves memory for megabytes of text.
    pub(crate) fn rank<'a>(texts: impl IntoIterator<Item = &'a str>, query: &str) -> Vec<usize> {
        let wanted = query_words(query);
        let texts = texts.into_iter().map(|text| [(text, 1.0)]);
        let index = Self::of_words(texts, |word| wanted.iter().any(|wanted| wanted == word));
        index.search(query)
    }

    /// The places of all texts with a word of `query`, best first; equal ones stay in their order.
    pub(crate) fn search(&self, query: &str) -> Vec<usize> {
        let mut scores: HashMap<u32, f64> = HashMap::new();
        for word in query_words(query) {
            let Some(found) = self.places.get(&*word) else {
                continue;
            };
            let (texts, with) = (self.lengths.len() as f64, found.len() as f64);
            let rarity = (1.0 + (texts - with + 0.5) / (with + 0.5)).ln();
            for (place, count) in found {
                let count = f64::from(*count);
                let length = self.lengths[*place as usize] / self.mean_length;
                let needed = SATURATION * (1.0 - LENGTH_WEIGHT + LENGTH_WEIGHT * length);
                let score = rarity * count * (SATURATION + 1.0) / (count + needed);
                *scores.entry(*place).or_default() += score;
            }
        }
        let mut ranked: Vec<(u32, f64)> = scores.into_iter().collect();
        ranked.sort_by(|(a, score_a), (b, score_b)| score_b.total_cmp(score_a).then(a.cmp(b)));
        ranked
            .into_iter()
            .map(|(place, _)| place as usize)
            .collect()
    }
}

/// The words of a query, each once.
fn query_words(query: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    words(query, |word| {
        if found.len() < QUERY_WORDS_MAX && !found.iter().any(|known| known == word) {
            found.push(word.to_owned());
        }
    });
    found
}

/// Calls `each` with the words of `text`, in small letters. A plural counts as its singular, as far
/// as its last letters tell.
fn words(text: &str, mut each: impl FnMut(&str)) {
    let mut word = String::new();
    let mut length = 0;
    let mut end = |word: &mut String| {
        if !word.is_empty() {
            each(singular(word));
            word.clear();
        }
    };
    for character in text.chars() {
        if !character.is_alphanumeric() {
            end(&mut word);
            length = 0;
            continue;
        }
        if character >= FIRST_IDEOGRAPH {
            end(&mut word);
            length = 0;
        }
        if length < WORD_CHARACTERS_MAX {
            match character.is_ascii() {
                true => word.push(character.to_ascii_lowercase()),
                false => word.extend(character.to_lowercase()),
            }
            length += 1;
        }
        if character >= FIRST_IDEOGRAPH {
            end(&mut word);
            length = 0;
        }
    }
    end(&mut word);
}

fn singular(word: &str) -> &str {
    match word.strip_suffix('s') {
        Some(stem) if stem.len() >= 3 && !stem.ends_with(['s', 'u', 'i']) => stem,
        _ => word,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index(texts: &[&str]) -> Index {
        Index::new(texts.iter().map(|text| [(*text, 1.0)]))
    }

    #[track_caller]
    fn check(texts: &[&str], query: &str, expect: &[usize]) {
        assert_eq!(index(texts).search(query), expect, "{query}");
        assert_eq!(Index::rank(texts.iter().copied(), query), expect, "{query}");
    }

    #[test]
    fn texts_are_ranked_by_the_words_they_share() {
        let texts = [
            "Adds a note to the notes of a person",
            "Removes notes",
            "Reads mail; a note says how old it is, and another one who wrote it and when",
            "Sends mail",
        ];
        check(&texts, "note", &[1, 0, 2]);
        check(&texts, "Remove NOTES", &[1, 0, 2]);
        check(&texts, "mail note", &[3, 2, 1, 0]);
        check(&texts, "sends-mail", &[3, 2]);
        check(&texts, "nothing of that", &[0]);
        check(&texts, "", &[]);
        check(&[], "note", &[]);
    }

    #[test]
    fn equals_stay_in_order() {
        check(&["b a", "a b", "a b"], "a", &[0, 1, 2]);
    }

    #[test]
    fn what_counts_more_comes_first() {
        let texts = [[("add", 1.0), ("mail", 3.0)], [("mail", 1.0), ("add", 3.0)]];
        assert_eq!(Index::new(texts).search("add"), [1, 0]);
        assert_eq!(Index::new(texts).search("mail"), [0, 1]);
    }

    #[test]
    fn words_of_every_script_are_found() {
        check(&["天気を調べる", "株価"], "天気", &[0]);
        check(&["Straße in Köln", "Weg"], "KÖLN", &[0]);
        check(&["status", "glass", "bus"], "status", &[0]);
        let long = "x".repeat(100_000);
        check(&[&long, "y"], &long, &[0]);
    }
}
