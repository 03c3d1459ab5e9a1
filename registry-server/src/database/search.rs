//! Finding repositories: filters, order and paging, with nothing shown to those who may not see it.
//!
//! Words alone are answered by relevance, in [`ranked`]; everything else in the order of a column, in [`sorted`].

mod filter;
mod ranked;
mod sorted;

use std::collections::HashMap;

use sqlx::any::AnyRow;
use sqlx::{AssertSqlSafe, FromRow};

pub(crate) use ranked::RankedPosition;

use super::fulltext::Terms;
use super::repositories::{REPOSITORIES, Repository};
use super::visibility::bound;
use super::{BATCH_MAX, Database, Engine, placeholders};
use crate::error::RegistryError;
use crate::names::{RepositoryKind, TokenScope};
use filter::Values;

/// What to look for.
#[derive(Debug, Clone)]
pub(crate) struct Search {
    pub(crate) kind: RepositoryKind,
    /// The account that asks; private repositories of others stay out of sight.
    pub(crate) account: Option<String>,
    /// Where the account's rights count.
    pub(crate) scope: TokenScope,
    /// Words that must all occur.
    pub(crate) terms: Option<Terms>,
    pub(crate) author: Option<String>,
    /// Tags that must all be there.
    pub(crate) tags: Vec<String>,
    pub(crate) order: Order,
    /// Where the page before ended.
    pub(crate) after: Option<Position>,
    pub(crate) limit: usize,
}

/// The order of results: the largest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    /// How well the words fit; without words all fit alike.
    Relevance,
    Modified,
    Created,
    Downloads,
    Likes,
}

/// A place in an ordered list that stays valid while repositories come and go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Position {
    Ranked(RankedPosition),
    Sorted { key: i64, id: String },
}

/// One result.
#[derive(Debug, Clone)]
pub(crate) struct Found {
    pub(crate) repository: Repository,
    pub(crate) head: Option<String>,
    /// The description in the manifest of a tool.
    pub(crate) tool_description: Option<String>,
    /// In alphabetical order.
    pub(crate) tags: Vec<String>,
    /// Where the list goes on after it.
    pub(crate) position: Position,
}

/// A repository that fits, and where it stands.
#[derive(Debug)]
struct Hit {
    repository: String,
    position: Position,
}

/// What is shown of a repository, beside its tags.
#[derive(FromRow)]
struct Shown {
    #[sqlx(flatten)]
    repository: Repository,
    head: Option<String>,
    tool_description: Option<String>,
}

impl Database {
    /// One page of repositories.
    pub(crate) async fn search(&self, search: &Search) -> Result<Vec<Found>, RegistryError> {
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
                    Some(Position::Sorted { key, id }) => Some((*key, id.as_str())),
                    _ => None,
                };
                self.sorted(search, after).await?
            }
        };
        self.show(hits).await
    }

    async fn show(&self, hits: Vec<Hit>) -> Result<Vec<Found>, RegistryError> {
        let mut found = Vec::with_capacity(hits.len());
        for batch in hits.chunks(BATCH_MAX) {
            let ids: Vec<&str> = batch.iter().map(|hit| hit.repository.as_str()).collect();
            let mut tags = self.tags_of_all(&ids).await?;
            let mut shown = self.shown(&ids).await?;
            for hit in batch {
                // It may have been deleted since it was found.
                let Some(one) = shown.remove(&hit.repository) else {
                    continue;
                };
                found.push(Found {
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

    async fn shown(&self, ids: &[&str]) -> Result<HashMap<String, Shown>, RegistryError> {
        let sql = format!(
            "SELECT h.commit_oid AS head, t.description AS tool_description, {REPOSITORIES} \
             LEFT JOIN tools t ON t.repository = r.id \
             LEFT JOIN refs h ON h.repository = r.id AND h.name = 'refs/heads/main' WHERE r.id IN ({})",
            placeholders(1, ids.len())
        );
        let mut query = sqlx::query_as::<_, Shown>(AssertSqlSafe(sql));
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
        ids: &[&str],
    ) -> Result<HashMap<String, Vec<String>>, RegistryError> {
        let sql = format!(
            "SELECT repository, tag FROM repository_tags WHERE repository IN ({}) ORDER BY tag",
            placeholders(1, ids.len())
        );
        let mut query = sqlx::query_as::<_, (String, String)>(AssertSqlSafe(sql));
        for id in ids {
            query = query.bind(*id);
        }
        let mut tags: HashMap<String, Vec<String>> = HashMap::new();
        for (repository, tag) in query.fetch_all(&self.pool).await? {
            tags.entry(repository).or_default().push(tag);
        }
        Ok(tags)
    }

    async fn found<T>(&self, sql: String, values: Values) -> Result<Vec<T>, RegistryError>
    where
        T: for<'r> FromRow<'r, AnyRow> + Send + Unpin,
    {
        // A plan that PostgreSQL keeps is made for words of which nothing is known.
        let query = bound(sql, values.0).persistent(self.engine != Engine::Postgres);
        Ok(query.fetch_all(&self.pool).await?)
    }
}
