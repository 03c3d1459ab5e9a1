//! Types of checked names: tools, toolbox keys, functions, arguments, directories and variables.
//! The macro `name` makes more of them in other modules.

use serde::{Deserialize, Serialize};

/// A text is not the name it was meant to be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not {what}: {rule}")]
pub struct NameError {
    /// The kind of name that was expected, with its article.
    pub what: &'static str,
    /// The text, escaped, at most 80 characters of it.
    pub text: String,
    /// The rule it breaks.
    pub rule: &'static str,
}

impl NameError {
    pub(crate) fn new(what: &'static str, text: &str, rule: &'static str) -> Self {
        let text = text
            .chars()
            .take(80)
            .flat_map(char::escape_default)
            .collect();
        Self { what, text, rule }
    }
}

/// Device names that some file systems reserve; nothing that becomes a file or a directory
/// may be called so.
const RESERVED: [&str; 8] = ["con", "prn", "aux", "nul", "com0", "com1", "lpt0", "lpt1"];

pub(crate) fn is_reserved(stem: &str) -> bool {
    let stem = stem.split('.').next().unwrap_or(stem).to_ascii_lowercase();
    let numbered = matches!(stem.get(..3), Some("com" | "lpt"))
        && stem.len() == 4
        && stem.ends_with(|c: char| c.is_ascii_digit());
    numbered || RESERVED.contains(&stem.as_str())
}

macro_rules! name {
    ($(#[$doc:meta])* $name:ident, $what:literal, $rule:literal, $is_valid:expr) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(String);

        impl $name {
            /// The name as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl std::str::FromStr for $name {
            type Err = NameError;

            fn from_str(text: &str) -> Result<Self, NameError> {
                let is_valid: fn(&str) -> bool = $is_valid;
                if is_valid(text) {
                    Ok(Self(text.to_owned()))
                } else {
                    Err(NameError::new($what, text, $rule))
                }
            }
        }

        $crate::string_conversions::string_conversions!($name, NameError);
    };
}
pub(crate) use name;

name! {
    /// The name of a tool: `[a-z0-9][a-z0-9-]{0,63}`, such as `text-stats`.
    ToolName, "a tool name",
    "use 1 to 64 of a-z, 0-9 and `-`, starting with a letter or digit, and no device name such as `con`",
    |text| is_word(text, 64, b"-") && !text.starts_with('-') && !is_reserved(text)
}

name! {
    /// The name under which a toolbox holds a tool, and under which agents see it:
    /// `[a-z0-9][a-z0-9_]{0,63}`.
    ToolKey, "a toolbox name",
    "use 1 to 64 of a-z, 0-9 and `_`, starting with a letter or digit, without `__`",
    |text| is_word(text, 64, b"_") && !text.starts_with('_') && !text.contains("__")
}

name! {
    /// The name of a function as agents see it: `[a-z][a-z0-9_]{0,63}`.
    FunctionName, "a function name",
    "use 1 to 64 of a-z, 0-9 and `_`, starting with a letter",
    |text| is_word(text, 64, b"_") && text.starts_with(|c: char| c.is_ascii_lowercase())
}

name! {
    /// The name of an argument as agents see it: `[a-z][a-z0-9_]{0,63}`.
    ArgumentName, "an argument name",
    "use 1 to 64 of a-z, 0-9 and `_`, starting with a letter",
    |text| is_word(text, 64, b"_") && text.starts_with(|c: char| c.is_ascii_lowercase())
}

name! {
    /// The name of a directory that a tool asks for; the guest finds it at `/<name>`.
    DirectoryName, "a directory name",
    "use 1 to 64 of a-z, 0-9 and `-`, starting with a letter or digit, and no device name such as `con`",
    |text| is_word(text, 64, b"-") && !text.starts_with('-') && !is_reserved(text)
}

name! {
    /// The name of an environment variable that a tool asks for: `[A-Z][A-Z0-9_]{0,63}`.
    VariableName, "a variable name",
    "use 1 to 64 of A-Z, 0-9 and `_`, starting with a letter",
    |text| {
        (1..=64).contains(&text.len())
            && text.starts_with(|c: char| c.is_ascii_uppercase())
            && text.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_')
    }
}

name! {
    /// The user's name for a key that signs packages: `[a-z0-9][a-z0-9-]{0,63}`.
    KeyName, "the name of a key",
    "use 1 to 64 of a-z, 0-9 and `-`, starting with a letter or digit, and no device name such as `con`",
    |text| is_word(text, 64, b"-") && !text.starts_with('-') && !is_reserved(text)
}

impl From<&ToolName> for ToolKey {
    /// `text-stats` becomes `text_stats`; runs of dashes become one underscore.
    fn from(name: &ToolName) -> Self {
        let words: Vec<&str> = name
            .as_str()
            .split('-')
            .filter(|word| !word.is_empty())
            .collect();
        Self(words.join("_"))
    }
}

fn is_word(text: &str, length_max: usize, extra: &[u8]) -> bool {
    (1..=length_max).contains(&text.len())
        && text
            .bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || extra.contains(&b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check<T: std::str::FromStr>(valid: &[&str], invalid: &[&str]) {
        for text in valid {
            assert!(text.parse::<T>().is_ok(), "{text:?} should be valid");
        }
        for text in invalid {
            assert!(text.parse::<T>().is_err(), "{text:?} should be refused");
        }
    }

    #[test]
    fn tool_names() {
        let long = "a".repeat(64);
        let too_long = "a".repeat(65);
        check::<ToolName>(
            &["a", "text-stats", "7zip", "x-", &long],
            &[
                "", "-a", "Text", "a_b", "a.b", "a/b", "../a", "con", "com7", "é", "a b", "a\u{0}",
                &too_long,
            ],
        );
    }

    #[test]
    fn keys_and_functions() {
        check::<ToolKey>(
            &["a", "text_stats", "7zip"],
            &["", "_a", "a__b", "a-b", "A"],
        );
        check::<FunctionName>(
            &["a", "count_words", "a1"],
            &["", "1a", "_a", "a-b", "A", "a.b"],
        );
    }

    #[test]
    fn directories_and_variables() {
        check::<DirectoryName>(
            &["notes", "my-notes"],
            &["", ".", "..", "/", "a/b", "nul", "~"],
        );
        check::<KeyName>(
            &["release", "my-key-2"],
            &["", "..", "a/b", "a.pem", "nul", "-a"],
        );
        check::<VariableName>(&["A", "API_KEY"], &["", "api_key", "_A", "A=B", "A-B"]);
    }

    #[test]
    fn a_key_is_made_of_a_name() {
        for (name, key) in [("text-stats", "text_stats"), ("a--b-", "a_b"), ("x", "x")] {
            let name: ToolName = name.parse().unwrap();
            assert_eq!(ToolKey::from(&name).as_str(), key);
            assert!(ToolKey::from(&name).as_str().parse::<ToolKey>().is_ok());
        }
    }

    #[test]
    fn an_error_shows_the_text_escaped() {
        let error = "\u{1b}[2J".parse::<ToolName>().unwrap_err();
        assert_eq!(error.text, "\\u{1b}[2J");
    }
}
