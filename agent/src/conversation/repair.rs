//! Repairs the nearly right arguments of a model's call to match the function's schema.
//!
//! Models write a number as a string, one value in place of an array, or an array as a string of
//! JSON. Where a schema allows one reading only, it is taken and noted. A value is never invented,
//! rounded or dropped, and a valid value is never changed.

mod read;
mod repairer;
#[cfg(test)]
mod tests;

use serde_json::Value;

use crate::schema::Document;
use repairer::Repairer;

/// Longer arguments are not read again.
const TEXT_BYTES_MAX: usize = 4 << 20;
/// The most changes that a note lists.
const CHANGES_SHOWN_MAX: usize = 5;

/// Arguments, read as they were meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repair {
    /// The text of a JSON object.
    pub arguments: String,
    /// One line for the model: what was read differently from what it wrote.
    pub note: String,
}

/// Repairs `arguments`, the JSON of a call, to match `input_schema`. The result is not necessarily
/// valid and must be validated again.
///
/// `None` where nothing can be read differently, and where the text names a member twice or
/// holds a whole number that reading would round.
pub fn repair(input_schema: &Value, arguments: &str) -> Option<Repair> {
    if arguments.len() > TEXT_BYTES_MAX {
        return None;
    }
    let (value, is_text) = read::arguments(arguments)?;
    let mut repairer = Repairer::new(Document::new(input_schema));
    if is_text {
        repairer.note("", "as the object that their text holds");
    }
    let mended = repairer.arguments(value)?;
    let note = note(&repairer.into_changes())?;
    Some(Repair {
        arguments: mended.to_string(),
        note,
    })
}

fn note(changes: &[String]) -> Option<String> {
    if changes.is_empty() {
        return None;
    }
    let shown = changes.len().min(CHANGES_SHOWN_MAX);
    let mut note = format!(
        "Some arguments were read differently from how they were written: {}",
        changes[..shown].join("; ")
    );
    if changes.len() > shown {
        note.push_str(&format!("; and {} more", changes.len() - shown));
    }
    note.push('.');
    Some(note)
}
