//! Escapes hidden and control characters in text from strangers, and finds those that do not belong
//! in a description.

use std::fmt::Write as _;

pub(crate) use tool_hub_agent::characters::{escape, escape_line};
use tool_hub_agent::characters::{is_hidden, is_out_of_place};

/// JSON that says the same, with the characters that [`escape`] spells in escapes of its own. New
/// lines stand between its parts only, and are kept.
pub(crate) fn escape_json(json: &str) -> String {
    let mut shown = String::with_capacity(json.len());
    for c in json.chars() {
        if c == '\n' || !is_hidden(c) {
            shown.push(c);
        } else {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _ = write!(shown, "\\u{unit:04x}");
            }
        }
    }
    shown
}

/// The characters of `text` that have no business in a description: each once, in order.
pub(crate) fn out_of_place(text: &str) -> Vec<char> {
    let mut found = Vec::new();
    for c in text.chars().filter(|c| is_out_of_place(*c)) {
        if !found.contains(&c) {
            found.push(c);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_stays_the_same_json() {
        let text = "a\nb \u{9b}31m\u{7f}\u{202e}\u{feff}\u{e0041} é 漢字 🎉 \\";
        let value = serde_json::json!({ text: [text, 1.5] });
        let escaped = escape_json(&serde_json::to_string_pretty(&value).unwrap());
        assert!(escaped.chars().all(|c| c == '\n' || !is_hidden(c)));
        assert!(escaped.contains("\\u009b31m\\u007f\\u202e\\ufeff\\udb40\\udc41 é 漢字 🎉"));
        assert_eq!(
            serde_json::from_str::<serde_json::Value>(&escaped).unwrap(),
            value
        );
    }

    #[test]
    fn characters_that_do_not_belong_are_found_once() {
        assert_eq!(out_of_place("plain\n\té ❤\u{fe0f}"), Vec::<char>::new());
        assert_eq!(
            out_of_place("a\u{202e}b\u{1b}[2J\u{202e}"),
            ['\u{202e}', '\u{1b}']
        );
    }
}
