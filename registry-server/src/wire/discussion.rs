//! JSON shapes of discussions and their events, with the field names of the Hub.

use serde::Serialize;
use utoipa::ToSchema;

use super::html::escape;
use crate::clock;
use crate::database::commits::Commit;
use crate::database::discussions::Discussion;
use crate::database::repositories::Repository;

/// One discussion of a list.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Discussion)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DiscussionRow {
    num: i64,
    title: String,
    /// `open`, `draft` or `closed`.
    status: String,
    author: PersonName,
    is_pull_request: bool,
    #[schema(format = DateTime)]
    created_at: String,
    repo: RepositoryName,
}

#[derive(Debug, Clone, Serialize, ToSchema)]
pub(crate) struct PersonName {
    name: String,
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct RepositoryName {
    name: String,
    r#type: &'static str,
}

impl DiscussionRow {
    pub(crate) fn new(repository: &Repository, discussion: &Discussion) -> Self {
        Self {
            num: discussion.number,
            title: discussion.title.clone(),
            status: discussion.status.clone(),
            author: person(&discussion.author),
            is_pull_request: discussion.is_pull_request(),
            created_at: clock::date(discussion.created_ms),
            repo: RepositoryName {
                name: repository.full_name(),
                r#type: repository.kind.word(),
            },
        }
    }
}

/// A comment, or a commit of a pull request.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DiscussionEvent {
    id: String,
    /// `comment` or `commit`.
    r#type: &'static str,
    #[schema(format = DateTime)]
    created_at: String,
    author: PersonName,
    data: EventData,
}

/// The kind of an event.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub(crate) enum EventData {
    /// A comment.
    Comment {
        edited: bool,
        hidden: bool,
        history: Vec<CommentText>,
        latest: CommentText,
    },
    /// A commit.
    Commit { subject: String, oid: String },
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CommentText {
    raw: String,
    html: String,
    #[schema(format = DateTime)]
    updated_at: String,
    author: PersonName,
}

impl DiscussionEvent {
    /// The description, which is the first comment.
    pub(crate) fn comment(discussion: &Discussion) -> Self {
        let date = clock::date(discussion.created_ms);
        Self {
            id: format!("{:024x}", discussion.number),
            r#type: "comment",
            created_at: date.clone(),
            author: person(&discussion.author),
            data: EventData::Comment {
                edited: false,
                hidden: false,
                history: Vec::new(),
                latest: CommentText {
                    raw: discussion.description.clone(),
                    html: escape(&discussion.description),
                    updated_at: date,
                    author: person(&discussion.author),
                },
            },
        }
    }

    /// A commit of a pull request.
    pub(crate) fn commit(commit: &Commit) -> Self {
        Self {
            id: commit.oid.to_string(),
            r#type: "commit",
            created_at: clock::date(commit.written_ms),
            author: person(&commit.author),
            data: EventData::Commit {
                subject: commit.title.clone(),
                oid: commit.oid.to_string(),
            },
        }
    }
}

fn person(name: &str) -> PersonName {
    PersonName {
        name: name.to_owned(),
    }
}
