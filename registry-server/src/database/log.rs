//! Appends records to the transparency log, and reads its records, hashes and key.

use std::collections::HashMap;

use data_encoding::{BASE64, HEXLOWER};
use sqlx::any::AnyArguments;
use sqlx::query::QueryAs;
use sqlx::{Any, AssertSqlSafe};
use tool_hub_transparency::{
    GrowingTree, Hash, HashQuery, LogRecord, LogSigner, first_hash, record_hash,
};

use super::connection::Database;
use super::engine::Engine;
use super::keys::RepositoryKey;
use super::repositories::Repository;
use super::rows::from_row;
use super::sql::placeholders;
use super::write_transaction::WriteTransaction;
use crate::error::RegistryError;
use crate::names::RepositoryKind;
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

/// The subject of a record: a version of a repository, which has to be one of models.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LogSubject<'a> {
    /// The repository that makes the record, or asks for it.
    pub(super) origin: &'a RepositoryKey,
    /// The full name of the repository.
    pub(crate) full_name: &'a str,
    pub(crate) version: &'a str,
    /// True if strangers may not learn of it.
    pub(crate) private: bool,
    /// True if the name is one of the repository's owner, and not a former one of another's.
    pub(super) is_of_owner: bool,
}

impl<'a> LogSubject<'a> {
    /// A version of a repository under one of its names. None of a repository that is no model:
    /// the log is of tools, and names no kind, so the records of others would be taken for theirs.
    pub(crate) fn of(
        repository: &'a Repository,
        full_name: &'a str,
        version: &'a str,
    ) -> Option<Self> {
        let owner = full_name.split_once('/').map(|(owner, _)| owner);
        (repository.kind == RepositoryKind::Model).then_some(Self {
            origin: &repository.id,
            full_name,
            version,
            private: repository.private,
            is_of_owner: owner.is_some_and(|it| it.eq_ignore_ascii_case(&repository.owner_name)),
        })
    }

    /// True if its readers are those of any private repository that had this name before: all of
    /// an owner's private repositories have the same.
    pub(super) fn has_readers_of_earlier(&self) -> bool {
        self.private && self.is_of_owner
    }

    pub(super) fn repository(&self) -> String {
        self.full_name.to_ascii_lowercase()
    }
}

/// The condition on a record `l` that it may be told to whoever may read the repository `origin`:
/// it is no secret, or was made by that repository. Others may have had its name and version: one
/// that is deleted, and of a record from before origins were kept, one of another kind. All but `l`
/// are SQL for values.
pub(super) fn told(origin: &str, [owner, name]: [&str; 2]) -> String {
    format!(
        "(l.opening IS NULL OR l.origin = {origin} OR (l.origin IS NULL AND NOT EXISTS \
         (SELECT 1 FROM published_versions other WHERE other.kind <> 'model' AND other.owner_folded = {owner} \
         AND other.name_folded = {name} AND other.version = l.version)))"
    )
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
    ///
    /// Hidden ones of an earlier repository of this name are among them only while this one has
    /// the same readers.
    pub(crate) async fn log_records_of(
        &self,
        subject: LogSubject<'_>,
        size: u64,
        max: u32,
    ) -> Result<Vec<LoggedRecord>, RegistryError> {
        let repository = subject.repository();
        let (owner, name) = repository.split_once('/').unwrap_or_default();
        let told = told("$5", ["$6", "$7"]);
        let records = format!(
            "SELECT l.position, l.record, l.opening FROM log_records l \
             WHERE l.repository = $1 AND l.version = $2 AND l.position < $3 AND ({told} OR CAST($8 AS BIGINT) = 1)"
        );
        let sql = format!(
            "SELECT * FROM ({records} ORDER BY position LIMIT $4) AS oldest UNION \
             SELECT * FROM ({records} ORDER BY position DESC LIMIT $4) AS newest ORDER BY position"
        );
        let records = sqlx::query_as(AssertSqlSafe(sql))
            .bind(repository.as_str())
            .bind(subject.version.to_owned())
            .bind(signed(size)?)
            .bind(i64::from(max))
            .bind(subject.origin)
            .bind(owner)
            .bind(name)
            .bind(i64::from(subject.has_readers_of_earlier()));
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

    pub(super) async fn append_at(
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
            "INSERT INTO log_records (position, repository, version, record, opening, signer, origin) \
             VALUES ($1, $2, $3, $4, CAST($5 AS TEXT), CAST($6 AS TEXT), $7)",
        );
        let insert = insert
            .bind(signed(size)?)
            .bind(subject.repository())
            .bind(subject.version.to_owned())
            .bind(text)
            .bind(opening)
            .bind(signer)
            .bind(subject.origin);
        self.run(insert).await?;
        Ok(())
    }
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

pub(super) fn damaged(what: impl std::fmt::Display) -> RegistryError {
    RegistryError::Damaged(format!("the log: {what}"))
}
