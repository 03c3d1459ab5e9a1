//! The names of a new project's tool, package and module, and WIT names in camel case.

use tool_hub_manifest::{ToolKey, ToolName};

/// The names that templates are filled with.
pub(crate) struct Names {
    pub(super) name: String,
    pub(super) key: String,
    wit: String,
}

impl Names {
    pub(crate) fn of(name: &ToolName) -> Self {
        let key = ToolKey::from(name).to_string();
        // A WIT name is made of words that start with a letter.
        let words: Vec<String> = key
            .split('_')
            .map(|word| {
                if word.starts_with(|c: char| c.is_ascii_digit()) {
                    format!("n{word}")
                } else {
                    word.to_owned()
                }
            })
            .collect();
        Self {
            name: name.to_string(),
            key,
            wit: words.join("-"),
        }
    }

    /// The name of the WIT package, below `tools:`.
    pub(crate) fn package(&self) -> String {
        format!("{}-tool", self.wit)
    }

    /// The same as Rust spells it.
    pub(crate) fn module(&self) -> String {
        self.package().replace('-', "_")
    }
}

/// `get-weather` as a type is called: `GetWeather`.
pub(crate) fn upper_camel(wit: &str) -> String {
    let capital = |word: &str| {
        let mut letters = word.chars();
        let first = letters.next().map(|letter| letter.to_ascii_uppercase());
        first.into_iter().chain(letters).collect::<String>()
    };
    wit.split('-').map(capital).collect()
}

pub(crate) fn lower_camel(wit: &str) -> String {
    let name = upper_camel(wit);
    let mut letters = name.chars();
    let first = letters.next().map(|letter| letter.to_ascii_lowercase());
    first.into_iter().chain(letters).collect()
}
