//! How much an owner keeps, and how much they may.

use sqlx::{Any, Executor, FromRow};

use super::{Database, Writing};
use crate::error::RegistryError;

/// What an owner keeps: every version of every file, once for each repository that holds it.
#[derive(Debug, Clone, Copy, FromRow)]
pub(crate) struct Stored {
    pub(crate) used_bytes: i64,
    /// The owner's own quota.
    pub(crate) quota_bytes: Option<i64>,
}

impl Database {
    pub(crate) async fn stored_by(&self, owner: &str) -> Result<Stored, RegistryError> {
        stored_by(&self.pool, owner).await
    }

    /// The owner's own quota.
    pub(crate) async fn quota_of(&self, owner: &str) -> Result<Option<i64>, RegistryError> {
        quota_of(&self.pool, owner).await
    }
}

impl Writing {
    /// As the transaction leaves it.
    pub(crate) async fn stored_by(&mut self, owner: &str) -> Result<Stored, RegistryError> {
        stored_by(self.connection(), owner).await
    }

    /// The owner's own quota.
    pub(crate) async fn quota_of(&mut self, owner: &str) -> Result<Option<i64>, RegistryError> {
        quota_of(self.connection(), owner).await
    }

    /// Lets nobody else change what the owner keeps until the transaction ends. What other transactions wrote before is seen after.
    pub(crate) async fn lock_quota(&mut self, owner: &str) -> Result<(), RegistryError> {
        let statement =
            sqlx::query("UPDATE accounts SET quota_bytes = quota_bytes WHERE id = $1").bind(owner);
        self.run(statement).await?;
        Ok(())
    }

    pub(crate) async fn set_quota(
        &mut self,
        owner: &str,
        quota_bytes: Option<i64>,
    ) -> Result<(), RegistryError> {
        let statement = sqlx::query("UPDATE accounts SET quota_bytes = $1 WHERE id = $2")
            .bind(quota_bytes)
            .bind(owner);
        self.run(statement).await?;
        Ok(())
    }
}

async fn stored_by(
    database: impl Executor<'_, Database = Any>,
    owner: &str,
) -> Result<Stored, RegistryError> {
    let stored = sqlx::query_as(
        "SELECT a.quota_bytes, (SELECT CAST(COALESCE(SUM(b.size_bytes), 0) AS BIGINT) FROM blobs b \
             JOIN repositories r ON r.id = b.repository WHERE r.owner = a.id) AS used_bytes \
         FROM accounts a WHERE a.id = $1",
    );
    let stored: Option<Stored> = stored.bind(owner).fetch_optional(database).await?;
    stored.ok_or_else(|| RegistryError::Damaged(format!("the owner {owner} is missing")))
}

async fn quota_of(
    database: impl Executor<'_, Database = Any>,
    owner: &str,
) -> Result<Option<i64>, RegistryError> {
    let quota = sqlx::query_scalar("SELECT quota_bytes FROM accounts WHERE id = $1");
    let quota: Option<Option<i64>> = quota.bind(owner).fetch_optional(database).await?;
    Ok(quota.flatten())
}
