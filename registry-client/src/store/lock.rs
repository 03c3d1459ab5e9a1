//! Locks the store between writers and the garbage collector; removes crashed writers' leftovers.
//!
//! Writers share the lock, which is one file for the whole store; the collector has it alone.
//!
//! The lock belongs to the open file, so it also keeps threads of one process apart, and the
//! system lets go of it when a process dies.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::thread;
use std::time::{Duration, Instant};

use super::StoreError;
use super::directories::entries;
use super::layout::Layout;

/// The time that a writer waits for a collector, and a collector for writers.
const WAIT_MAX: Duration = Duration::from_secs(15);
const POLL: Duration = Duration::from_millis(10);

/// While one is held, nothing is removed from the store.
#[derive(Debug)]
pub(crate) struct SharedLock {
    _file: File,
}

/// While it is held, nothing is written to the store.
#[derive(Debug)]
pub(crate) struct ExclusiveLock {
    _file: File,
}

impl SharedLock {
    pub(crate) fn take(layout: &Layout) -> Result<Self, StoreError> {
        let file = open(layout)?;
        wait(layout, || file.try_lock_shared())?;
        Ok(Self { _file: file })
    }
}

impl ExclusiveLock {
    pub(crate) fn take(layout: &Layout) -> Result<Self, StoreError> {
        let file = open(layout)?;
        wait(layout, || file.try_lock())?;
        Ok(Self { _file: file })
    }
}

/// Removes what crashed writers left in `incoming`, unless somebody is writing right now.
/// Leftovers cost space and nothing else, so that a failure is only logged.
pub(crate) fn sweep_leftovers(layout: &Layout) {
    let nothing_left = entries(layout.incoming()).is_ok_and(|left| left.is_empty());
    if nothing_left {
        return;
    }
    let Ok(file) = open(layout) else { return };
    if file.try_lock().is_ok()
        && let Err(error) = remove_incoming(layout)
    {
        tracing::warn!(%error, "cannot remove what an interrupted write left");
    }
}

/// Removes every file in `incoming`. The caller has the store alone.
pub(crate) fn remove_incoming(layout: &Layout) -> Result<(), StoreError> {
    for entry in entries(layout.incoming())? {
        fs::remove_file(entry.path()).map_err(StoreError::io("remove", entry.path()))?;
    }
    Ok(())
}

fn open(layout: &Layout) -> Result<File, StoreError> {
    let mut options = OpenOptions::new();
    options.create(true).truncate(false).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
        .open(layout.lock())
        .map_err(StoreError::io("open", layout.lock()))
}

/// Polls instead of blocking in the system, because a wait must end.
fn wait(layout: &Layout, attempt: impl Fn() -> Result<(), TryLockError>) -> Result<(), StoreError> {
    let begin = Instant::now();
    loop {
        match attempt() {
            Ok(()) => return Ok(()),
            Err(TryLockError::Error(source)) => {
                return Err(StoreError::io("lock", layout.lock())(source));
            }
            Err(TryLockError::WouldBlock) if begin.elapsed() >= WAIT_MAX => {
                return Err(StoreError::Busy {
                    directory: layout.directory().to_owned(),
                    waited: WAIT_MAX,
                });
            }
            Err(TryLockError::WouldBlock) => thread::sleep(POLL),
        }
    }
}
