//! Names and errors that repeat what somebody sent, cut before they are shown.

use std::fmt;

/// How much of an unknown name is given back.
const NAME_CHARACTERS_MAX: usize = 80;
/// How much of what was read wrong is given back in an error.
const ERROR_CHARACTERS_MAX: usize = 400;

/// A name that somebody asked for, cut and escaped.
pub(crate) fn quoted_name(name: &str) -> String {
    let shown = name.chars().take(NAME_CHARACTERS_MAX);
    shown.flat_map(char::escape_debug).collect()
}

/// What is told of `error`, cut: it may repeat what somebody sent, however long.
pub(crate) fn quoted_error(error: &impl fmt::Display) -> String {
    let mut told = error.to_string();
    if let Some((end, _)) = told.char_indices().nth(ERROR_CHARACTERS_MAX) {
        told.truncate(end);
        told.push('…');
    }
    told
}
