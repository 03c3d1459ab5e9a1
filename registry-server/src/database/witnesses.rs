//! Stores the witnesses of the log, and the checkpoints that each of them cosigned last.

use std::time::Duration;

use super::connection::Database;
use super::log::signed;
use super::rows::from_row;
use super::sql::select;
use super::write_transaction::WriteTransaction;
use crate::clock;
use crate::error::RegistryError;

/// The most witnesses: their signatures have to fit into a checkpoint.
pub(crate) const WITNESSES_MAX: i64 = 32;

/// The time for which a cosigned state is served after newer ones.
const FORMER_STATE_AGE_MAX: Duration = Duration::from_secs(60);

/// A state of the log that witnesses cosigned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CosignedState {
    /// The number of its records.
    pub(crate) size: i64,
    /// The time at which the last of them did.
    pub(crate) cosigned_ms: i64,
}

from_row!(CosignedState { size, cosigned_ms });

/// A witness, and how far it has come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WitnessRow {
    pub(crate) name: String,
    pub(crate) key: String,
    /// The prefix of the addresses that it is asked at.
    pub(crate) url: String,
    /// The number of records of the largest checkpoint that it is known to have cosigned.
    pub(crate) size: i64,
    /// Its signature of that one, a line of a note.
    pub(crate) cosignature: Option<String>,
    pub(crate) cosigned_ms: i64,
    /// The time of a question that is under way or failed; 0 if there is none.
    pub(crate) asked_ms: i64,
    /// The reason why it did not cosign when it was asked last.
    pub(crate) fault: Option<String>,
}

from_row!(WitnessRow {
    name,
    key,
    url,
    size,
    cosignature,
    cosigned_ms,
    asked_ms,
    fault
});

/// The columns of a [`WitnessRow`].
pub(super) const COLUMNS: &str = "name, key, url, size, cosignature, cosigned_ms, asked_ms, fault";
/// All of them by name.
pub(super) const BY_NAME: &str = "FROM witnesses ORDER BY name";

impl Database {
    /// All witnesses by name.
    pub(crate) async fn witnesses(&self) -> Result<Vec<WitnessRow>, RegistryError> {
        Ok(select(COLUMNS, BY_NAME).fetch_all(&self.pool).await?)
    }

    /// The cosignatures of the checkpoint of `size` records that are here.
    pub(crate) async fn cosignatures(&self, size: u64) -> Result<Vec<String>, RegistryError> {
        let sql = "SELECT cosignature FROM ( \
                SELECT name, size, cosignature FROM witnesses WHERE cosignature IS NOT NULL \
                UNION ALL SELECT witness, size, cosignature FROM former_cosignatures \
            ) AS lines WHERE size = $1 ORDER BY name";
        let lines = sqlx::query_scalar(sql).bind(signed(size)?);
        Ok(lines.fetch_all(&self.pool).await?)
    }

    /// The state with `least` to `newest` records that most witnesses cosigned in the last minute;
    /// the largest of several. A state that a witness cosigned earlier counts, too, until the
    /// witness fails to cosign a newer one.
    pub(crate) async fn cosigned_state(
        &self,
        least: u64,
        newest: u64,
    ) -> Result<Option<CosignedState>, RegistryError> {
        let state = select::<CosignedState>(
            "size, MAX(cosigned_ms) AS cosigned_ms",
            "FROM ( \
                SELECT size, cosigned_ms FROM witnesses \
                WHERE cosignature IS NOT NULL AND (fault IS NULL OR cosigned_ms >= $3) \
                UNION ALL \
                SELECT size, cosigned_ms FROM former_cosignatures WHERE replaced_ms >= $3 \
            ) AS states WHERE size >= $1 AND size <= $2 \
            GROUP BY size ORDER BY COUNT(*) DESC, size DESC LIMIT 1",
        );
        let state = state.bind(signed(least)?).bind(signed(newest)?);
        let state = state.bind(oldest_ms(clock::now_ms()));
        Ok(state.fetch_optional(&self.pool).await?)
    }

    /// Takes the turn to ask a witness as it is in `before`; false if another process has it.
    pub(crate) async fn begin_to_ask(
        &self,
        before: &WitnessRow,
        now_ms: i64,
    ) -> Result<bool, RegistryError> {
        let sql = "UPDATE witnesses SET asked_ms = $1 WHERE name = $2 AND asked_ms = $3 AND size = $4 AND cosigned_ms = $5";
        let statement = sqlx::query(sql)
            .bind(now_ms)
            .bind(&before.name)
            .bind(before.asked_ms)
            .bind(before.size)
            .bind(before.cosigned_ms);
        let mut writing = self.write().await?;
        let is_ours = writing.run(statement).await? == 1;
        writing.commit().await?;
        Ok(is_ours)
    }

    /// Keeps the cosignature of the checkpoint of `size` records, unless a later one is here. The
    /// one before is kept for a minute.
    pub(crate) async fn note_cosignature(
        &self,
        name: &str,
        size: u64,
        line: &str,
        now_ms: i64,
    ) -> Result<(), RegistryError> {
        let size = signed(size)?;
        let former = "INSERT INTO former_cosignatures (witness, size, cosignature, cosigned_ms, replaced_ms) \
             SELECT name, size, cosignature, cosigned_ms, $1 FROM witnesses \
             WHERE name = $2 AND size < $3 AND cosignature IS NOT NULL \
             ON CONFLICT (witness, size) DO NOTHING";
        let former = sqlx::query(former)
            .bind(now_ms)
            .bind(name.to_owned())
            .bind(size);
        let too_old = sqlx::query("DELETE FROM former_cosignatures WHERE replaced_ms < $1");
        let too_old = too_old.bind(oldest_ms(now_ms));
        let sql = "UPDATE witnesses SET size = $1, cosignature = $2, cosigned_ms = $3, asked_ms = 0, fault = NULL \
             WHERE name = $4 AND size <= $1";
        let statement = sqlx::query(sql)
            .bind(size)
            .bind(line.to_owned())
            .bind(now_ms)
            .bind(name.to_owned());
        let mut writing = self.write().await?;
        writing.run(former).await?;
        writing.run(too_old).await?;
        writing.run(statement).await?;
        writing.commit().await
    }

    /// Keeps the reason why a witness did not cosign.
    pub(crate) async fn note_witness_fault(
        &self,
        name: &str,
        fault: &str,
    ) -> Result<(), RegistryError> {
        let statement = sqlx::query("UPDATE witnesses SET fault = $1 WHERE name = $2");
        let statement = statement.bind(fault.to_owned()).bind(name.to_owned());
        let mut writing = self.write().await?;
        writing.run(statement).await?;
        writing.commit().await
    }
}

impl WriteTransaction {
    /// Adds a witness; false if there is one of this name, or there are as many as there may be.
    pub(crate) async fn insert_witness(
        &mut self,
        name: &str,
        key: &str,
        url: &str,
    ) -> Result<bool, RegistryError> {
        let sql = "INSERT INTO witnesses (name, key, url, size, cosigned_ms, asked_ms) \
             SELECT $1, $2, $3, 0, 0, 0 WHERE (SELECT COUNT(*) FROM witnesses) < $4 \
             ON CONFLICT (name) DO NOTHING";
        let statement = sqlx::query(sql)
            .bind(name.to_owned())
            .bind(key.to_owned())
            .bind(url.to_owned())
            .bind(WITNESSES_MAX);
        Ok(self.run(statement).await? == 1)
    }

    /// Removes a witness; false if there is none of this name.
    pub(crate) async fn delete_witness(&mut self, name: &str) -> Result<bool, RegistryError> {
        let former = sqlx::query("DELETE FROM former_cosignatures WHERE witness = $1");
        self.run(former.bind(name.to_owned())).await?;
        let statement = sqlx::query("DELETE FROM witnesses WHERE name = $1");
        let statement = statement.bind(name.to_owned());
        Ok(self.run(statement).await? == 1)
    }
}

/// The time from which on a state that was replaced is served.
fn oldest_ms(now_ms: i64) -> i64 {
    now_ms.saturating_sub(clock::span_ms(FORMER_STATE_AGE_MAX))
}
