//! The `ExportName` type: checks and parses the names of exported functions, as WIT writes them.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::string_conversions::string_conversions;

/// The longest export name that is accepted.
const EXPORT_LENGTH_MAX: usize = 256;

/// The name under which a component exports a function: `count-words` at top level,
/// `demo:text-stats/stats.count-words` or `demo:text-stats/stats@1.0.0.count-words` in an
/// interface.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ExportName {
    interface: Option<String>,
    function: String,
}

/// A text is not the name of an export.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{text}` is not an export: write `function` or `namespace:package/interface.function`, as in the component's WIT"
)]
pub struct ExportError {
    /// The given text, escaped, at most 120 characters of it.
    pub text: String,
}

impl ExportName {
    /// A function that the component exports at top level.
    ///
    /// # Errors
    /// When `function` is not a WIT name.
    pub fn top_level(function: &str) -> Result<Self, ExportError> {
        Self::new(None, function)
    }

    /// A function of an exported interface, such as `demo:text-stats/stats@1.0.0`.
    ///
    /// # Errors
    /// When either part is not a WIT name.
    pub fn in_interface(interface: &str, function: &str) -> Result<Self, ExportError> {
        Self::new(Some(interface), function)
    }

    /// The interface with its package and version, or nothing at top level.
    pub fn interface(&self) -> Option<&str> {
        self.interface.as_deref()
    }

    /// The function's own WIT name.
    pub fn function(&self) -> &str {
        &self.function
    }

    fn new(interface: Option<&str>, function: &str) -> Result<Self, ExportError> {
        let length = interface.map_or(0, str::len) + function.len();
        if length <= EXPORT_LENGTH_MAX && interface.is_none_or(is_interface) && is_kebab(function) {
            Ok(Self {
                interface: interface.map(str::to_owned),
                function: function.to_owned(),
            })
        } else {
            let text = match interface {
                Some(interface) => format!("{interface}.{function}"),
                None => function.to_owned(),
            };
            Err(ExportError {
                text: text
                    .chars()
                    .take(120)
                    .flat_map(char::escape_default)
                    .collect(),
            })
        }
    }
}

/// `namespace:package/interface` with an optional `@version`, or the plain name of an
/// interface that was exported without a package.
fn is_interface(text: &str) -> bool {
    let (path, version) = match text.split_once('@') {
        Some((path, version)) => (path, Some(version)),
        None => (text, None),
    };
    let words: Vec<&str> = path.split([':', '/']).collect();
    words.iter().all(|word| is_kebab(word))
        && version.is_none_or(|version| semver::Version::parse(version).is_ok())
}

fn is_kebab(text: &str) -> bool {
    !text.is_empty()
        && text.split('-').all(|word| {
            word.bytes().all(|b| b.is_ascii_alphanumeric())
                && word.starts_with(|c: char| c.is_ascii_alphanumeric())
        })
        && text.starts_with(|c: char| c.is_ascii_alphabetic())
}

impl FromStr for ExportName {
    type Err = ExportError;

    fn from_str(text: &str) -> Result<Self, ExportError> {
        match text.rsplit_once('.') {
            Some((interface, function)) => Self::in_interface(interface, function),
            None => Self::top_level(text),
        }
    }
}

impl fmt::Display for ExportName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.interface {
            Some(interface) => write!(f, "{interface}.{}", self.function),
            None => f.write_str(&self.function),
        }
    }
}

string_conversions!(ExportName, ExportError);

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, interface: Option<&str>, function: &str) {
        let export: ExportName = text.parse().unwrap();
        assert_eq!(
            (export.interface(), export.function()),
            (interface, function)
        );
        assert_eq!(export.to_string(), text);
    }

    #[test]
    fn every_form_of_export() {
        check("add", None, "add");
        check("count-words", None, "count-words");
        check(
            "demo:text-stats/stats.count-words",
            Some("demo:text-stats/stats"),
            "count-words",
        );
        check("demo:a/b@1.0.0.c", Some("demo:a/b@1.0.0"), "c");
        check("demo:a/b@0.2.0-rc.1.c", Some("demo:a/b@0.2.0-rc.1"), "c");
        check("plain.run", Some("plain"), "run");
    }

    #[test]
    fn nonsense_is_refused() {
        for text in [
            "",
            ".",
            "a.",
            ".a",
            "a b",
            "a--b",
            "-a",
            "[method]x.y",
            "a:b/c@x.d",
            "é",
            "1a",
        ] {
            assert!(text.parse::<ExportName>().is_err(), "{text:?}");
        }
    }
}
