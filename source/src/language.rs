//! The programming languages whose functions are read, told by the ending of a file's name.

use std::fmt;
use std::path::Path;

/// A language of source code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Language {
    /// Python 3, with type hints and docstrings in Google's style.
    Python,
    /// JavaScript, with JSDoc.
    JavaScript,
    /// Rust, with doc comments.
    Rust,
    /// TypeScript, with JSDoc for what types do not say.
    TypeScript,
}

impl Language {
    /// The extensions of files in this language.
    pub const ENDINGS: [&str; 6] = ["py", "js", "mjs", "ts", "mts", "rs"];

    /// The language of a file with this name.
    pub fn of(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()? {
            "py" => Some(Self::Python),
            "js" | "mjs" => Some(Self::JavaScript),
            "rs" => Some(Self::Rust),
            "ts" | "mts" => Some(Self::TypeScript),
            _ => None,
        }
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Python => "Python",
            Self::JavaScript => "JavaScript",
            Self::Rust => "Rust",
            Self::TypeScript => "TypeScript",
        })
    }
}
