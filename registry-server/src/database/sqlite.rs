//! Opens a SQLite database and brings its schema up to date.

use std::path::Path;

use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use sqlx::{AnyConnection, Connection as _, Executor as _};

use super::change_detection::VersionWatch;
use super::connection::{Database, install_drivers, pool};
use super::engine::Engine;
use super::migrations::SQLITE;
use crate::error::RegistryError;

/// Connections kept open; SQLite runs each on a thread of its own.
const CONNECTIONS_MAX: u32 = 8;
/// Write transactions at once: SQLite has one writer.
const WRITERS_MAX: usize = 1;

/// `cache_size` gives each connection 8 MiB of pages: enough for the inner pages of a large index.
/// All connections together leave room in 256 MiB for requests; other pages are in the system's
/// cache.
const PRAGMAS: &str = "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; \
     PRAGMA busy_timeout = 30000; PRAGMA temp_store = MEMORY; PRAGMA journal_size_limit = 67108864; PRAGMA cache_size = -8192;";

/// Characters with a meaning in a database address.
const URL_PATH: &AsciiSet = &CONTROLS.add(b' ').add(b'?').add(b'#').add(b'%');

impl Database {
    /// Opens or makes the SQLite database at `path` and brings its schema up to date.
    pub(crate) async fn open_sqlite(path: &Path) -> Result<Self, RegistryError> {
        install_drivers();
        let url = format!(
            "sqlite://{}?mode=rwc",
            utf8_percent_encode(&path.to_string_lossy(), URL_PATH)
        );
        let failed = |source| RegistryError::OpenDatabase {
            url: url.clone(),
            source,
        };
        open_once(&url).await.map_err(failed)?;
        let pool = pool(PRAGMAS, CONNECTIONS_MAX)
            // A connection to a file does not break while nobody looks.
            .test_before_acquire(false)
            .connect(&url)
            .await
            .map_err(failed)?;
        SQLITE.run(&pool).await.map_err(RegistryError::Migrate)?;
        let versions = VersionWatch::start(Engine::Sqlite, url, PRAGMAS);
        Ok(Self::new(pool, Engine::Sqlite, versions, WRITERS_MAX))
    }
}

/// Connects once and closes, so that what is wrong is said at once: a pool tries for half a minute
/// and then cannot say why it failed.
async fn open_once(url: &str) -> Result<(), sqlx::Error> {
    let mut connection = AnyConnection::connect(url).await?;
    connection.execute(PRAGMAS).await?;
    connection.close().await
}
