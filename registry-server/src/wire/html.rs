//! Escapes text for HTML, which some members of answers are.

/// `formatted` is HTML, so what is text must be escaped.
pub(super) fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}
