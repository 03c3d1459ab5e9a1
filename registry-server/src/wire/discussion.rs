//! Discussions, with the field names of the Hub.

use serde_json::{Map, Value, json};

use super::commit::escape;
use crate::clock;
use crate::database::commits::Commit;
use crate::database::discussions::Discussion;
use crate::database::repositories::Repository;

/// One discussion of a list.
pub(crate) fn discussion_json(
    repository: &Repository,
    discussion: &Discussion,
) -> Map<String, Value> {
    let value = json!({
        "num": discussion.number,
        "title": discussion.title,
        "status": discussion.status,
        "author": {"name": discussion.author},
        "isPullRequest": discussion.is_pull_request(),
        "createdAt": clock::date(discussion.created_ms),
        "repo": {"name": repository.full_name(), "type": repository.kind.word()},
    });
    match value {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}

/// The description, which is the first comment.
pub(crate) fn comment_json(discussion: &Discussion) -> Value {
    let (date, author) = (
        clock::date(discussion.created_ms),
        json!({"name": discussion.author}),
    );
    json!({
        "id": format!("{:024x}", discussion.number),
        "type": "comment",
        "createdAt": date,
        "author": author,
        "data": {
            "edited": false,
            "hidden": false,
            "history": [],
            "latest": {
                "raw": discussion.description,
                "html": escape(&discussion.description),
                "updatedAt": date,
                "author": author,
            },
        },
    })
}

/// A commit of a pull request.
pub(crate) fn commit_event_json(commit: &Commit) -> Value {
    json!({
        "id": commit.oid.to_string(),
        "type": "commit",
        "createdAt": clock::date(commit.written_ms),
        "author": {"name": commit.author},
        "data": {"subject": commit.title, "oid": commit.oid.to_string()},
    })
}
