//! Write transactions: begin, lock a repository, run statements, insert many rows at once, commit.

use std::sync::Arc;

use sqlx::any::AnyArguments;
use sqlx::query::Query;
use sqlx::{Any, AnyConnection, AssertSqlSafe, Transaction};
use tokio::sync::OwnedSemaphorePermit;

use super::connection::Database;
use super::engine::Engine;
use super::keys::RepositoryKey;
use super::sql::placeholders;
use crate::error::RegistryError;

/// Rows inserted by one statement; below SQLite's and PostgreSQL's limits on parameters.
const ROWS_MAX: usize = 100;

/// A write transaction; dropping it without [`WriteTransaction::commit`] rolls back.
pub(crate) struct WriteTransaction {
    // Fields are dropped in this order: the connection is free before the next writer comes.
    transaction: Transaction<'static, Any>,
    _permit: OwnedSemaphorePermit,
    pub(super) engine: Engine,
}

impl Database {
    /// Starts a write transaction to what belongs to no repository.
    ///
    /// SQLite lets one of these run at a time, PostgreSQL several: there a decision that rests on
    /// what was read before must be part of the statement that acts on it, as `ON CONFLICT` is.
    pub(crate) async fn write(&self) -> Result<WriteTransaction, RegistryError> {
        let permit = Arc::clone(&self.writers).acquire_owned().await;
        let permit = permit
            .map_err(|_| RegistryError::Damaged("the writers' queue is closed".to_owned()))?;
        Ok(WriteTransaction {
            transaction: self.pool.begin_with(self.engine.begin()).await?,
            _permit: permit,
            engine: self.engine,
        })
    }

    /// Starts a write transaction to one repository, waiting for all writers to it that came
    /// before, those of other servers too.
    ///
    /// What is read from the database after this returned stays true until the transaction ends. As
    /// everybody locks the repository first, two writers cannot each hold what the other waits for.
    ///
    /// # Errors
    ///
    /// [`RegistryError::RepositoryGone`] when it was deleted meanwhile.
    pub(crate) async fn write_to(
        &self,
        repository: &RepositoryKey,
    ) -> Result<WriteTransaction, RegistryError> {
        self.write().await?.lock(repository).await
    }
}

impl WriteTransaction {
    async fn lock(mut self, repository: &RepositoryKey) -> Result<Self, RegistryError> {
        let found = sqlx::query(self.engine.lock_repository())
            .bind(repository)
            .fetch_optional(self.connection())
            .await?;
        found.map(|_| self).ok_or(RegistryError::RepositoryGone)
    }

    pub(super) fn connection(&mut self) -> &mut AnyConnection {
        &mut self.transaction
    }

    /// Makes the changes durable and visible.
    pub(crate) async fn commit(self) -> Result<(), RegistryError> {
        Ok(self.transaction.commit().await?)
    }

    /// Runs one statement and tells how many rows it changed.
    pub(super) async fn run(
        &mut self,
        statement: Query<'_, Any, AnyArguments>,
    ) -> Result<u64, RegistryError> {
        let done = statement.execute(self.connection()).await?;
        Ok(done.rows_affected())
    }

    /// Runs statements one after another and tells how many rows they changed together.
    pub(super) async fn run_all(
        &mut self,
        statements: impl Iterator<Item = Insertion>,
    ) -> Result<u64, RegistryError> {
        let mut changed = 0;
        for statement in statements {
            changed += self.run(statement).await?;
        }
        Ok(changed)
    }
}

/// A statement that inserts, while its values are bound.
pub(super) type Insertion = Query<'static, Any, AnyArguments>;

/// Builds the statements that insert rows, many rows in each. `sql` is the text before and after
/// the values, and `bind` binds the `columns` of a row.
pub(super) fn insertions<T>(
    sql: [&'static str; 2],
    columns: usize,
    mut rows: impl Iterator<Item = T>,
    bind: impl Fn(Insertion, T) -> Insertion,
) -> impl Iterator<Item = Insertion> {
    let [before, after] = sql;
    std::iter::from_fn(move || {
        let batch: Vec<T> = rows.by_ref().take(ROWS_MAX).collect();
        if batch.is_empty() {
            return None;
        }
        let values: Vec<String> = (0..batch.len())
            .map(|row| format!("({})", placeholders(1 + row * columns, columns)))
            .collect();
        let sql = format!("{before} VALUES {} {after}", values.join(","));
        let statement = sqlx::query(AssertSqlSafe(sql));
        Some(batch.into_iter().fold(statement, &bind))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const ADD_USER: &str = "INSERT INTO accounts (id, kind, name, name_folded, full_name, created_ms) \
         VALUES ($1, 'user', $1, $1, '', 0)";

    async fn add_user(database: &Database, name: String) -> Result<(), RegistryError> {
        let mut writing = database.write().await?;
        writing.run(sqlx::query(ADD_USER).bind(name)).await?;
        writing.commit().await
    }

    #[tokio::test]
    async fn writers_wait_for_each_other_and_for_another_process() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("registry.sqlite");
        let here = Database::open_sqlite(&path).await.unwrap();
        // It shares the file and nothing else, as another process does.
        let elsewhere = Database::open_sqlite(&path).await.unwrap();
        let mut first = elsewhere.write().await.unwrap();
        first
            .run(sqlx::query(ADD_USER).bind("first"))
            .await
            .unwrap();
        let writers: Vec<_> = (0..20)
            .map(|number| {
                let database = if number % 2 == 0 { &here } else { &elsewhere };
                let database = database.clone();
                tokio::spawn(async move { add_user(&database, format!("user-{number}")).await })
            })
            .collect();
        tokio::task::yield_now().await;
        first.commit().await.unwrap();
        for writer in writers {
            writer.await.unwrap().unwrap();
        }
        drop(here.write().await.unwrap());
        let count = sqlx::query_scalar::<_, i64>("SELECT COUNT(*) FROM accounts");
        assert_eq!(count.fetch_one(&elsewhere.pool).await.unwrap(), 21);
    }

    #[tokio::test]
    async fn what_is_dropped_is_taken_back() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("registry.sqlite");
        let database = Database::open_sqlite(&path).await.unwrap();
        let mut dropped = database.write().await.unwrap();
        let statement = sqlx::query(ADD_USER).bind("nobody");
        dropped.run(statement).await.unwrap();
        drop(dropped);
        add_user(&database, "somebody".to_owned()).await.unwrap();
        let names = sqlx::query_scalar::<_, String>("SELECT name FROM accounts");
        assert_eq!(names.fetch_all(&database.pool).await.unwrap(), ["somebody"]);
    }
}
