//! Reads this process's memory, threads and descriptors from `/proc`, to measure an attack.

use std::fs;
use std::time::{Duration, Instant};

/// Begins to watch for the highest resident memory, and returns the present one, in bytes.
pub(crate) fn begin_peak() -> u64 {
    fs::write("/proc/self/clear_refs", "5").expect("a peak that can be measured");
    status("VmRSS:")
}

/// The highest resident memory since [`begin_peak`], in bytes.
pub(crate) fn peak() -> u64 {
    status("VmHWM:")
}

/// The resident memory, in bytes.
pub(crate) fn resident() -> u64 {
    status("VmRSS:")
}

pub(crate) fn threads() -> usize {
    fs::read_dir("/proc/self/task").unwrap().count()
}

pub(crate) fn descriptors() -> usize {
    fs::read_dir("/proc/self/fd").unwrap().count()
}

/// The value of `count` after it has had time to fall to `expected`.
pub(crate) fn settle(count: impl Fn() -> usize, expected: usize) -> usize {
    let begun = Instant::now();
    while count() > expected && begun.elapsed() < Duration::from_secs(1) {
        // The system tells nobody when a thread or a descriptor of a process is gone.
        std::thread::sleep(Duration::from_millis(10));
    }
    count()
}

fn status(field: &str) -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with(field));
    let kib = line.and_then(|line| line.split_whitespace().nth(1));
    kib.unwrap().parse::<u64>().unwrap() << 10
}
