//! Splits a function's texts into words, stems and a first sentence, for the rules of the lint.

/// Words that are too common to distinguish descriptions.
const COMMON: [&str; 40] = [
    "a", "an", "the", "of", "to", "in", "on", "at", "by", "for", "from", "with", "and", "or", "as",
    "is", "are", "be", "it", "its", "that", "this", "which", "what", "when", "where", "one", "all",
    "not", "no", "than", "may", "can", "will", "has", "have", "you", "your", "use", "tool",
];

/// The words of a text, in small letters.
pub(super) fn words(text: &str) -> impl Iterator<Item = String> {
    let parts = text.split(|c: char| !c.is_alphanumeric());
    parts.filter(|word| !word.is_empty()).map(str::to_lowercase)
}

/// The stems of the words that are specific to a text.
pub(super) fn telling(text: &str) -> impl Iterator<Item = String> {
    let telling = words(text).filter(|word| !COMMON.contains(&word.as_str()));
    telling.map(|word| stem(&word))
}

/// A word without the endings of English verbs and nouns, so that "reads" is "read".
pub(super) fn stem(word: &str) -> String {
    let ends = ["ing", "ies", "es", "ed", "s"];
    let stem = ends
        .iter()
        .filter_map(|end| word.strip_suffix(end))
        .find(|stem| stem.chars().count() >= 3);
    let stem = stem.unwrap_or(word);
    stem.strip_suffix('e')
        .filter(|stem| stem.len() >= 3)
        .unwrap_or(stem)
        .to_owned()
}

/// The first sentence of a text.
pub(super) fn first_sentence(text: &str) -> &str {
    let text = text.trim();
    let end = [". ", ".\n", "\n\n"]
        .iter()
        .filter_map(|end| text.find(end))
        .min();
    &text[..end.unwrap_or(text.len())]
}
