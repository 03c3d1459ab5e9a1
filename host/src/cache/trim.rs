//! Freeing the disk of compiled code that nobody needs.

use std::fs;
use std::io;
use std::path::Path;

use tool_hub_manifest::Digest;

use super::Cache;
use crate::{Host, HostError};

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
    /// Removes the compiled code of every component but those with the digests `keep`, and
    /// all code that another version or configuration of the engine made. Code that is in
    /// use goes on working: it was read into memory.
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

impl Cache {
    fn trim(&self, keep: &[Digest]) -> io::Result<Trimmed> {
        let kept: Vec<_> = keep.iter().map(|digest| self.entry(digest).path).collect();
        let mut trimmed = Trimmed::default();
        for entry in fs::read_dir(&self.directory)? {
            let path = entry?.path();
            if path.extension().is_none_or(|extension| extension != "code") || kept.contains(&path)
            {
                continue;
            }
            if let Some(bytes) = remove(&path)? {
                trimmed.files += 1;
                trimmed.bytes += bytes;
            }
        }
        Ok(trimmed)
    }
}

/// Removes a file and gives its size; nothing when another process was faster.
fn remove(path: &Path) -> io::Result<Option<u64>> {
    let removed = fs::metadata(path).and_then(|metadata| {
        fs::remove_file(path)?;
        Ok(metadata.len())
    });
    match removed {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}
