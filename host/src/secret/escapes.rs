//! Undoes the escapes of JSON, URLs and programming languages, and maps positions back.
//! Such are `\u0073`, `\x73`, `\/` and `%73`; they are undone once. A secret is searched for in a
//! text without them too, because any letter may be written so.

use std::ops::Range;

/// The most bytes of text for each byte that they mean: `\u0073`.
pub(super) const WRITTEN_BYTES_MAX: usize = 6;

/// `text` without its escapes; `None` if it has none.
pub(super) fn unescape(text: &[u8]) -> Option<Vec<u8>> {
    text.iter()
        .any(|byte| matches!(byte, b'\\' | b'%'))
        .then(|| {
            let mut undone = Vec::with_capacity(text.len());
            for step in Escapes(text) {
                undone.extend_from_slice(step.unescaped.bytes());
            }
            undone
        })
}

/// The number of bytes at the end of `text` that begin an escape.
pub(super) fn unfinished_length(text: &[u8]) -> usize {
    let near = text.len().saturating_sub(WRITTEN_BYTES_MAX - 1);
    let begins = |byte: &u8| matches!(byte, b'\\' | b'%');
    let Some(at) = text[near..].iter().rposition(begins) else {
        return 0;
    };
    let escape = &text[near + at..];
    let whole = match escape {
        [b'%', ..] => 3,
        [_, b'u', ..] => WRITTEN_BYTES_MAX,
        [_, b'x', ..] => 4,
        _ => 2,
    };
    match escape.len() < whole {
        true => escape.len(),
        false => 0,
    }
}

/// The parts of `text` that the parts `found` of [`unescape`] come from. They are in order and do
/// not overlap.
pub(super) fn source_ranges(text: &[u8], found: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut parts = Vec::with_capacity(found.len());
    let mut found = found.iter().peekable();
    let (mut read, mut undone, mut begin) = (0, 0, 0);
    for step in Escapes(text) {
        let (read_next, undone_next) = (read + step.length, undone + step.unescaped.bytes().len());
        while let Some(part) = found.peek() {
            if (undone..undone_next).contains(&part.start) {
                begin = read;
            }
            if part.end > undone_next {
                break;
            }
            parts.push(begin..read_next);
            found.next();
        }
        (read, undone) = (read_next, undone_next);
    }
    parts
}

/// The bytes of a text one by one, each escape as one.
struct Escapes<'a>(&'a [u8]);

struct Escape {
    /// The bytes of text.
    length: usize,
    unescaped: EscapeValue,
}

/// The meaning of one escape, or of a byte that is none.
struct EscapeValue {
    bytes: [u8; 4],
    length: usize,
}

impl Iterator for Escapes<'_> {
    type Item = Escape;

    fn next(&mut self) -> Option<Escape> {
        let (length, unescaped) = match *self.0 {
            [] => return None,
            [b'%', high, low, ..] if let Some(byte) = byte([high, low]) => (3, byte.into()),
            [b'\\', b'x', high, low, ..] if let Some(byte) = byte([high, low]) => (4, byte.into()),
            [b'\\', b'u', ref rest @ ..] if let Some((length, unescaped)) = character(rest) => {
                (2 + length, unescaped.into())
            }
            [b'\\', b'n', ..] => (2, b'\n'.into()),
            [b'\\', b'r', ..] => (2, b'\r'.into()),
            [b'\\', b't', ..] => (2, b'\t'.into()),
            [b'\\', other, ..] => (2, other.into()),
            [plain, ..] => (1, plain.into()),
        };
        self.0 = &self.0[length..];
        Some(Escape { length, unescaped })
    }
}

/// The character after `\u`, and the length of its digits: of two halves, if it is written so.
fn character(text: &[u8]) -> Option<(usize, char)> {
    let first = unit(text)?;
    let halves = || {
        let second = unit(text[4..].strip_prefix(b"\\u")?)?;
        char::decode_utf16([first, second]).next()?.ok()
    };
    match char::from_u32(first.into()) {
        Some(character) => Some((4, character)),
        None => Some(halves().map_or((4, char::REPLACEMENT_CHARACTER), |both| (10, both))),
    }
}

/// The number that four hexadecimal digits at the beginning of `text` write.
fn unit(text: &[u8]) -> Option<u16> {
    let &[a, b, c, d] = text.first_chunk()?;
    Some(u16::from_be_bytes([byte([a, b])?, byte([c, d])?]))
}

fn byte(digits: [u8; 2]) -> Option<u8> {
    let [high, low] = digits.map(|digit| char::from(digit).to_digit(16));
    u8::try_from(high? * 16 + low?).ok()
}

impl EscapeValue {
    fn bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
}

impl From<u8> for EscapeValue {
    fn from(byte: u8) -> Self {
        Self {
            bytes: [byte, 0, 0, 0],
            length: 1,
        }
    }
}

impl From<char> for EscapeValue {
    fn from(character: char) -> Self {
        let mut bytes = [0; 4];
        let length = character.encode_utf8(&mut bytes).len();
        Self { bytes, length }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::secret::{Secret, Secrets};

    #[test]
    fn every_escape_is_undone_once() {
        for (text, expect) in [
            (r"a\/b\'c", "a/b'c"),
            (r"\u003cb\u003E", "<b>"),
            (r"\ud83e\udd80", "🦀"),
            (r"\ud83e\u0041\udd80", "\u{fffd}A\u{fffd}"),
            (r"a%2Fb%2fc%20%zz%", "a/b/c %zz%"),
            (r"\x41\xzz", "Axzz"),
            (r"\\u0041\n", "\\u0041\n"),
            (r"\u00e", "u00e"),
            ("\\é\\", "é\\"),
        ] {
            let undone = unescape(text.as_bytes()).unwrap();
            assert_eq!(String::from_utf8(undone).unwrap(), expect, "{text}");
        }
        assert_eq!(unescape(b"plain"), None);
    }

    #[track_caller]
    fn check(secret: &str, text: &str, expect: &str) {
        let secrets = Secrets::new([Secret::new(secret.to_owned())]);
        assert_eq!(secrets.mask(text.to_owned()), expect);
    }

    #[test]
    fn secrets_are_found_however_their_letters_are_escaped() {
        check("wJal/rXUt", r#""wJal\/rXUt""#, r#""***""#);
        check("a<b>&c", r#"["a\u003cb\u003e\u0026c"]"#, r#"["***"]"#);
        check("it's it", r"'it\'s it'", "'***'");
        check("sk-Canary", r"x\u0073k-C%61nary\x", r"x***\x");
        check("p@ss/=w+d", "?k=p@ss%2F=w%2bd&n=1", "?k=***&n=1");
        check("grün🦀", r"\u0067r\u00fcn🦀 grün\ud83e\udd80é", "*** ***é");
        check("hunter2", r"hunter2hunter\u0032hunter2 \", r"********* \");
        // As it is, although it is something else with its escapes undone.
        check(r"a%25\nb", r"a%25\nb", "***");
    }
}
