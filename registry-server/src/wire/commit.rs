//! JSON shapes of commits, as histories and listings show them.

use serde::Serialize;
use utoipa::ToSchema;

use super::html::escape;
use crate::clock;
use crate::database::commits::Commit;

/// One commit of a history.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Commit)]
pub(crate) struct CommitRow {
    id: String,
    title: String,
    message: String,
    #[schema(format = DateTime)]
    date: String,
    authors: Vec<CommitAuthor>,
    parents: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    formatted: Option<FormattedCommit>,
}

/// The author of a commit.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct CommitAuthor {
    user: String,
    avatar: &'static str,
}

/// The texts of a commit as HTML.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct FormattedCommit {
    title: String,
    message: String,
}

impl CommitRow {
    pub(crate) fn new(commit: &Commit, formatted: bool) -> Self {
        Self {
            id: commit.oid.to_string(),
            title: commit.title.clone(),
            message: commit.message.clone(),
            date: clock::date(commit.written_ms),
            authors: vec![CommitAuthor {
                user: commit.author.clone(),
                avatar: "",
            }],
            parents: commit.parent.iter().map(ToString::to_string).collect(),
            formatted: formatted.then(|| FormattedCommit {
                title: escape(&commit.title),
                message: escape(&commit.message),
            }),
        }
    }
}

/// The last commit that changed a file or directory.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct LastCommit {
    id: String,
    title: String,
    #[schema(format = DateTime)]
    date: String,
}

impl From<&Commit> for LastCommit {
    fn from(commit: &Commit) -> Self {
        Self {
            id: commit.oid.to_string(),
            title: commit.title.clone(),
            date: clock::date(commit.written_ms),
        }
    }
}
