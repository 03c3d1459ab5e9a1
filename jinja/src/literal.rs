//! Numbers and texts as templates write them, which is as Python does.

use std::borrow::Cow;

/// The length of digits, which may have single underscores between them.
fn digits_length(text: &str, radix: u32) -> usize {
    let mut length = 0;
    let mut follows_digit = false;
    for (at, byte) in text.bytes().enumerate() {
        if char::from(byte).is_digit(radix) {
            follows_digit = true;
            length = at + 1;
        } else if byte == b'_' && follows_digit {
            follows_digit = false;
        } else {
            break;
        }
    }
    length
}

/// The length of the float that `text` begins with.
pub(crate) fn float_length(text: &str) -> Option<usize> {
    let whole = digits_length(text, 10);
    let mut length = whole;
    if text[whole..].starts_with('.') {
        let fraction = digits_length(&text[whole + 1..], 10);
        if fraction > 0 {
            length += 1 + fraction;
        }
    }
    if let Some(exponent) = text[length..].strip_prefix(['e', 'E']) {
        let unsigned = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        let digits = digits_length(unsigned, 10);
        if digits > 0 {
            length += 1 + exponent.len() - unsigned.len() + digits;
        }
    }
    (whole > 0 && length > whole).then_some(length)
}

/// The length and the value of the integer that `text` begins with; no value where it is too
/// large.
pub(crate) fn integer(text: &str) -> (usize, Option<i64>) {
    let radix = match text.as_bytes() {
        [b'0', b'b' | b'B', ..] => 2,
        [b'0', b'o' | b'O', ..] => 8,
        [b'0', b'x' | b'X', ..] => 16,
        _ => 10,
    };
    if radix != 10 {
        let digits = &text[2..];
        let underscore = usize::from(digits.starts_with('_'));
        let length = digits_length(&digits[underscore..], radix);
        if length > 0 {
            let length = 2 + underscore + length;
            let value = i64::from_str_radix(&text[2..length].replace('_', ""), radix);
            return (length, value.ok());
        }
    }
    // After a zero there are only more of them.
    let length = match text.starts_with('0') {
        true => {
            let zeros = text.find(|it| it != '0' && it != '_');
            digits_length(&text[..zeros.unwrap_or(text.len())], 10)
        }
        false => digits_length(text, 10),
    };
    (length, text[..length].replace('_', "").parse().ok())
}

/// The length of the quoted text that `text` begins with, quotes included.
pub(crate) fn string_length(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let quote = bytes[0];
    let mut at = 1;
    loop {
        match *bytes.get(at)? {
            b'\\' => at += 2,
            byte if byte == quote => return Some(at + 1),
            _ => at += 1,
        }
    }
}

/// What stands between quotes with its escapes resolved.
pub(crate) fn unescaped(quoted: &str) -> Result<Cow<'_, str>, &'static str> {
    if !quoted.contains('\\') {
        return Ok(Cow::Borrowed(quoted));
    }
    let mut text = String::with_capacity(quoted.len());
    let mut rest = quoted;
    while let Some(at) = rest.find('\\') {
        text.push_str(&rest[..at]);
        rest = escape(&rest[at + 1..], &mut text)?;
    }
    text.push_str(rest);
    Ok(Cow::Owned(text))
}

/// Resolves the escape that `rest` begins with, and returns what follows it.
fn escape<'q>(rest: &'q str, text: &mut String) -> Result<&'q str, &'static str> {
    let first = rest.chars().next().ok_or("a backslash escapes nothing")?;
    let after = &rest[first.len_utf8()..];
    let character = match first {
        '\n' => return Ok(after),
        '\\' | '\'' | '"' => first,
        'a' => '\u{7}',
        'b' => '\u{8}',
        'f' => '\u{c}',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'v' => '\u{b}',
        '0'..='7' => {
            let digits = rest
                .bytes()
                .take(3)
                .take_while(|it| matches!(it, b'0'..=b'7'));
            let (octal, after) = rest.split_at(digits.count());
            text.push(coded_character(u32::from_str_radix(octal, 8).ok())?);
            return Ok(after);
        }
        'x' => return coded(after, 2, text),
        'u' => return coded(after, 4, text),
        'U' => return coded(after, 8, text),
        'N' => return Err("characters cannot be named"),
        other => {
            text.push('\\');
            other
        }
    };
    text.push(character);
    Ok(after)
}

fn coded<'q>(rest: &'q str, digits: usize, text: &mut String) -> Result<&'q str, &'static str> {
    let code = rest.get(..digits).ok_or("an escape is cut short")?;
    let is_hex = code.bytes().all(|it| it.is_ascii_hexdigit());
    let code = u32::from_str_radix(code, 16).ok().filter(|_| is_hex);
    text.push(coded_character(code)?);
    Ok(&rest[digits..])
}

fn coded_character(code: Option<u32>) -> Result<char, &'static str> {
    code.and_then(char::from_u32)
        .ok_or("an escape stands for no character")
}
