//! The metadata database: all SQL lives in this module and its children.
//!
//! The statements keep to what SQLite and PostgreSQL share (`$1` placeholders, `ON CONFLICT`, `RETURNING`, integers for truth values and
//! times) and run through sqlx's `Any` driver, so that the engine is chosen by the address and not by the code. Only opening and the
//! beginning of a write differ.

pub(crate) mod accounts;
mod aliases;
pub(crate) mod commits;
pub(crate) mod contents;
pub(crate) mod counts;
pub(crate) mod discussions;
pub(crate) mod export;
pub(crate) mod fulltext;
mod heads;
pub(crate) mod holdings;
mod lineage;
pub(crate) mod listings;
pub(crate) mod objects;
mod postgres;
pub(crate) mod published;
mod query_cache;
pub(crate) mod quotas;
pub(crate) mod references;
pub(crate) mod repositories;
pub(crate) mod search;
pub(crate) mod tables;
pub(crate) mod tokens;
pub(crate) mod tools;
mod trouble;
pub(crate) mod uploads;
pub(crate) mod version;
mod visibility;
mod words;
mod writing;

use std::path::Path;
use std::sync::Arc;
use std::sync::Once;

use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use sqlx::any::{AnyArguments, AnyPoolOptions, AnyRow};
use sqlx::migrate::Migrator;
use sqlx::query::QueryAs;
use sqlx::{Any, AnyConnection, AnyPool, AssertSqlSafe, Connection as _, Executor as _, FromRow};
use tokio::sync::Semaphore;

pub(crate) use trouble::Trouble;
pub(crate) use writing::Writing;

use query_cache::QueryCache;
use version::VersionWatch;

use crate::error::RegistryError;

/// Connections kept open; SQLite runs each on a thread of its own.
const CONNECTIONS_MAX: u32 = 8;
/// Write transactions at once: SQLite has one writer.
const SQLITE_WRITERS_MAX: usize = 1;
/// Rows asked for by one `IN (…)`; below SQLite's and PostgreSQL's limits on parameters.
pub(crate) const BATCH_MAX: usize = 500;

static MIGRATIONS: Migrator = sqlx::migrate!("./migrations/sqlite");

/// `cache_size` gives each connection 8 MiB of pages: enough for the inner pages of a large index.
/// All connections together leave room in 256 MiB for requests; other pages are in the system's
/// cache.
const SQLITE_PRAGMAS: &str = "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; \
     PRAGMA busy_timeout = 30000; PRAGMA temp_store = MEMORY; PRAGMA journal_size_limit = 67108864; PRAGMA cache_size = -8192;";

/// Characters with a meaning in a database address.
const URL_PATH: &AsciiSet = &CONTROLS.add(b' ').add(b'?').add(b'#').add(b'%');

/// The open metadata database.
#[derive(Clone)]
pub(crate) struct Database {
    pool: AnyPool,
    engine: Engine,
    /// Who may write. Waiting in this fair queue beats polling SQLite's lock, which only other processes are waited for with.
    writers: Arc<Semaphore>,
    versions: VersionWatch,
    cache: Arc<QueryCache>,
}

/// Which database answers, and so which statements it understands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Engine {
    Sqlite,
    Postgres,
}

impl Engine {
    /// How a write transaction begins.
    fn begin(self) -> &'static str {
        match self {
            // A deferred transaction that reads first and writes later fails with "busy" as soon as another process wrote in between.
            Self::Sqlite => "BEGIN IMMEDIATE",
            // Each statement sees what was committed before it, so that whoever waited for a lock sees what was done meanwhile.
            Self::Postgres => "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE",
        }
    }

    /// How a reading transaction begins that sees the database as it was at its first question, whatever is written meanwhile.
    fn begin_snapshot(self) -> &'static str {
        match self {
            Self::Sqlite => "BEGIN DEFERRED",
            Self::Postgres => "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
        }
    }

    /// Ends a question for rows that nobody may change until the transaction has ended. SQLite's writer is alone anyway.
    fn share_rows(self) -> &'static str {
        match self {
            Self::Sqlite => "",
            Self::Postgres => "FOR SHARE",
        }
    }

    /// Ends a question for rows that nobody else may lock until the transaction has ended.
    fn lock_rows(self) -> &'static str {
        match self {
            Self::Sqlite => "",
            Self::Postgres => "FOR UPDATE",
        }
    }

    /// Finds a repository and keeps all other writers to it out.
    fn lock_repository(self) -> &'static str {
        match self {
            Self::Sqlite => "SELECT id FROM repositories WHERE id = $1",
            Self::Postgres => "SELECT id FROM repositories WHERE id = $1 FOR UPDATE",
        }
    }
}

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
        let pool = pool(SQLITE_PRAGMAS, CONNECTIONS_MAX)
            // A connection to a file does not break while nobody looks.
            .test_before_acquire(false)
            .connect(&url)
            .await
            .map_err(failed)?;
        MIGRATIONS
            .run(&pool)
            .await
            .map_err(RegistryError::Migrate)?;
        let versions = VersionWatch::start(Engine::Sqlite, url, SQLITE_PRAGMAS);
        Ok(Self::new(
            pool,
            Engine::Sqlite,
            versions,
            SQLITE_WRITERS_MAX,
        ))
    }

    fn new(pool: AnyPool, engine: Engine, versions: VersionWatch, writers_max: usize) -> Self {
        Self {
            pool,
            engine,
            versions,
            cache: Arc::default(),
            writers: Arc::new(Semaphore::new(writers_max)),
        }
    }

    /// Whether the database answers.
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

fn install_drivers() {
    static DRIVERS: Once = Once::new();
    DRIVERS.call_once(sqlx::any::install_default_drivers);
}

/// How to make a pool of connections, each set up with `session` first.
fn pool(session: &'static str, connections_max: u32) -> AnyPoolOptions {
    AnyPoolOptions::new()
        .max_connections(connections_max)
        .after_connect(move |connection, _| {
            Box::pin(async move { connection.execute(session).await.map(|_| ()) })
        })
        // A server ends a transaction itself: SQLite when the disk is full, PostgreSQL when it takes too long. The driver's rollback then
        // fails, so it counts the transaction as open for ever and begins no other; such a connection is closed here and another one
        // takes its place.
        .before_acquire(|connection, _| {
            Box::pin(async move { Ok(!connection.is_in_transaction()) })
        })
}

/// Opens and closes. A pool goes on trying for half a minute what fails here at once, and then cannot say why.
async fn open_once(url: &str) -> Result<(), sqlx::Error> {
    let mut connection = AnyConnection::connect(url).await?;
    connection.execute(SQLITE_PRAGMAS).await?;
    connection.close().await
}

/// A question for rows of `T`: its columns and their table, and what stands after them.
fn select<'q, T>(columns: &'static str, rest: &'static str) -> QueryAs<'q, Any, T, AnyArguments>
where
    T: for<'r> FromRow<'r, AnyRow>,
{
    sqlx::query_as(AssertSqlSafe(format!("SELECT {columns} {rest}")))
}

/// `$first, $first+1, …` for an `IN (…)` of `count` values.
pub(crate) fn placeholders(first: usize, count: usize) -> String {
    let mut text = String::with_capacity(count * 5);
    for index in first..first + count {
        if !text.is_empty() {
            text.push(',');
        }
        text.push('$');
        text.push_str(&index.to_string());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_engines_have_the_same_migrations() {
        let steps = |migrations: &Migrator| -> Vec<(i64, String)> {
            migrations
                .iter()
                .map(|step| (step.version, step.description.to_string()))
                .collect()
        };
        assert_eq!(steps(&MIGRATIONS), steps(&postgres::MIGRATIONS));
    }
}
