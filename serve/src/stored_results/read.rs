//! Reads a stored result for an agent, page by page or by a search in it.

use std::sync::Arc;

use tool_hub_manifest::contract::{Content, Failure, FailureKind, Outcome, Reply};

use super::passages::Page;
use super::{StoredResult, StoredResults};
use crate::built_in::ReadAnswer;
use crate::cache::LIFETIME;

impl StoredResults {
    /// Reads the part of a stored answer that the call asks for.
    pub(crate) async fn read(&self, wanted: ReadAnswer) -> Outcome {
        let Some(kept) = self.get(&wanted.id) else {
            return gone(&wanted.id).into();
        };
        // Megabytes take longer than others should wait.
        let read = tokio::task::spawn_blocking(move || read(&kept, &wanted));
        read.await.unwrap_or_else(|error| {
            let message = format!("the answer could not be read: {error}");
            Failure::new(FailureKind::Internal, message).into()
        })
    }
}

fn gone(id: &str) -> Failure {
    let id: String = id.chars().take(40).flat_map(char::escape_debug).collect();
    let minutes = LIFETIME.as_secs() / 60;
    let message = format!(
        "no answer `{id}` is kept; each is for up to {minutes} minutes, until others need the room"
    );
    Failure::new(FailureKind::NotFound, message)
        .with_argument("id")
        .with_fix("call the function that gave it again")
}

fn read(kept: &Arc<StoredResult>, wanted: &ReadAnswer) -> Outcome {
    let number = wanted.page.max(1);
    let place = usize::try_from(number).unwrap_or(usize::MAX);
    let function = &kept.function;
    let query = wanted
        .query
        .as_deref()
        .filter(|query| !query.trim().is_empty());
    let page = match query {
        Some(query) => kept.passages.search(&kept.text, query, place),
        None => kept.passages.page(&kept.text, place),
    };
    if page.passages.is_empty() {
        let message = match page.pages {
            0 => format!("no passage of the answer of `{function}` contains any of these words"),
            pages => format!("there is no page {number}; there are {pages}"),
        };
        return Failure::new(FailureKind::NotFound, message).into();
    }
    let pages = page.pages;
    let (told, text) = match query {
        Some(_) => (
            format!(
                "Passages of the answer of `{function}`, best first; page {number} of {pages}."
            ),
            found(&page, kept.passages.count()),
        ),
        None => (
            format!("Page {number} of {pages} of the answer of `{function}`."),
            page.passages.iter().map(|(_, passage)| *passage).collect(),
        ),
    };
    Outcome::Reply(Reply {
        content: vec![Content::text(told), Content::text(text)],
        ..Reply::default()
    })
}

fn found(page: &Page<'_>, count: usize) -> String {
    let passages = page.passages.iter().map(|(number, passage)| {
        let passage = passage.trim_end_matches('\n');
        format!("[passage {number} of {count}]\n{passage}")
    });
    passages.collect::<Vec<_>>().join("\n\n")
}
