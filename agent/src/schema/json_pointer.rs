//! Escapes a member's name for a JSON Pointer (RFC 6901).

/// A member's name within a JSON pointer (RFC 6901).
pub(crate) fn escape(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}
