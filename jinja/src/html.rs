//! Text for HTML, which a few chat templates make without need.

use crate::error::Outcome;
use crate::render::Renderer;

/// Writes `text` with what means something in HTML escaped.
pub(crate) fn write_escaped(to: &mut Renderer<'_>, text: &str) -> Outcome<()> {
    let mut copied = 0;
    for (at, byte) in text.bytes().enumerate() {
        let escaped = match byte {
            b'&' => "&amp;",
            b'<' => "&lt;",
            b'>' => "&gt;",
            b'"' => "&#34;",
            b'\'' => "&#39;",
            _ => continue,
        };
        to.push(&text[copied..at])?;
        to.push(escaped)?;
        copied = at + 1;
    }
    to.push(&text[copied..])
}

/// `text` without comments and tags, and with single spaces between its words.
pub(crate) fn without_tags(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for (open, close) in [("<!--", "-->"), ("<", ">")] {
        let source = if open == "<" {
            std::mem::take(&mut plain)
        } else {
            text.to_owned()
        };
        let mut rest = source.as_str();
        while let Some((before, after)) = rest.split_once(open) {
            let Some((_, after)) = after.split_once(close) else {
                break;
            };
            plain.push_str(before);
            rest = after;
        }
        plain.push_str(rest);
    }
    let words: Vec<&str> = plain
        .split(crate::text::is_space)
        .filter(|it| !it.is_empty())
        .collect();
    unescaped(&words.join(" "))
}

/// The five entities that [`write_escaped`] writes as characters, and the common names.
fn unescaped(text: &str) -> String {
    [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&#34;", "\""),
        ("&quot;", "\""),
        ("&#39;", "'"),
        ("&amp;", "&"),
    ]
    .iter()
    .fold(text.to_owned(), |text, (entity, character)| {
        text.replace(entity, character)
    })
}
