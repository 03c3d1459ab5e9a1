//! Whether the database is still the one it was: a number that grows when anybody, in this process or another, has changed something.
//!
//! Both engines can tell cheaply.

mod snapshots;
mod wal_index;

use std::sync::Arc;

pub(super) use snapshots::Snapshots;
pub(super) use wal_index::WalIndex;

/// A state of the database, counted by this process.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Version(u64);

#[cfg(test)]
impl Version {
    pub(super) fn new(number: u64) -> Self {
        Self(number)
    }
}

/// Asks for the version.
#[derive(Clone)]
pub(super) enum Clock {
    Sqlite(Arc<WalIndex>),
    Postgres(Snapshots),
}

impl Clock {
    /// The version at this moment or a later one; `None` when the database does not say.
    pub(super) async fn now(&self) -> Option<Version> {
        match self {
            Self::Sqlite(index) => index.now(),
            Self::Postgres(snapshots) => snapshots.now().await,
        }
    }

    /// Closes the connection.
    pub(super) async fn close(&self) {
        match self {
            Self::Sqlite(index) => index.close().await,
            Self::Postgres(snapshots) => snapshots.close().await,
        }
    }
}

/// What an engine said last, and the number of that.
struct Seen<T> {
    last: Option<T>,
    version: Version,
}

impl<T> Default for Seen<T> {
    fn default() -> Self {
        Self {
            last: None,
            version: Version::default(),
        }
    }
}

impl<T: PartialEq> Seen<T> {
    fn look(&mut self, said: T) -> Version {
        if self.last.as_ref() != Some(&said) {
            self.version.0 += 1;
            self.last = Some(said);
        }
        self.version
    }

    /// What is said next is a new version, whatever it is.
    fn forget(&mut self) {
        self.last = None;
    }
}
