//! The heads that a commit can go on, parsed from requests: branches and pull requests.

use super::RefName;

/// The text before the number of a pull request.
const PULL_REQUEST: &str = "refs/pr/";

/// A reference that moves with commits: a branch, or the commits of a pull request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Head {
    Branch(RefName),
    /// By number, from 1.
    PullRequest(u32),
}

impl Head {
    /// Reads `main`, `refs/heads/main` or `refs/pr/1`.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        match text.strip_prefix(PULL_REQUEST) {
            // A number has one spelling, or one pull request would have many names.
            Some(number) if !number.starts_with(['0', '+']) => {
                number.parse().ok().map(Self::PullRequest)
            }
            Some(_) => None,
            None => {
                RefName::parse(text.strip_prefix("refs/heads/").unwrap_or(text)).map(Self::Branch)
            }
        }
    }

    /// The full name: `refs/heads/main`, `refs/pr/1`.
    pub(crate) fn reference(&self) -> String {
        match self {
            Self::Branch(name) => name.branch(),
            Self::PullRequest(number) => format!("{PULL_REQUEST}{number}"),
        }
    }

    /// True if this is the branch of that name.
    pub(crate) fn is_branch(&self, name: &str) -> bool {
        matches!(self, Self::Branch(own) if own.as_str() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expect: Option<&str>) {
        let head = Head::parse(text).map(|head| head.reference());
        assert_eq!(head.as_deref(), expect, "{text:?}");
    }

    #[test]
    fn heads() {
        check("main", Some("refs/heads/main"));
        check("refs/heads/a/b", Some("refs/heads/a/b"));
        check("refs/pr/1", Some("refs/pr/1"));
        check("refs/pr/4294967295", Some("refs/pr/4294967295"));
        for text in [
            "refs/pr/",
            "refs/pr/0",
            "refs/pr/01",
            "refs/pr/+1",
            "refs/pr/-1",
            "refs/pr/1/2",
            "refs/pr/4294967296",
            "refs/tags/a",
            "",
        ] {
            check(text, None);
        }
    }
}
