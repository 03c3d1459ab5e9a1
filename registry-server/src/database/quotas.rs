//! Stores quotas of owners, and sums the storage that they use, uploads before a commit included.

use std::collections::BTreeSet;

use sqlx::{Any, AssertSqlSafe, Executor};

use super::connection::Database;
use super::keys::{AccountKey, RepositoryKey};
use super::rows::from_row;
use super::sql::{BATCH_MAX, placeholders};
use super::write_transaction::WriteTransaction;
use super::write_transaction::insertions;
use crate::content::Sha256Digest;
use crate::error::RegistryError;

/// The storage that an owner uses: every version of every file, once for each repository that holds
/// it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StorageUsage {
    /// The bytes of contents that commits refer to or that wait for a commit.
    pub(crate) referenced_bytes: i64,
    /// The bytes of LFS uploads under way: as announced, or as arrived if that is more.
    pub(crate) announced_bytes: i64,
    /// The bytes that the owner sent and no commit refers to.
    waiting_bytes: i64,
    /// Parts of LFS objects that are stored.
    part_bytes: i64,
    /// The owner's own quota.
    pub(crate) quota_bytes: Option<i64>,
}

from_row!(StorageUsage {
    referenced_bytes,
    announced_bytes,
    waiting_bytes,
    part_bytes,
    quota_bytes
});

impl StorageUsage {
    /// The bytes that count against the quota.
    pub(crate) fn used(&self) -> u64 {
        let bytes = self.referenced_bytes.saturating_add(self.announced_bytes);
        bytes.max(0).unsigned_abs()
    }

    /// The used bytes and those that wait for a commit or for collection.
    pub(crate) fn all(&self) -> u64 {
        self.used()
            .saturating_add(self.waiting_bytes.max(0).unsigned_abs())
    }

    /// The stored bytes, without those that were only announced.
    pub(crate) fn on_disk(&self) -> u64 {
        let bytes = self.referenced_bytes.saturating_add(self.waiting_bytes);
        let bytes = bytes.saturating_add(self.part_bytes);
        bytes.max(0).unsigned_abs()
    }
}

/// The uploads of each object, with the announced length and the bytes that have arrived in all of
/// them.
const ANNOUNCED: &str = "SELECT u.repository, u.sha256, MAX(u.size_bytes) AS size_bytes, \
         SUM((SELECT COALESCE(SUM(p.size_bytes), 0) FROM lfs_parts p WHERE p.ticket = u.ticket)) AS part_bytes \
     FROM lfs_uploads u JOIN repositories r ON r.id = u.repository \
     WHERE r.owner = $1 AND NOT EXISTS (SELECT 1 FROM blobs b WHERE b.repository = u.repository AND b.sha256 = u.sha256) \
     GROUP BY u.repository, u.sha256";

impl Database {
    pub(crate) async fn stored_by(
        &self,
        owner: &AccountKey,
    ) -> Result<StorageUsage, RegistryError> {
        stored_by(&self.pool, owner).await
    }

    /// The owner's own quota.
    pub(crate) async fn quota_of(&self, owner: &AccountKey) -> Result<Option<i64>, RegistryError> {
        quota_of(&self.pool, owner).await
    }
}

impl WriteTransaction {
    /// The state that the transaction leaves behind.
    pub(crate) async fn stored_by(
        &mut self,
        owner: &AccountKey,
    ) -> Result<StorageUsage, RegistryError> {
        stored_by(self.connection(), owner).await
    }

    /// The owner's own quota.
    pub(crate) async fn quota_of(
        &mut self,
        owner: &AccountKey,
    ) -> Result<Option<i64>, RegistryError> {
        quota_of(self.connection(), owner).await
    }

    /// Locks what the owner keeps until the transaction ends: nobody else can change it, and what
    /// others wrote before is seen.
    pub(crate) async fn lock_quota(&mut self, owner: &AccountKey) -> Result<(), RegistryError> {
        let statement =
            sqlx::query("UPDATE accounts SET quota_bytes = quota_bytes WHERE id = $1").bind(owner);
        self.run(statement).await?;
        Ok(())
    }

    /// Counts contents for an owner until a commit refers to them or they are collected.
    pub(crate) async fn insert_arrivals(
        &mut self,
        owner: &AccountKey,
        sizes: &[(Sha256Digest, u64)],
        now_ms: i64,
    ) -> Result<(), RegistryError> {
        let sql = [
            "INSERT INTO arrivals (owner, sha256, size_bytes, arrived_ms)",
            "ON CONFLICT (owner, sha256) DO UPDATE SET arrived_ms = excluded.arrived_ms",
        ];
        let statements = insertions(sql, 4, sizes.iter(), |statement, (sha256, bytes)| {
            statement
                .bind(owner.to_owned())
                .bind(sha256.to_string())
                .bind(i64::try_from(*bytes).unwrap_or(i64::MAX))
                .bind(now_ms)
        });
        self.run_all(statements).await?;
        Ok(())
    }

    /// Stops counting contents as arrived.
    pub(crate) async fn delete_arrivals(
        &mut self,
        owner: &AccountKey,
        digests: &BTreeSet<Sha256Digest>,
    ) -> Result<(), RegistryError> {
        let all: Vec<&Sha256Digest> = digests.iter().collect();
        for batch in all.chunks(BATCH_MAX) {
            let sql = format!(
                "DELETE FROM arrivals WHERE owner = $1 AND sha256 IN ({})",
                placeholders(2, batch.len())
            );
            let mut statement = sqlx::query(AssertSqlSafe(sql)).bind(owner.to_owned());
            for digest in batch {
                statement = statement.bind(digest.to_string());
            }
            self.run(statement).await?;
        }
        Ok(())
    }

    /// Counts the contents that only this repository refers to as arrived.
    pub(crate) async fn abandon_contents(
        &mut self,
        owner: &AccountKey,
        repository: &RepositoryKey,
        now_ms: i64,
    ) -> Result<(), RegistryError> {
        let statement = sqlx::query(
            "INSERT INTO arrivals (owner, sha256, size_bytes, arrived_ms) \
             SELECT CAST($1 AS TEXT), b.sha256, MAX(b.size_bytes), CAST($2 AS BIGINT) FROM blobs b WHERE b.repository = $3 \
             AND NOT EXISTS (SELECT 1 FROM blobs o WHERE o.sha256 = b.sha256 AND o.repository <> b.repository) \
             GROUP BY b.sha256 \
             ON CONFLICT (owner, sha256) DO UPDATE SET arrived_ms = excluded.arrived_ms",
        )
        .bind(owner)
        .bind(now_ms)
        .bind(repository);
        self.run(statement).await?;
        Ok(())
    }

    /// Forgets contents that arrived before `before_ms`: by then they were collected, or a commit
    /// refers to them.
    pub(crate) async fn forget_arrivals(&mut self, before_ms: i64) -> Result<(), RegistryError> {
        let statement = sqlx::query("DELETE FROM arrivals WHERE arrived_ms < $1").bind(before_ms);
        self.run(statement).await?;
        Ok(())
    }

    pub(crate) async fn set_quota(
        &mut self,
        owner: &AccountKey,
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
    owner: &AccountKey,
) -> Result<StorageUsage, RegistryError> {
    let sql = format!(
        "SELECT a.quota_bytes, (SELECT CAST(COALESCE(SUM(b.size_bytes), 0) AS BIGINT) FROM blobs b \
             JOIN repositories r ON r.id = b.repository WHERE r.owner = a.id) AS referenced_bytes, \
         (SELECT CAST(COALESCE(SUM(CASE WHEN o.part_bytes > o.size_bytes THEN o.part_bytes ELSE o.size_bytes END), 0) AS BIGINT) \
             FROM ({ANNOUNCED}) o) AS announced_bytes, \
         (SELECT CAST(COALESCE(SUM(i.size_bytes), 0) AS BIGINT) FROM arrivals i WHERE i.owner = a.id) AS waiting_bytes, \
         (SELECT CAST(COALESCE(SUM(p.size_bytes), 0) AS BIGINT) FROM lfs_parts p JOIN lfs_uploads u ON u.ticket = p.ticket \
             JOIN repositories r ON r.id = u.repository WHERE r.owner = a.id) AS part_bytes \
         FROM accounts a WHERE a.id = $1"
    );
    let stored: Option<StorageUsage> = sqlx::query_as(AssertSqlSafe(sql))
        .bind(owner)
        .fetch_optional(database)
        .await?;
    stored.ok_or_else(|| RegistryError::Damaged(format!("the owner {owner} is missing")))
}

async fn quota_of(
    database: impl Executor<'_, Database = Any>,
    owner: &AccountKey,
) -> Result<Option<i64>, RegistryError> {
    let quota = sqlx::query_scalar("SELECT quota_bytes FROM accounts WHERE id = $1");
    let quota: Option<Option<i64>> = quota.bind(owner).fetch_optional(database).await?;
    Ok(quota.flatten())
}
