//! Runs a search and reads one page of its results with all that is shown of them.

use std::collections::HashMap;

use sqlx::AssertSqlSafe;

use super::super::connection::Database;
use super::super::keys::RepositoryKey;
use super::super::repositories::{REPOSITORIES, Repository};
use super::super::sql::{BATCH_MAX, placeholders};
use super::query::{Hit, Order, Position, Search};
use crate::database::rows::from_row;
use crate::error::RegistryError;

/// One result.
#[derive(Debug, Clone)]
pub(crate) struct SearchResult {
    pub(crate) repository: Repository,
    pub(crate) head: Option<String>,
    /// The description in the manifest of a tool.
    pub(crate) tool_description: Option<String>,
    /// In alphabetical order.
    pub(crate) tags: Vec<String>,
    /// The position after which the list goes on.
    pub(crate) position: Position,
}

/// The columns of a result, beside its tags.
struct ResultRow {
    repository: Repository,
    head: Option<String>,
    tool_description: Option<String>,
}

from_row!(ResultRow { head, tool_description; repository });

impl Database {
    /// One page of repositories.
    pub(crate) async fn search(&self, search: &Search) -> Result<Vec<SearchResult>, RegistryError> {
        let hits = match (&search.terms, search.order) {
            (Some(terms), Order::Relevance) => {
                let after = match search.after {
                    Some(Position::Ranked(after)) => Some(after),
                    _ => None,
                };
                self.ranked(search, terms, after).await?
            }
            _ => {
                let after = match &search.after {
                    Some(Position::Sorted { key, id }) => Some((*key, id)),
                    _ => None,
                };
                self.sorted(search, after).await?
            }
        };
        self.show(hits).await
    }

    async fn show(&self, hits: Vec<Hit>) -> Result<Vec<SearchResult>, RegistryError> {
        let mut found = Vec::with_capacity(hits.len());
        for batch in hits.chunks(BATCH_MAX) {
            let ids: Vec<&RepositoryKey> = batch.iter().map(|hit| &hit.repository).collect();
            let mut tags = self.tags_of_all(&ids).await?;
            let mut shown = self.shown(&ids).await?;
            for hit in batch {
                // It may have been deleted since it was found.
                let Some(one) = shown.remove(&hit.repository) else {
                    continue;
                };
                found.push(SearchResult {
                    repository: one.repository,
                    head: one.head,
                    tool_description: one.tool_description,
                    tags: tags.remove(&hit.repository).unwrap_or_default(),
                    position: hit.position.clone(),
                });
            }
        }
        Ok(found)
    }

    async fn shown(
        &self,
        ids: &[&RepositoryKey],
    ) -> Result<HashMap<RepositoryKey, ResultRow>, RegistryError> {
        let sql = format!(
            "SELECT h.commit_oid AS head, t.description AS tool_description, {REPOSITORIES} \
             LEFT JOIN tools t ON t.repository = r.id \
             LEFT JOIN refs h ON h.repository = r.id AND h.name = 'refs/heads/main' WHERE r.id IN ({})",
            placeholders(1, ids.len())
        );
        let mut query = sqlx::query_as::<_, ResultRow>(AssertSqlSafe(sql));
        for id in ids {
            query = query.bind(*id);
        }
        let shown = query.fetch_all(&self.pool).await?;
        Ok(shown
            .into_iter()
            .map(|one| (one.repository.id.clone(), one))
            .collect())
    }

    async fn tags_of_all(
        &self,
        ids: &[&RepositoryKey],
    ) -> Result<HashMap<RepositoryKey, Vec<String>>, RegistryError> {
        let sql = format!(
            "SELECT repository, tag FROM repository_tags WHERE repository IN ({}) ORDER BY tag",
            placeholders(1, ids.len())
        );
        let mut query = sqlx::query_as::<_, (RepositoryKey, String)>(AssertSqlSafe(sql));
        for id in ids {
            query = query.bind(*id);
        }
        let mut tags: HashMap<RepositoryKey, Vec<String>> = HashMap::new();
        for (repository, tag) in query.fetch_all(&self.pool).await? {
            tags.entry(repository).or_default().push(tag);
        }
        Ok(tags)
    }
}
