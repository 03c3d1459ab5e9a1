//! When a commit was made, as its registry says.

use serde::Deserialize;

use crate::error::excerpt;
use crate::{Act, Client, ClientError, Resolved};

#[derive(Deserialize)]
struct Commit {
    id: String,
    date: String,
}

impl Client {
    /// The day on which a commit was made, as `2026-01-31`; none where the registry does not tell.
    ///
    /// # Errors
    /// As every question.
    pub async fn day_of(&self, commit: &Resolved) -> Result<Option<String>, ClientError> {
        let act = Act::FindRevision(commit.repo.clone(), commit.commit.to_string());
        let mut url = self
            .wire()
            .about(&commit.repo, &["commits", commit.commit.as_str()]);
        url.set_query(Some("limit=1"));
        let commits: Vec<Commit> = self.wire().get(&act, url).await?;
        let found = commits.iter().find(|it| it.id == commit.commit.as_str());
        Ok(found.and_then(|it| it.date.get(..10)).map(excerpt))
    }
}
