//! The open metadata database, SQLite or PostgreSQL, and its pool of connections.

use std::sync::{Arc, Once};

use sqlx::any::AnyPoolOptions;
use sqlx::{AnyPool, Connection as _, Executor as _};
use tokio::sync::Semaphore;

use super::change_detection::{Version, VersionWatch};
use super::engine::Engine;
use crate::error::RegistryError;

/// The open metadata database.
#[derive(Clone)]
pub(crate) struct Database {
    pub(super) pool: AnyPool,
    pub(super) engine: Engine,
    /// Permits to write. Writers of this process wait in this fair queue; SQLite's lock is polled
    /// only while another process has it.
    pub(super) writers: Arc<Semaphore>,
    versions: VersionWatch,
}

impl Database {
    pub(super) fn new(
        pool: AnyPool,
        engine: Engine,
        versions: VersionWatch,
        writers_max: usize,
    ) -> Self {
        Self {
            pool,
            engine,
            versions,
            writers: Arc::new(Semaphore::new(writers_max)),
        }
    }

    /// The state of the database at this moment or a later one; `None` when it does not say.
    pub(crate) async fn version(&self) -> Option<Version> {
        self.versions.now().await
    }

    /// Succeeds if the database answers.
    pub(crate) async fn probe(&self) -> Result<(), RegistryError> {
        sqlx::query("SELECT 1").execute(&self.pool).await?;
        Ok(())
    }

    /// Flushes what is written and closes all connections.
    pub(crate) async fn close(&self) {
        self.versions.close().await;
        self.pool.close().await;
    }
}

pub(super) fn install_drivers() {
    static DRIVERS: Once = Once::new();
    DRIVERS.call_once(sqlx::any::install_default_drivers);
}

/// The options of a pool of connections, each set up with `session` first.
pub(super) fn pool(session: &'static str, connections_max: u32) -> AnyPoolOptions {
    AnyPoolOptions::new()
        .max_connections(connections_max)
        .after_connect(move |connection, _| {
            Box::pin(async move { connection.execute(session).await.map(|_| ()) })
        })
        // A server ends a transaction itself: SQLite when the disk is full, PostgreSQL when it
        // takes too long. The driver's rollback then fails, so it counts the transaction as open
        // for ever and begins no other; such a connection is closed here and another one takes its
        // place.
        .before_acquire(|connection, _| {
            Box::pin(async move { Ok(!connection.is_in_transaction()) })
        })
}
