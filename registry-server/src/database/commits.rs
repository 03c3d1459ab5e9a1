//! Commits and what they changed.

use std::collections::{HashMap, HashSet};

use gix_hash::ObjectId;
use sqlx::{AssertSqlSafe, FromRow};

use super::writing::insertions;
use super::{BATCH_MAX, Database, Writing, placeholders, select};
use crate::error::RegistryError;

/// A commit as stored, without its git object.
#[derive(Debug, Clone, PartialEq, Eq, FromRow)]
pub(crate) struct Commit {
    pub(crate) oid: String,
    pub(crate) tree: String,
    pub(crate) parent: Option<String>,
    /// The number of commits from the first one to this one.
    pub(crate) generation: i64,
    pub(crate) title: String,
    pub(crate) message: String,
    pub(crate) author: String,
    pub(crate) written_ms: i64,
}

/// What a [`Commit`] is read from.
const COMMITS: &str = "c.oid, c.tree, c.parent, c.generation, c.title, c.message, c.author, c.written_ms FROM commits c";

impl Database {
    pub(crate) async fn commit(
        &self,
        repository: &str,
        oid: &str,
    ) -> Result<Option<Commit>, RegistryError> {
        Ok(select(COMMITS, "WHERE c.repository = $1 AND c.oid = $2")
            .bind(repository)
            .bind(oid)
            .fetch_optional(&self.pool)
            .await?)
    }

    /// Those of these commits that are stored, in no order.
    pub(crate) async fn commits(
        &self,
        repository: &str,
        oids: &[ObjectId],
    ) -> Result<Vec<Commit>, RegistryError> {
        self.objects(COMMITS, repository, oids).await
    }

    /// The one commit whose id starts with `prefix`, or nothing when there are several.
    pub(crate) async fn commit_of_prefix(
        &self,
        repository: &str,
        prefix: &str,
    ) -> Result<Option<Commit>, RegistryError> {
        let two = select(
            COMMITS,
            "WHERE c.repository = $1 AND c.oid >= $2 AND c.oid < $3 LIMIT 2",
        );
        // "g" sorts directly after the hexadecimal digits, so the range is the prefix and uses the primary key.
        let mut found = two
            .bind(repository)
            .bind(prefix)
            .bind(format!("{prefix}g"))
            .fetch_all(&self.pool)
            .await?;
        Ok(if found.len() == 1 { found.pop() } else { None })
    }

    /// `limit` commits back from `head`, after leaving out the first `skip`.
    pub(crate) async fn history(
        &self,
        repository: &str,
        head: &str,
        skip: i64,
        limit: i64,
    ) -> Result<Vec<Commit>, RegistryError> {
        let sql = format!(
            "WITH RECURSIVE chain (oid, parent, depth) AS ( \
                 SELECT oid, parent, CAST(0 AS BIGINT) FROM commits WHERE repository = $1 AND oid = $2 \
                 UNION ALL \
                 SELECT c.oid, c.parent, chain.depth + 1 FROM commits c JOIN chain ON c.oid = chain.parent \
                 WHERE c.repository = $1 AND chain.depth < $3 + $4 \
             ) \
             SELECT {COMMITS} JOIN chain ON c.repository = $1 AND c.oid = chain.oid \
             WHERE chain.depth >= $3 AND chain.depth < $3 + $4 ORDER BY chain.depth"
        );
        Ok(sqlx::query_as(AssertSqlSafe(sql))
            .bind(repository)
            .bind(head)
            .bind(skip)
            .bind(limit)
            .fetch_all(&self.pool)
            .await?)
    }

    /// For each path the last commit in the history of `head` that touched it.
    pub(crate) async fn last_changes(
        &self,
        repository: &str,
        head: &Commit,
        paths: &[&str],
    ) -> Result<HashMap<String, Commit>, RegistryError> {
        let chain = self.ancestor_ids(repository, &head.oid).await?;
        let mut last: HashMap<String, (i64, String)> = HashMap::new();
        for batch in paths.chunks(BATCH_MAX) {
            let sql = format!(
                "SELECT path, generation, commit_oid FROM changes WHERE repository = $1 AND generation <= $2 AND path IN ({})",
                placeholders(3, batch.len())
            );
            let mut query = sqlx::query_as(AssertSqlSafe(sql))
                .bind(repository)
                .bind(head.generation);
            for path in batch {
                query = query.bind(*path);
            }
            let rows: Vec<(String, i64, String)> = query.fetch_all(&self.pool).await?;
            for (path, generation, oid) in rows {
                let newer = last.get(&path).is_none_or(|(known, _)| generation > *known);
                if newer && chain.contains(&oid) {
                    last.insert(path, (generation, oid));
                }
            }
        }
        let mut commits: HashMap<String, Commit> = HashMap::new();
        let mut result = HashMap::with_capacity(last.len());
        for (path, (_, oid)) in last {
            if !commits.contains_key(&oid)
                && let Some(commit) = self.commit(repository, &oid).await?
            {
                commits.insert(oid.clone(), commit);
            }
            if let Some(commit) = commits.get(&oid) {
                result.insert(path, commit.clone());
            }
        }
        Ok(result)
    }

    async fn ancestor_ids(
        &self,
        repository: &str,
        head: &str,
    ) -> Result<HashSet<String>, RegistryError> {
        let oids: Vec<String> = sqlx::query_scalar(
            "WITH RECURSIVE chain (oid, parent) AS ( \
                 SELECT oid, parent FROM commits WHERE repository = $1 AND oid = $2 \
                 UNION ALL \
                 SELECT c.oid, c.parent FROM commits c JOIN chain ON c.oid = chain.parent WHERE c.repository = $1 \
             ) SELECT oid FROM chain",
        )
        .bind(repository)
        .bind(head)
        .fetch_all(&self.pool)
        .await?;
        Ok(oids.into_iter().collect())
    }
}

impl Writing {
    /// Stores a commit and its git object. A commit of the same id is the same commit.
    pub(crate) async fn insert_commit(
        &mut self,
        repository: &str,
        commit: &Commit,
        data: &[u8],
    ) -> Result<(), RegistryError> {
        let statement = sqlx::query(
            "INSERT INTO commits (repository, oid, tree, parent, generation, title, message, author, written_ms, data) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT (repository, oid) DO NOTHING",
        )
        .bind(repository)
        .bind(&commit.oid)
        .bind(&commit.tree)
        .bind(commit.parent.as_deref())
        .bind(commit.generation)
        .bind(&commit.title)
        .bind(&commit.message)
        .bind(&commit.author)
        .bind(commit.written_ms)
        .bind(data);
        self.run(statement).await?;
        Ok(())
    }

    /// Records that a commit touched these files and directories.
    pub(crate) async fn insert_changes<'a>(
        &mut self,
        repository: &str,
        commit: &Commit,
        paths: impl Iterator<Item = &'a str>,
    ) -> Result<(), RegistryError> {
        let sql = [
            "INSERT INTO changes (repository, path, generation, commit_oid)",
            "ON CONFLICT DO NOTHING",
        ];
        let statements = insertions(sql, 4, paths, |statement, path| {
            statement
                .bind(repository.to_owned())
                .bind(path.to_owned())
                .bind(commit.generation)
                .bind(commit.oid.clone())
        });
        self.run_all(statements).await?;
        Ok(())
    }
}
