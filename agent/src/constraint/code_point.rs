//! Writes a character by its number, as GBNF and regular expressions escape it.

/// A character by its number, as GBNF and the regular expressions of Rust and Python read it.
pub(super) fn code(character: char) -> String {
    match u32::from(character) {
        number @ 0..=0xff => format!("\\x{number:02X}"),
        number @ 0x100..=0xffff => format!("\\u{number:04X}"),
        number => format!("\\U{number:08X}"),
    }
}
