//! Cuts names and errors that repeat what somebody sent, before they are shown.

use std::fmt;

/// The most characters of an unknown name that are given back.
const NAME_CHARACTERS_MAX: usize = 80;
/// The most characters of unreadable text that an error gives back.
const ERROR_CHARACTERS_MAX: usize = 400;

/// A name that somebody asked for, cut and escaped.
pub(crate) fn quoted_name(name: &str) -> String {
    let shown = name.chars().take(NAME_CHARACTERS_MAX);
    shown.flat_map(char::escape_debug).collect()
}

/// The text of `error`, cut: it may repeat what somebody sent, however long.
pub(crate) fn quoted_error(error: &impl fmt::Display) -> String {
    let mut told = error.to_string();
    if let Some((end, _)) = told.char_indices().nth(ERROR_CHARACTERS_MAX) {
        told.truncate(end);
        told.push('…');
    }
    told
}
