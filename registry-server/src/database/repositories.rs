//! Repositories, the ids they had before, and what is known of them for listings.

use sqlx::Row as _;
use sqlx::any::AnyRow;

use super::{Database, Writing};
use crate::error::RegistryError;
use crate::names::{RepositoryId, RepositoryKind};

/// A repository as stored, with its owner's name.
#[derive(Debug, Clone)]
pub(crate) struct Repository {
    pub(crate) id: String,
    pub(crate) kind: RepositoryKind,
    pub(crate) owner: String,
    pub(crate) owner_name: String,
    pub(crate) name: String,
    pub(crate) private: bool,
    pub(crate) card: Option<String>,
    pub(crate) downloads: i64,
    pub(crate) likes: i64,
    pub(crate) created_ms: i64,
    pub(crate) modified_ms: i64,
}

/// The columns [`Repository::from_row`] reads, from `repositories r JOIN accounts o`.
pub(super) const COLUMNS: &str = "r.id, r.kind, r.owner, o.name AS owner_name, r.name, r.private, r.card, r.downloads, r.likes, r.created_ms, r.modified_ms";

/// What the registry reads out of the default branch's files for listings and search.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Listing {
    /// The card's front matter as JSON.
    pub(crate) card: Option<String>,
    pub(crate) tags: Vec<String>,
    /// Lower case; what `search=` looks through.
    pub(crate) search_text: String,
}

impl Repository {
    pub(super) fn from_row(row: &AnyRow) -> Result<Self, RegistryError> {
        let kind: String = row.try_get("kind")?;
        Ok(Self {
            id: row.try_get("id")?,
            kind: RepositoryKind::from_word(&kind)
                .ok_or_else(|| RegistryError::Damaged(format!("repository kind {kind:?}")))?,
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

    /// `owner/name`, in the letters its makers chose.
    pub(crate) fn full_name(&self) -> String {
        format!("{}/{}", self.owner_name, self.name)
    }
}

impl Database {
    /// The repository of this id, whatever its case.
    pub(crate) async fn repository(
        &self,
        id: &RepositoryId,
    ) -> Result<Option<Repository>, RegistryError> {
        let row = sqlx::query(
            "SELECT r.id, r.kind, r.owner, o.name AS owner_name, r.name, r.private, r.card, r.downloads, r.likes, r.created_ms, \
             r.modified_ms FROM repositories r JOIN accounts o ON o.id = r.owner \
             WHERE r.kind = $1 AND o.name_folded = $2 AND r.name_folded = $3",
        )
        .bind(id.kind.word())
        .bind(id.owner.folded())
        .bind(id.name.folded())
        .fetch_optional(&self.pool)
        .await?;
        row.as_ref().map(Repository::from_row).transpose()
    }

    /// The repository that had this id before it was moved.
    pub(crate) async fn moved_repository(
        &self,
        id: &RepositoryId,
    ) -> Result<Option<Repository>, RegistryError> {
        let row = sqlx::query(
            "SELECT r.id, r.kind, r.owner, o.name AS owner_name, r.name, r.private, r.card, r.downloads, r.likes, r.created_ms, \
             r.modified_ms FROM aliases a JOIN repositories r ON r.id = a.repository JOIN accounts o ON o.id = r.owner \
             WHERE a.kind = $1 AND a.owner_folded = $2 AND a.name_folded = $3",
        )
        .bind(id.kind.word())
        .bind(id.owner.folded())
        .bind(id.name.folded())
        .fetch_optional(&self.pool)
        .await?;
        row.as_ref().map(Repository::from_row).transpose()
    }

    /// The tags of a repository, in alphabetical order.
    pub(crate) async fn tags_of(&self, repository: &str) -> Result<Vec<String>, RegistryError> {
        let rows =
            sqlx::query("SELECT tag FROM repository_tags WHERE repository = $1 ORDER BY tag")
                .bind(repository)
                .fetch_all(&self.pool)
                .await?;
        Ok(rows
            .iter()
            .map(|row| row.try_get("tag"))
            .collect::<Result<_, _>>()?)
    }

    /// Bytes of all distinct files a repository ever held.
    pub(crate) async fn used_storage_bytes(&self, repository: &str) -> Result<i64, RegistryError> {
        let row = sqlx::query("SELECT CAST(COALESCE(SUM(size_bytes), 0) AS BIGINT) AS used FROM blobs WHERE repository = $1")
            .bind(repository)
            .fetch_one(&self.pool)
            .await?;
        Ok(row.try_get("used")?)
    }
}

impl Writing {
    /// Adds a repository; false when the id is taken. An alias of the same id gives way.
    pub(crate) async fn insert_repository(
        &mut self,
        repository: &Repository,
    ) -> Result<bool, RegistryError> {
        let done = sqlx::query(
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
        .bind(repository.modified_ms)
        .execute(&mut *self.transaction)
        .await?;
        if done.rows_affected() == 0 {
            return Ok(false);
        }
        self.delete_alias(repository.kind, &repository.owner_name, &repository.name)
            .await?;
        Ok(true)
    }

    pub(crate) async fn delete_repository(
        &mut self,
        repository: &str,
    ) -> Result<(), RegistryError> {
        sqlx::query("DELETE FROM repositories WHERE id = $1")
            .bind(repository)
            .execute(&mut *self.transaction)
            .await?;
        Ok(())
    }

    /// Gives a repository another owner and name and keeps its old id as an alias; false when the new id is taken.
    pub(crate) async fn rename_repository(
        &mut self,
        repository: &Repository,
        owner: &str,
        owner_name: &str,
        name: &str,
    ) -> Result<bool, RegistryError> {
        let taken = sqlx::query("SELECT id FROM repositories WHERE kind = $1 AND owner = $2 AND name_folded = $3 AND id <> $4")
            .bind(repository.kind.word())
            .bind(owner)
            .bind(name.to_ascii_lowercase())
            .bind(&repository.id)
            .fetch_optional(&mut *self.transaction)
            .await?;
        if taken.is_some() {
            return Ok(false);
        }
        sqlx::query(
            "UPDATE repositories SET owner = $1, name = $2, name_folded = $3 WHERE id = $4",
        )
        .bind(owner)
        .bind(name)
        .bind(name.to_ascii_lowercase())
        .bind(&repository.id)
        .execute(&mut *self.transaction)
        .await?;
        sqlx::query(
            "INSERT INTO aliases (kind, owner_folded, name_folded, repository) VALUES ($1, $2, $3, $4) \
             ON CONFLICT (kind, owner_folded, name_folded) DO UPDATE SET repository = excluded.repository",
        )
        .bind(repository.kind.word())
        .bind(repository.owner_name.to_ascii_lowercase())
        .bind(repository.name.to_ascii_lowercase())
        .bind(&repository.id)
        .execute(&mut *self.transaction)
        .await?;
        self.delete_alias(repository.kind, owner_name, name).await?;
        Ok(true)
    }

    async fn delete_alias(
        &mut self,
        kind: RepositoryKind,
        owner_name: &str,
        name: &str,
    ) -> Result<(), RegistryError> {
        sqlx::query(
            "DELETE FROM aliases WHERE kind = $1 AND owner_folded = $2 AND name_folded = $3",
        )
        .bind(kind.word())
        .bind(owner_name.to_ascii_lowercase())
        .bind(name.to_ascii_lowercase())
        .execute(&mut *self.transaction)
        .await?;
        Ok(())
    }

    pub(crate) async fn set_private(
        &mut self,
        repository: &str,
        private: bool,
    ) -> Result<(), RegistryError> {
        sqlx::query("UPDATE repositories SET private = $1 WHERE id = $2")
            .bind(i64::from(private))
            .bind(repository)
            .execute(&mut *self.transaction)
            .await?;
        Ok(())
    }

    pub(crate) async fn set_description(
        &mut self,
        repository: &str,
        description: &str,
    ) -> Result<(), RegistryError> {
        sqlx::query("UPDATE repositories SET description = $1 WHERE id = $2")
            .bind(description)
            .bind(repository)
            .execute(&mut *self.transaction)
            .await?;
        Ok(())
    }

    pub(crate) async fn touch_repository(
        &mut self,
        repository: &str,
        now_ms: i64,
    ) -> Result<(), RegistryError> {
        sqlx::query("UPDATE repositories SET modified_ms = $1 WHERE id = $2")
            .bind(now_ms)
            .bind(repository)
            .execute(&mut *self.transaction)
            .await?;
        Ok(())
    }

    /// Replaces what listings and search know of a repository.
    pub(crate) async fn set_listing(
        &mut self,
        repository: &str,
        listing: &Listing,
    ) -> Result<(), RegistryError> {
        sqlx::query("UPDATE repositories SET card = $1, search_text = $2 WHERE id = $3")
            .bind(listing.card.as_deref())
            .bind(&listing.search_text)
            .bind(repository)
            .execute(&mut *self.transaction)
            .await?;
        sqlx::query("DELETE FROM repository_tags WHERE repository = $1")
            .bind(repository)
            .execute(&mut *self.transaction)
            .await?;
        for tag in &listing.tags {
            sqlx::query("INSERT INTO repository_tags (repository, tag) VALUES ($1, $2) ON CONFLICT DO NOTHING")
                .bind(repository)
                .bind(tag)
                .execute(&mut *self.transaction)
                .await?;
        }
        Ok(())
    }
}
