//! Characters that nobody sees or that change how text is read.

/// Whether a character could steer a terminal or change how a text is read: control characters,
/// bidirectional overrides, invisible and tag characters, selectors. A line break is one. Where a
/// stranger's text has one, it is written by its number.
pub fn is_hidden(character: char) -> bool {
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

/// Whether a character has no business in a description, because it [is hidden](is_hidden). Line
/// breaks, tabs and the selectors that choose a picture for a character do.
pub fn is_out_of_place(character: char) -> bool {
    is_hidden(character) && !matches!(character, '\n' | '\t' | '\u{fe0e}' | '\u{fe0f}')
}
