//! Reads the memory, processor time and children of a process from Linux's `/proc`.

use std::time::Duration;

/// Ticks of `/proc/PID/stat` in a second; every Linux shows a hundred.
const TICKS_PER_SECOND: f64 = 100.0;

/// Memory of a process at this moment, in bytes.
pub(crate) fn resident_bytes(pid: u32) -> u64 {
    status_bytes(pid, "VmRSS:")
}

/// Most memory of a process since it began, or since the last [`forget_peak`], in bytes.
pub(crate) fn peak_resident_bytes(pid: u32) -> u64 {
    status_bytes(pid, "VmHWM:")
}

/// Starts to measure the peak of a process anew.
#[expect(
    clippy::disallowed_methods,
    reason = "a file of the kernel's, which takes the number as a command"
)]
pub(crate) fn forget_peak(pid: u32) {
    std::fs::write(format!("/proc/{pid}/clear_refs"), "5").expect("a process of one's own");
}

fn status_bytes(pid: u32, field: &str) -> u64 {
    let status = read(pid, "status");
    let line = status.lines().find(|line| line.starts_with(field));
    let kibibytes = line.and_then(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok());
    kibibytes.expect("a process has memory") * 1024
}

/// Processor time a process has used, on all cores.
pub(crate) fn processor_time(pid: u32) -> Duration {
    let stat = read(pid, "stat");
    // The name of the program, in parentheses, may hold anything.
    let (_, fields) = stat.rsplit_once(')').expect("a process has a name");
    let ticks: f64 = fields
        .split_whitespace()
        .skip(11)
        .take(2)
        .map(|ticks| ticks.parse::<f64>().expect("a number of ticks"))
        .sum();
    Duration::from_secs_f64(ticks / TICKS_PER_SECOND)
}

/// The processes that a process started.
pub(crate) fn children(pid: u32) -> Vec<u32> {
    let children = read(pid, &format!("task/{pid}/children"));
    let children = children.split_whitespace();
    children.filter_map(|child| child.parse().ok()).collect()
}

fn read(pid: u32, file: &str) -> String {
    std::fs::read_to_string(format!("/proc/{pid}/{file}")).expect("the process runs, on Linux")
}
