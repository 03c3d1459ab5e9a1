//! Percent-decodes parts of a URL to UTF-8.

use percent_encoding::percent_decode_str;

/// Percent-decodes to UTF-8.
pub(crate) fn decode(text: &str) -> Option<String> {
    percent_decode_str(text)
        .decode_utf8()
        .ok()
        .map(std::borrow::Cow::into_owned)
}
