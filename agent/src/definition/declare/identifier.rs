//! Identifiers for names: distinct names have distinct identifiers, which can be converted back.
//!
//! A reserved word gets a `_` at its end, and so does one that already ends with such `_`. A
//! character that no identifier may contain becomes `_x`, its code point in hexadecimal and `_`;
//! so does a `_` that would make a name look like such an escape.

/// The identifier of `name`.
pub(super) fn of(name: &str, reserved: &[&str]) -> String {
    if name.is_empty() {
        return "_x_".to_owned();
    }
    if name == "_x_" {
        return "_x5f_x_".to_owned();
    }
    let mut identifier = String::with_capacity(name.len());
    for (at, character) in name.char_indices() {
        let fits = match character {
            '_' => !looks_escaped(&name[at..]),
            '0'..='9' => at > 0,
            character => character.is_ascii_alphabetic(),
        };
        if fits {
            identifier.push(character);
        } else {
            identifier.push_str(&format!("_x{:x}_", character as u32));
        }
    }
    if reserved.contains(&identifier.trim_end_matches('_')) {
        identifier.push('_');
    }
    identifier
}

/// True if `rest`, which begins with `_`, would read as an escape with what follows it.
fn looks_escaped(rest: &str) -> bool {
    let Some(digits) = rest.strip_prefix("_x") else {
        return false;
    };
    let end = digits.trim_start_matches(|c: char| matches!(c, '0'..='9' | 'a'..='f'));
    end.len() < digits.len() && end.starts_with(|c: char| !c.is_ascii_alphanumeric())
}

/// The name of `identifier`.
pub(super) fn name_of(identifier: &str, reserved: &[&str]) -> String {
    if identifier == "_x_" {
        return String::new();
    }
    let mut rest = match identifier.strip_suffix('_') {
        Some(shorter) if reserved.contains(&shorter.trim_end_matches('_')) => shorter,
        _ => identifier,
    };
    let mut name = String::with_capacity(rest.len());
    while let Some(at) = rest.find("_x") {
        let (before, escape) = rest.split_at(at);
        name.push_str(before);
        match unescaped(escape) {
            Some((character, after)) => {
                name.push(character);
                rest = after;
            }
            None => {
                name.push('_');
                rest = &escape[1..];
            }
        }
    }
    name.push_str(rest);
    name
}

/// The character of the escape with which `text` begins, and what follows.
fn unescaped(text: &str) -> Option<(char, &str)> {
    let (digits, after) = text.strip_prefix("_x")?.split_once('_')?;
    let is_number = digits
        .bytes()
        .all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
    let number = u32::from_str_radix(digits, 16).ok().filter(|_| is_number)?;
    Some((char::from_u32(number)?, after))
}
