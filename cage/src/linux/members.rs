//! The members of a cage's group of processes, as `/proc` shows them.

use std::fs;
use std::path::PathBuf;

use rustix::process::Pid;

/// The memory of the processes of `group` that holds no file: their own, and what they share with
/// others, which counts for each.
pub(super) fn memory_bytes(group: Pid) -> u64 {
    processes(group)
        .filter_map(|process| fs::read_to_string(process.join("status")).ok())
        .fold(0, |sum, status| sum.saturating_add(memory_in(&status)))
}

/// True if `group` has more than `max` processes and threads. Processes are counted no further than
/// that, because there may be more and more of them, which leave this one little time.
pub(super) fn has_more_tasks(group: Pid, max: u64) -> bool {
    let max_processes = usize::try_from(max).unwrap_or(usize::MAX);
    let found: Vec<PathBuf> = processes(group)
        .take(max_processes.saturating_add(1))
        .collect();
    if found.len() > max_processes {
        return true;
    }
    let threads: u64 = found
        .iter()
        .filter_map(|process| fs::read_to_string(process.join("status")).ok())
        .map(|status| number_in(&status, "Threads:").unwrap_or(1))
        .sum();
    threads > max
}

/// The directories of the processes of `group`. What ends meanwhile is left out.
fn processes(group: Pid) -> impl Iterator<Item = PathBuf> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(move |entry| {
        let process = entry.file_name().to_str()?.parse().ok()?;
        is_member(process, group).then(|| entry.path())
    })
}

#[expect(
    unsafe_code,
    reason = "the library takes no threads of the kernel, whose group is 0"
)]
fn is_member(process: i32, group: Pid) -> bool {
    // SAFETY: the call takes a number, and changes nothing.
    let found = unsafe { libc::getpgid(process) };
    found == group.as_raw_pid()
}

/// The memory in the lines of `status`, which the kernel writes in kibibytes.
fn memory_in(status: &str) -> u64 {
    ["RssAnon:", "RssShmem:"]
        .into_iter()
        .filter_map(|name| number_in(status, name))
        .fold(0, |sum, kib| sum.saturating_add(kib.saturating_mul(1024)))
}

/// The number in the line of `status` that begins with `name`.
fn number_in(status: &str, name: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_ascii_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_counted_that_is_no_file() {
        let status =
            "Name:\tRssAnon: 1 kB\nRssAnon:\t     100 kB\nRssFile:\t 9 kB\nRssShmem:\t 20 kB\n";
        assert_eq!(memory_in(status), 120 << 10);
        assert_eq!(memory_in(""), 0);
        assert_eq!(
            number_in("Name:\tThreads: 9\nThreads:\t12\n", "Threads:"),
            Some(12)
        );
    }

    #[test]
    fn this_process_is_a_member_of_its_group() {
        let group = rustix::process::getpgrp();
        assert!(has_more_tasks(group, 1));
        assert!(!has_more_tasks(group, u64::MAX));
        assert!(memory_bytes(group) > 0);
    }
}
