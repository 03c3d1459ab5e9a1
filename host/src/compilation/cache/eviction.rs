//! Removes cache files: entries used least recently, those not on a given list, unfinished ones.

use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// The extension of entries.
pub(super) const ENTRY: &str = "code";
/// The extension of what is being written.
pub(super) const UNFINISHED: &str = "partial";
/// A file that was not finished within this time never will be: its writer was killed.
const UNFINISHED_AGE_MAX: Duration = Duration::from_secs(3600);

/// The files that were removed from the cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct EvictedFiles {
    /// The number of files.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
}

/// A file of the cache.
struct CacheFile {
    path: PathBuf,
    metadata: Metadata,
}

/// Removes all entries in `directory` but those at `kept`, and what was left unfinished.
pub(super) fn trim(directory: &Path, kept: &[PathBuf]) -> io::Result<EvictedFiles> {
    let mut trimmed = remove_unfinished(directory)?;
    for entry in files(directory, ENTRY)? {
        if !kept.contains(&entry.path) {
            trimmed.remove(&entry)?;
        }
    }
    Ok(trimmed)
}

/// Removes entries in `directory` until all of them together have at most `bytes_max`, those that
/// were used least recently first, and what was left unfinished. Whoever uses one of them has it
/// in memory, and whoever comes later compiles again.
pub(super) fn evict(directory: &Path, bytes_max: u64) -> io::Result<EvictedFiles> {
    let mut trimmed = remove_unfinished(directory)?;
    let mut entries = files(directory, ENTRY)?;
    entries.sort_by_key(CacheFile::used);
    let mut bytes: u64 = entries.iter().map(|entry| entry.metadata.len()).sum();
    for entry in entries {
        if bytes <= bytes_max {
            break;
        }
        trimmed.remove(&entry)?;
        bytes -= entry.metadata.len();
    }
    Ok(trimmed)
}

fn remove_unfinished(directory: &Path) -> io::Result<EvictedFiles> {
    let mut trimmed = EvictedFiles::default();
    for file in files(directory, UNFINISHED)? {
        let age = SystemTime::now().duration_since(file.used());
        if age.is_ok_and(|age| age > UNFINISHED_AGE_MAX) {
            trimmed.remove(&file)?;
        }
    }
    Ok(trimmed)
}

/// The files whose names end with `extension`, but for those that other processes remove
/// meanwhile.
fn files(directory: &Path, extension: &str) -> io::Result<Vec<CacheFile>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        let path = entry.path();
        if path.extension().is_none_or(|found| found != extension) {
            continue;
        }
        match entry.metadata() {
            Ok(metadata) => files.push(CacheFile { path, metadata }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    Ok(files)
}

impl CacheFile {
    /// The time of its last use, which is the time of the file's last change.
    fn used(&self) -> SystemTime {
        self.metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH)
    }
}

impl EvictedFiles {
    /// Removes a file, and counts it unless another process was faster.
    fn remove(&mut self, file: &CacheFile) -> io::Result<()> {
        match fs::remove_file(&file.path) {
            Ok(()) => {
                self.files += 1;
                self.bytes += file.metadata.len();
                Ok(())
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(error),
        }
    }
}
