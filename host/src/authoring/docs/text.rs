//! Trims the text of a doc comment, and cuts it to a maximum length.

/// The longest text that is taken from one comment.
const TEXT_BYTES_MAX: usize = 8 << 10;

/// The text of a comment, if it has any.
pub(super) fn text(contents: Option<&str>) -> Option<String> {
    let text = contents?.trim();
    let end = (0..=text.len().min(TEXT_BYTES_MAX))
        .rev()
        .find(|end| text.is_char_boundary(*end))?;
    Some(text[..end].to_owned()).filter(|text| !text.is_empty())
}
