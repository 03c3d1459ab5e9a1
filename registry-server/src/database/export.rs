//! Exports the rows for a backup as they were at one moment, and imports them into a database.
//! The two databases may run on different engines.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use futures::StreamExt as _;
use futures::stream::BoxStream;
use serde::{Deserialize, Serialize};
use sqlx::any::AnyRow;
use sqlx::{Any, AnyConnection, AssertSqlSafe, Row as _, Transaction};

use super::connection::Database;
use super::engine::Engine;
use super::keys::RepositoryKey;
use super::migrations::SQLITE;
use super::sql::placeholders;
use super::tables::{Kind, TABLES, Table};
use super::write_transaction::WriteTransaction;
use crate::content::Sha256Digest;
use crate::error::RegistryError;

/// Most values of one statement; below SQLite's and PostgreSQL's limits on parameters.
const VALUES_MAX: usize = 5_000;

/// A value of a row. As JSON it is `null`, a number, a text or `{"base64": "…"}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum Value {
    Null,
    Integer(i64),
    Text(String),
    Bytes { base64: String },
}

/// The values of a row, in the order of its columns.
pub(crate) type Row = Vec<Value>;

/// A database as it was at one moment, whatever is written meanwhile.
pub(crate) struct Snapshot(Transaction<'static, Any>);

impl Database {
    /// Begins to read at one moment.
    pub(crate) async fn snapshot(&self) -> Result<Snapshot, RegistryError> {
        let begin = self.engine.begin_snapshot();
        let mut transaction = self.pool.begin_with(begin).await?;
        // The moment is that of the first query.
        sqlx::query("SELECT id FROM accounts LIMIT 1")
            .fetch_optional(&mut *transaction)
            .await?;
        Ok(Snapshot(transaction))
    }
}

/// The number of the newest change of the schema, the same for both engines.
pub(crate) fn schema_version() -> i64 {
    SQLITE
        .iter()
        .map(|step| step.version)
        .max()
        .unwrap_or_default()
}

impl Snapshot {
    pub(super) fn connection(&mut self) -> &mut AnyConnection {
        &mut self.0
    }

    /// The rows of a table, in order.
    pub(crate) fn rows<'a>(
        &'a mut self,
        table: &'static Table,
    ) -> BoxStream<'a, Result<Row, RegistryError>> {
        let rows = sqlx::query(AssertSqlSafe(table.select())).fetch(&mut *self.0);
        rows.map(|row| Ok(read(&row?, table)?)).boxed()
    }

    /// The contents that repositories refer to, in order.
    pub(crate) fn contents(&mut self) -> BoxStream<'_, Result<Sha256Digest, RegistryError>> {
        let sql = "SELECT DISTINCT sha256 FROM blobs ORDER BY sha256";
        let contents = sqlx::query_scalar(sql).fetch(&mut *self.0);
        contents.map(|digest| Ok(digest?)).boxed()
    }
}

fn read(row: &AnyRow, table: &Table) -> Result<Row, sqlx::Error> {
    let values = table.columns.iter().enumerate().map(|(at, (_, kind))| {
        let value = match kind {
            Kind::Integer => row.try_get::<Option<i64>, _>(at)?.map(Value::Integer),
            Kind::Text => row.try_get::<Option<String>, _>(at)?.map(Value::Text),
            Kind::Bytes => row
                .try_get::<Option<Vec<u8>>, _>(at)?
                .map(|bytes| Value::Bytes {
                    base64: STANDARD.encode(bytes),
                }),
        };
        Ok(value.unwrap_or(Value::Null))
    });
    values.collect()
}

impl WriteTransaction {
    /// Keeps all other writers out until the transaction ends, and tells the first table that has
    /// rows, if any. Every row belongs to an account, so whoever writes needs the table of
    /// accounts.
    pub(crate) async fn begin_import(&mut self) -> Result<Option<&'static str>, RegistryError> {
        if self.engine == Engine::Postgres {
            let lock = sqlx::query("LOCK TABLE accounts IN EXCLUSIVE MODE");
            self.run(lock).await?;
        }
        for table in TABLES {
            let sql = format!("SELECT 1 FROM {} LIMIT 1", table.name);
            let any = sqlx::query(AssertSqlSafe(sql)).fetch_optional(self.connection());
            if any.await?.is_some() {
                return Ok(Some(table.name));
            }
        }
        Ok(None)
    }

    /// Adds rows that hold a value for each of these columns.
    pub(crate) async fn import(
        &mut self,
        table: &'static Table,
        columns: &[(&'static str, Kind)],
        rows: &[Row],
    ) -> Result<(), RegistryError> {
        let names: Vec<&str> = columns.iter().map(|(name, _)| *name).collect();
        for batch in rows.chunks((VALUES_MAX / columns.len().max(1)).max(1)) {
            let tuples: Vec<String> = (0..batch.len())
                .map(|row| format!("({})", placeholders(1 + row * columns.len(), columns.len())))
                .collect();
            let mut statement = sqlx::query(AssertSqlSafe(format!(
                "INSERT INTO {} ({}) VALUES {}",
                table.name,
                names.join(", "),
                tuples.join(", ")
            )));
            for (value, (_, kind)) in batch.iter().flat_map(|row| row.iter().zip(columns)) {
                let misfit = || RegistryError::Damaged(format!("a value of {}", table.name));
                statement = match (kind, value) {
                    (Kind::Integer, Value::Integer(number)) => statement.bind(*number),
                    (Kind::Text, Value::Text(text)) => statement.bind(text.as_str()),
                    (Kind::Bytes, Value::Bytes { base64 }) => {
                        statement.bind(STANDARD.decode(base64).map_err(|_| misfit())?)
                    }
                    (Kind::Integer, Value::Null) => statement.bind(None::<i64>),
                    (Kind::Text, Value::Null) => statement.bind(None::<String>),
                    (Kind::Bytes, Value::Null) => statement.bind(None::<Vec<u8>>),
                    _ => return Err(misfit()),
                };
            }
            self.run(statement).await?;
        }
        Ok(())
    }

    /// Makes search find all repositories, after rows were added.
    pub(crate) async fn index_all_documents(&mut self) -> Result<(), RegistryError> {
        let repositories: Vec<RepositoryKey> = sqlx::query_scalar("SELECT id FROM repositories")
            .fetch_all(self.connection())
            .await?;
        for repository in repositories {
            self.index_document(&repository).await?;
        }
        Ok(())
    }
}
