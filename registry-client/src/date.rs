//! Asks a registry for the day on which a commit was made.

use serde::Deserialize;

use crate::error::{Act, ClientError, excerpt};
use crate::registry::Registry;
use crate::resolved::Resolved;

#[derive(Deserialize)]
struct Commit {
    id: String,
    date: String,
}

pub(crate) async fn day_of(
    registry: &Registry,
    commit: &Resolved,
) -> Result<Option<String>, ClientError> {
    let act = Act::FindRevision(commit.repo.clone(), commit.commit.to_string());
    let path = ["commits", commit.commit.as_str()];
    let mut url = registry.wire.about(&commit.repo, &path);
    url.set_query(Some("limit=1"));
    let commits: Vec<Commit> = registry.wire.get(&act, url).await?;
    let found = commits.iter().find(|it| it.id == commit.commit.as_str());
    Ok(found.and_then(|it| it.date.get(..10)).map(excerpt))
}
