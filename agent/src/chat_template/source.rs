//! What is different in a template's text before Jinja reads it.

use super::TemplateError;

/// What a tag may have beside texts, in bytes. The engine takes time by the square of a chain of
/// operators. Real models have 300.
const TAG_BYTES_MAX: usize = 4 << 10;

/// `source` as the engine reads it: a block of `{% generation %}`, which marks what the
/// assistant wrote, is a scope, and a loop over what cannot be looped over is an error and not
/// a loop without a turn.
pub(super) fn adapted(source: &str) -> Result<String, TemplateError> {
    let mut adapted = String::with_capacity(source.len() + 64);
    let mut rest = source;
    while let Some(start) = rest.find('{') {
        let (text, tag) = rest.split_at(start);
        adapted.push_str(text);
        let length = match tag.as_bytes().get(1) {
            Some(b'#') => tag.find("#}").map(|end| end + 2),
            Some(b'{') => end_of_tag(tag, "}}"),
            Some(b'%') => end_of_tag(tag, "%}"),
            _ => Some(1),
        };
        let (tag, after) = tag.split_at(length.unwrap_or(tag.len()));
        if tag.len() > TAG_BYTES_MAX && !tag.starts_with("{#") && code_bytes(tag) > TAG_BYTES_MAX {
            return Err(TemplateError::TooMuch {
                limit: "tag_bytes",
                value: TAG_BYTES_MAX,
            });
        }
        match tag.starts_with("{%") && length.is_some() {
            true => adapted.push_str(&statement(tag)),
            false => adapted.push_str(tag),
        }
        rest = after;
        if is_statement(tag, "raw") {
            let verbatim = end_of_raw(rest);
            adapted.push_str(&rest[..verbatim]);
            rest = &rest[verbatim..];
        }
    }
    adapted.push_str(rest);
    Ok(adapted)
}

/// How much of a tag is in no text.
fn code_bytes(tag: &str) -> usize {
    let mut code = 0;
    let mut quote = None;
    let mut bytes = tag.bytes();
    while let Some(byte) = bytes.next() {
        match quote {
            None if matches!(byte, b'"' | b'\'') => quote = Some(byte),
            None => code += 1,
            Some(_) if byte == b'\\' => drop(bytes.next()),
            Some(open) if open == byte => quote = None,
            Some(_) => {}
        }
    }
    code
}

/// The length of `tag`, whose texts may contain what ends it.
fn end_of_tag(tag: &str, close: &str) -> Option<usize> {
    let mut at = close.len();
    let mut quote = None;
    while let Some(byte) = tag.as_bytes().get(at) {
        match (quote, byte) {
            (Some(_), b'\\') => at += 1,
            (Some(open), _) if open == *byte => quote = None,
            (None, b'"' | b'\'') => quote = Some(*byte),
            (None, _) if tag.as_bytes()[at..].starts_with(close.as_bytes()) => {
                return Some(at + close.len());
            }
            _ => {}
        }
        at += 1;
    }
    None
}

fn end_of_raw(text: &str) -> usize {
    let mut from = 0;
    while let Some(start) = text[from..].find("{%") {
        let start = from + start;
        if is_statement(&text[start..], "endraw") {
            return start;
        }
        from = start + 2;
    }
    text.len()
}

/// Whether `tag` begins a statement of that name.
fn is_statement(tag: &str, name: &str) -> bool {
    let Some(inside) = tag.strip_prefix("{%") else {
        return false;
    };
    let inside = inside.trim_start_matches(['-', '+']).trim_start();
    inside.strip_prefix(name).is_some_and(|after| {
        !after.starts_with(|character: char| character.is_alphanumeric() || character == '_')
    })
}

fn statement(tag: &str) -> String {
    if is_statement(tag, "generation") {
        tag.replacen("generation", "with", 1)
    } else if is_statement(tag, "endgeneration") {
        tag.replacen("endgeneration", "endwith", 1)
    } else if is_statement(tag, "for") {
        checked_loop(tag).unwrap_or_else(|| tag.to_owned())
    } else {
        tag.to_owned()
    }
}

/// `{% for x in looped if … %}` with `looped` held to what Python loops over.
fn checked_loop(tag: &str) -> Option<String> {
    let words = words(tag);
    let begin = words.iter().find(|word| word.text == "in")?.end;
    let after = words
        .iter()
        .find(|word| word.start > begin && (word.text == "if" || word.text == "recursive"));
    let end = match after {
        Some(word) => word.start,
        None => tag[..tag.len() - 2].trim_end_matches(['-', '+']).len(),
    };
    let (before, looped, after) = (&tag[..begin], &tag[begin..end], &tag[end..]);
    Some(format!("{before} ({looped})|{LOOPED} {after}"))
}

/// The filter that looks whether something can be looped over.
pub(super) const LOOPED: &str = "_looped";

struct Word<'a> {
    text: &'a str,
    start: usize,
    end: usize,
}

/// The words of a tag that stand in no text and in no bracket.
fn words(tag: &str) -> Vec<Word<'_>> {
    let mut words = Vec::new();
    let mut depth = 0_usize;
    let mut quote = None;
    let mut start = None;
    let mut escaped = false;
    for (at, character) in tag.char_indices() {
        let is_word = quote.is_none() && (character.is_alphanumeric() || character == '_');
        match (start, is_word) {
            (None, true) => start = Some(at),
            (Some(from), false) => {
                if depth == 0 {
                    words.push(Word {
                        text: &tag[from..at],
                        start: from,
                        end: at,
                    });
                }
                start = None;
            }
            _ => {}
        }
        match (quote, character) {
            (Some(_), _) if escaped => escaped = false,
            (Some(_), '\\') => escaped = true,
            (Some(open), _) if open == character => quote = None,
            (None, '"' | '\'') => quote = Some(character),
            (None, '(' | '[' | '{') if at > 0 => depth += 1,
            (None, ')' | ']' | '}') => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    words
}
