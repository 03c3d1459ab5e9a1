//! The identity of a job of a build service, as its token says.

use std::fmt;

/// The verified identity of a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BuildIdentity {
    pub(crate) issuer: String,
    /// The repository with the sources: `owner/name`, or a longer path on GitLab.
    pub(crate) project: String,
    /// The build service's number for the owner. A name that is deleted may be given to somebody
    /// else; a number is not.
    pub(crate) owner_id: String,
    /// The file of the workflow: a name in `.github/workflows`, or a path on GitLab.
    pub(crate) workflow: String,
    pub(crate) environment: Option<String>,
    /// The commit that was built, where the token says so.
    pub(crate) commit: Option<String>,
    /// The id of the token, by which it is taken once.
    pub(crate) jti: String,
    pub(crate) expires_ms: i64,
}

/// Longest commit that is shown.
const COMMIT_CHARS_MAX: usize = 12;

impl fmt::Display for BuildIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {}", self.workflow, self.project)?;
        if let Some(environment) = &self.environment {
            write!(f, " in the environment {environment}")?;
        }
        if let Some(commit) = &self.commit {
            let short: String = commit.chars().take(COMMIT_CHARS_MAX).collect();
            write!(f, " at {short}")?;
        }
        write!(f, " by {}", self.issuer)
    }
}
