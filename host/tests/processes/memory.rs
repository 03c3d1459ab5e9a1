//! Reads the resident memory of this process, and its peak since a mark, from `/proc`.

use std::fs;

/// Forgets the peak so far, and gives what is resident at present, in KiB.
pub(crate) fn mark() -> u64 {
    fs::write("/proc/self/clear_refs", "5").unwrap();
    status("VmRSS:")
}

/// The most that was resident since the mark, in KiB.
pub(crate) fn peak() -> u64 {
    status("VmHWM:")
}

fn status(name: &str) -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with(name)).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}
