//! The garbage collection of the store, and the check of all its files against their digests.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use tool_hub_manifest::{Digest, Pin};

use super::blob::{digest_of, move_away};
use super::directories::entries;
use super::lock::{ExclusiveLock, remove_incoming};
use super::{Store, StoreError};

/// The results of a cleaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SweepReport {
    /// The number of files.
    pub files: u64,
    /// The number of their bytes.
    pub bytes: u64,
}

/// The results of a check of the whole store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreReport {
    /// The number of files that were hashed, damaged ones included.
    pub files: u64,
    /// The number of their bytes.
    pub bytes: u64,
    /// The files whose bytes are not what their name says. They were set aside.
    pub damaged: Vec<DamagedBlob>,
}

/// A file whose bytes are not what its name says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DamagedBlob {
    /// The digest that names it.
    pub digest: Digest,
    /// The digest of its bytes; none when it is larger than anything that the store keeps,
    /// and was not read.
    pub actual: Option<Digest>,
    /// The path it was moved to.
    pub moved_to: PathBuf,
}

impl Store {
    /// Removes every file that no pin in `keep` names, nor a manifest of theirs, and that was
    /// neither written nor pulled again within the last `spare_younger_than`: a tool may have been
    /// pulled whose approval is still being thought about. Also removes what was set aside as
    /// damaged.
    ///
    /// Waits for pulls and writes under way, here and in other processes, and holds new ones
    /// off, so that it cannot remove what is being written.
    ///
    /// # Errors
    /// [`StoreError::Busy`] when writes under way do not end within 15 s, and when a file
    /// cannot be removed.
    pub fn gc(
        &self,
        keep: &[Pin],
        spare_younger_than: Duration,
    ) -> Result<SweepReport, StoreError> {
        let _alone = ExclusiveLock::take(&self.layout)?;
        remove_incoming(&self.layout)?;
        let keep: HashSet<Digest> = keep
            .iter()
            .flat_map(|pin| {
                let beside = self.digests_beside(pin.manifest);
                [pin.manifest, pin.component].into_iter().chain(beside)
            })
            .collect();
        let now = SystemTime::now();
        let mut freed = SweepReport { files: 0, bytes: 0 };
        for (digest, path) in self.blobs()? {
            if !keep.contains(&digest) && !is_younger(&path, now, spare_younger_than) {
                remove(&path, &mut freed)?;
            }
        }
        self.forget_packages()?;
        for entry in entries(self.layout.damaged())? {
            remove(&entry.path(), &mut freed)?;
        }
        Ok(freed)
    }

    /// Hashes every file. Those that are damaged are set aside, so that the next pull mends
    /// the store.
    ///
    /// # Errors
    /// When a file cannot be read or set aside.
    pub fn verify_all(&self) -> Result<StoreReport, StoreError> {
        let _shared = self.share()?;
        let mut report = StoreReport {
            files: 0,
            bytes: 0,
            damaged: Vec::new(),
        };
        for (digest, path) in self.blobs()? {
            let (actual, bytes) = digest_of(&path)?;
            report.files += 1;
            report.bytes += bytes;
            if actual != Some(digest) {
                report.damaged.push(DamagedBlob {
                    digest,
                    actual,
                    moved_to: move_away(&self.layout, digest)?,
                });
            }
        }
        Ok(report)
    }

    /// Every file that is named by a digest. Anything else in there is not ours and stays.
    fn blobs(&self) -> Result<Vec<(Digest, PathBuf)>, StoreError> {
        let mut blobs = Vec::new();
        for fan in entries(self.layout.blobs())? {
            if !fan.path().is_dir() {
                continue;
            }
            for entry in entries(&fan.path())? {
                let digest = entry
                    .file_name()
                    .to_str()
                    .and_then(|name| name.parse().ok());
                if let Some(digest) = digest
                    && self.layout.blob(digest) == entry.path()
                {
                    blobs.push((digest, entry.path()));
                }
            }
        }
        Ok(blobs)
    }
}

/// A time in the future, after the clock was set back, counts as young.
fn is_younger(path: &Path, now: SystemTime, than: Duration) -> bool {
    match fs::metadata(path).and_then(|found| found.modified()) {
        Ok(modified) => now.duration_since(modified).map_or(true, |age| age < than),
        Err(_) => false,
    }
}

fn remove(path: &Path, freed: &mut SweepReport) -> Result<(), StoreError> {
    let bytes = fs::metadata(path).map_or(0, |found| found.len());
    fs::remove_file(path).map_err(StoreError::io("remove", path))?;
    freed.files += 1;
    freed.bytes += bytes;
    Ok(())
}
