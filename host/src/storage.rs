//! The `Storage` of a tool: buckets of keys and values in a SQLite database of its own.
//! A change is there as a whole or not at all, whatever process dies when, and several processes
//! may use it at once.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, OptionalExtension as _, Transaction, TransactionBehavior};
use tool_hub_manifest::{Digest, RepoId};

/// The time that an operation waits for another process.
const WAIT: Duration = Duration::from_secs(5);
/// The longest name of a bucket and the longest key.
const NAME_BYTES_MAX: usize = 1 << 10;
/// The number of keys of a page.
const PAGE_KEYS_MAX: i64 = 1_000;
/// The bytes that each entry counts beyond its bucket, key and value, so that their number is
/// bounded.
const ENTRY_BYTES: usize = 64;

/// The layout of the database. Triggers keep the sum of what is in it.
const LAYOUT: &str = "
    CREATE TABLE entries (
        id INTEGER PRIMARY KEY,
        bucket TEXT NOT NULL,
        key TEXT NOT NULL,
        value BLOB NOT NULL,
        bytes INTEGER NOT NULL,
        UNIQUE (bucket, key)
    ) STRICT;
    CREATE TABLE usage (bytes INTEGER NOT NULL) STRICT;
    INSERT INTO usage VALUES (0);
    CREATE TRIGGER added AFTER INSERT ON entries BEGIN
        UPDATE usage SET bytes = bytes + new.bytes;
    END;
    CREATE TRIGGER removed AFTER DELETE ON entries BEGIN
        UPDATE usage SET bytes = bytes - old.bytes;
    END;
    CREATE TRIGGER changed AFTER UPDATE ON entries BEGIN
        UPDATE usage SET bytes = bytes - old.bytes + new.bytes;
    END;
    PRAGMA user_version = 1;
";
const LAYOUT_VERSION: i64 = 1;

/// The storage of one tool, which the guest reaches through `wasi:keyvalue`. Whoever makes
/// it decides which tool it belongs to: a tool finds there whatever was kept under the same
/// path. Cloning is cheap; clones share it.
///
/// Nothing is opened or made before a tool uses it. How much may be kept is
/// [`Limits::storage_bytes`](tool_hub_manifest::Limits).
#[derive(Clone)]
pub struct Storage(Arc<Database>);

struct Database {
    path: Option<PathBuf>,
    connection: Mutex<Option<Connection>>,
}

/// The reason why an operation failed, in words for the guest.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StorageError {
    #[error("the storage is full: it keeps at most {max} bytes (limit storage_bytes = {max})")]
    Full { max: u64 },
    #[error("more is asked for at once than {max} bytes (limit storage_bytes = {max})")]
    TooMuch { max: u64 },
    #[error("the name has {length} bytes, at most {NAME_BYTES_MAX} are kept")]
    LongName { length: usize },
    #[error("the value of the key is not a number")]
    NotANumber,
    #[error("the sum is larger than a number may be")]
    Overflow,
    #[error("the storage cannot be used at present")]
    Database(#[from] rusqlite::Error),
}

type Result<T> = std::result::Result<T, StorageError>;

/// A key and its value.
pub(crate) type Entry = (String, Vec<u8>);
/// A page of keys, and where the next one begins.
pub(crate) type Page = (Vec<String>, Option<u64>);

impl Storage {
    /// A storage that is gone with its last clone.
    pub fn in_memory() -> Self {
        Self::of(None)
    }

    /// The storage in the SQLite database at `path`, which is made when a tool first uses it,
    /// with the directory that it is in, readable by nobody but its owner. It stands between
    /// SQLite's own files of that name with `-wal` and `-shm` after it.
    pub fn in_file(path: impl Into<PathBuf>) -> Self {
        Self::of(Some(path.into()))
    }

    /// The storage of the dependency from `repo` of a tool that has this one: what a tool keeps
    /// when another calls it, nobody else reads.
    #[must_use]
    pub fn of_dependency(&self, repo: &RepoId) -> Self {
        let Some(path) = &self.0.path else {
            return Self::in_memory();
        };
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let digest = Digest::of(format!("dependency\0{name}\0{repo}").as_bytes());
        Self::in_file(path.with_file_name(format!("{}.sqlite3", digest.hex())))
    }

    /// Deletes what is kept in the file, and tells whether there was any. Tools that have it open
    /// lose what they store after this once they close it.
    ///
    /// # Errors
    /// When there is a file and it cannot be deleted.
    pub fn delete(&self) -> io::Result<bool> {
        let Some(path) = &self.0.path else {
            return Ok(false);
        };
        let mut existed = false;
        for suffix in ["", "-wal", "-shm"] {
            let mut file = path.clone().into_os_string();
            file.push(suffix);
            match std::fs::remove_file(file) {
                Ok(()) => existed = true,
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        Ok(existed)
    }

    fn of(path: Option<PathBuf>) -> Self {
        Self(Arc::new(Database {
            path,
            connection: Mutex::default(),
        }))
    }

    /// Runs `operation` on a thread that may wait for the disk.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        operation: impl FnOnce(&mut OpenStorage<'_>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let shared = self.0.clone();
        let run = move || shared.run(operation);
        let done = tokio::task::spawn_blocking(run).await;
        let done = done.unwrap_or_else(|_| Err(rusqlite::Error::InvalidQuery.into()));
        if let Err(StorageError::Database(error)) = &done {
            tracing::warn!(path = ?self.0.path, %error, "a tool's storage failed");
        }
        done
    }
}

impl fmt::Debug for Storage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Storage")
            .field("path", &self.0.path)
            .finish_non_exhaustive()
    }
}

impl Database {
    fn run<T>(&self, operation: impl FnOnce(&mut OpenStorage<'_>) -> Result<T>) -> Result<T> {
        let mut slot = self
            .connection
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let connection = match &mut *slot {
            Some(connection) => connection,
            empty => empty.insert(open(self.path.as_deref())?),
        };
        operation(&mut OpenStorage(connection))
    }
}

fn open(path: Option<&Path>) -> Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_CREATE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let mut connection = match path {
        None => Connection::open_in_memory()?,
        Some(path) => Connection::open_with_flags(private_place(path), flags)?,
    };
    connection.busy_timeout(WAIT)?;
    connection.pragma_update(None, "trusted_schema", false)?;
    connection.pragma_update(None, "journal_mode", "wal")?;
    connection.pragma_update(None, "synchronous", "normal")?;
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let version: i64 = transaction.pragma_query_value(None, "user_version", |row| row.get(0))?;
    if version < LAYOUT_VERSION {
        transaction.execute_batch(LAYOUT)?;
    }
    transaction.commit()?;
    Ok(connection)
}

/// The file's path in the directory as it really is, because SQLite was told to follow no
/// link and means the whole path; the directory is made when it is missing. Where this fails,
/// opening the database says why.
fn private_place(file: &Path) -> PathBuf {
    let (Some(directory), Some(name)) = (file.parent(), file.file_name()) else {
        return file.to_owned();
    };
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    let _ = builder.create(directory);
    let real = directory.canonicalize();
    real.map_or_else(|_| file.to_owned(), |directory| directory.join(name))
}

/// The open storage.
pub(crate) struct OpenStorage<'a>(&'a mut Connection);

impl OpenStorage<'_> {
    /// The value of `key`.
    pub(crate) fn get(&self, bucket: &str, key: &str) -> Result<Option<Vec<u8>>> {
        get(self.0, bucket, key)
    }

    /// The values of `keys`, which may name one key many times: `max` bounds their sum.
    pub(crate) fn get_many(
        &self,
        bucket: &str,
        keys: Vec<String>,
        max: u64,
    ) -> Result<Vec<Option<Entry>>> {
        let mut left = max;
        let mut values = Vec::new();
        for key in keys {
            let value = get(self.0, bucket, &key)?;
            let bytes = value.as_ref().map_or(0, Vec::len) + key.len() + ENTRY_BYTES;
            left = left
                .checked_sub(bytes as u64)
                .ok_or(StorageError::TooMuch { max })?;
            values.push(value.map(|value| (key, value)));
        }
        Ok(values)
    }

    /// True if `key` has a value.
    pub(crate) fn exists(&self, bucket: &str, key: &str) -> Result<bool> {
        let mut statement = self
            .0
            .prepare_cached("SELECT 1 FROM entries WHERE bucket = ?1 AND key = ?2")?;
        Ok(statement.exists((bucket, key))?)
    }

    /// A page of keys, the first or the one that begins at `cursor`.
    pub(crate) fn keys(&self, bucket: &str, cursor: Option<u64>) -> Result<Page> {
        let after = i64::try_from(cursor.unwrap_or(0)).unwrap_or(i64::MAX);
        let mut statement = self.0.prepare_cached(
            "SELECT id, key FROM entries WHERE bucket = ?1 AND id > ?2 ORDER BY id LIMIT ?3",
        )?;
        let rows = statement.query_map((bucket, after, PAGE_KEYS_MAX), |row| {
            Ok((row.get::<_, i64>(0)?, row.get(1)?))
        })?;
        let rows = rows.collect::<rusqlite::Result<Vec<(i64, String)>>>()?;
        let is_full = rows.len() as i64 == PAGE_KEYS_MAX;
        let last = rows.last().and_then(|(id, _)| u64::try_from(*id).ok());
        let keys = rows.into_iter().map(|(_, key)| key).collect();
        Ok((keys, last.filter(|_| is_full)))
    }

    /// Gives every key its value, or none of them where that would be more than `max`.
    pub(crate) fn set(&mut self, bucket: &str, entries: &[Entry], max: u64) -> Result<()> {
        let transaction = self.write()?;
        for (key, value) in entries {
            set(&transaction, bucket, key, value)?;
        }
        commit(transaction, max)
    }

    /// Removes those of `keys` that exist, with their values.
    pub(crate) fn delete(&mut self, bucket: &str, keys: &[String]) -> Result<()> {
        let transaction = self.write()?;
        for key in keys {
            let delete = "DELETE FROM entries WHERE bucket = ?1 AND key = ?2";
            transaction.prepare_cached(delete)?.execute((bucket, key))?;
        }
        Ok(transaction.commit()?)
    }

    /// Adds `delta` to the number at `key`.
    pub(crate) fn increment(
        &mut self,
        bucket: &str,
        key: &str,
        delta: u64,
        max: u64,
    ) -> Result<u64> {
        let transaction = self.write()?;
        let before = match get(&transaction, bucket, key)? {
            Some(value) => number(&value).ok_or(StorageError::NotANumber)?,
            None => 0,
        };
        let sum = before.checked_add(delta).ok_or(StorageError::Overflow)?;
        set(&transaction, bucket, key, sum.to_string().as_bytes())?;
        commit(transaction, max)?;
        Ok(sum)
    }

    fn write(&mut self) -> Result<Transaction<'_>> {
        let behavior = TransactionBehavior::Immediate;
        Ok(self.0.transaction_with_behavior(behavior)?)
    }
}

fn get(connection: &Connection, bucket: &str, key: &str) -> Result<Option<Vec<u8>>> {
    let mut statement =
        connection.prepare_cached("SELECT value FROM entries WHERE bucket = ?1 AND key = ?2")?;
    Ok(statement
        .query_row((bucket, key), |row| row.get(0))
        .optional()?)
}

fn set(transaction: &Transaction<'_>, bucket: &str, key: &str, value: &[u8]) -> Result<()> {
    check_name(bucket)?;
    check_name(key)?;
    let bytes = bucket.len() + key.len() + value.len() + ENTRY_BYTES;
    let mut statement = transaction.prepare_cached(
        "INSERT INTO entries (bucket, key, value, bytes) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT (bucket, key) DO UPDATE SET value = excluded.value, bytes = excluded.bytes",
    )?;
    statement.execute((bucket, key, value, bytes as i64))?;
    Ok(())
}

/// Commits the changes, unless the storage would then hold more than `max` bytes.
fn commit(transaction: Transaction<'_>, max: u64) -> Result<()> {
    let bytes: i64 = transaction
        .prepare_cached("SELECT bytes FROM usage")?
        .query_row((), |row| row.get(0))?;
    if u64::try_from(bytes).unwrap_or(0) > max {
        return Err(StorageError::Full { max });
    }
    Ok(transaction.commit()?)
}

pub(crate) fn check_name(name: &str) -> Result<()> {
    let length = name.len();
    if length <= NAME_BYTES_MAX {
        Ok(())
    } else {
        Err(StorageError::LongName { length })
    }
}

fn number(value: &[u8]) -> Option<u64> {
    std::str::from_utf8(value).ok()?.parse().ok()
}

#[cfg(test)]
mod tests;
