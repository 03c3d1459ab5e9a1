//! Renames repositories in the database, and finds moved ones by their former ids.

use super::connection::Database;
use super::keys::AccountKey;
use super::repositories::Repository;
use super::write_transaction::WriteTransaction;
use crate::error::RegistryError;
use crate::names::{RepositoryId, RepositoryKind};

impl Database {
    /// The repository that had this id before it was moved.
    pub(crate) async fn moved_repository(
        &self,
        id: &RepositoryId,
    ) -> Result<Option<Repository>, RegistryError> {
        self.repository_where(
            "JOIN aliases a ON a.repository = r.id \
             WHERE a.kind = $1 AND a.owner_folded = $2 AND a.name_folded = $3",
            id,
        )
        .await
    }
}

impl WriteTransaction {
    /// Gives a repository another owner and name and keeps its old id as an alias; false when the
    /// new id is taken.
    pub(crate) async fn rename_repository(
        &mut self,
        repository: &Repository,
        owner: &AccountKey,
        owner_name: &str,
        name: &str,
    ) -> Result<bool, RegistryError> {
        let taken = sqlx::query("SELECT id FROM repositories WHERE kind = $1 AND owner = $2 AND name_folded = $3 AND id <> $4")
            .bind(repository.kind.word())
            .bind(owner)
            .bind(name.to_ascii_lowercase())
            .bind(&repository.id)
            .fetch_optional(self.connection())
            .await?;
        if taken.is_some() {
            return Ok(false);
        }
        let statement = sqlx::query(
            "UPDATE repositories SET owner = $1, name = $2, name_folded = $3 WHERE id = $4",
        )
        .bind(owner)
        .bind(name)
        .bind(name.to_ascii_lowercase())
        .bind(&repository.id);
        match self.run(statement).await {
            // With several writers somebody may have taken the id after it was looked for.
            Err(RegistryError::Query(sqlx::Error::Database(error)))
                if error.is_unique_violation() =>
            {
                return Ok(false);
            }
            done => done?,
        };
        self.insert_alias(repository).await?;
        self.delete_alias(repository.kind, owner_name, name).await?;
        self.index_document(&repository.id).await?;
        Ok(true)
    }

    /// Lets the id that a repository is about to lose go on leading to it.
    async fn insert_alias(&mut self, repository: &Repository) -> Result<(), RegistryError> {
        let statement = sqlx::query(
            "INSERT INTO aliases (kind, owner_folded, name_folded, repository) VALUES ($1, $2, $3, $4) \
             ON CONFLICT (kind, owner_folded, name_folded) DO UPDATE SET repository = excluded.repository",
        )
        .bind(repository.kind.word())
        .bind(repository.owner_name.to_ascii_lowercase())
        .bind(repository.name.to_ascii_lowercase())
        .bind(&repository.id);
        self.run(statement).await?;
        Ok(())
    }

    /// Lets an id that a repository takes lead to that one only.
    pub(super) async fn delete_alias(
        &mut self,
        kind: RepositoryKind,
        owner_name: &str,
        name: &str,
    ) -> Result<(), RegistryError> {
        let statement = sqlx::query(
            "DELETE FROM aliases WHERE kind = $1 AND owner_folded = $2 AND name_folded = $3",
        )
        .bind(kind.word())
        .bind(owner_name.to_ascii_lowercase())
        .bind(name.to_ascii_lowercase());
        self.run(statement).await?;
        Ok(())
    }
}
