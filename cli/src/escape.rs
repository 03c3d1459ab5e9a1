//! Text from strangers, made harmless for a terminal.

use std::fmt::Write as _;

/// Shows every character that could steer a terminal or change how text is read: control
/// characters, escape sequences, bidirectional overrides, invisible and tag characters.
/// Nothing is left out, everything harmful is spelled as `\u{…}`, so that a reader sees it
/// was there. New lines are kept.
pub(crate) fn escape(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if c == '\n' || !is_harmful(c) {
            shown.push(c);
        } else {
            let _ = write!(shown, "\\u{{{:x}}}", u32::from(c));
        }
    }
    shown
}

/// As [`escape`], on one line: new lines are spelled too.
pub(crate) fn escape_line(text: &str) -> String {
    escape(text).replace('\n', "\\n")
}

/// The characters of `text` that [`escape`] would spell and that have no business in a
/// description: each once, in order. Tabs do, and so do the selectors that choose a picture
/// for a character.
pub(crate) fn spelled(text: &str) -> Vec<char> {
    let is_fine = |c: char| matches!(c, '\n' | '\t' | '\u{fe0e}' | '\u{fe0f}');
    let mut found = Vec::new();
    for c in text.chars().filter(|c| is_harmful(*c) && !is_fine(*c)) {
        if !found.contains(&c) {
            found.push(c);
        }
    }
    found
}

fn is_harmful(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}'
            | '\u{61c}'
            | '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}'
            | '\u{180e}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expect: &str) {
        assert_eq!(escape_line(text), expect);
    }

    #[test]
    fn harmful_characters_are_spelled() {
        check("plain é 漢字 🎉", "plain é 漢字 🎉");
        check("\u{1b}[2J", "\\u{1b}[2J");
        check("\u{1b}]52;c;eA==\u{7}", "\\u{1b}]52;c;eA==\\u{7}");
        check("a\rb\u{8}c", "a\\u{d}b\\u{8}c");
        check("\u{9b}31m", "\\u{9b}31m");
        check("a\u{202e}b", "a\\u{202e}b");
        check("\u{e0041}", "\\u{e0041}");
        check("a\nb", "a\\nb");
    }

    #[test]
    fn characters_that_do_not_belong_are_found_once() {
        assert_eq!(spelled("plain\n\té ❤\u{fe0f}"), Vec::<char>::new());
        assert_eq!(
            spelled("a\u{202e}b\u{1b}[2J\u{202e}"),
            ['\u{202e}', '\u{1b}']
        );
    }
}
