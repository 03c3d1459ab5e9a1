//! Writes a keyword of a schema as text, for targets that cannot express it.

use serde_json::Value;

/// The longest value of a keyword that is described in words.
const WORDS_CHARACTERS_MAX: usize = 200;

/// A keyword as a sentence of a description.
pub(super) fn keyword_text(name: &str, value: &Value) -> String {
    let text = value.to_string();
    let cut: String = text.chars().take(WORDS_CHARACTERS_MAX).collect();
    let mark = if cut.len() < text.len() { "…" } else { "" };
    format!("`{name}`: {cut}{mark}.")
}
