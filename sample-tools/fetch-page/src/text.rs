//! Decodes bodies to text, shortens text, and tells which media types are plain text.

/// Decodes a body: UTF-8, or Windows-1252 where the server says so (Latin-1 is read as that, as
/// browsers do). What does not fit becomes U+FFFD.
#[must_use]
pub fn decode(body: &[u8], charset: Option<&str>) -> String {
    let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
    match charset {
        Some("iso-8859-1" | "latin1" | "us-ascii" | "windows-1252" | "iso-8859-15")
            if std::str::from_utf8(body).is_err() =>
        {
            body.iter().map(|&byte| windows_1252(byte)).collect()
        }
        _ => String::from_utf8_lossy(body).into_owned(),
    }
}

/// The first `characters_max` characters, and whether anything was cut.
#[must_use]
pub fn cut(text: &str, characters_max: usize) -> (&str, bool) {
    match text.char_indices().nth(characters_max) {
        Some((end, _)) => (&text[..end], true),
        None => (text, false),
    }
}

/// True if a media type other than HTML is text that can be read as it is.
#[must_use]
pub fn is_plain(media_type: &str) -> bool {
    let suffixed = media_type.ends_with("+json") || media_type.ends_with("+xml");
    media_type.starts_with("text/")
        || matches!(
            media_type,
            "application/json"
                | "application/xml"
                | "application/javascript"
                | "application/x-ndjson"
        )
        || (suffixed && media_type.starts_with("application/"))
}

fn windows_1252(byte: u8) -> char {
    const C1: [char; 32] = [
        '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž',
        '\u{8f}', '\u{90}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}',
        'ž', 'Ÿ',
    ];
    match byte {
        0x80..=0x9f => C1[usize::from(byte - 0x80)],
        _ => char::from(byte),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(body: &[u8], charset: Option<&str>, expected: &str) {
        assert_eq!(decode(body, charset), expected);
    }

    #[test]
    fn bodies_are_decoded() {
        check("é".as_bytes(), None, "é");
        check(b"\xef\xbb\xbfa", Some("utf-8"), "a");
        check(b"caf\xe9 \x80", Some("iso-8859-1"), "café €");
        check("é".as_bytes(), Some("iso-8859-1"), "é");
        check(b"\xe9", Some("utf-8"), "\u{fffd}");
    }

    #[test]
    fn media_types_are_told_apart() {
        for plain in [
            "text/plain",
            "text/markdown",
            "application/json",
            "application/feed+json",
            "application/atom+xml",
        ] {
            assert!(is_plain(plain), "{plain}");
        }
        for other in [
            "image/svg+xml",
            "image/png",
            "application/pdf",
            "application/octet-stream",
            "",
        ] {
            assert!(!is_plain(other), "{other}");
        }
    }
}
