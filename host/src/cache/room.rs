//! How much disk the compiled code takes: what nobody asked for the longest makes room, and
//! what nobody needs is freed.

use std::fs::{self, Metadata};
use std::io;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use tool_hub_manifest::Digest;

use super::{Cache, ENTRY, UNFINISHED};
use crate::{Host, HostError};

/// A file that was not finished within this time never will be: its writer was killed.
const UNFINISHED_AGE_MAX: Duration = Duration::from_secs(3600);

/// What a cleaning removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Trimmed {
    /// How many files.
    pub files: u64,
    /// How many bytes they had.
    pub bytes: u64,
}

impl Host {
    /// Removes the compiled code of every component but those with the digests `keep`, all
    /// code that another version or configuration of the engine made, and what processes
    /// left half written. Code that is in use goes on working: it was read into memory.
    ///
    /// # Errors
    /// [`HostError::Cache`] when the directory cannot be read or a file cannot be removed.
    pub fn trim_cache(&self, keep: &[Digest]) -> Result<Trimmed, HostError> {
        match self.cache() {
            Some(cache) => cache.trim(keep).map_err(|source| HostError::Cache {
                act: "clean the cache directory",
                path: cache.directory.clone(),
                source,
            }),
            None => Ok(Trimmed::default()),
        }
    }
}

/// A file of the cache.
struct Found {
    path: PathBuf,
    metadata: Metadata,
}

impl Cache {
    fn trim(&self, keep: &[Digest]) -> io::Result<Trimmed> {
        let kept: Vec<_> = keep.iter().map(|digest| self.entry(digest).path).collect();
        let mut trimmed = self.remove_unfinished()?;
        for found in self.files(ENTRY)? {
            if !kept.contains(&found.path) {
                trimmed.remove(&found)?;
            }
        }
        Ok(trimmed)
    }

    /// Removes entries until all of them together have at most the bytes that the cache may
    /// have, those that were used least recently first. Whoever uses one of them has it in
    /// memory, and whoever comes later compiles again.
    pub(super) fn make_room(&self) -> io::Result<Trimmed> {
        let mut trimmed = self.remove_unfinished()?;
        let mut entries = self.files(ENTRY)?;
        entries.sort_by_key(Found::used);
        let mut bytes: u64 = entries.iter().map(|entry| entry.metadata.len()).sum();
        for entry in entries {
            if bytes <= self.bytes_max {
                break;
            }
            trimmed.remove(&entry)?;
            bytes -= entry.metadata.len();
        }
        Ok(trimmed)
    }

    fn remove_unfinished(&self) -> io::Result<Trimmed> {
        let mut trimmed = Trimmed::default();
        for found in self.files(UNFINISHED)? {
            let age = SystemTime::now().duration_since(found.used());
            if age.is_ok_and(|age| age > UNFINISHED_AGE_MAX) {
                trimmed.remove(&found)?;
            }
        }
        Ok(trimmed)
    }

    /// The files whose names end with `extension`, but for those that other processes
    /// remove meanwhile.
    fn files(&self, extension: &str) -> io::Result<Vec<Found>> {
        let mut files = Vec::new();
        for entry in fs::read_dir(&self.directory)? {
            let entry = entry?;
            let path = entry.path();
            if path.extension().is_none_or(|found| found != extension) {
                continue;
            }
            match entry.metadata() {
                Ok(metadata) => files.push(Found { path, metadata }),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        Ok(files)
    }
}

impl Found {
    /// When it was used last: an entry says that by the time of its last change.
    fn used(&self) -> SystemTime {
        self.metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH)
    }
}

impl Trimmed {
    /// Removes a file, and counts it unless another process was faster.
    fn remove(&mut self, found: &Found) -> io::Result<()> {
        match fs::remove_file(&found.path) {
            Ok(()) => {
                self.files += 1;
                self.bytes += found.metadata.len();
                Ok(())
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(error),
        }
    }
}
