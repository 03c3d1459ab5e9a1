//! Validated paths of files inside a repository.

mod component;

use std::fmt;

pub(crate) use component::PathFault;

/// Longest path in bytes.
const PATH_BYTES_MAX: usize = 1_024;
/// Deepest nesting of directories.
const DEPTH_MAX: usize = 64;

/// A relative path of at least one component, without `..`, backslashes or control characters.
///
/// A path from [`RepositoryPath::parse`] is also safe to check out on Linux, macOS and Windows.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct RepositoryPath(String);

impl RepositoryPath {
    /// Parses the path of a new file.
    pub(crate) fn parse(text: &str) -> Result<Self, PathFault> {
        let path = Self::parse_stored(text)?;
        path.components().try_for_each(component::check_portable)?;
        Ok(path)
    }

    /// Parses the path of a stored file, which may be from before unsafe names were refused, so
    /// that it can still be removed.
    pub(crate) fn parse_stored(text: &str) -> Result<Self, PathFault> {
        if text.len() > PATH_BYTES_MAX {
            return Err(PathFault::Long {
                bytes_max: PATH_BYTES_MAX,
            });
        }
        if text.split('/').count() > DEPTH_MAX {
            return Err(PathFault::Deep {
                depth_max: DEPTH_MAX,
            });
        }
        text.split('/').try_for_each(component::check_structure)?;
        Ok(Self(text.to_owned()))
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    pub(crate) fn components(&self) -> impl Iterator<Item = &str> {
        self.0.split('/')
    }

    pub(crate) fn file_name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or(&self.0)
    }

    /// `a`, `a/b` for `a/b/c`.
    pub(crate) fn ancestors(&self) -> impl Iterator<Item = &str> {
        self.0.match_indices('/').map(|(at, _)| &self.0[..at])
    }
}

impl fmt::Display for RepositoryPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(input: &str, expect: bool) {
        assert_eq!(RepositoryPath::parse(input).is_ok(), expect, "{input:?}");
    }

    #[test]
    fn paths() {
        check("a.txt", true);
        check("dir/ünïcode name.txt", true);
        check(".gitattributes", true);
        check("a/.gitignore", true);
        check("", false);
        check("/a", false);
        check("a/", false);
        check("a//b", false);
        check("./a", false);
        check("../a", false);
        check("a/../b", false);
        check("a\\b", false);
        check("..\\b", false);
        check("a\0", false);
        check("a\nb", false);
        check(".git/config", false);
        check("a/.GIT/hooks", false);
        check(&"a/".repeat(70), false);
        check(&"a".repeat(256), false);
        check(&format!("{}a", "a/".repeat(600)), false);
    }

    #[test]
    fn what_was_stored_before_can_be_named() {
        for path in ["a:b", "con", "x/nul.txt", ".git /config", "a%2fb"] {
            assert!(RepositoryPath::parse(path).is_err(), "{path}");
            assert!(RepositoryPath::parse_stored(path).is_ok(), "{path}");
        }
        for path in ["../a", "a\\b", "", "a/./b"] {
            assert!(RepositoryPath::parse_stored(path).is_err(), "{path}");
        }
    }

    #[test]
    fn ancestors_are_the_directories_above() {
        let path = RepositoryPath::parse("a/b/c").unwrap();
        assert_eq!(path.ancestors().collect::<Vec<_>>(), ["a", "a/b"]);
    }
}
