//! Stores, finds and lists the discussions and pull requests of repositories.

use gix_hash::ObjectId;
use sqlx::any::AnyRow;
use sqlx::{FromRow, Row as _};

use super::connection::Database;
use super::keys::RepositoryKey;
use super::sql::select;
use super::stored_object_id::optional_object_id_in;
use super::write_transaction::WriteTransaction;
use crate::error::RegistryError;

/// The kind of a discussion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DiscussionKind {
    Talk,
    PullRequest,
}

impl DiscussionKind {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Talk => "discussion",
            Self::PullRequest => "pull_request",
        }
    }
}

/// A discussion that is being opened.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NewDiscussion<'a> {
    pub(crate) kind: DiscussionKind,
    pub(crate) status: &'a str,
    pub(crate) title: &'a str,
    pub(crate) description: &'a str,
    pub(crate) author: &'a str,
    /// The commit a pull request starts from.
    pub(crate) base: Option<ObjectId>,
    pub(crate) created_ms: i64,
}

/// A discussion as stored.
#[derive(Debug, Clone)]
pub(crate) struct Discussion {
    pub(crate) number: i64,
    pub(crate) kind: DiscussionKind,
    pub(crate) status: String,
    pub(crate) title: String,
    pub(crate) description: String,
    pub(crate) author: String,
    pub(crate) base: Option<ObjectId>,
    pub(crate) created_ms: i64,
}

impl FromRow<'_, AnyRow> for Discussion {
    fn from_row(row: &AnyRow) -> Result<Self, sqlx::Error> {
        Ok(Self {
            number: row.try_get("number")?,
            kind: row.try_get("kind")?,
            status: row.try_get("status")?,
            title: row.try_get("title")?,
            description: row.try_get("description")?,
            author: row.try_get("author")?,
            base: optional_object_id_in(row, "base")?,
            created_ms: row.try_get("created_ms")?,
        })
    }
}

impl Discussion {
    pub(crate) fn is_pull_request(&self) -> bool {
        self.kind == DiscussionKind::PullRequest
    }
}

/// The conditions on a list of discussions.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct DiscussionFilter<'a> {
    pub(crate) kind: Option<&'a str>,
    pub(crate) status: Option<&'a str>,
    pub(crate) author: Option<&'a str>,
}

/// The columns and the table of a [`Discussion`].
const DISCUSSIONS: &str =
    "number, kind, status, title, description, author, base, created_ms FROM discussions";

impl Database {
    /// The discussion of this number.
    pub(crate) async fn discussion(
        &self,
        repository: &RepositoryKey,
        number: i64,
    ) -> Result<Option<Discussion>, RegistryError> {
        Ok(select(DISCUSSIONS, "WHERE repository = $1 AND number = $2")
            .bind(repository)
            .bind(number)
            .fetch_optional(&self.pool)
            .await?)
    }

    /// A page of discussions, the newest first, and how many there are on all pages.
    pub(crate) async fn discussions(
        &self,
        repository: &RepositoryKey,
        filter: DiscussionFilter<'_>,
        skip: i64,
        limit: i64,
    ) -> Result<(Vec<Discussion>, i64), RegistryError> {
        let count = sqlx::query_scalar(
            "SELECT COUNT(*) FROM discussions WHERE repository = $1 AND kind = COALESCE($2, kind) \
             AND status = COALESCE($3, status) AND LOWER(author) = COALESCE(LOWER($4), LOWER(author))",
        );
        let count: i64 = count
            .bind(repository)
            .bind(filter.kind)
            .bind(filter.status)
            .bind(filter.author)
            .fetch_one(&self.pool)
            .await?;
        let page = select(
            DISCUSSIONS,
            "WHERE repository = $1 AND kind = COALESCE($2, kind) AND status = COALESCE($3, status) \
             AND LOWER(author) = COALESCE(LOWER($4), LOWER(author)) ORDER BY number DESC LIMIT $5 OFFSET $6",
        );
        let page: Vec<Discussion> = page
            .bind(repository)
            .bind(filter.kind)
            .bind(filter.status)
            .bind(filter.author)
            .bind(limit)
            .bind(skip)
            .fetch_all(&self.pool)
            .await?;
        Ok((page, count))
    }
}

impl WriteTransaction {
    /// Opens a discussion under the next number of its repository, which the transaction has
    /// locked.
    pub(crate) async fn insert_discussion(
        &mut self,
        repository: &RepositoryKey,
        discussion: NewDiscussion<'_>,
    ) -> Result<u32, RegistryError> {
        let number = sqlx::query_scalar(
            "INSERT INTO discussions (repository, number, kind, status, title, description, author, base, created_ms) \
             SELECT $1, COALESCE(MAX(number), 0) + 1, $2, $3, $4, $5, $6, $7, CAST($8 AS BIGINT) FROM discussions \
             WHERE repository = $1 RETURNING number",
        );
        let number: i64 = number
            .bind(repository)
            .bind(discussion.kind.word())
            .bind(discussion.status)
            .bind(discussion.title)
            .bind(discussion.description)
            .bind(discussion.author)
            .bind(discussion.base.map(|base| base.to_string()))
            .bind(discussion.created_ms)
            .fetch_one(self.connection())
            .await?;
        u32::try_from(number)
            .map_err(|_| RegistryError::Damaged("discussions have no more numbers".to_owned()))
    }
}
