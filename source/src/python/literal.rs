//! Reads Python's literals: strings with their escapes, and numbers.

use serde_json::{Number, Value};

/// The content of a string literal.
pub(super) enum Text {
    /// This text.
    Plain(String),
    /// Something that is no text, such as bytes, or that is only known when it runs.
    Other,
    /// A text with an escape that is not read.
    Unreadable,
}

/// The text of one string literal, quotes and prefix included.
pub(super) fn text(literal: &str) -> Text {
    let Some(start) = literal.find(['"', '\'']) else {
        return Text::Other;
    };
    let (prefix, quoted) = literal.split_at(start);
    let prefix = prefix.to_ascii_lowercase();
    if prefix.contains(['b', 'f', 't']) {
        return Text::Other;
    }
    let quotes = match quoted.get(..3) {
        Some("\"\"\"" | "'''") => 3,
        _ => 1,
    };
    let Some(body) = quoted.get(quotes..quoted.len().saturating_sub(quotes)) else {
        return Text::Other;
    };
    if prefix.contains('r') {
        return Text::Plain(body.to_owned());
    }
    unescape(body).map_or(Text::Unreadable, Text::Plain)
}

/// The text between the braces of an f-string, which has braces twice.
pub(super) fn piece(body: &str, is_raw: bool) -> Option<String> {
    let text = match is_raw {
        true => body.to_owned(),
        false => unescape(body)?,
    };
    Some(text.replace("{{", "{").replace("}}", "}"))
}

/// Replaces escapes. `None` for `\N{…}`, which needs the names of all characters, and for half a
/// surrogate pair, which is no text.
fn unescape(body: &str) -> Option<String> {
    let mut text = String::with_capacity(body.len());
    let mut rest = body;
    while let Some(at) = rest.find('\\') {
        text.push_str(&rest[..at]);
        let escape = &rest[at + 1..];
        let kind = escape.chars().next()?;
        let mut used = kind.len_utf8();
        match kind {
            '\n' => {}
            '\\' | '\'' | '"' => text.push(kind),
            'a' => text.push('\u{7}'),
            'b' => text.push('\u{8}'),
            'f' => text.push('\u{c}'),
            'n' => text.push('\n'),
            'r' => text.push('\r'),
            't' => text.push('\t'),
            'v' => text.push('\u{b}'),
            'x' | 'u' | 'U' => {
                let digits = match kind {
                    'x' => 2,
                    'u' => 4,
                    _ => 8,
                };
                let code = u32::from_str_radix(escape.get(1..=digits)?, 16).ok()?;
                text.push(char::from_u32(code)?);
                used += digits;
            }
            '0'..='7' => {
                let octal = |c: &char| ('0'..='7').contains(c);
                let digits = escape.chars().take(3).take_while(octal).count();
                let code = u32::from_str_radix(&escape[..digits], 8).ok()?;
                text.push(char::from_u32(code)?);
                used = digits;
            }
            'N' => return None,
            other => {
                text.push('\\');
                text.push(other);
            }
        }
        rest = &escape[used..];
    }
    text.push_str(rest);
    Some(text)
}

/// The value of an integer literal that fits into 64 bits.
pub(super) fn integer(literal: &str) -> Option<Value> {
    let digits = literal.replace('_', "").to_ascii_lowercase();
    let (digits, radix) = match digits.get(..2) {
        Some("0x") => (&digits[2..], 16),
        Some("0o") => (&digits[2..], 8),
        Some("0b") => (&digits[2..], 2),
        _ => (digits.as_str(), 10),
    };
    u64::from_str_radix(digits, radix).ok().map(Value::from)
}

/// The value of a float literal.
pub(super) fn float(literal: &str) -> Option<Value> {
    let number: f64 = literal.replace('_', "").parse().ok()?;
    Number::from_f64(number).map(Value::Number)
}
