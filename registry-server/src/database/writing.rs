//! Write transactions.

use std::sync::Arc;

use sqlx::any::AnyArguments;
use sqlx::query::Query;
use sqlx::{Any, AnyConnection, AssertSqlSafe, Transaction};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::group::{Member, Queue, Turn};
use super::{Database, Engine, placeholders};
use crate::error::RegistryError;

/// Rows inserted by one statement; below SQLite's and PostgreSQL's limits on parameters.
const ROWS_MAX: usize = 100;

/// Who may write.
#[derive(Clone)]
pub(super) enum Writers {
    /// SQLite knows one writer; waiting in a fair queue here beats polling its lock.
    One(Queue),
    /// PostgreSQL knows as many as there is room for.
    Many(Arc<Semaphore>),
}

/// A write transaction; dropping it without [`Writing::commit`] rolls back.
pub(crate) struct Writing {
    place: Place,
    pub(super) engine: Engine,
}

enum Place {
    Alone {
        transaction: Transaction<'static, Any>,
        _right: Right,
    },
    Member(Member),
}

/// The right to write, until it is dropped.
enum Right {
    Turn { _turn: Turn },
    Permit { _permit: OwnedSemaphorePermit },
}

impl Database {
    /// Starts a write transaction to what belongs to no repository.
    ///
    /// SQLite lets one of these run at a time, PostgreSQL several: there a decision that rests on what was read before must be part of
    /// the statement that acts on it, as `ON CONFLICT` is.
    pub(crate) async fn write(&self) -> Result<Writing, RegistryError> {
        let right = match &self.writers {
            Writers::One(queue) => Right::Turn {
                _turn: queue.turn().await?,
            },
            Writers::Many(room) => Right::Permit {
                _permit: Arc::clone(room).acquire_owned().await.map_err(|_| {
                    RegistryError::Damaged("the writers' queue is closed".to_owned())
                })?,
            },
        };
        let place = Place::Alone {
            transaction: self.pool.begin_with(self.engine.begin()).await?,
            _right: right,
        };
        Ok(self.writing(place))
    }

    /// Starts a write transaction to one repository, waiting for all writers to it that came before, those of other servers too.
    ///
    /// What is read from the database after this returned stays true until the transaction ends. As everybody locks the repository
    /// first, two writers cannot each hold what the other waits for.
    ///
    /// # Errors
    ///
    /// [`RegistryError::RepositoryGone`] when it was deleted meanwhile.
    pub(crate) async fn write_to(&self, repository: &str) -> Result<Writing, RegistryError> {
        self.write().await?.lock(repository).await
    }

    /// Starts a write transaction as [`Database::write_to`] does, which others may share who write to other repositories. What is read
    /// outside of the transaction from other repositories may be older.
    ///
    /// # Errors
    ///
    /// As [`Database::write_to`].
    pub(crate) async fn write_with_others(
        &self,
        repository: &str,
    ) -> Result<Writing, RegistryError> {
        let writing = match &self.writers {
            Writers::One(queue) => {
                self.writing(Place::Member(queue.join(&self.pool, repository).await?))
            }
            Writers::Many(_) => self.write().await?,
        };
        writing.lock(repository).await
    }

    fn writing(&self, place: Place) -> Writing {
        Writing {
            place,
            engine: self.engine,
        }
    }
}

impl Writing {
    async fn lock(mut self, repository: &str) -> Result<Self, RegistryError> {
        let found = sqlx::query(self.engine.lock_repository())
            .bind(repository)
            .fetch_optional(self.connection())
            .await?;
        found.map(|_| self).ok_or(RegistryError::RepositoryGone)
    }

    pub(super) fn connection(&mut self) -> &mut AnyConnection {
        match &mut self.place {
            Place::Alone { transaction, .. } => transaction,
            Place::Member(member) => member.connection(),
        }
    }

    /// Makes the changes durable and visible.
    pub(crate) async fn commit(self) -> Result<(), RegistryError> {
        match self.place {
            Place::Alone { transaction, .. } => Ok(transaction.commit().await?),
            Place::Member(member) => member.commit().await,
        }
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
