//! The acts with a registry that errors name.

use std::borrow::Cow;
use std::fmt;

use tool_hub_manifest::RepoId;

/// An attempted action. It reads as a verb: "cannot *list the versions of demo/x*".
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Act {
    /// Finding the user that the token belongs to.
    Identify,
    /// A search.
    Search,
    /// Listing the branches and tags of a repo.
    ListVersions(RepoId),
    /// Finding the commit that a revision means.
    FindRevision(RepoId, String),
    /// Listing the files of a tool and their lengths.
    ListFiles(RepoId),
    /// The download of a file.
    Download(RepoId, Cow<'static, str>),
    /// Reading what the registry's log says of a version.
    ReadLog(RepoId),
    /// Reading the registry's log as a whole.
    ReadWholeLog,
    /// Is the repo there, and who can read it?
    Describe(RepoId),
    /// The creation of a repo.
    Create(RepoId),
    /// The upload and its commit.
    Commit(RepoId),
    /// The creation of a tag.
    Tag(RepoId, String),
    /// Asking for the trusted publishers of a repo, or changing them.
    Publishers(RepoId),
    /// The exchange of a job's identity token for one that publishes to a repo.
    ExchangeIdentity(RepoId),
    /// The request for the identity token of a job, to its build service.
    AskForIdentity,
    /// The end of a token that was made for a trusted publisher.
    EndToken,
}

impl Act {
    /// The repo that the act is about.
    pub fn repo(&self) -> Option<&RepoId> {
        match self {
            Self::Identify
            | Self::Search
            | Self::ReadWholeLog
            | Self::AskForIdentity
            | Self::EndToken => None,
            Self::ListVersions(repo)
            | Self::FindRevision(repo, _)
            | Self::ListFiles(repo)
            | Self::Download(repo, _)
            | Self::ReadLog(repo)
            | Self::Describe(repo)
            | Self::Create(repo)
            | Self::Commit(repo)
            | Self::Tag(repo, _)
            | Self::Publishers(repo)
            | Self::ExchangeIdentity(repo) => Some(repo),
        }
    }
}

impl fmt::Display for Act {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Identify => f.write_str("ask who the token belongs to"),
            Self::Search => f.write_str("search"),
            Self::ListVersions(repo) => write!(f, "list the versions of {repo}"),
            Self::FindRevision(repo, revision) => write!(f, "find `{revision}` in {repo}"),
            Self::ListFiles(repo) => write!(f, "list the files of {repo}"),
            Self::Download(repo, file) => write!(f, "download {file} of {repo}"),
            Self::ReadLog(repo) => write!(f, "read what the log says of {repo}"),
            Self::ReadWholeLog => f.write_str("read the log"),
            Self::Describe(repo) => write!(f, "look at {repo}"),
            Self::Create(repo) => write!(f, "create {repo}"),
            Self::Commit(repo) => write!(f, "commit to {repo}"),
            Self::Tag(repo, tag) => write!(f, "tag {repo} {tag}"),
            Self::Publishers(repo) => write!(f, "manage the publishers of {repo}"),
            Self::ExchangeIdentity(repo) => write!(f, "publish to {repo} as this job"),
            Self::AskForIdentity => f.write_str("ask for the identity token of this job"),
            Self::EndToken => f.write_str("end the token"),
        }
    }
}
