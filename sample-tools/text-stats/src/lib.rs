//! The component `text-stats`: hands the exports of `wit/world.wit` to [`measure`].

pub mod measure;

use bindings::exports::demo::text_stats::stats::{Guest, TextStatistics, WordFrequency};

#[allow(
    missing_docs,
    unsafe_code,
    unreachable_pub,
    reason = "generated from wit/world.wit, where the documentation is"
)]
mod bindings {
    wit_bindgen::generate!({ path: "wit", world: "text-stats" });
    use super::TextStats;
    export!(TextStats);
}

/// The exports of the component.
struct TextStats;

impl Guest for TextStats {
    fn count_words(text: String) -> u64 {
        measure::count_words(&text)
    }

    fn count_sentences(text: String) -> u64 {
        measure::count_sentences(&text)
    }

    fn count_characters(text: String) -> u64 {
        measure::count_characters(&text)
    }

    fn statistics(text: String) -> TextStatistics {
        let found = measure::statistics(&text);
        TextStatistics {
            words: found.words,
            distinct_words: found.distinct_words,
            sentences: found.sentences,
            paragraphs: found.paragraphs,
            lines: found.lines,
            characters: found.characters,
            characters_without_spaces: found.characters_without_spaces,
            code_points: found.code_points,
            bytes: found.bytes,
            average_sentence_words: found.average_sentence_words(),
            average_word_characters: found.average_word_characters(),
            reading_seconds: found.reading_seconds(),
            longest_word: found.longest_word,
        }
    }

    fn frequent_words(
        text: String,
        limit: Option<u32>,
        shortest: Option<u32>,
    ) -> Vec<WordFrequency> {
        measure::frequent_words(&text, limit, shortest)
            .into_iter()
            .map(|found| WordFrequency {
                word: found.word,
                count: found.count,
                share: found.share,
            })
            .collect()
    }
}
