//! Recognises control, invisible and direction-changing characters, and escapes them in texts.

use std::fmt::Write as _;

/// True for a character that could steer a terminal or change how a text is read: a control
/// character (line breaks included), a bidirectional override, an invisible or tag character, a
/// variation selector. Untrusted text shows such a character by its number.
pub fn is_hidden(character: char) -> bool {
    character.is_control()
        || matches!(character,
            // Default_Ignorable_Code_Point of Unicode 16.
            '\u{ad}'
            | '\u{34f}'
            | '\u{61c}'
            | '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}'
            | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}'
            | '\u{fff0}'..='\u{fff8}'
            | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}'
            // Separators of lines and paragraphs, an empty Braille pattern, marks of annotations,
            // and controls of hieroglyphs.
            | '\u{2028}' | '\u{2029}'
            | '\u{2800}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{13430}'..='\u{13455}')
}

/// True for a [hidden](is_hidden) character that does not belong in a description. Line breaks,
/// tabs and the selectors of emoji presentation do.
pub fn is_out_of_place(character: char) -> bool {
    is_hidden(character) && !matches!(character, '\n' | '\t' | '\u{fe0e}' | '\u{fe0f}')
}

/// Shows every character that could steer a terminal or change how text is read: control
/// characters, escape sequences, bidirectional overrides, invisible and tag characters.
/// Nothing is left out, everything harmful is spelled as `\u{…}`, so that a reader sees it
/// was there. New lines and tabs are kept.
pub fn escape(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        let ends_line = c == '\r' && characters.peek() == Some(&'\n');
        if ends_line {
            continue;
        }
        if matches!(c, '\n' | '\t') || !is_hidden(c) {
            shown.push(c);
        } else {
            let _ = write!(shown, "\\u{{{:x}}}", u32::from(c));
        }
    }
    shown
}

/// Like [`escape`], on one line: new lines and tabs are spelled too.
pub fn escape_line(text: &str) -> String {
    escape(text).replace('\n', "\\n").replace('\t', "\\u{9}")
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
        check("a\nb\r\nc", "a\\nb\\nc");
        check("a\tb", "a\\u{9}b");
        assert_eq!(escape("a\tb\r\nc\u{b}"), "a\tb\nc\\u{b}");
    }
}
