//! Reads and writes TOML; errors point at a line and a column, and name the nearest known key.

use serde::Serialize;
use serde::de::DeserializeOwned;

/// The largest document that is read: a manifest, a toolbox or a lock.
pub(crate) const DOCUMENT_BYTES_MAX: usize = 1 << 20;

/// A document could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{document} line {line}, column {column}: {message}")]
pub struct DocumentError {
    /// The kind of document: `tool.toml`, `toolbox.toml` or `toolbox.lock`.
    pub document: &'static str,
    /// The line, counted from 1.
    pub line: usize,
    /// The column in characters, counted from 1.
    pub column: usize,
    /// The mistake at that place.
    pub message: String,
    /// The known key that is nearest to an unknown one.
    pub nearest: Option<String>,
}

impl DocumentError {
    /// An error about the document as a whole.
    pub(crate) fn whole(document: &'static str, message: impl Into<String>) -> Self {
        Self {
            document,
            line: 1,
            column: 1,
            message: message.into(),
            nearest: None,
        }
    }
}

/// Reads `text` as a `T`.
pub(crate) fn parse<T: DeserializeOwned>(
    document: &'static str,
    text: &str,
) -> Result<T, DocumentError> {
    if text.len() > DOCUMENT_BYTES_MAX {
        let message = format!(
            "the document has {} bytes, at most {DOCUMENT_BYTES_MAX} are read",
            text.len()
        );
        return Err(DocumentError::whole(document, message));
    }
    toml::from_str(text).map_err(|error| {
        let (line, column) = position(text, error.span().map_or(0, |span| span.start));
        DocumentError {
            document,
            line,
            column,
            nearest: nearest_key(error.message()),
            message: first_line(error.message()),
        }
    })
}

/// Writes `value` as TOML.
///
/// Every type that is written here is made of tables, arrays, strings and numbers that TOML
/// can hold, which the property tests state; a failure would be a fault of this crate.
pub(crate) fn write<T: Serialize>(value: &T) -> String {
    toml::to_string(value).expect("documents are made of what TOML can hold")
}

fn position(text: &str, offset: usize) -> (usize, usize) {
    let before = text.get(..offset).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let line = before.matches('\n').count() + 1;
    (line, before[line_start..].chars().count() + 1)
}

fn first_line(message: &str) -> String {
    message.lines().next().unwrap_or_default().to_owned()
}

/// serde words an unknown key as "unknown field `a`, expected one of `b`, `c`": the first
/// name in backticks is the key, the others are what would have been accepted.
fn nearest_key(message: &str) -> Option<String> {
    let list = message
        .strip_prefix("unknown field ")
        .or_else(|| message.strip_prefix("unknown variant "))?;
    let mut names = list.split('`').skip(1).step_by(2);
    let unknown = names.next()?;
    names
        .map(|known| (strsim::damerau_levenshtein(unknown, known), known))
        .filter(|(distance, known)| *distance <= 1 + known.len() / 3)
        .min()
        .map(|(_, known)| known.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only parsed")]
    struct Sample {
        version: u32,
        description: Option<String>,
    }

    #[track_caller]
    fn check(text: &str, line: usize, column: usize, nearest: Option<&str>) {
        let error = parse::<Sample>("tool.toml", text).unwrap_err();
        assert_eq!((error.line, error.column), (line, column), "{error}");
        assert_eq!(error.nearest.as_deref(), nearest, "{error}");
    }

    #[test]
    fn errors_point_at_the_place() {
        check("version = 1\nversoin = 2", 2, 1, Some("version"));
        check("version = 1\n  descripton = 'é'", 2, 3, Some("description"));
        check("version = 1\nzzz = 2", 2, 1, None);
        check("version = 'x'", 1, 11, None);
        check("version = ", 1, 11, None);
        check("description = 'é", 1, 17, None);
    }

    #[test]
    fn a_document_without_end_is_refused_at_once() {
        let text = "a".repeat(DOCUMENT_BYTES_MAX + 1);
        assert!(
            parse::<Sample>("tool.toml", &text)
                .unwrap_err()
                .message
                .contains("at most")
        );
    }
}
