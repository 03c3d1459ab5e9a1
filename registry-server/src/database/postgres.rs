//! Opens a PostgreSQL database and brings its schema up to date.

use std::time::Duration;

use sqlx::{AnyConnection, Connection as _, Executor as _};

use super::change_detection::VersionWatch;
use super::connection::{Database, install_drivers, pool};
use super::engine::Engine;
use super::migrations::POSTGRES;
use crate::config::PostgresUrl;
use crate::error::RegistryError;

/// Connections of one server. Ten servers stay below 200; PostgreSQL's default limit for all its
/// clients is 100.
const CONNECTIONS_MAX: u32 = 16;
/// Write transactions of one server at once. Half of the connections stay free for what a writer
/// still has to read, so that writers cannot wait for each other's connections.
const WRITERS_MAX: usize = CONNECTIONS_MAX as usize / 2;
/// Longest wait for a database that does not answer when it is opened.
const CONNECT_MAX: Duration = Duration::from_secs(10);

/// The settings of each connection. A commit is acknowledged after it is on the disk, also where
/// the server's default is otherwise, and where it is stricter it stays so. Whoever waits for a
/// lock gives up before a client would; the locks of a server that was cut off from the network go
/// after a minute. PostgreSQL plans as if texts that are stored apart cost nothing to read, and
/// would read all of them rather than the index, so it goes through a table only where there is no
/// other way. Compiling a statement, or sharing it out among processes, takes longer than running
/// it.
const SESSION: &str = "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'; \
     SET lock_timeout = '30s'; SET idle_in_transaction_session_timeout = '60s'; SET client_min_messages = 'warning'; \
     SET max_parallel_workers_per_gather = 0; SET enable_seqscan = off; SET jit = off;";

impl Database {
    /// Opens a PostgreSQL database and brings its schema up to date. Servers that do so at the same
    /// time wait for each other.
    pub(crate) async fn open_postgres(url: &PostgresUrl) -> Result<Self, RegistryError> {
        install_drivers();
        let failed = |source| RegistryError::OpenDatabase {
            url: url.to_string(),
            source,
        };
        open_once(url).await.map_err(failed)?;
        let pool = pool(SESSION, CONNECTIONS_MAX)
            .connect(url.expose())
            .await
            .map_err(failed)?;
        POSTGRES.run(&pool).await.map_err(RegistryError::Migrate)?;
        let versions = VersionWatch::start(Engine::Postgres, url.expose().to_owned(), SESSION);
        Ok(Self::new(pool, Engine::Postgres, versions, WRITERS_MAX))
    }
}

/// Connects once and closes, so that what is wrong is said at once: a pool tries for half a minute
/// and then cannot say why it failed.
async fn open_once(url: &PostgresUrl) -> Result<(), sqlx::Error> {
    let opening = async {
        let mut connection = AnyConnection::connect(url.expose()).await?;
        connection.execute(SESSION).await?;
        connection.close().await
    };
    tokio::time::timeout(CONNECT_MAX, opening)
        .await
        .unwrap_or_else(|_| {
            let silent = std::io::Error::new(
                std::io::ErrorKind::TimedOut,
                format!("no answer within {} seconds", CONNECT_MAX.as_secs()),
            );
            Err(sqlx::Error::Io(silent))
        })
}
