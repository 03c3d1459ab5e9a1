//! Appends to the transparency log that versions were published, and by which signer.
//!
//! A name may have had another repository before, which is deleted. Its hidden records do not count
//! for the one that has the name, whose readers may be others: that one has records of its own.

use sqlx::AssertSqlSafe;
use tool_hub_manifest::ClaimedSigner;
use tool_hub_transparency::LogRecord;

use super::keys::RepositoryKey;
use super::log::{LogSubject, LoggedRecord, damaged, told};
use super::repositories::Repository;
use super::rows::from_row;
use super::write_transaction::WriteTransaction;
use crate::clock;
use crate::error::RegistryError;
use crate::names::RepositoryKind;

impl WriteTransaction {
    /// Appends the record of a version and, if its signer is another one than the repository's
    /// before, one of that; unless the log has it with this commit: a tag may have been deleted and
    /// made again.
    pub(crate) async fn append_version_to_log(
        &mut self,
        subject: LogSubject<'_>,
        record: &LogRecord,
        signer: Option<ClaimedSigner>,
    ) -> Result<(), RegistryError> {
        let known = self.told_records_of_version(subject).await?;
        let mut said = known.iter().filter_map(LoggedRecord::said);
        match said.any(|it| it.is_of_same_commit(record)) {
            true => Ok(()),
            false => self.append_with_signer(subject, record, signer).await,
        }
    }

    /// The records of a version that anybody may be told of who may read its repository, in order.
    pub(super) async fn told_records_of_version(
        &mut self,
        subject: LogSubject<'_>,
    ) -> Result<Vec<LoggedRecord>, RegistryError> {
        let repository = subject.repository();
        let (owner, name) = repository.split_once('/').unwrap_or_default();
        let sql = format!(
            "SELECT l.position, l.record, l.opening FROM log_records l \
             WHERE l.repository = $1 AND l.version = $2 AND {} ORDER BY l.position",
            told("$3", ["$4", "$5"])
        );
        let records = sqlx::query_as(AssertSqlSafe(sql))
            .bind(repository.as_str())
            .bind(subject.version.to_owned())
            .bind(subject.origin)
            .bind(owner)
            .bind(name);
        Ok(records.fetch_all(self.connection()).await?)
    }

    /// All records of a version under a name, in order, also those of an earlier repository.
    pub(super) async fn records_of_version(
        &mut self,
        subject: LogSubject<'_>,
    ) -> Result<Vec<LoggedRecord>, RegistryError> {
        let sql = "SELECT position, record, opening FROM log_records \
                   WHERE repository = $1 AND version = $2 ORDER BY position";
        let records = sqlx::query_as(sql)
            .bind(subject.repository())
            .bind(subject.version.to_owned());
        Ok(records.fetch_all(self.connection()).await?)
    }

    async fn append_with_signer(
        &mut self,
        subject: LogSubject<'_>,
        record: &LogRecord,
        signer: Option<ClaimedSigner>,
    ) -> Result<(), RegistryError> {
        self.append_to_log(subject, record).await?;
        let before = self.logged_signer(subject, i64::MAX).await?;
        if let (true, Some(record)) = (
            ClaimedSigner::is_change(before.as_ref(), signer.as_ref()),
            record.of_signer(signer),
        ) {
            self.append_to_log(subject, &record).await?;
        }
        Ok(())
    }

    /// The signer that the repository has by the records up to this position.
    async fn logged_signer(
        &mut self,
        subject: LogSubject<'_>,
        position: i64,
    ) -> Result<Option<ClaimedSigner>, RegistryError> {
        let repository = subject.repository();
        let (owner, name) = repository.split_once('/').unwrap_or_default();
        let sql = format!(
            "SELECT l.signer FROM log_records l WHERE l.repository = $1 AND l.position <= $2 \
             AND l.signer IS NOT NULL AND {} ORDER BY l.position DESC LIMIT 1",
            told("$3", ["$4", "$5"])
        );
        let signer = sqlx::query_scalar(AssertSqlSafe(sql))
            .bind(repository.as_str())
            .bind(position)
            .bind(subject.origin)
            .bind(owner)
            .bind(name);
        let signer: Option<String> = signer.fetch_optional(self.connection()).await?;
        let signer = signer.map(|json| serde_json::from_str(&json).map_err(damaged));
        Ok(signer.transpose()?.flatten())
    }

    /// The signer of a version as the log says it; none where it was published before the log had
    /// signers.
    async fn logged_signer_of(
        &mut self,
        subject: LogSubject<'_>,
    ) -> Result<Option<ClaimedSigner>, RegistryError> {
        let records = self.told_records_of_version(subject).await?;
        match records.first() {
            // The record of a signer comes right after that of the version.
            Some(first) => self.logged_signer(subject, first.position + 1).await,
            None => Ok(None),
        }
    }

    /// After a move, appends the versions that the repository has under its new id, by the signers
    /// that they had under its name from `before`. They are of this moment: nobody could get them
    /// there before. False, and nothing is appended, if there are more than `versions_max`:
    /// everybody else who appends would wait.
    pub(crate) async fn log_moved_versions(
        &mut self,
        before: &Repository,
        versions_max: usize,
        now_ms: i64,
    ) -> Result<bool, RegistryError> {
        if before.kind != RepositoryKind::Model {
            return Ok(true);
        }
        let sql = format!(
            "{PUBLISHED} AND r.id = $1 AND NOT EXISTS (SELECT 1 FROM log_records l \
             WHERE l.repository = p.owner_folded || '/' || p.name_folded AND l.version = p.version AND {}) {IN_ORDER} LIMIT $2",
            told("$1", ["p.owner_folded", "p.name_folded"])
        );
        let full_name = before.full_name();
        let read_max = i64::try_from(versions_max).map_err(damaged)? + 1;
        let moved = sqlx::query_as(AssertSqlSafe(sql));
        let moved = moved.bind(&before.id).bind(read_max);
        let moved: Vec<EarlierVersion> = moved.fetch_all(self.connection()).await?;
        if moved.len() > versions_max {
            return Ok(false);
        }
        for version in moved {
            let subject = version.subject();
            let earlier = LogSubject {
                full_name: &full_name,
                ..subject
            };
            if let Some(record) = version.record(now_ms) {
                let signer = self.logged_signer_of(earlier).await?;
                self.append_with_signer(subject, &record, signer).await?;
            }
        }
        Ok(true)
    }

    /// Appends the versions that were published before there was a log, in the order of that.
    pub(super) async fn log_earlier_versions(&mut self) -> Result<(), RegistryError> {
        let sql = format!("{PUBLISHED} {IN_ORDER}");
        let earlier = sqlx::query_as(AssertSqlSafe(sql));
        let earlier: Vec<EarlierVersion> = earlier.fetch_all(self.connection()).await?;
        let mut size = 0;
        for version in earlier {
            if let Some(record) = version.record(version.published_ms) {
                self.append_at(size, version.subject(), &record).await?;
                size += 1;
            }
        }
        Ok(())
    }
}

/// Selects published versions of models. A repository that is deleted, or has another name today,
/// may have been private. One that is deleted is nobody's origin.
const PUBLISHED: &str = "SELECT p.owner_folded || '/' || p.name_folded AS full_name, p.version, p.commit_oid, p.manifest_sha256, \
     p.component_sha256, p.published_ms, COALESCE(r.private, 1) AS private, COALESCE(r.id, a.repository, '') AS origin \
     FROM published_versions p LEFT JOIN accounts o ON o.name_folded = p.owner_folded \
     LEFT JOIN repositories r ON r.owner = o.id AND r.name_folded = p.name_folded AND r.kind = p.kind \
     LEFT JOIN aliases a ON a.kind = p.kind AND a.owner_folded = p.owner_folded AND a.name_folded = p.name_folded \
     WHERE p.kind = 'model'";
/// Orders them by the time of that.
const IN_ORDER: &str = "ORDER BY p.published_ms, p.owner_folded, p.name_folded, p.version";

/// A version that was published before the log could have a record of it.
struct EarlierVersion {
    full_name: String,
    version: String,
    commit_oid: String,
    manifest_sha256: String,
    component_sha256: Option<String>,
    published_ms: i64,
    private: i64,
    origin: RepositoryKey,
}

impl EarlierVersion {
    fn subject(&self) -> LogSubject<'_> {
        LogSubject {
            origin: &self.origin,
            full_name: &self.full_name,
            version: &self.version,
            private: self.private != 0,
            is_of_owner: false,
        }
    }

    /// Its record, as of `at_ms`.
    fn record(&self, at_ms: i64) -> Option<LogRecord> {
        let digests = [
            Some(self.manifest_sha256.as_str()),
            self.component_sha256.as_deref(),
        ];
        let commit = &self.commit_oid;
        version_record(&self.full_name, &self.version, commit, digests, at_ms)
    }
}

from_row!(EarlierVersion {
    full_name,
    version,
    commit_oid,
    manifest_sha256,
    component_sha256,
    published_ms,
    private,
    origin
});

/// The record of a published version; none where a name is no tool's. Digests are hexadecimal.
pub(super) fn version_record(
    full_name: &str,
    version: &str,
    commit: &str,
    [manifest, component]: [Option<&str>; 2],
    published_ms: i64,
) -> Option<LogRecord> {
    let digest = |hex: &str| format!("sha256:{hex}").parse().ok();
    Some(LogRecord::Version {
        repo: full_name.parse().ok()?,
        version: version.parse().ok()?,
        commit: commit.parse().ok()?,
        manifest: digest(manifest?)?,
        component: match component {
            Some(hex) => Some(digest(hex)?),
            None => None,
        },
        publisher: None,
        at: clock::seconds(published_ms),
    })
}
