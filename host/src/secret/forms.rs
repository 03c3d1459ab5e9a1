//! Lists the forms of a secret that are searched for: plain, reversed, quoted, URL, hex, base64.
//! Base64 is looked for at every alignment. All are in lower case, because the search ignores case.

use std::fmt::Write as _;

use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};

/// Shorter values are not searched for in base64: pictures hold their few digits by chance.
const ENCODED_BYTES_MIN: usize = 8;

/// The forms of `value`, each once.
pub(super) fn of(value: &str) -> Vec<String> {
    let mut forms = vec![value.to_owned(), value.escape_debug().to_string()];
    forms.extend([in_json(value, |c| c.is_ascii()), in_json(value, |_| true)]);
    for plain in [RFC_3986, BROWSERS, PYTHON] {
        forms.push(in_url(value, plain));
    }
    // As forms write it.
    forms.push(in_url(value, RFC_3986).replace("%20", "+"));
    forms.extend([in_hex(value, "%"), in_hex(value, "")]);
    forms.push(value.chars().rev().collect());
    if value.len() >= ENCODED_BYTES_MIN {
        for before in 0..3 {
            forms.extend([
                in_base64(value, before, &STANDARD_NO_PAD),
                in_base64(value, before, &URL_SAFE_NO_PAD),
            ]);
        }
    }
    for form in &mut forms {
        form.make_ascii_lowercase();
    }
    forms.sort_unstable();
    forms.dedup();
    forms
}

/// Within a JSON string, in which all but those that are `plain` are escaped.
fn in_json(value: &str, plain: fn(char) -> bool) -> String {
    let mut form = String::new();
    for character in value.chars() {
        match character {
            '"' => form.push_str("\\\""),
            '\\' => form.push_str("\\\\"),
            '\n' => form.push_str("\\n"),
            '\r' => form.push_str("\\r"),
            '\t' => form.push_str("\\t"),
            c if c >= ' ' && plain(c) => form.push(c),
            c => {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    let _ = write!(form, "\\u{unit:04x}");
                }
            }
        }
    }
    form
}

/// The characters that programs leave as they are in URLs, beside letters and digits: those that
/// RFC 3986 calls unreserved, `encodeURIComponent` of browsers, `quote` of Python.
const RFC_3986: &[u8] = b"-._~";
const BROWSERS: &[u8] = b"-._~!'()*";
const PYTHON: &[u8] = b"-._~/";

/// Percent-encoded, all but letters, digits and what is `plain`.
fn in_url(value: &str, plain: &[u8]) -> String {
    let mut form = String::new();
    for byte in value.bytes() {
        let _ = match byte {
            _ if byte.is_ascii_alphanumeric() || plain.contains(&byte) => {
                form.write_char(byte.into())
            }
            _ => write!(form, "%{byte:02x}"),
        };
    }
    form
}

/// The bytes in hexadecimal, each with the prefix `before`.
fn in_hex(value: &str, before: &str) -> String {
    let digits = |byte| format!("{before}{byte:02x}");
    value.bytes().map(digits).collect()
}

/// The digits of base64 that depend on nothing but `value`, when so many bytes stand `before`
/// it in a group of three.
fn in_base64(value: &str, before: usize, engine: &impl base64::Engine) -> String {
    let mut bytes = vec![0; before];
    bytes.extend_from_slice(value.as_bytes());
    let digits = engine.encode(&bytes);
    let first = (before * 8).div_ceil(6);
    let end = bytes.len() * 8 / 6;
    digits[first..end].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::secret::{Secret, Secrets};
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;

    #[track_caller]
    fn check(secret: &str, text: &str, expect: &str) {
        let secrets = Secrets::new([Secret::new(secret.to_owned())]);
        assert_eq!(secrets.mask(text.to_owned()), expect);
    }

    #[test]
    fn secrets_are_found_in_json_and_in_urls() {
        check("a\"b\\c\n", r#"{"x":"a\"b\\c\n"}"#, r#"{"x":"***"}"#);
        check("grün🦀", r#""gr\u00fcn\ud83e\udd80""#, r#""***""#);
        check("p@ss w/rd", "?key=p%40ss%20w%2Frd&n=1", "?key=***&n=1");
        check("p@ss w/rd", "?key=p%40ss%20w%2frd", "?key=***");
        // As a browser, Python and a form write it.
        check("p!@ss w/rd", "?key=p!%40ss%20w%2Frd", "?key=***");
        check("p@ss w/rd", "?key=p%40ss%20w/rd", "?key=***");
        check("p@ss w/rd", "?key=p%40ss+w%2Frd", "?key=***");
    }

    #[test]
    fn secrets_are_found_wherever_they_begin_in_base64() {
        for before in 0..7 {
            let secret = "canary-77aa01";
            let text = format!("{}{secret} and more", "x".repeat(before));
            let encoded = STANDARD.encode(text);
            let masked = Secrets::new([Secret::new(secret.to_owned())]).mask(encoded.clone());
            assert!(masked.contains("***"), "{masked}");
            // What is left of it are the digits that it shares with its neighbours.
            assert!(masked.len() + 12 < encoded.len(), "{masked}");
        }
    }

    #[test]
    fn secrets_are_found_spelled_byte_by_byte() {
        check("sk-Key", "736b2d4b6579 736B2D4B6579", "*** ***");
        check("sk-Key", "?k=%73%6b%2d%4b%65%79&n=1", "?k=***&n=1");
        check("sk-Key", "%73%6B%2D%4B%65%79", "***");
        check("sk-Key", "yeK-ks", "***");
    }

    #[test]
    fn short_values_are_not_looked_for_in_base64() {
        assert_eq!(of("abcd"), ["%61%62%63%64", "61626364", "abcd", "dcba"]);
    }
}
