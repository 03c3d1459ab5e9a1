//! Stores, finds and deletes repositories, changes their settings, and counts the bytes they take.

use sqlx::any::AnyRow;
use sqlx::{FromRow, Row as _};

use super::connection::Database;
use super::keys::{AccountKey, RepositoryKey};
use super::sql::select;
use super::write_transaction::WriteTransaction;
use crate::error::RegistryError;
use crate::names::{RepositoryId, RepositoryKind};

/// A repository as stored, with its owner's name.
#[derive(Debug, Clone)]
pub(crate) struct Repository {
    pub(crate) id: RepositoryKey,
    pub(crate) kind: RepositoryKind,
    pub(crate) owner: AccountKey,
    pub(crate) owner_name: String,
    pub(crate) name: String,
    pub(crate) private: bool,
    pub(crate) card: Option<String>,
    pub(crate) downloads: i64,
    pub(crate) likes: i64,
    pub(crate) created_ms: i64,
    pub(crate) modified_ms: i64,
}

/// The columns and the tables of a [`Repository`]: `r`, and `o`, the account of its owner.
pub(super) const REPOSITORIES: &str = "r.id, r.kind, r.owner, o.name AS owner_name, r.name, r.private, r.card, r.downloads, r.likes, \
     r.created_ms, r.modified_ms FROM repositories r JOIN accounts o ON o.id = r.owner";

impl FromRow<'_, AnyRow> for Repository {
    fn from_row(row: &AnyRow) -> Result<Self, sqlx::Error> {
        Ok(Self {
            id: row.try_get("id")?,
            kind: row.try_get("kind")?,
            owner: row.try_get("owner")?,
            owner_name: row.try_get("owner_name")?,
            name: row.try_get("name")?,
            private: row.try_get::<i64, _>("private")? != 0,
            card: row.try_get("card")?,
            downloads: row.try_get("downloads")?,
            likes: row.try_get("likes")?,
            created_ms: row.try_get("created_ms")?,
            modified_ms: row.try_get("modified_ms")?,
        })
    }
}

impl Repository {
    /// `owner/name`, in the letters its makers chose.
    pub(crate) fn full_name(&self) -> String {
        format!("{}/{}", self.owner_name, self.name)
    }
}

/// The answer to a repository that wants an id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NewId {
    Given,
    /// Another repository has it.
    Taken,
    /// Another repository had it, was moved, and has versions that were published under it.
    KeptForMoved,
}

/// The decisions of an owner about a repository; one that is `None` stays as it is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Settings<'a> {
    pub(crate) private: Option<bool>,
    pub(crate) description: Option<&'a str>,
}

impl Database {
    /// The repository of this id, whatever its case.
    pub(crate) async fn repository(
        &self,
        id: &RepositoryId,
    ) -> Result<Option<Repository>, RegistryError> {
        self.repository_where(
            "WHERE r.kind = $1 AND o.name_folded = $2 AND r.name_folded = $3",
            id,
        )
        .await
    }

    /// `condition` compares the three parts of an id, `$1` to `$3`.
    pub(super) async fn repository_where(
        &self,
        condition: &'static str,
        id: &RepositoryId,
    ) -> Result<Option<Repository>, RegistryError> {
        Ok(select(REPOSITORIES, condition)
            .bind(id.kind.word())
            .bind(id.owner.folded())
            .bind(id.name.folded())
            .fetch_optional(&self.pool)
            .await?)
    }

    /// Makes sure that a repository is still there, before what is missing from it is called
    /// damage.
    ///
    /// # Errors
    ///
    /// [`RegistryError::RepositoryGone`] when it is not.
    pub(crate) async fn ensure_repository(
        &self,
        repository: &RepositoryKey,
    ) -> Result<(), RegistryError> {
        let found = sqlx::query("SELECT id FROM repositories WHERE id = $1")
            .bind(repository)
            .fetch_optional(&self.pool)
            .await?;
        found.map(|_| ()).ok_or(RegistryError::RepositoryGone)
    }

    /// Bytes of all distinct files a repository ever held.
    pub(crate) async fn used_storage_bytes(
        &self,
        repository: &RepositoryKey,
    ) -> Result<i64, RegistryError> {
        let used = sqlx::query_scalar(
            "SELECT CAST(COALESCE(SUM(size_bytes), 0) AS BIGINT) FROM blobs WHERE repository = $1",
        );
        Ok(used.bind(repository).fetch_one(&self.pool).await?)
    }
}

impl WriteTransaction {
    /// Adds a repository. An alias of the same id gives way, unless versions were published under
    /// it: then the transaction has to end without a commit, as where the id is taken.
    pub(crate) async fn insert_repository(
        &mut self,
        repository: &Repository,
    ) -> Result<NewId, RegistryError> {
        let statement = sqlx::query(
            "INSERT INTO repositories (id, kind, owner, name, name_folded, private, created_ms, modified_ms) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (kind, owner, name_folded) DO NOTHING",
        )
        .bind(&repository.id)
        .bind(repository.kind.word())
        .bind(&repository.owner)
        .bind(&repository.name)
        .bind(repository.name.to_ascii_lowercase())
        .bind(i64::from(repository.private))
        .bind(repository.created_ms)
        .bind(repository.modified_ms);
        if self.run(statement).await? == 0 {
            return Ok(NewId::Taken);
        }
        let (name, id) = (&repository.name, &repository.id);
        let taken = self.take_over_alias(repository.kind, &repository.owner_name, name, id);
        if !taken.await? {
            return Ok(NewId::KeptForMoved);
        }
        self.index_document(id).await?;
        Ok(NewId::Given)
    }

    pub(crate) async fn delete_repository(
        &mut self,
        repository: &RepositoryKey,
    ) -> Result<(), RegistryError> {
        let statement = sqlx::query("DELETE FROM repositories WHERE id = $1").bind(repository);
        self.run(statement).await?;
        Ok(())
    }

    /// Changes what its owner decides about a repository.
    pub(crate) async fn change_settings(
        &mut self,
        repository: &RepositoryKey,
        settings: Settings<'_>,
    ) -> Result<(), RegistryError> {
        let statement = sqlx::query(
            "UPDATE repositories SET private = COALESCE($1, private), description = COALESCE($2, description) WHERE id = $3",
        )
        .bind(settings.private.map(i64::from))
        .bind(settings.description)
        .bind(repository);
        self.run(statement).await?;
        match settings.description {
            Some(_) => self.index_document(repository).await,
            None => Ok(()),
        }
    }

    pub(crate) async fn touch_repository(
        &mut self,
        repository: &RepositoryKey,
        now_ms: i64,
    ) -> Result<(), RegistryError> {
        let statement = sqlx::query("UPDATE repositories SET modified_ms = $1 WHERE id = $2")
            .bind(now_ms)
            .bind(repository);
        self.run(statement).await?;
        Ok(())
    }
}
