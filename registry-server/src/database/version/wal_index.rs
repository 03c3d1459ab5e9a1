//! The version of a SQLite database, out of the head of its WAL index.
//!
//! SQLite's readers compare this head with the one they saw last to find out whether anything was committed in between, by whatever
//! process. Reading it here does the same without a statement, and so without waking the thread that a connection has. It is described in
//! SQLite's "WAL-mode File Format": two equal copies of 48 bytes, the first of which is written last.

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use sqlx::{AnyConnection, Connection as _, Executor as _};

use super::{Seen, Version};

/// Bytes of one copy.
const HEAD_BYTES: usize = 48;
/// The version of the format; SQLite has had no other since there is a WAL.
const FORMAT: u32 = 3_007_000;
/// Where a copy says that it is in use.
const IS_INIT: usize = 12;
/// Readings while somebody is writing the head, which takes far less than one.
const READINGS_MAX: usize = 10;

type Head = [u8; HEAD_BYTES];

/// The WAL index of an open database.
pub(in crate::database) struct WalIndex {
    index: File,
    seen: Mutex<Seen<Head>>,
    /// As long as it is open nobody removes the index.
    connection: tokio::sync::Mutex<Option<AnyConnection>>,
}

impl WalIndex {
    pub(in crate::database) async fn open(
        path: &Path,
        url: &str,
        session: &'static str,
    ) -> Result<Self, sqlx::Error> {
        let mut connection = AnyConnection::connect(url).await?;
        connection.execute(session).await?;
        connection
            .execute("SELECT COUNT(*) FROM sqlite_schema")
            .await?;
        let mut name = path.as_os_str().to_owned();
        name.push("-shm");
        let opened = Self {
            index: File::open(name)?,
            seen: Mutex::default(),
            connection: tokio::sync::Mutex::new(Some(connection)),
        };
        Ok(opened)
    }

    pub(super) fn now(&self) -> Option<Version> {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let read = (0..READINGS_MAX).find_map(|_| read(&self.index).transpose());
        match read {
            Some(Ok(head)) => Some(seen.look(head)),
            Some(Err(error)) => {
                tracing::warn!(%error, "the database does not say whether it changed");
                None
            }
            None => None,
        }
    }

    pub(super) async fn close(&self) {
        if let Some(connection) = self.connection.lock().await.take()
            && let Err(error) = connection.close().await
        {
            tracing::debug!(%error, "a connection was not closed in order");
        }
    }
}

/// The head; `None` while it is being written.
fn read(index: &File) -> io::Result<Option<Head>> {
    let mut bytes = [0; 2 * HEAD_BYTES];
    read_from_start(index, &mut bytes)?;
    let (first, second) = bytes.split_at(HEAD_BYTES);
    let Ok(head) = Head::try_from(first) else {
        return Ok(None);
    };
    let is_known = head.starts_with(&FORMAT.to_ne_bytes()) && head[IS_INIT] == 1;
    Ok((is_known && first == second).then_some(head))
}

#[cfg(unix)]
fn read_from_start(file: &File, bytes: &mut [u8]) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, 0)
}

#[cfg(windows)]
fn read_from_start(file: &File, bytes: &mut [u8]) -> io::Result<()> {
    match std::os::windows::fs::FileExt::seek_read(file, bytes, 0)? {
        count if count == bytes.len() => Ok(()),
        _ => Err(io::ErrorKind::UnexpectedEof.into()),
    }
}

#[cfg(test)]
mod tests {
    use crate::database::Database;

    async fn commit(database: &Database, round: u32) {
        let mut writing = database.write().await.unwrap();
        let statement = format!("CREATE TABLE probe{round} (id)");
        let statement = sqlx::query(sqlx::AssertSqlSafe(statement));
        writing.run(statement).await.unwrap();
        writing.commit().await.unwrap();
    }

    #[tokio::test]
    async fn a_version_grows_with_commits_and_with_nothing_else() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("registry.sqlite");
        let database = Database::open_sqlite(&path).await.unwrap();
        let other = Database::open_sqlite(&path).await.unwrap();
        let version = async || database.version().await.unwrap();
        let mut last = version().await;
        for round in 0..50 {
            other.users().await.unwrap();
            drop(other.write().await.unwrap());
            assert_eq!(version().await, last, "nothing was committed");
            let writer = if round % 2 == 0 { &other } else { &database };
            commit(writer, round).await;
            let next = version().await;
            assert!(next > last, "a commit was not seen");
            last = next;
        }
        for database in [&other, &database] {
            sqlx::query("PRAGMA wal_checkpoint(TRUNCATE)")
                .execute(&database.pool)
                .await
                .unwrap();
        }
        let before = version().await;
        commit(&other, 50).await;
        assert!(version().await > before, "not seen after a checkpoint");
    }
}
