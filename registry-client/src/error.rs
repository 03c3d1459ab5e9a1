//! The `ClientError`, with the attempted act and the registry's answer, whose texts are escaped.

mod act;

use std::fmt;
use std::time::Duration;

use semver::{Version, VersionReq};
use tool_hub_manifest::{CommitId, DocumentError, RepoId, VerifyError, Yank, package_file};
use url::Url;

use crate::limits::EXCERPT_CHARS_MAX;
use crate::store::StoreError;
use crate::visibility::Visibility;

pub use act::Act;

/// An act with a registry failed. No variant holds a token or the URL of a signed download;
/// text that came from the registry is escaped and cut.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClientError {
    /// The endpoint cannot be one.
    #[error("`{endpoint}` is not an endpoint: {rule}")]
    Endpoint {
        /// The given endpoint, without its credentials.
        endpoint: String,
        /// The rule it breaks.
        rule: &'static str,
    },
    /// The HTTP client could not be built: an unusable proxy, user agent or TLS set-up.
    #[error("cannot set up the connection to {endpoint}")]
    Setup {
        /// The endpoint.
        endpoint: Box<Url>,
        /// The cause.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// No connection: no network, unknown host, refused, or TLS that cannot be trusted.
    #[error("cannot {act}: {endpoint} cannot be reached")]
    Unreachable {
        /// The attempted action.
        act: Act,
        /// The endpoint.
        endpoint: Box<Url>,
        /// The registry of which that is a mirror, where it is one.
        mirror_of: Option<Box<Url>>,
        /// The cause.
        #[source]
        source: reqwest::Error,
    },
    /// The connection was there and broke, or carried something that is not HTTP.
    #[error("cannot {act}: the connection broke")]
    Broken {
        /// The attempted action.
        act: Act,
        /// The cause.
        #[source]
        source: reqwest::Error,
    },
    /// Bytes came too slowly, or not at all.
    #[error("cannot {act}: only {bytes} bytes came within {within:?}")]
    Stalled {
        /// The attempted action.
        act: Act,
        /// The bytes that came in the last window.
        bytes: u64,
        /// The length of that window.
        within: Duration,
    },
    /// The whole act took longer than it may.
    #[error("cannot {act}: it did not end within {after:?}")]
    TimedOut {
        /// The attempted action.
        act: Act,
        /// The timeout.
        after: Duration,
    },
    /// The act needs a token and there is none.
    #[error("cannot {act}: {endpoint} wants a token")]
    TokenMissing {
        /// The attempted action.
        act: Act,
        /// The endpoint.
        endpoint: Box<Url>,
    },
    /// The registry does not accept the token (status 401).
    #[error("cannot {act}: {endpoint} does not accept the token{answer}")]
    TokenRefused {
        /// The attempted action.
        act: Act,
        /// The endpoint.
        endpoint: Box<Url>,
        /// The registry's answer.
        answer: Box<Answer>,
    },
    /// The registry knows who asks and does not allow it (status 403, or a gated repo).
    #[error("cannot {act}: not allowed{answer}")]
    Forbidden {
        /// The attempted action.
        act: Act,
        /// The registry's answer.
        answer: Box<Answer>,
    },
    /// The repo does not exist, or is private and not for whoever asks.
    #[error("{repo} is not on {endpoint}, or is private")]
    RepoNotFound {
        /// The repo.
        repo: RepoId,
        /// The endpoint.
        endpoint: Box<Url>,
        /// True if a token was sent.
        signed_in: bool,
    },
    /// The repo has another name today, perhaps with another owner. It answers to its old name,
    /// too, but whoever asks for that one trusts the owner in it.
    #[error("{repo} was moved and is {now} today")]
    RepoMoved {
        /// The name that was asked for.
        repo: RepoId,
        /// Its name today.
        now: RepoId,
    },
    /// The repo has no such branch, tag or commit.
    #[error("{repo} has no branch, tag or commit `{revision}`")]
    RevisionNotFound {
        /// The repo.
        repo: RepoId,
        /// The requested revision.
        revision: String,
    },
    /// No version of the tool meets the requirement.
    #[error("{repo} has no version that meets `{requirement}`{}", listed(.available))]
    VersionNotFound {
        /// The repo.
        repo: RepoId,
        /// The requirement.
        requirement: VersionReq,
        /// The versions there are, newest first.
        available: Vec<Version>,
    },
    /// A version has build metadata, by which registries and requirements tell no versions apart.
    #[error(
        "{repo} {version} has build metadata, and such a version is neither published nor taken"
    )]
    BuildMetadata {
        /// The repo.
        repo: RepoId,
        /// The version.
        version: Version,
    },
    /// Every version that is meant is among those that count as not there.
    #[error("{repo} has no other version than those that were passed over")]
    NoOtherVersion {
        /// The repo.
        repo: RepoId,
    },
    /// The version was yanked: its owner took it back.
    #[error("{repo} {version} was yanked as {yank}")]
    VersionYanked {
        /// The repo.
        repo: RepoId,
        /// The version.
        version: Version,
        /// The owner's words.
        yank: Box<Yank>,
    },
    /// The repo's `releases.toml` cannot be read, so none of its versions can be trusted not to be
    /// yanked.
    #[error("{repo} has a {} that cannot be read", package_file::RELEASES)]
    ReleasesUnreadable {
        /// The repo.
        repo: RepoId,
        /// The mistake in it.
        source: DocumentError,
    },
    /// The repo is there but holds no such file, so it is not a tool.
    #[error("{repo} at {commit} has no {file}, so it is not a tool")]
    FileMissing {
        /// The repo.
        repo: RepoId,
        /// The commit.
        commit: CommitId,
        /// The file.
        file: &'static str,
    },
    /// The data set that is a registry's log does not have what a log has.
    #[error("the data set {repo}, which is the log, {what}")]
    DatasetLog {
        /// The data set.
        repo: RepoId,
        /// The fault, as the end of a sentence.
        what: String,
    },
    /// The version was pushed before, with other content. A pushed version never changes.
    #[error("{repo} has version {version} already, with other content (commit {commit})")]
    VersionExists {
        /// The repo.
        repo: RepoId,
        /// The version.
        version: Version,
        /// The commit that the version's tag names.
        commit: CommitId,
    },
    /// The version was pushed before, with the same content but without this key's signature.
    #[error("{repo} has version {version} already, and it is not signed with this key")]
    VersionNotSigned {
        /// The repo.
        repo: RepoId,
        /// The version.
        version: Version,
    },
    /// The version was pushed before, with the same content but without these attestations.
    #[error("{repo} has version {version} already, and not with these attestations")]
    VersionNotAttested {
        /// The repo.
        repo: RepoId,
        /// The version.
        version: Version,
    },
    /// The repo takes versions from its trusted publishers, and the token is of none.
    #[error("nothing was published: versions of {repo} come from its trusted publishers alone")]
    PublishersOnly {
        /// The repo.
        repo: RepoId,
    },
    /// The manifest at a version's tag names another version.
    #[error("{repo} is tagged {tagged}, but the manifest there says version {manifest}")]
    VersionMismatch {
        /// The repo.
        repo: RepoId,
        /// The version in the tag.
        tagged: Version,
        /// The version in the manifest.
        manifest: Version,
    },
    /// Somebody else changed the repo meanwhile; nothing was committed.
    #[error("{repo} was changed by somebody else meanwhile{answer}")]
    Conflict {
        /// The repo.
        repo: RepoId,
        /// The commit that was its head when the push began.
        head: Option<CommitId>,
        /// The registry's answer.
        answer: Box<Answer>,
    },
    /// Everything was committed, but the version's tag could not be made. Pushing the same
    /// package again finds the commit and makes only the tag.
    #[error("{repo} was committed as {commit}, but could not be tagged {tag}")]
    TagFailed {
        /// The repo.
        repo: RepoId,
        /// The commit that was made.
        commit: CommitId,
        /// The tag that is missing.
        tag: String,
        /// The cause.
        #[source]
        source: Box<ClientError>,
    },
    /// A push that must stay private would go to a repo that everybody can read.
    #[error("{repo} exists and is {actual}, the push asks for {asked}; nothing was pushed")]
    VisibilityDiffers {
        /// The repo.
        repo: RepoId,
        /// The visibility that the push asked for.
        asked: Visibility,
        /// The visibility of the repo.
        actual: Visibility,
    },
    /// Too many requests (status 429).
    #[error("cannot {act}: too many requests{answer}")]
    RateLimited {
        /// The attempted action.
        act: Act,
        /// The time that the registry asks to wait.
        retry_after: Option<Duration>,
        /// The registry's answer.
        answer: Box<Answer>,
    },
    /// The registry itself failed (status 5xx).
    #[error("cannot {act}: the registry failed{answer}")]
    ServerFailed {
        /// The attempted action.
        act: Act,
        /// The registry's answer.
        answer: Box<Answer>,
    },
    /// Any other status than the ones that the act allows.
    #[error("cannot {act}: refused{answer}")]
    Refused {
        /// The attempted action.
        act: Act,
        /// The registry's answer.
        answer: Box<Answer>,
    },
    /// The registry sent what no honest registry sends: a commit id that is none, a file that
    /// was not asked for, an answer that is not JSON.
    #[error("cannot {act}: the registry's answer makes no sense: {what}")]
    Nonsense {
        /// The attempted action.
        act: Act,
        /// The fault in the answer.
        what: String,
    },
    /// The upload failed in `hf-hub` or `hf-xet`.
    #[error("cannot {act}: the upload failed: {what}")]
    UploadFailed {
        /// The attempted action.
        act: Act,
        /// The text of the error, escaped.
        what: String,
    },
    /// A redirect leads where it may not.
    #[error("cannot {act}: redirected to {host}, which is refused: {rule}")]
    Redirect {
        /// The attempted action.
        act: Act,
        /// Scheme, host and port of the target.
        host: String,
        /// The rule it breaks.
        rule: &'static str,
    },
    /// A file or an answer is larger than is ever taken.
    #[error("cannot {act}: more than {bytes_max} bytes")]
    TooLarge {
        /// The attempted action.
        act: Act,
        /// The bound.
        bytes_max: u64,
    },
    /// A file is not as long as was announced.
    #[error("cannot {act}: {actual} bytes came, {expected} were announced")]
    SizeMismatch {
        /// The attempted action.
        act: Act,
        /// The announced number of bytes.
        expected: u64,
        /// The number of bytes that came; one more than expected stands for any excess.
        actual: u64,
    },
    /// The bytes are not what the manifest claims, or the manifest cannot be read.
    #[error("{repo} at {commit} is not what it claims to be")]
    NotVerified {
        /// The repo.
        repo: RepoId,
        /// The commit.
        commit: CommitId,
        /// The difference.
        #[source]
        source: Box<VerifyError>,
    },
    /// The bytes are not the ones that were pinned for this commit.
    #[error("{repo} at {commit} is not what was locked")]
    PinMismatch {
        /// The repo.
        repo: RepoId,
        /// The commit.
        commit: CommitId,
        /// The difference.
        #[source]
        source: Box<VerifyError>,
    },
    /// The local store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl ClientError {
    /// True if a rule refuses what was asked for or what came: a digest, a version, a limit.
    pub fn is_refusal(&self) -> bool {
        match self {
            Self::NotVerified { source, .. } => source.is_refusal(),
            Self::Store(error) => error.is_refusal(),
            _ => matches!(
                self,
                Self::PinMismatch { .. }
                    | Self::DatasetLog { .. }
                    | Self::VersionExists { .. }
                    | Self::VersionNotSigned { .. }
                    | Self::VersionNotAttested { .. }
                    | Self::VersionMismatch { .. }
                    | Self::SizeMismatch { .. }
                    | Self::TooLarge { .. }
                    | Self::Redirect { .. }
                    | Self::RepoMoved { .. }
                    | Self::VersionYanked { .. }
                    | Self::BuildMetadata { .. }
                    | Self::VisibilityDiffers { .. }
            ),
        }
    }
}

/// A registry's refusal. Its texts are escaped and at most 300 characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The HTTP status.
    pub status: u16,
    /// `X-Error-Code`, such as `RepoNotFound`.
    pub code: Option<String>,
    /// `X-Error-Message`, or the `error` member of the body.
    pub message: Option<String>,
    /// `X-Request-Id`, by which the registry's own log finds the request.
    pub request_id: Option<String>,
}

impl fmt::Display for Answer {
    /// Continues a sentence: ` (status 403: no right to write, request 7)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, " (status {}", self.status)?;
        if let Some(message) = &self.message {
            write!(f, ": {message}")?;
        }
        if let Some(request_id) = &self.request_id {
            write!(f, ", request {request_id}")?;
        }
        f.write_str(")")
    }
}

/// The first part of a registry's text, with everything escaped that could steer a terminal
/// or hide text: only visible ASCII, spaces and letters and digits of any script remain.
pub(crate) fn excerpt(text: &str) -> String {
    let mut shown = String::new();
    let mut chars = text.trim().chars();
    for c in chars.by_ref().take(EXCERPT_CHARS_MAX) {
        if c == ' ' || c.is_ascii_graphic() || c.is_alphanumeric() {
            shown.push(c);
        } else {
            shown.extend(c.escape_unicode());
        }
    }
    if chars.next().is_some() {
        shown.push('…');
    }
    shown
}

fn listed(versions: &[Version]) -> String {
    if versions.is_empty() {
        return ": it has no versions".to_owned();
    }
    let versions: Vec<_> = versions.iter().map(Version::to_string).collect();
    format!("; there are {}", versions.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expect: &str) {
        assert_eq!(excerpt(text), expect);
    }

    #[test]
    fn a_registry_s_text_cannot_steer_a_terminal() {
        check(" plain text: ok ", "plain text: ok");
        check("größer", "größer");
        check("\u{1b}[2Jx", "\\u{1b}[2Jx");
        check("a\r\nb\tc", "a\\u{d}\\u{a}b\\u{9}c");
        check("a\u{202e}b", "a\\u{202e}b");
        check("a\u{e0041}b", "a\\u{e0041}b");
        check(&"x".repeat(301), &format!("{}…", "x".repeat(300)));
    }

    #[test]
    fn an_answer_continues_a_sentence() {
        let mut answer = Answer {
            status: 403,
            code: None,
            message: None,
            request_id: None,
        };
        assert_eq!(answer.to_string(), " (status 403)");
        answer.message = Some("no right to write".into());
        answer.request_id = Some("7".into());
        assert_eq!(
            answer.to_string(),
            " (status 403: no right to write, request 7)"
        );
    }
}
