//! Renames repositories in the database, and finds moved ones by their former ids.
//! A former id under which versions were published is given to no other repository.

use sqlx::Any;
use sqlx::any::AnyArguments;
use sqlx::query::Query;

use super::connection::Database;
use super::keys::{AccountKey, RepositoryKey};
use super::repositories::{NewId, Repository};
use super::write_transaction::WriteTransaction;
use crate::error::RegistryError;
use crate::names::{RepositoryId, RepositoryKind};

/// Selects the repository, other than `$4`, for which a former id is kept.
const KEPT: &str = "SELECT a.repository FROM aliases a JOIN published_versions p \
     ON p.kind = a.kind AND p.owner_folded = a.owner_folded AND p.name_folded = a.name_folded \
     WHERE a.kind = $1 AND a.owner_folded = $2 AND a.name_folded = $3 AND a.repository <> $4 LIMIT 1";

fn kept(
    kind: RepositoryKind,
    owner_name: &str,
    name: &str,
    repository: &RepositoryKey,
) -> Query<'static, Any, AnyArguments> {
    sqlx::query(KEPT)
        .bind(kind.word())
        .bind(owner_name.to_ascii_lowercase())
        .bind(name.to_ascii_lowercase())
        .bind(repository.clone())
}

impl Database {
    /// True if the id that a repository wants is kept for another one, which was moved.
    pub(crate) async fn is_kept_for_moved(
        &self,
        repository: &Repository,
    ) -> Result<bool, RegistryError> {
        let (name, id) = (&repository.name, &repository.id);
        let kept = kept(repository.kind, &repository.owner_name, name, id);
        Ok(kept.fetch_optional(&self.pool).await?.is_some())
    }

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
    /// Gives a repository another owner and name and keeps its old id as an alias.
    pub(crate) async fn rename_repository(
        &mut self,
        repository: &Repository,
        owner: &AccountKey,
        owner_name: &str,
        name: &str,
    ) -> Result<NewId, RegistryError> {
        let taken = sqlx::query("SELECT id FROM repositories WHERE kind = $1 AND owner = $2 AND name_folded = $3 AND id <> $4")
            .bind(repository.kind.word())
            .bind(owner)
            .bind(name.to_ascii_lowercase())
            .bind(&repository.id)
            .fetch_optional(self.connection())
            .await?;
        if taken.is_some() {
            return Ok(NewId::Taken);
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
                return Ok(NewId::Taken);
            }
            done => done?,
        };
        self.insert_alias(repository).await?;
        let (kind, id) = (repository.kind, &repository.id);
        if !self.take_over_alias(kind, owner_name, name, id).await? {
            return Ok(NewId::KeptForMoved);
        }
        self.index_document(&repository.id).await?;
        Ok(NewId::Given)
    }

    /// The number of former ids that lead to a repository.
    pub(crate) async fn former_names(
        &mut self,
        repository: &RepositoryKey,
    ) -> Result<usize, RegistryError> {
        let count = sqlx::query_scalar("SELECT COUNT(*) FROM aliases WHERE repository = $1");
        let count = count.bind(repository).fetch_one(self.connection());
        let count: i64 = count.await?;
        Ok(usize::try_from(count).unwrap_or_default())
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

    /// Lets an id that a repository has taken lead to that one only; false if the id is kept for
    /// another one. It is asked after the id was taken: with several writers a move may have ended
    /// while this one waited for it.
    pub(super) async fn take_over_alias(
        &mut self,
        kind: RepositoryKind,
        owner_name: &str,
        name: &str,
        repository: &RepositoryKey,
    ) -> Result<bool, RegistryError> {
        let kept = kept(kind, owner_name, name, repository);
        if kept.fetch_optional(self.connection()).await?.is_some() {
            return Ok(false);
        }
        let statement = sqlx::query(
            "DELETE FROM aliases WHERE kind = $1 AND owner_folded = $2 AND name_folded = $3",
        )
        .bind(kind.word())
        .bind(owner_name.to_ascii_lowercase())
        .bind(name.to_ascii_lowercase());
        self.run(statement).await?;
        Ok(true)
    }
}
