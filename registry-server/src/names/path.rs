//! Paths of files inside a repository.

use std::fmt;

/// Longest path in bytes.
const PATH_BYTES_MAX: usize = 1_024;
/// Longest component in bytes; most file systems hold no longer one.
const COMPONENT_BYTES_MAX: usize = 255;
/// Deepest nesting of directories.
const DEPTH_MAX: usize = 64;

/// A relative path of at least one component that is safe to check out anywhere: no `..`, no absolute path, no backslash,
/// no control character, no `.git` component.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct RepositoryPath(String);

impl RepositoryPath {
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let component = |c: &str| {
            !c.is_empty()
                && c.len() <= COMPONENT_BYTES_MAX
                && c != "."
                && c != ".."
                && !c.eq_ignore_ascii_case(".git")
        };
        let valid = text.len() <= PATH_BYTES_MAX
            && !text.contains(|c: char| c == '\\' || c.is_control())
            && text.split('/').count() <= DEPTH_MAX
            && text.split('/').all(component);
        valid.then(|| Self(text.to_owned()))
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
        assert_eq!(RepositoryPath::parse(input).is_some(), expect, "{input:?}");
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
    }

    #[test]
    fn ancestors_are_the_directories_above() {
        let path = RepositoryPath::parse("a/b/c").unwrap();
        assert_eq!(path.ancestors().collect::<Vec<_>>(), ["a", "a/b"]);
    }
}
