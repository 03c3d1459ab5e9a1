//! Stores commits and the paths that they changed, finds commits, and reads histories in pages.

use gix_hash::ObjectId;
use sqlx::any::AnyRow;
use sqlx::{AssertSqlSafe, FromRow, Row as _};

use super::connection::Database;
use super::keys::RepositoryKey;
use super::sql::select;
use super::stored_object_id::{object_id, object_id_in, optional_object_id_in};
use super::write_transaction::WriteTransaction;
use super::write_transaction::insertions;
use crate::error::RegistryError;

/// A commit as stored, without its git object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Commit {
    pub(crate) oid: ObjectId,
    pub(crate) tree: ObjectId,
    pub(crate) parent: Option<ObjectId>,
    /// The number of commits from the first one to this one.
    pub(crate) generation: i64,
    pub(crate) title: String,
    pub(crate) message: String,
    pub(crate) author: String,
    pub(crate) written_ms: i64,
}

/// The generation and the id of a commit.
pub(super) type CommitPosition = (i64, ObjectId);

/// The columns and the table of a [`Commit`].
const COMMITS: &str = "c.oid, c.tree, c.parent, c.generation, c.title, c.message, c.author, c.written_ms FROM commits c";

impl FromRow<'_, AnyRow> for Commit {
    fn from_row(row: &AnyRow) -> Result<Self, sqlx::Error> {
        Ok(Self {
            oid: object_id_in(row, "oid")?,
            tree: object_id_in(row, "tree")?,
            parent: optional_object_id_in(row, "parent")?,
            generation: row.try_get("generation")?,
            title: row.try_get("title")?,
            message: row.try_get("message")?,
            author: row.try_get("author")?,
            written_ms: row.try_get("written_ms")?,
        })
    }
}

impl Database {
    pub(crate) async fn commit(
        &self,
        repository: &RepositoryKey,
        oid: &ObjectId,
    ) -> Result<Option<Commit>, RegistryError> {
        Ok(select(COMMITS, "WHERE c.repository = $1 AND c.oid = $2")
            .bind(repository)
            .bind(oid.to_string())
            .fetch_optional(&self.pool)
            .await?)
    }

    /// Those of these commits that are stored, in no order.
    pub(crate) async fn commits(
        &self,
        repository: &RepositoryKey,
        oids: &[ObjectId],
    ) -> Result<Vec<Commit>, RegistryError> {
        self.objects(COMMITS, repository, oids).await
    }

    /// The one commit whose id starts with `prefix`, or nothing when there are several.
    pub(crate) async fn commit_of_prefix(
        &self,
        repository: &RepositoryKey,
        prefix: &str,
    ) -> Result<Option<Commit>, RegistryError> {
        let two = select(
            COMMITS,
            "WHERE c.repository = $1 AND c.oid >= $2 AND c.oid < $3 LIMIT 2",
        );
        // "g" sorts directly after the hexadecimal digits, so the range is the prefix and uses the
        // primary key.
        let mut found = two
            .bind(repository)
            .bind(prefix)
            .bind(format!("{prefix}g"))
            .fetch_all(&self.pool)
            .await?;
        Ok(if found.len() == 1 { found.pop() } else { None })
    }

    /// `limit` commits back from `head`, after leaving out the first `skip`.
    ///
    /// The walk starts at the nearest commit that can be found by an index, so that a late page of
    /// a long history costs as much as the first one.
    pub(crate) async fn history(
        &self,
        repository: &RepositoryKey,
        head: &Commit,
        skip: i64,
        limit: i64,
    ) -> Result<Vec<Commit>, RegistryError> {
        let first = head.generation - skip;
        let (generation, oid) = self.at_or_after(repository, head, first).await?;
        let skip = generation - first;
        // The CROSS JOIN and the plus sign keep SQLite from scanning all commits in index order.
        let sql = format!(
            "WITH RECURSIVE chain (oid, parent, depth) AS ( \
                 SELECT oid, parent, CAST(0 AS BIGINT) FROM commits WHERE repository = $1 AND oid = $2 \
                 UNION ALL \
                 SELECT c.oid, c.parent, chain.depth + 1 FROM chain CROSS JOIN commits c \
                 WHERE c.repository = $1 AND c.oid = chain.parent AND chain.depth < $3 + $4 \
             ) \
             SELECT {COMMITS} WHERE c.repository = $1 \
             AND c.oid IN (SELECT oid FROM chain WHERE depth >= $3 AND depth < $3 + $4) ORDER BY +c.generation DESC"
        );
        Ok(sqlx::query_as(AssertSqlSafe(sql))
            .bind(repository)
            .bind(oid.to_string())
            .bind(skip)
            .bind(limit)
            .fetch_all(&self.pool)
            .await?)
    }

    /// The commit of this generation in the history of `head`, or the nearest later one that can be
    /// found without a walk: one that is the only commit of its generation, or the head itself.
    pub(super) async fn at_or_after(
        &self,
        repository: &RepositoryKey,
        head: &Commit,
        generation: i64,
    ) -> Result<CommitPosition, RegistryError> {
        let own = (head.generation, head.oid);
        if generation >= head.generation {
            return Ok(own);
        }
        let alone: Option<(i64, String)> = sqlx::query_as(
            "SELECT generation, MIN(oid) FROM commits WHERE repository = $1 AND generation >= $2 AND generation < $3 \
             GROUP BY generation HAVING COUNT(*) = 1 ORDER BY generation LIMIT 1",
        )
        .bind(repository)
        .bind(generation)
        .bind(head.generation)
        .fetch_optional(&self.pool)
        .await?;
        match alone {
            Some((generation, oid)) => Ok((generation, object_id(&oid)?)),
            None => Ok(own),
        }
    }
}

impl WriteTransaction {
    /// Stores a commit and its git object. A commit of the same id is the same commit.
    pub(crate) async fn insert_commit(
        &mut self,
        repository: &RepositoryKey,
        commit: &Commit,
        data: &[u8],
    ) -> Result<(), RegistryError> {
        let statement = sqlx::query(
            "INSERT INTO commits (repository, oid, tree, parent, generation, title, message, author, written_ms, data) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT (repository, oid) DO NOTHING",
        )
        .bind(repository)
        .bind(commit.oid.to_string())
        .bind(commit.tree.to_string())
        .bind(commit.parent.map(|parent| parent.to_string()))
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
        repository: &RepositoryKey,
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
                .bind(commit.oid.to_string())
        });
        self.run_all(statements).await?;
        Ok(())
    }
}
