//! Appends records to the transparency log, and reads its records, hashes and key.

use std::collections::HashMap;

use data_encoding::{BASE64, HEXLOWER};
use sqlx::any::AnyArguments;
use sqlx::query::QueryAs;
use sqlx::{Any, AssertSqlSafe};
use tool_hub_manifest::ClaimedSigner;
use tool_hub_transparency::{
    GrowingTree, Hash, HashQuery, LogRecord, LogSigner, first_hash, record_hash,
};

use super::connection::Database;
use super::engine::Engine;
use super::keys::RepositoryKey;
use super::rows::from_row;
use super::sql::placeholders;
use super::write_transaction::WriteTransaction;
use crate::clock;
use crate::error::RegistryError;
use crate::random;

/// Most numbers of hashes in one statement; below SQLite's and PostgreSQL's limits on parameters.
const NUMBERS_MAX: usize = 500;

/// A record of the log, as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LoggedRecord {
    /// The place, counted from 0.
    pub(crate) position: i64,
    pub(crate) record: String,
    /// The text that opens the record, where it is one of a private repository.
    pub(crate) opening: Option<String>,
}

from_row!(LoggedRecord {
    position,
    record,
    opening
});

impl LoggedRecord {
    /// The record as it is read, opened where it is of a private repository.
    pub(super) fn said(&self) -> Option<LogRecord> {
        let record = LogRecord::from_bytes(self.record.as_bytes()).ok()?;
        record.opened(self.opening.as_deref()).ok()
    }
}

/// The subject of a record: a version of a repository.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LogSubject<'a> {
    /// The full name of the repository.
    pub(crate) full_name: &'a str,
    pub(crate) version: &'a str,
    /// True if strangers may not learn of it.
    pub(crate) private: bool,
}

impl LogSubject<'_> {
    fn repository(&self) -> String {
        self.full_name.to_ascii_lowercase()
    }
}

impl Engine {
    /// Keeps all others from appending until the transaction has ended.
    fn lock_log(self) -> &'static str {
        match self {
            Self::Sqlite => "SELECT name FROM log_key",
            Self::Postgres => "SELECT name FROM log_key FOR UPDATE",
        }
    }
}

impl Database {
    /// The number of records.
    pub(crate) async fn log_size(&self) -> Result<u64, RegistryError> {
        let size = sqlx::query_scalar(SIZE).fetch_one(&self.pool).await?;
        number(size)
    }

    /// The stored hashes of these numbers.
    pub(crate) async fn log_hashes(
        &self,
        numbers: &[u64],
    ) -> Result<HashMap<u64, Hash>, RegistryError> {
        let mut found = HashMap::with_capacity(numbers.len());
        for batch in numbers.chunks(NUMBERS_MAX) {
            let rows = select_hashes(batch)?.fetch_all(&self.pool).await?;
            read_hashes(rows, &mut found)?;
        }
        Ok(found)
    }

    /// The tree of the first `size` records, to append others to it in memory.
    pub(crate) async fn log_edge(&self, size: u64) -> Result<GrowingTree, RegistryError> {
        let numbers = GrowingTree::edge_numbers(size);
        let stored = self.log_hashes(&numbers).await?;
        let edge = numbers.iter().filter_map(|it| stored.get(it).copied());
        GrowingTree::from_edge(size, edge.collect()).map_err(damaged)
    }

    /// The records in these places, in order.
    pub(crate) async fn log_records(
        &self,
        places: std::ops::Range<u64>,
    ) -> Result<Vec<LoggedRecord>, RegistryError> {
        let sql = "SELECT position, record, opening FROM log_records WHERE position >= $1 AND position < $2 ORDER BY position";
        let records = sqlx::query_as(sql)
            .bind(signed(places.start)?)
            .bind(signed(places.end)?);
        Ok(records.fetch_all(&self.pool).await?)
    }

    /// The records of a version among the first `size` of the log, in order: of more than
    /// 2 × `max`, the first and the newest `max`. Those tell what was published, and what was said
    /// of it last.
    pub(crate) async fn log_records_of(
        &self,
        subject: LogSubject<'_>,
        size: u64,
        max: u32,
    ) -> Result<Vec<LoggedRecord>, RegistryError> {
        let records = "SELECT position, record, opening FROM log_records \
                       WHERE repository = $1 AND version = $2 AND position < $3";
        let sql = format!(
            "SELECT * FROM ({records} ORDER BY position LIMIT $4) AS oldest UNION \
             SELECT * FROM ({records} ORDER BY position DESC LIMIT $4) AS newest ORDER BY position"
        );
        let records = sqlx::query_as(AssertSqlSafe(sql))
            .bind(subject.repository())
            .bind(subject.version.to_owned())
            .bind(signed(size)?)
            .bind(i64::from(max));
        Ok(records.fetch_all(&self.pool).await?)
    }

    /// The key that signs the log's checkpoints; none before [`open_log`](Self::open_log).
    pub(crate) async fn log_signer(&self) -> Result<LogSigner, RegistryError> {
        let row: Option<(String, String)> = sqlx::query_as(KEY).fetch_optional(&self.pool).await?;
        let signer = row.and_then(|(name, seed)| read_signer(&name, &seed));
        signer.ok_or_else(|| RegistryError::Damaged("the key of the log".to_owned()))
    }

    /// Makes the key of the log, unless there is one, and appends what was published before there
    /// was a log. A mirror has no key: it serves the log of another registry.
    pub(crate) async fn open_log(&self) -> Result<(), RegistryError> {
        let any = "SELECT name FROM log_key LIMIT 1";
        if sqlx::query(any).fetch_optional(&self.pool).await?.is_some() {
            return Ok(());
        }
        let (seed, name): ([u8; 32], [u8; 8]) = (random::bytes()?, random::bytes()?);
        let mut writing = self.write().await?;
        let insert = "INSERT INTO log_key (name, seed) SELECT $1, $2 \
                      WHERE NOT EXISTS (SELECT 1 FROM log_key) AND NOT EXISTS (SELECT 1 FROM mirror)";
        let statement = sqlx::query(insert)
            .bind(format!("tool-hub-registry/{}", HEXLOWER.encode(&name)))
            .bind(HEXLOWER.encode(&seed));
        if writing.run(statement).await? == 1 {
            writing.log_earlier_versions().await?;
        }
        writing.commit().await
    }
}

/// Selects the name of the log and the seed of its key.
pub(super) const KEY: &str = "SELECT name, seed FROM log_key";

/// The key of this name with this seed, as it is kept.
pub(super) fn read_signer(name: &str, seed: &str) -> Option<LogSigner> {
    let seed = HEXLOWER.decode(seed.as_bytes()).ok()?.try_into().ok()?;
    LogSigner::from_seed(name, &seed).ok()
}

/// The number of records of the log.
const SIZE: &str = "SELECT COALESCE(MAX(position) + 1, 0) FROM log_records";

impl WriteTransaction {
    /// Appends a record. It is the last thing that a transaction does, because everybody else who
    /// appends waits until it has ended.
    pub(crate) async fn append_to_log(
        &mut self,
        subject: LogSubject<'_>,
        record: &LogRecord,
    ) -> Result<(), RegistryError> {
        let lock = self.engine.lock_log();
        sqlx::query(lock).fetch_all(self.connection()).await?;
        let size: i64 = sqlx::query_scalar(SIZE)
            .fetch_one(self.connection())
            .await?;
        self.append_at(number(size)?, subject, record).await
    }

    async fn append_at(
        &mut self,
        size: u64,
        subject: LogSubject<'_>,
        record: &LogRecord,
    ) -> Result<(), RegistryError> {
        let signer = match record {
            LogRecord::Signer { signer, .. } => {
                Some(serde_json::to_string(signer).map_err(damaged)?)
            }
            _ => None,
        };
        let (record, opening) = match subject.private {
            true => {
                let salt = HEXLOWER.encode(&random::bytes::<16>()?);
                let (record, opening) = record.hide(&salt);
                (record, Some(opening))
            }
            false => (record.clone(), None),
        };
        let bytes = record.to_bytes();
        let query = HashQuery::Append {
            size,
            record: record_hash(&bytes),
        };
        let needed = query.needs().map_err(damaged)?;
        let mut stored = HashMap::new();
        if !needed.is_empty() {
            let rows = select_hashes(&needed)?.fetch_all(self.connection());
            read_hashes(rows.await?, &mut stored)?;
        }
        let hashes = query.answer(&stored).map_err(damaged)?;
        for (number, hash) in (first_hash(size)..).zip(hashes) {
            let insert = sqlx::query("INSERT INTO log_hashes (number, hash) VALUES ($1, $2)");
            let insert = insert.bind(signed(number)?).bind(BASE64.encode(&hash.0));
            self.run(insert).await?;
        }
        let text = String::from_utf8(bytes).map_err(|_| damaged("a record is no text"))?;
        let insert = sqlx::query(
            "INSERT INTO log_records (position, repository, version, record, opening, signer) \
             VALUES ($1, $2, $3, $4, CAST($5 AS TEXT), CAST($6 AS TEXT))",
        );
        let insert = insert
            .bind(signed(size)?)
            .bind(subject.repository())
            .bind(subject.version.to_owned())
            .bind(text)
            .bind(opening)
            .bind(signer);
        self.run(insert).await?;
        Ok(())
    }

    /// Appends the record of a version and, if its signer is another one than the repository's
    /// before, one of that; unless the log has it with this commit: a tag may have been deleted and
    /// made again.
    pub(crate) async fn append_version_to_log(
        &mut self,
        subject: LogSubject<'_>,
        record: &LogRecord,
        signer: Option<ClaimedSigner>,
    ) -> Result<(), RegistryError> {
        let known = self.records_of_version(subject).await?;
        let mut said = known.iter().filter_map(LoggedRecord::said);
        match said.any(|it| it.is_of_same_commit(record)) {
            true => Ok(()),
            false => self.append_with_signer(subject, record, signer).await,
        }
    }

    /// All records of a version, in order.
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
        let sql = "SELECT signer FROM log_records WHERE repository = $1 AND position <= $2 AND signer IS NOT NULL \
                   ORDER BY position DESC LIMIT 1";
        let signer = sqlx::query_scalar(sql)
            .bind(subject.repository())
            .bind(position);
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
        let sql = "SELECT MIN(position) FROM log_records WHERE repository = $1 AND version = $2";
        let position = sqlx::query_scalar(sql)
            .bind(subject.repository())
            .bind(subject.version.to_owned());
        let position: Option<i64> = position.fetch_one(self.connection()).await?;
        match position {
            // The record of a signer comes right after that of the version.
            Some(position) => self.logged_signer(subject, position + 1).await,
            None => Ok(None),
        }
    }

    /// After a move, appends the versions that the repository has under its new id, by the signers
    /// that they had under its name `before`. They are of this moment: nobody could get them there
    /// before.
    pub(crate) async fn log_moved_versions(
        &mut self,
        repository: &RepositoryKey,
        before: &str,
        now_ms: i64,
    ) -> Result<(), RegistryError> {
        let sql = format!(
            "{PUBLISHED} WHERE r.id = $1 AND NOT EXISTS (SELECT 1 FROM log_records l \
             WHERE l.repository = p.owner_folded || '/' || p.name_folded AND l.version = p.version) {IN_ORDER}"
        );
        let moved = sqlx::query_as(AssertSqlSafe(sql)).bind(repository);
        let moved: Vec<EarlierVersion> = moved.fetch_all(self.connection()).await?;
        for version in moved {
            let subject = version.subject();
            let earlier = LogSubject {
                full_name: before,
                ..subject
            };
            if let Some(record) = version.record(now_ms) {
                let signer = self.logged_signer_of(earlier).await?;
                self.append_with_signer(subject, &record, signer).await?;
            }
        }
        Ok(())
    }

    /// Appends the versions that were published before there was a log, in the order of that.
    async fn log_earlier_versions(&mut self) -> Result<(), RegistryError> {
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

/// Selects published versions. A repository that is deleted, or has another name today, may have
/// been private.
const PUBLISHED: &str = "SELECT p.owner_folded || '/' || p.name_folded AS full_name, p.version, p.commit_oid, p.manifest_sha256, \
     p.component_sha256, p.published_ms, COALESCE(r.private, 1) AS private \
     FROM published_versions p LEFT JOIN accounts o ON o.name_folded = p.owner_folded \
     LEFT JOIN repositories r ON r.owner = o.id AND r.name_folded = p.name_folded AND r.kind = p.kind";
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
}

impl EarlierVersion {
    fn subject(&self) -> LogSubject<'_> {
        LogSubject {
            full_name: &self.full_name,
            version: &self.version,
            private: self.private != 0,
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
    private
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

/// The statement that reads the hashes of these numbers.
fn select_hashes(
    numbers: &[u64],
) -> Result<QueryAs<'static, Any, (i64, String), AnyArguments>, RegistryError> {
    let sql = format!(
        "SELECT number, hash FROM log_hashes WHERE number IN ({})",
        placeholders(1, numbers.len())
    );
    let mut query = sqlx::query_as(AssertSqlSafe(sql));
    for number in numbers {
        query = query.bind(signed(*number)?);
    }
    Ok(query)
}

fn read_hashes(
    rows: Vec<(i64, String)>,
    found: &mut HashMap<u64, Hash>,
) -> Result<(), RegistryError> {
    for (place, hash) in rows {
        let hash = Hash::parse_hash(&hash).map_err(|_| damaged("a hash of the log"))?;
        found.insert(number(place)?, hash);
    }
    Ok(())
}

pub(super) fn number(value: i64) -> Result<u64, RegistryError> {
    u64::try_from(value).map_err(damaged)
}

pub(super) fn signed(value: u64) -> Result<i64, RegistryError> {
    i64::try_from(value).map_err(damaged)
}

fn damaged(what: impl std::fmt::Display) -> RegistryError {
    RegistryError::Damaged(format!("the log: {what}"))
}
