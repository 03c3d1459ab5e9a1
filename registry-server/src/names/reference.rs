//! Validated names of branches and tags, and their full git reference names.

use std::fmt;

/// Longest branch or tag name in bytes.
const REF_BYTES_MAX: usize = 200;

/// A branch or tag name without its `refs/heads/` or `refs/tags/`, by git's own rules for reference
/// names and a few of ours: a name that reads as a full reference, as `HEAD` or as a commit id
/// would make revisions ambiguous.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RefName(String);

impl RefName {
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let forbidden = |c: char| {
            c.is_control()
                || c.is_whitespace()
                || matches!(c, '~' | '^' | ':' | '?' | '*' | '[' | '\\' | ',')
        };
        let component = |c: &str| {
            !c.is_empty() && !c.starts_with('.') && !c.ends_with(".lock") && !c.ends_with('.')
        };
        let valid = text.len() <= REF_BYTES_MAX
            && !text.contains(forbidden)
            && !text.contains("..")
            && !text.contains("@{")
            && text != "@"
            && !text.starts_with('-')
            && text.split('/').all(component)
            && !text.eq_ignore_ascii_case("head")
            && !text.starts_with("refs/")
            && !is_commit_id(text);
        valid.then(|| Self(text.to_owned()))
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    pub(crate) fn branch(&self) -> String {
        format!("refs/heads/{}", self.0)
    }

    pub(crate) fn tag(&self) -> String {
        format!("refs/tags/{}", self.0)
    }
}

impl fmt::Display for RefName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn is_commit_id(text: &str) -> bool {
    text.len() == 40 && text.bytes().all(|b| b.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(input: &str, expect: bool) {
        assert_eq!(RefName::parse(input).is_some(), expect, "{input:?}");
    }

    #[test]
    fn reference_names() {
        check("main", true);
        check("v0.1.0", true);
        check("feature/one", true);
        check("v1.0+build", true);
        check("", false);
        check("a b", false);
        check("a..b", false);
        check("a.lock", false);
        check(".a", false);
        check("a/", false);
        check("/a", false);
        check("a//b", false);
        check("a@{1}", false);
        check("-x", false);
        check("HEAD", false);
        check("refs/heads/a", false);
        check("0123456789012345678901234567890123456789", false);
        check("a\nb", false);
        check("a:b", false);
        check("a,b", false);
    }
}
