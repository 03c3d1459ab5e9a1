//! The phrase that names a place in a schema, for messages.

/// The place in a schema, for the middle of a sentence; the root needs no words.
pub(crate) fn at(pointer: &str) -> String {
    match pointer {
        "" => String::new(),
        pointer => format!(" at `{pointer}`"),
    }
}
