//! Watches what the kernel does not limit: memory of all processes, private files, and tasks.
//! Tasks only where the kernel does not count them.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::Pid;

use crate::limits::CageLimits;
use crate::linux::members::{has_more_tasks, memory_bytes};

/// At most so many private files are looked at, which more of them than that exceed.
const ENTRIES_MAX: usize = 200_000;

/// The interval at which tasks are counted, and the part of the time that counting takes at most on
/// a machine with many processes.
const COUNT: Duration = Duration::from_millis(100);
const COUNTING_PART: u32 = 20;

/// Counts the tasks of `group` until it has more than `max`, and returns true then, or until it
/// `is_over`.
pub(super) fn has_too_many_tasks(group: Pid, max: u64, is_over: impl Fn() -> bool) -> bool {
    while !is_over() {
        let begun = Instant::now();
        if has_more_tasks(group, max) {
            return true;
        }
        thread::sleep(COUNT.max(begun.elapsed() * COUNTING_PART));
    }
    false
}

/// The limit that the cage of `group` exceeds, and its value.
pub(super) fn exceeded(
    group: Pid,
    scratch: &Path,
    limits: &CageLimits,
) -> Option<(&'static str, u64)> {
    if memory_bytes(group) > limits.memory_bytes_total {
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
