//! Commits as the history shows them.

use serde_json::{Value, json};

use crate::clock;
use crate::database::commits::Commit;

/// One commit of `/commits/{rev}`.
pub(crate) fn commit_json(commit: &Commit, formatted: bool) -> Value {
    let mut value = json!({
        "id": commit.oid.to_string(),
        "title": commit.title,
        "message": commit.message,
        "date": clock::date(commit.written_ms),
        "authors": [{"user": commit.author, "avatar": ""}],
        "parents": commit.parent.iter().map(ToString::to_string).collect::<Vec<_>>(),
    });
    if formatted {
        value["formatted"] =
            json!({"title": escape(&commit.title), "message": escape(&commit.message)});
    }
    value
}

/// The `lastCommit` of a tree entry.
pub(crate) fn last_commit_json(commit: &Commit) -> Value {
    json!({"id": commit.oid.to_string(), "title": commit.title, "date": clock::date(commit.written_ms)})
}

/// `formatted` is HTML, so what is text must be escaped.
pub(super) fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}
