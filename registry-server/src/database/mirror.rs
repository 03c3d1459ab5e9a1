//! The state of a registry that is a mirror: whose, and how far it has come.
//!
//! A run makes visible all that it copied in one transaction, which also moves the checkpoint. So a
//! mirror never shows a record without its version, nor a version without its record.

use std::collections::HashSet;

use data_encoding::BASE64;
use gix_hash::ObjectId;
use tool_hub_transparency::{Hash, LogKey, first_hash};

use super::connection::Database;
use super::keys::RepositoryKey;
use super::log::signed;
use super::rows::from_row;
use super::sql::select;
use super::write_transaction::{WriteTransaction, insertions};
use crate::error::RegistryError;

/// Records that are looked through at once.
const PAGE: i64 = 5_000;

/// The row of a mirror.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MirrorState {
    pub(crate) upstream: String,
    /// The patterns of the repositories that the last run took.
    pub(crate) only_repos: String,
    /// The public key of the upstream's log; none where it keeps no log.
    pub(crate) log_key: Option<String>,
    /// The checkpoint that the mirror serves, as the upstream signed it.
    pub(crate) checkpoint: Option<String>,
    /// The number of its records.
    pub(crate) size: i64,
    /// The number of records that the upstream had when it was asked last.
    pub(crate) upstream_size: i64,
    pub(crate) checked_ms: i64,
    /// The reason why the upstream's log is not followed any more.
    pub(crate) fault: Option<String>,
    /// The number of versions in the log that could not be taken.
    pub(crate) missing: i64,
    /// The repositories whose default branch could not be taken.
    pub(crate) unfinished: String,
}

from_row!(MirrorState {
    upstream,
    only_repos,
    log_key,
    checkpoint,
    size,
    upstream_size,
    checked_ms,
    fault,
    missing,
    unfinished
});

/// The distance between a mirror and its upstream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MirrorLag {
    /// The records that the upstream had more when it was asked last.
    pub(crate) records: i64,
    /// The seconds since the checkpoint was signed that is served.
    pub(crate) checkpoint_age: Option<i64>,
    /// The seconds since the upstream was asked last.
    pub(crate) check_age: i64,
    /// The versions in the log that could not be taken.
    pub(crate) missing: i64,
    /// True if the upstream's log is not followed any more.
    pub(crate) is_halted: bool,
}

impl MirrorState {
    pub(crate) fn lag(&self, now_ms: i64) -> MirrorLag {
        let seconds_since = |ms: i64| now_ms.saturating_sub(ms).max(0) / 1_000;
        let signed = self.log_key.as_ref().zip(self.checkpoint.as_ref());
        let signed = signed.and_then(|(key, text)| key.parse::<LogKey>().ok()?.open(text).ok());
        let signed = signed.and_then(|it| i64::try_from(it.seconds()).ok());
        MirrorLag {
            records: (self.upstream_size - self.size).max(0),
            checkpoint_age: signed.map(|seconds| seconds_since(seconds.saturating_mul(1_000))),
            check_age: seconds_since(self.checked_ms),
            missing: self.missing,
            is_halted: self.fault.is_some(),
        }
    }
}

/// The columns and the table of a [`MirrorState`].
pub(super) const MIRROR: &str = "upstream, only_repos, log_key, checkpoint, size, upstream_size, checked_ms, fault, missing, unfinished FROM mirror";

/// A record of the upstream's log, byte for byte.
#[derive(Debug, Clone)]
pub(crate) struct CopiedRecord {
    /// The repository in lower case, empty where the record does not say.
    pub(crate) repository: String,
    pub(crate) version: String,
    pub(crate) record: String,
}

from_row!(CopiedRecord {
    repository,
    version,
    record
});

impl Database {
    /// The state of the mirror; none where this registry is no mirror.
    pub(crate) async fn mirror(&self) -> Result<Option<MirrorState>, RegistryError> {
        Ok(select(MIRROR, "").fetch_optional(&self.pool).await?)
    }

    /// Makes an empty registry a mirror; false where it has accounts or a log of its own.
    pub(crate) async fn become_mirror(&self, upstream: &str) -> Result<bool, RegistryError> {
        let sql = "INSERT INTO mirror (upstream, only_repos, size, upstream_size, checked_ms, missing, unfinished) \
             SELECT CAST($1 AS TEXT), '', 0, 0, 0, 0, '' WHERE NOT EXISTS (SELECT 1 FROM accounts) \
             AND NOT EXISTS (SELECT 1 FROM log_key) AND NOT EXISTS (SELECT 1 FROM mirror)";
        let mut writing = self.write().await?;
        let made = writing.run(sqlx::query(sql).bind(upstream)).await?;
        writing.commit().await?;
        Ok(made == 1)
    }

    /// Notes the size of the upstream's log, which goes on from the one that is here.
    pub(crate) async fn note_mirror_check(
        &self,
        upstream_size: u64,
        now_ms: i64,
    ) -> Result<(), RegistryError> {
        let sql = "UPDATE mirror SET upstream_size = $1, checked_ms = $2, fault = NULL";
        let statement = sqlx::query(sql).bind(signed(upstream_size)?).bind(now_ms);
        let mut writing = self.write().await?;
        writing.run(statement).await?;
        writing.commit().await
    }

    /// Notes why the upstream's log is not followed any more.
    pub(crate) async fn note_mirror_fault(&self, fault: &str) -> Result<(), RegistryError> {
        let statement = sqlx::query("UPDATE mirror SET fault = $1").bind(fault);
        let mut writing = self.write().await?;
        writing.run(statement).await?;
        writing.commit().await
    }

    /// The records of versions of which nothing is published here.
    pub(crate) async fn records_without_version(&self) -> Result<Vec<CopiedRecord>, RegistryError> {
        let published: Vec<(String, String)> = sqlx::query_as(
            "SELECT owner_folded || '/' || name_folded, version FROM published_versions WHERE kind = 'model'",
        )
        .fetch_all(&self.pool)
        .await?;
        let published: HashSet<(String, String)> = published.into_iter().collect();
        let mut missing = Vec::new();
        for first in (0..).step_by(PAGE as usize) {
            let sql = "SELECT repository, version, record FROM log_records WHERE position >= $1 AND position < $2 ORDER BY position";
            let page = sqlx::query_as(sql).bind(first).bind(first + PAGE);
            let page: Vec<CopiedRecord> = page.fetch_all(&self.pool).await?;
            let is_last = page.len() < PAGE as usize;
            missing.extend(page.into_iter().filter(|it| {
                let subject = (it.repository.clone(), it.version.clone());
                !it.repository.is_empty() && !published.contains(&subject)
            }));
            if is_last {
                break;
            }
        }
        Ok(missing)
    }
}

impl WriteTransaction {
    /// Moves the mirror on from `before`; false where another process was faster.
    pub(crate) async fn advance_mirror(
        &mut self,
        before: &MirrorState,
        after: &MirrorState,
    ) -> Result<bool, RegistryError> {
        let sql = "UPDATE mirror SET only_repos = $1, log_key = CAST($2 AS TEXT), checkpoint = CAST($3 AS TEXT), size = $4, \
             upstream_size = $5, checked_ms = $6, fault = NULL, missing = $7, unfinished = $8 WHERE size = $9";
        let statement = sqlx::query(sql)
            .bind(&after.only_repos)
            .bind(after.log_key.as_deref())
            .bind(after.checkpoint.as_deref())
            .bind(after.size)
            .bind(after.upstream_size)
            .bind(after.checked_ms)
            .bind(after.missing)
            .bind(&after.unfinished)
            .bind(before.size);
        Ok(self.run(statement).await? == 1)
    }

    /// Appends records of the upstream's log, and the hashes that belong to them.
    pub(crate) async fn insert_copied_records(
        &mut self,
        size: u64,
        records: Vec<CopiedRecord>,
        hashes: &[Hash],
    ) -> Result<(), RegistryError> {
        let sql = [
            "INSERT INTO log_records (position, repository, version, record)",
            "",
        ];
        let first = signed(size)?;
        let statements = insertions(sql, 4, (first..).zip(records), |statement, (at, it)| {
            let CopiedRecord {
                repository,
                version,
                record,
            } = it;
            let statement = statement.bind(at).bind(repository);
            statement.bind(version).bind(record)
        });
        self.run_all(statements).await?;
        let sql = ["INSERT INTO log_hashes (number, hash)", ""];
        let first = signed(first_hash(size))?;
        let statements = insertions(sql, 2, (first..).zip(hashes), |statement, (at, hash)| {
            statement.bind(at).bind(BASE64.encode(&hash.0))
        });
        self.run_all(statements).await?;
        Ok(())
    }

    /// Points a branch of a mirrored repository at a commit, whatever it pointed at.
    pub(crate) async fn set_branch(
        &mut self,
        repository: &RepositoryKey,
        name: &str,
        commit: &ObjectId,
        now_ms: i64,
    ) -> Result<(), RegistryError> {
        let statement = sqlx::query(
            "INSERT INTO refs (repository, name, commit_oid, created_ms) VALUES ($1, $2, $3, $4) \
             ON CONFLICT (repository, name) DO UPDATE SET commit_oid = excluded.commit_oid",
        );
        let statement = statement
            .bind(repository)
            .bind(name)
            .bind(commit.to_string())
            .bind(now_ms);
        self.run(statement).await?;
        Ok(())
    }

    /// Shows a repository that was kept back until what is in it was whole.
    pub(crate) async fn show_mirrored(
        &mut self,
        repository: &RepositoryKey,
    ) -> Result<(), RegistryError> {
        let sql = "UPDATE repositories SET private = 0 WHERE id = $1";
        self.run(sqlx::query(sql).bind(repository)).await?;
        self.index_document(repository).await
    }
}
