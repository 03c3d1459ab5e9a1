//! `GET …/discussions/{number}`: shows a discussion, or a pull request with its commits.
//! A pull request also lists its conflicting files.

use std::collections::HashMap;

use http::StatusCode;
use serde::Serialize;
use utoipa::ToSchema;

use crate::access::{Call, ReadRepository};
use crate::controllers::json;
use crate::database::commits::Commit;
use crate::database::discussions::Discussion;
use crate::error::RegistryError;
use crate::history::{DEFAULT_BRANCH, Version, compare, resolve_revision};
use crate::http::{Refusal, Reply};
use crate::names::{Head, RefName};
use crate::wire::{DiscussionEvent, DiscussionRow};

/// Commits of a pull request that are shown.
const COMMITS_MAX: i64 = 1_000;

/// A discussion, and for a pull request its changes.
#[utoipa::path(
    get,
    path = "/api/{kinds}/{owner}/{name}/discussions/{number}",
    responses(
        (status = 200, description = "The discussion", body = ShownDiscussion),
    ),
)]
pub(crate) async fn show(call: Call<ReadRepository>) -> Reply {
    let repository = &call.admitted.repository;
    let number = call.admitted.address.rest_text().unwrap_or_default();
    let discussion = match number.parse() {
        Ok(number) => {
            let database = call.registry.database();
            database.discussion(&repository.id, number).await?
        }
        Err(_) => None,
    };
    let discussion = discussion.ok_or_else(|| {
        Refusal::new(
            StatusCode::NOT_FOUND,
            "there is no discussion of this number",
        )
    })?;
    let mut shown = ShownDiscussion {
        discussion: DiscussionRow::new(repository, &discussion),
        changes: None,
        files_with_conflicts: None,
        events: vec![DiscussionEvent::comment(&discussion)],
    };
    if discussion.is_pull_request() {
        let request = PullRequest::find(&call, &discussion).await?;
        let commits = request.commits(&call).await?;
        shown
            .events
            .extend(commits.iter().map(DiscussionEvent::commit));
        shown.changes = Some(Changes {
            base: RefName::parse(DEFAULT_BRANCH).map(|branch| branch.branch()),
        });
        shown.files_with_conflicts = Some(request.conflicts(&call).await?);
    }
    Ok(json(shown))
}

/// A discussion and what was said; of a pull request, what it would change.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ShownDiscussion {
    #[serde(flatten)]
    discussion: DiscussionRow,
    #[serde(skip_serializing_if = "Option::is_none")]
    changes: Option<Changes>,
    #[serde(skip_serializing_if = "Option::is_none")]
    files_with_conflicts: Option<Vec<String>>,
    events: Vec<DiscussionEvent>,
}

/// The branch that a pull request is to be merged into.
#[derive(Serialize, ToSchema)]
struct Changes {
    base: Option<String>,
}

/// The base and the head of a pull request.
struct PullRequest {
    base: Commit,
    head: Commit,
}

impl PullRequest {
    async fn find(call: &Call<ReadRepository>, discussion: &Discussion) -> Result<Self, Refusal> {
        let reference = u32::try_from(discussion.number)
            .map(|number| Head::PullRequest(number).reference())
            .unwrap_or_default();
        let head = find(call, &reference).await?;
        let base = match &discussion.base {
            Some(base) => find(call, &base.to_string()).await?,
            // It was stored without a base. Its head stands for that, so no changes are shown.
            None => head.clone(),
        };
        Ok(Self { base, head })
    }

    /// The commits it would bring, the oldest first.
    async fn commits(&self, call: &Call<ReadRepository>) -> Result<Vec<Commit>, RegistryError> {
        let repository = &call.admitted.repository.id;
        let database = call.registry.database();
        let count = (self.head.generation - self.base.generation).clamp(0, COMMITS_MAX);
        let mut commits = match count {
            0 => Vec::new(),
            count => database.history(repository, &self.head, 0, count).await?,
        };
        commits.reverse();
        Ok(commits)
    }

    /// The files that it and the default branch have both changed since it began, differently.
    async fn conflicts(&self, call: &Call<ReadRepository>) -> Result<Vec<String>, Refusal> {
        let repository = &call.admitted.repository.id;
        let database = call.registry.database();
        let branch = find(call, DEFAULT_BRANCH).await?;
        let there = compare(database, repository, Some(&self.base), &branch).await?;
        let there: HashMap<&str, Option<Version>> = there
            .iter()
            .map(|difference| (difference.path.as_str(), difference.new))
            .collect();
        let here = compare(database, repository, Some(&self.base), &self.head).await?;
        Ok(here
            .into_iter()
            .filter(|difference| {
                there
                    .get(difference.path.as_str())
                    .is_some_and(|new| *new != difference.new)
            })
            .map(|difference| difference.path)
            .collect())
    }
}

async fn find(call: &Call<ReadRepository>, revision: &str) -> Result<Commit, Refusal> {
    let repository = &call.admitted.repository.id;
    let found = resolve_revision(call.registry.database(), repository, revision).await?;
    found.ok_or_else(|| RegistryError::Damaged(format!("{revision} is missing")).into())
}
