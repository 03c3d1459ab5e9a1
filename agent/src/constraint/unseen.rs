//! Characters that nobody sees or that change how text is read: a schema may be a stranger's,
//! and its grammar stands on somebody's screen. They are written by their number.

/// Whether a character is one of those.
pub(super) fn is_unseen(character: char) -> bool {
    character.is_control()
        || matches!(character,
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

/// A character by its number, as GBNF and the regular expressions of Rust and Python read it.
pub(super) fn code(character: char) -> String {
    match u32::from(character) {
        number @ 0..=0xff => format!("\\x{number:02X}"),
        number @ 0x100..=0xffff => format!("\\u{number:04X}"),
        number => format!("\\U{number:08X}"),
    }
}
