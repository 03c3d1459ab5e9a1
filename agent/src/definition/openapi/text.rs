//! Texts of an OpenAPI document as plain words: without markup, and cut where a sentence ends.

use std::sync::LazyLock;

use regex::Regex;

/// The longest text that is looked at; of what is longer only the beginning is.
const READ_BYTES_MAX: usize = 64 << 10;

/// Elements of HTML, which some documents write in descriptions.
static ELEMENT: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"</?[A-Za-z][^<>]{0,300}>").ok());
/// Links of Markdown, of which the words stay.
static LINK: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"!?\[([^\[\]]{0,300})\]\([^()]{0,500}\)").ok());

/// A description in at most `characters_max` characters; true beside it if it was cut.
pub(super) fn plain(text: &str, characters_max: usize) -> (String, bool) {
    let end = text.floor_char_boundary(READ_BYTES_MAX);
    let mut text = text[..end].to_owned();
    for (pattern, replacement) in [(&LINK, "$1"), (&ELEMENT, " ")] {
        if let Some(pattern) = pattern.as_ref() {
            text = pattern.replace_all(&text, replacement).into_owned();
        }
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    cut(&words.join(" "), characters_max)
}

/// The first paragraph of a description, before lists, tables and headings.
pub(super) fn first_paragraph(text: &str) -> &str {
    let text = text.trim();
    let end = text.find("\n\n").or_else(|| text.find("\r\n\r\n"));
    &text[..end.unwrap_or(text.len())]
}

/// A text that ends as a sentence does.
pub(super) fn as_sentence(text: String) -> String {
    match text.chars().next_back() {
        Some(last) if last.is_alphanumeric() || matches!(last, ')' | '`' | '"' | '\'') => {
            format!("{text}.")
        }
        _ => text,
    }
}

fn cut(text: &str, characters_max: usize) -> (String, bool) {
    let Some((end, _)) = text.char_indices().nth(characters_max) else {
        return (text.to_owned(), false);
    };
    let kept = &text[..end];
    // A sentence is worth more than some words more.
    let sentence = kept.rfind(". ").filter(|place| *place > characters_max / 3);
    let kept = match sentence {
        Some(place) => kept[..=place].to_owned(),
        None => match kept.rfind(' ') {
            Some(place) => format!("{}…", &kept[..place]),
            None => format!("{kept}…"),
        },
    };
    (kept, true)
}
