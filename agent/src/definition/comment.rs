//! Escapes untrusted text for comments and literals of source code.

use crate::characters::is_out_of_place;

/// The lines of a text for a comment, with every kind of line break. Hidden characters are spelled
/// out, so that readers see what is there.
pub(super) fn lines(text: &str) -> Vec<String> {
    let text = text.replace("\r\n", "\n");
    text.trim()
        .split([
            '\n', '\r', '\u{b}', '\u{c}', '\u{85}', '\u{2028}', '\u{2029}',
        ])
        .map(|line| spelled_out(line.trim_end()))
        .collect()
}

fn spelled_out(line: &str) -> String {
    let mut spelled = String::with_capacity(line.len());
    for character in line.chars() {
        match character {
            '\t' => spelled.push(' '),
            character if is_out_of_place(character) => {
                spelled.extend(character.escape_unicode());
            }
            character => spelled.push(character),
        }
    }
    spelled
}

/// A string literal: ASCII, in double quotes, valid in JSON, TypeScript and, with `astral`
/// for what lies beyond the Basic Multilingual Plane, Python.
pub(super) fn literal(text: &str, astral: fn(char) -> String) -> String {
    let mut written = String::from("\"");
    for character in text.chars() {
        match character {
            '"' | '\\' => written.extend(['\\', character]),
            ' '..='~' => written.push(character),
            '\u{0}'..='\u{ffff}' => written.push_str(&format!("\\u{:04x}", character as u32)),
            character => written.push_str(&astral(character)),
        }
    }
    written.push('"');
    written
}
