//! Converts names to unique names that WIT and its languages allow.

use std::collections::HashSet;

/// The longest name that is made; numbers may follow it.
const LENGTH_MAX: usize = 58;

/// Precedes the number that keeps two WIT names apart: a word of WIT begins with a letter.
pub(super) const WIT_NUMBER: &str = "-n";
/// The same for names that agents see.
pub(super) const VISIBLE_NUMBER: &str = "_n";

/// Names that are taken.
#[derive(Debug, Default)]
pub(super) struct Names(HashSet<String>);

impl Names {
    pub(super) fn of(taken: impl IntoIterator<Item = String>) -> Self {
        Self(taken.into_iter().collect())
    }

    /// `wanted`, or the same with `separator` and a number where that is taken.
    pub(super) fn take(&mut self, wanted: &str, separator: &str) -> String {
        let numbered = (2..).map(|number| format!("{wanted}{separator}{number}"));
        let mut candidates = std::iter::once(wanted.to_owned()).chain(numbered);
        candidates
            .find(|name| self.0.insert(name.clone()))
            .unwrap_or_default()
    }
}

/// `getWeather`, `get_weather` and `Get weather!` become `get-weather`: words that begin with a
/// letter. `otherwise` replaces a name without any.
pub(in crate::definition) fn kebab(name: &str, otherwise: &str) -> String {
    let mut words: Vec<String> = vec![String::new()];
    let mut after_small = false;
    for character in name.chars() {
        if character.is_ascii_alphanumeric() {
            if character.is_ascii_uppercase() && after_small {
                words.push(String::new());
            }
            if let Some(word) = words.last_mut() {
                word.push(character.to_ascii_lowercase());
            }
        } else {
            words.push(String::new());
        }
        after_small = character.is_ascii_lowercase() || character.is_ascii_digit();
    }
    let words: Vec<String> = words
        .into_iter()
        .filter(|word| !word.is_empty())
        .map(
            |word| match word.starts_with(|c: char| c.is_ascii_digit()) {
                true => format!("n{word}"),
                false => word,
            },
        )
        .collect();
    let mut name = words.join("-");
    name.truncate(LENGTH_MAX);
    let name = name.trim_end_matches('-');
    match name.is_empty() {
        true => otherwise.to_owned(),
        false => name.to_owned(),
    }
}
