//! Finding repositories: filters, order and paging, with nothing shown to those who may not see it.

use sqlx::{AssertSqlSafe, FromRow};

use super::fulltext::Terms;
use super::repositories::{REPOSITORIES, Repository};
use super::visibility::{Value, bound, readable};
use super::{BATCH_MAX, Database, Engine, placeholders};
use crate::error::RegistryError;
use crate::names::{RepositoryKind, TokenReach};

/// What to look for.
#[derive(Debug, Clone)]
pub(crate) struct Search {
    pub(crate) kind: RepositoryKind,
    /// The account that asks; private repositories of others stay out of sight.
    pub(crate) account: Option<String>,
    /// Where the account's rights count.
    pub(crate) reach: TokenReach,
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

impl Order {
    /// The column to order by; `relevance` is the expression for how well the words fit.
    fn column(self, relevance: &'static str) -> &'static str {
        match self {
            Self::Relevance => relevance,
            Self::Modified => "r.modified_ms",
            Self::Created => "r.created_ms",
            Self::Downloads => "r.downloads",
            Self::Likes => "r.likes",
        }
    }

    /// Where a repository stands in this order.
    pub(crate) fn position(self, found: &Found) -> Position {
        let key = match self {
            Self::Relevance => found.relevance,
            Self::Modified => found.repository.modified_ms,
            Self::Created => found.repository.created_ms,
            Self::Downloads => found.repository.downloads,
            Self::Likes => found.repository.likes,
        };
        Position {
            key,
            id: found.repository.id.clone(),
        }
    }
}

/// A place in an ordered list that stays valid while repositories come and go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Position {
    pub(crate) key: i64,
    pub(crate) id: String,
}

/// One result.
#[derive(Debug, Clone, FromRow)]
pub(crate) struct Found {
    #[sqlx(flatten)]
    pub(crate) repository: Repository,
    pub(crate) head: Option<String>,
    pub(crate) relevance: i64,
    /// The description in the manifest of a tool.
    pub(crate) tool_description: Option<String>,
    /// In alphabetical order; asked for apart.
    #[sqlx(skip)]
    pub(crate) tags: Vec<String>,
}

impl Database {
    /// One page of repositories.
    pub(crate) async fn search(&self, search: &Search) -> Result<Vec<Found>, RegistryError> {
        let (sql, values) = statement(self.engine, search);
        let mut found: Vec<Found> = bound(sql, values).fetch_all(&self.pool).await?;
        self.add_tags(&mut found).await?;
        Ok(found)
    }

    async fn add_tags(&self, found: &mut [Found]) -> Result<(), RegistryError> {
        for batch in found.chunks_mut(BATCH_MAX) {
            let sql = format!(
                "SELECT repository, tag FROM repository_tags WHERE repository IN ({}) ORDER BY tag",
                placeholders(1, batch.len())
            );
            let mut query = sqlx::query_as(AssertSqlSafe(sql));
            for one in batch.iter() {
                query = query.bind(one.repository.id.clone());
            }
            let tags: Vec<(String, String)> = query.fetch_all(&self.pool).await?;
            for (repository, tag) in tags {
                if let Some(one) = batch.iter_mut().find(|one| one.repository.id == repository) {
                    one.tags.push(tag);
                }
            }
        }
        Ok(())
    }
}

/// Only fixed text and placeholder numbers go into the statement; what the client sent is bound.
fn statement(engine: Engine, search: &Search) -> (String, Vec<Value>) {
    let mut values = vec![Value::Text(search.kind.word().to_owned())];
    let mut bind = |value: Value| {
        values.push(value);
        format!("${}", values.len())
    };
    let (relevance, matches) = match &search.terms {
        Some(terms) => {
            let matches = terms.matches(engine, |text| bind(Value::Text(text)));
            (
                "m.relevance",
                format!("JOIN ({matches}) m ON m.repository = r.id"),
            )
        }
        None => ("CAST(0 AS BIGINT)", String::new()),
    };
    let mut sql = format!(
        "SELECT h.commit_oid AS head, {relevance} AS relevance, t.description AS tool_description, {REPOSITORIES} {matches} \
         LEFT JOIN tools t ON t.repository = r.id \
         LEFT JOIN refs h ON h.repository = r.id AND h.name = 'refs/heads/main' WHERE r.kind = $1"
    );
    sql += " AND ";
    sql += &readable(search.account.as_deref(), &search.reach, &mut bind);
    if let Some(author) = &search.author {
        sql += &format!(
            " AND o.name_folded = {}",
            bind(Value::Text(author.to_ascii_lowercase()))
        );
    }
    for tag in &search.tags {
        sql += &format!(
            " AND EXISTS (SELECT 1 FROM repository_tags g WHERE g.tag = {} AND g.repository = r.id)",
            bind(Value::Text(tag.clone()))
        );
    }
    let column = search.order.column(relevance);
    if let Some(after) = &search.after {
        let key = bind(Value::Number(after.key));
        let id = bind(Value::Text(after.id.clone()));
        sql += &format!(" AND ({column} < {key} OR ({column} = {key} AND r.id < {id}))");
    }
    let limit = bind(Value::Number(
        i64::try_from(search.limit).unwrap_or(i64::MAX),
    ));
    sql += &format!(" ORDER BY {column} DESC, r.id DESC LIMIT {limit}");
    (sql, values)
}
