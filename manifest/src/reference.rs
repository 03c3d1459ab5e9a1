//! Parses a `ToolRef`, such as `owner/name@^1.2`, and its parts: `RepoId`, `Revision`, `CommitId`.

use std::fmt;
use std::str::FromStr;

use semver::{Version, VersionReq};
use serde::{Deserialize, Serialize};

use crate::name::{NameError, is_reserved, name};
use crate::string_conversions::string_conversions;

name! {
    /// The full id of a git commit: 40 lower-case hexadecimal digits.
    CommitId, "a commit id",
    "expected 40 lower-case hexadecimal digits",
    |text| text.len() == 40 && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}

/// The longest part of a repo id that a registry accepts.
const REPO_PART_LENGTH_MAX: usize = 96;
/// The longest branch or tag name that a reference may carry.
const BRANCH_LENGTH_MAX: usize = 200;

name! {
    /// A repo on a registry: `owner/name`, ASCII, each part at most 96 of
    /// `[A-Za-z0-9._-]`.
    RepoId, "a repo",
    "expected `owner/name`, each part 1 to 96 of A-Z, a-z, 0-9, `.`, `_` and `-`, starting and ending with a letter or digit, without `--` or `..`",
    |text| match text.split_once('/') {
        Some((owner, name)) => is_repo_part(owner) && is_repo_part(name),
        None => false,
    }
}

impl RepoId {
    /// The user or organisation.
    pub fn owner(&self) -> &str {
        self.as_str().split_once('/').map_or("", |(owner, _)| owner)
    }

    /// The name within the owner's repos.
    pub fn name(&self) -> &str {
        self.as_str().split_once('/').map_or("", |(_, name)| name)
    }

    /// The same repo in small letters: registries find a repo by its name in any case.
    pub fn folded(&self) -> Self {
        let folded = self.as_str().to_ascii_lowercase();
        folded.parse().expect("small letters are as good")
    }
}

fn is_repo_part(part: &str) -> bool {
    let edge = |c: char| c.is_ascii_alphanumeric();
    (1..=REPO_PART_LENGTH_MAX).contains(&part.len())
        && part.starts_with(edge)
        && part.ends_with(edge)
        && part
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"._-".contains(&b))
        && !part.contains("--")
        && !part.contains("..")
        && !is_reserved(part)
}

/// The state of a repo that is meant.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Revision {
    /// The newest version that is not a pre-release, or the default branch where no
    /// version was ever tagged.
    #[default]
    Newest,
    /// The newest version that meets a requirement: `@^1.2`, `@~0.3`, `@>=1, <3`.
    /// A whole version, `@1.2.0` or `@v1.2.0`, is `=1.2.0`.
    Version(VersionReq),
    /// A branch or a tag: `@main`.
    Branch(String),
    /// A commit: `@` and 40 hexadecimal digits.
    Commit(CommitId),
}

impl Revision {
    /// True if it names one version and follows no other.
    pub fn is_exact_version(&self) -> bool {
        let Self::Version(requirement) = self else {
            return false;
        };
        let [only] = requirement.comparators.as_slice() else {
            return false;
        };
        only.op == semver::Op::Exact && only.patch.is_some()
    }
}

/// A reference to a tool on a registry: `owner/name`, `owner/name@1.2.0`,
/// `owner/name@^1.2`, `owner/name@main`, `owner/name@<commit>`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ToolRef {
    /// The repo.
    pub repo: RepoId,
    /// The state of the repo.
    pub revision: Revision,
}

/// A text is not a reference to a tool.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReferenceError {
    /// The part before `@` is not `owner/name`.
    #[error(transparent)]
    Repo(#[from] NameError),
    /// The part after `@` is none of the things it may be.
    #[error(
        "`{text}` is not a version, a branch or a commit: write `1.2.0`, `^1.2`, `main` or a commit of 40 digits"
    )]
    Revision {
        /// The text after `@`, escaped, at most 80 characters of it.
        text: String,
    },
    /// The part after `@` has build metadata, and a requirement would meet any other as well.
    #[error(
        "`{text}` has build metadata, by which versions of a tool are not told apart: write a version without `+`"
    )]
    BuildMetadata {
        /// The text after `@`, escaped, at most 80 characters of it.
        text: String,
    },
}

impl FromStr for Revision {
    type Err = ReferenceError;

    fn from_str(text: &str) -> Result<Self, ReferenceError> {
        let excerpt = || text.chars().take(80).flat_map(char::escape_default);
        let refused = || ReferenceError::Revision {
            text: excerpt().collect(),
        };
        // No branch has a `+` either.
        if text.contains('+') {
            return Err(ReferenceError::BuildMetadata {
                text: excerpt().collect(),
            });
        }
        if let Ok(commit) = text.parse() {
            return Ok(Self::Commit(commit));
        }
        // The tag of a version is that version: it is held against the log of the registry.
        if let Ok(version) = text.strip_prefix('v').unwrap_or(text).parse::<Version>() {
            return format!("={version}")
                .parse()
                .map(Self::Version)
                .map_err(|_| refused());
        }
        let looks_like_a_requirement =
            text.starts_with(|c: char| c.is_ascii_digit() || "^~=<>*".contains(c));
        if looks_like_a_requirement && let Ok(requirement) = text.parse() {
            return Ok(Self::Version(requirement));
        }
        if is_branch(text) {
            return Ok(Self::Branch(text.to_owned()));
        }
        Err(refused())
    }
}

/// True for names that git accepts as a branch or tag, and more narrowly: ASCII without anything
/// that a shell, a URL or a path reads in its own way.
fn is_branch(text: &str) -> bool {
    (1..=BRANCH_LENGTH_MAX).contains(&text.len())
        && text.starts_with(|c: char| c.is_ascii_alphanumeric())
        && text.ends_with(|c: char| c.is_ascii_alphanumeric())
        && text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"._-/".contains(&b))
        && !["..", "//", "/.", "./"]
            .iter()
            .any(|bad| text.contains(bad))
        && !text.ends_with(".lock")
}

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Newest => Ok(()),
            Self::Version(requirement) => match exact_version(requirement) {
                Some(version) => write!(f, "{version}"),
                None => write!(f, "{requirement}"),
            },
            Self::Branch(branch) => f.write_str(branch),
            Self::Commit(commit) => write!(f, "{commit}"),
        }
    }
}

/// The one version that `=x.y.z` allows.
fn exact_version(requirement: &VersionReq) -> Option<String> {
    match requirement.comparators.as_slice() {
        [only] if only.op == semver::Op::Exact && only.minor.is_some() && only.patch.is_some() => {
            Some(requirement.to_string().trim_start_matches('=').to_owned())
        }
        _ => None,
    }
}

impl FromStr for ToolRef {
    type Err = ReferenceError;

    fn from_str(text: &str) -> Result<Self, ReferenceError> {
        let (repo, revision) = match text.split_once('@') {
            Some((repo, revision)) => (repo, revision.parse()?),
            None => (text, Revision::Newest),
        };
        Ok(Self {
            repo: repo.parse()?,
            revision,
        })
    }
}

impl fmt::Display for ToolRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.revision {
            Revision::Newest => write!(f, "{}", self.repo),
            _ => write!(f, "{}@{}", self.repo, self.revision),
        }
    }
}

string_conversions!(ToolRef, ReferenceError);

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expect: &str) {
        let reference: ToolRef = text.parse().unwrap();
        let kind = match &reference.revision {
            Revision::Newest => "newest".to_owned(),
            Revision::Version(requirement) => format!("version {requirement}"),
            Revision::Branch(branch) => format!("branch {branch}"),
            Revision::Commit(commit) => format!("commit {commit}"),
        };
        assert_eq!(kind, expect);
        assert_eq!(reference.to_string().parse(), Ok(reference));
    }

    #[test]
    fn every_form_of_reference() {
        check("demo/text-stats", "newest");
        check("demo/text-stats@1.2.0", "version =1.2.0");
        check("demo/text-stats@1.2.0-rc.1", "version =1.2.0-rc.1");
        check("demo/text-stats@^1.2", "version ^1.2");
        check("demo/text-stats@1", "version ^1");
        check("demo/text-stats@>=1, <3", "version >=1, <3");
        check("demo/text-stats@main", "branch main");
        check("demo/text-stats@v1", "branch v1");
        check("demo/text-stats@refs/pr/1", "branch refs/pr/1");
        let commit = "0123456789abcdef0123456789abcdef01234567";
        check(
            &format!("demo/text-stats@{commit}"),
            &format!("commit {commit}"),
        );
    }

    #[test]
    fn the_tag_of_a_version_is_that_version() {
        for text in ["1.2.0", "1.2.0-rc.1"] {
            let by_tag = format!("demo/x@v{text}").parse::<ToolRef>();
            assert_eq!(by_tag, format!("demo/x@{text}").parse());
        }
    }

    #[test]
    fn nonsense_is_refused() {
        for text in [
            "",
            "demo",
            "/x",
            "x/",
            "a/b/c",
            "a/../b",
            "demo/..",
            "demo/a..b",
            "demo/a--b",
            "demo/-a",
            "demo/con",
            "dеmo/x",
            "demo/x@",
            "demo/x@ ",
            "demo/x@../y",
            "demo/x@a b",
            "demo/x@.lock",
            "https://demo/x",
            "demo/x@main\n",
            "demo/x@a.lock",
        ] {
            assert!(text.parse::<ToolRef>().is_err(), "{text:?}");
        }
    }

    /// A requirement leaves build metadata out, and so would mean another version.
    #[test]
    fn build_metadata_is_refused() {
        for text in ["1.2.0+1", "=1.2.0+1", "^1.2.0-rc.1+x", ">=1, <2.0.0+9", "+"] {
            let refused = format!("demo/x@{text}").parse::<ToolRef>().unwrap_err();
            assert!(
                matches!(refused, ReferenceError::BuildMetadata { .. }),
                "{text}"
            );
        }
    }

    #[test]
    fn a_repo_is_one_in_any_case() {
        let repo: RepoId = "Ada/Two".parse().unwrap();
        assert_eq!(repo.folded().as_str(), "ada/two");
    }
}
