//! Watches what the kernel does not limit: the memory of all processes, and the private files.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use crate::limits::CageLimits;
use crate::linux::members::members;

/// At most so many private files are looked at, which more of them than that exceed.
const ENTRIES_MAX: usize = 200_000;

/// The limit that the cage of `group` exceeds, and its value.
pub(super) fn exceeded(
    group: u32,
    scratch: &Path,
    limits: &CageLimits,
) -> Option<(&'static str, u64)> {
    let memory: u64 = members(group).iter().map(|it| it.memory_bytes).sum();
    if memory > limits.memory_bytes_total {
        return Some(("memory_bytes_total", limits.memory_bytes_total));
    }
    (size(scratch) > limits.scratch_bytes).then_some(("scratch_bytes", limits.scratch_bytes))
}

/// The bytes on the disk below `directory`. What goes away meanwhile is left out.
fn size(directory: &Path) -> u64 {
    let mut bytes = 0_u64;
    let mut entries = 0;
    let mut left: Vec<PathBuf> = vec![directory.to_owned()];
    while let Some(directory) = left.pop() {
        let Ok(found) = fs::read_dir(&directory) else {
            continue;
        };
        for entry in found.flatten() {
            entries += 1;
            if entries > ENTRIES_MAX {
                return u64::MAX;
            }
            // Of the entry itself, never of what a link leads to.
            let Ok(metadata) = entry.metadata() else {
                continue;
            };
            bytes = bytes.saturating_add(metadata.blocks().saturating_mul(512));
            if metadata.is_dir() {
                left.push(entry.path());
            }
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[allow(
        clippy::disallowed_methods,
        reason = "files of a test need not survive a crash"
    )]
    fn links_are_not_followed_and_directories_are() {
        let scratch = tempfile::tempdir().unwrap();
        fs::create_dir(scratch.path().join("inner")).unwrap();
        std::os::unix::fs::symlink("/usr", scratch.path().join("link")).unwrap();
        let before = size(scratch.path());
        fs::write(scratch.path().join("inner/file"), [1; 1 << 16]).unwrap();
        let after = size(scratch.path());
        assert!(before < 1 << 16, "{before}");
        assert!(after >= before + (1 << 16), "{before} {after}");
    }
}
