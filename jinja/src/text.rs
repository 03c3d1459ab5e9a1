//! Texts as Python counts and cuts them: by characters, with its notion of white space.

use std::ops::Range;

/// What Python's `str.isspace` takes for white space.
pub(crate) fn is_space(character: char) -> bool {
    character.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&character)
}

pub(crate) fn trim_start(text: &str) -> &str {
    text.trim_start_matches(is_space)
}

pub(crate) fn trim_end(text: &str) -> &str {
    text.trim_end_matches(is_space)
}

pub(crate) fn trim(text: &str) -> &str {
    trim_start(trim_end(text))
}

/// A character at the beginning of a word: of those that become several, one is large.
pub(crate) fn title(character: char) -> impl Iterator<Item = char> {
    let mut upper = character.to_uppercase();
    let first = upper.next();
    first.into_iter().chain(upper.flat_map(char::to_lowercase))
}

/// How many characters a text has.
pub(crate) fn length(text: &str) -> usize {
    match text.is_ascii() {
        true => text.len(),
        false => text.chars().count(),
    }
}

/// Where the character `index` begins, in bytes; the text's length beyond its end.
pub(crate) fn offset(text: &str, index: usize) -> usize {
    if text.is_ascii() {
        return index.min(text.len());
    }
    let mut characters = text.char_indices();
    characters.nth(index).map_or(text.len(), |(at, _)| at)
}

/// The character at an index, which counts from the end when it is negative.
pub(crate) fn character(text: &str, index: i128) -> Option<&str> {
    let index = match index < 0 {
        true => index + length(text) as i128,
        false => index,
    };
    let from = offset(text, usize::try_from(index).ok()?);
    let first = text[from..].chars().next()?;
    Some(&text[from..from + first.len_utf8()])
}

/// The characters of a range.
pub(crate) fn between(text: &str, range: Range<usize>) -> &str {
    let from = offset(text, range.start);
    let rest = &text[from..];
    &rest[..offset(rest, range.end - range.start)]
}

/// The lines of a text, each without and with what ends it.
pub(crate) fn lines(text: &str) -> Vec<(&str, &str)> {
    let mut lines = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest.find(ends_line).unwrap_or(rest.len());
        let after = match rest[end..].starts_with("\r\n") {
            true => end + 2,
            false => end + rest[end..].chars().next().map_or(0, char::len_utf8),
        };
        lines.push((&rest[..end], &rest[..after]));
        rest = &rest[after..];
    }
    lines
}

fn ends_line(character: char) -> bool {
    matches!(
        character,
        '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{1c}'..='\u{1e}' | '\u{85}' | '\u{2028}' | '\u{2029}'
    )
}
