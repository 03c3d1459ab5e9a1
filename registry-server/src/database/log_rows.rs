//! Reads the rows of the log as one transaction sees them, for a check of all of it.

use std::collections::HashMap;
use std::ops::Range;

use sqlx::{AnyConnection, AssertSqlSafe};
use tool_hub_transparency::{Hash, LogSigner};

use super::export::Snapshot;
use super::log::{KEY, number, read_signer, signed};
use super::mirror::{MIRROR, MirrorState};
use super::rows::from_row;
use super::sql::{placeholders, select};
use super::witnesses::{BY_NAME, COLUMNS, WitnessRow};
use super::write_transaction::WriteTransaction;
use crate::error::RegistryError;

/// Records that are read at once. Each has at most 64 KiB.
const PAGE: i64 = 500;

/// A record of the log, with all that is stored beside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LogRow {
    pub(crate) position: i64,
    pub(crate) repository: String,
    pub(crate) version: String,
    pub(crate) record: String,
    pub(crate) opening: Option<String>,
    pub(crate) signer: Option<String>,
}

from_row!(LogRow {
    position,
    repository,
    version,
    record,
    opening,
    signer
});

/// The rows of the log, of the witnesses and of a mirror.
pub(crate) struct LogRows<'a>(&'a mut AnyConnection);

impl Snapshot {
    /// The log at this moment.
    pub(crate) fn log_rows(&mut self) -> LogRows<'_> {
        LogRows(self.connection())
    }
}

impl WriteTransaction {
    /// The log as this transaction leaves it.
    pub(crate) fn log_rows(&mut self) -> LogRows<'_> {
        LogRows(self.connection())
    }
}

impl LogRows<'_> {
    /// The next records from this place on, in order.
    pub(crate) async fn records_from(&mut self, first: u64) -> Result<Vec<LogRow>, RegistryError> {
        let records = select(
            "position, repository, version, record, opening, signer",
            "FROM log_records WHERE position >= $1 ORDER BY position LIMIT $2",
        );
        let records = records.bind(signed(first)?).bind(PAGE);
        Ok(records.fetch_all(&mut *self.0).await?)
    }

    /// The stored hashes with these numbers, but for those that are none.
    pub(crate) async fn hashes(
        &mut self,
        numbers: Range<u64>,
    ) -> Result<HashMap<u64, Hash>, RegistryError> {
        let rows = select(
            "number, hash",
            "FROM log_hashes WHERE number >= $1 AND number < $2",
        );
        let rows = rows.bind(signed(numbers.start)?).bind(signed(numbers.end)?);
        read(rows.fetch_all(&mut *self.0).await?)
    }

    /// The stored hashes with these numbers, of which there are few, but for those that are none.
    pub(crate) async fn hashes_of(
        &mut self,
        numbers: &[u64],
    ) -> Result<HashMap<u64, Hash>, RegistryError> {
        let sql = format!(
            "SELECT number, hash FROM log_hashes WHERE number IN ({})",
            placeholders(1, numbers.len())
        );
        let mut rows = sqlx::query_as(AssertSqlSafe(sql));
        for number in numbers {
            rows = rows.bind(signed(*number)?);
        }
        read(rows.fetch_all(&mut *self.0).await?)
    }

    /// The greatest number of a stored hash.
    pub(crate) async fn last_hash(&mut self) -> Result<Option<u64>, RegistryError> {
        let last = sqlx::query_scalar("SELECT MAX(number) FROM log_hashes");
        let last: Option<i64> = last.fetch_one(&mut *self.0).await?;
        last.map(number).transpose()
    }

    /// The key of the log; none where there is none, or it cannot be read.
    pub(crate) async fn signer(&mut self) -> Result<Option<LogSigner>, RegistryError> {
        let row: Option<(String, String)> =
            sqlx::query_as(KEY).fetch_optional(&mut *self.0).await?;
        Ok(row.and_then(|(name, seed)| read_signer(&name, &seed)))
    }

    /// The state of the mirror, where this registry is one.
    pub(crate) async fn mirror(&mut self) -> Result<Option<MirrorState>, RegistryError> {
        Ok(select(MIRROR, "").fetch_optional(&mut *self.0).await?)
    }

    pub(crate) async fn witnesses(&mut self) -> Result<Vec<WitnessRow>, RegistryError> {
        Ok(select(COLUMNS, BY_NAME).fetch_all(&mut *self.0).await?)
    }
}

fn read(rows: Vec<(i64, String)>) -> Result<HashMap<u64, Hash>, RegistryError> {
    let hashes = rows.into_iter().filter_map(|(place, hash)| {
        let hash = Hash::parse_hash(&hash).ok()?;
        Some(number(place).map(|number| (number, hash)))
    });
    hashes.collect()
}
