//! The members of a cage's group of processes, as `/proc` shows them.

use std::fs::{self, DirEntry};

/// The memory of the processes of `group` that holds no file: their own, and what they share with
/// others, which counts for each.
pub(super) fn memory_bytes(group: u32) -> u64 {
    processes(group)
        .filter_map(|(process, _)| fs::read_to_string(process.path().join("status")).ok())
        .fold(0, |sum, status| sum.saturating_add(memory_in(&status)))
}

/// True if `group` has more than `max` processes and threads. They are counted no further, because
/// they may become more while they are counted.
pub(super) fn has_more_tasks(group: u32, max: u64) -> bool {
    let mut count = 0_u64;
    processes(group).any(|(_, threads)| {
        count = count.saturating_add(threads);
        count > max
    })
}

/// The processes of `group`, and the threads of each. What ends meanwhile is left out.
fn processes(group: u32) -> impl Iterator<Item = (DirEntry, u64)> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(move |entry| {
        let name = entry.file_name();
        let is_process = name.as_encoded_bytes().iter().all(u8::is_ascii_digit);
        let stat = is_process.then(|| fs::read(entry.path().join("stat")).ok())??;
        Some((entry, threads_in(&stat, group)?))
    })
}

/// The number of threads in a line of `stat`, if the process belongs to `group`. The name in it
/// may hold anything, so fields are counted from its closing parenthesis.
fn threads_in(stat: &[u8], group: u32) -> Option<u64> {
    let end = stat.iter().rposition(|byte| *byte == b')')?;
    let rest = std::str::from_utf8(stat.get(end + 1..)?).ok()?;
    let mut fields = rest.split_ascii_whitespace();
    let in_group = fields.nth(2)?.parse() == Ok(group);
    let threads = fields.nth(14)?.parse().ok()?;
    in_group.then_some(threads)
}

/// The memory in the lines of `status`, which the kernel writes in kibibytes.
fn memory_in(status: &str) -> u64 {
    let value = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name))?;
        line.trim().strip_suffix(" kB")?.parse::<u64>().ok()
    };
    ["RssAnon:", "RssShmem:"]
        .into_iter()
        .filter_map(value)
        .fold(0, |sum, kib| sum.saturating_add(kib.saturating_mul(1024)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_parentheses_hides_no_process() {
        let stat = b"7 (a) R 1 9 9) S 1 42 42 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 13 0 99 1 2";
        assert_eq!(threads_in(stat, 42), Some(13));
        assert_eq!(threads_in(stat, 9), None);
        assert_eq!(threads_in(b"", 9), None);
    }

    #[test]
    fn memory_is_counted_that_is_no_file() {
        let status =
            "Name:\tRssAnon: 1 kB\nRssAnon:\t     100 kB\nRssFile:\t 9 kB\nRssShmem:\t 20 kB\n";
        assert_eq!(memory_in(status), 120 << 10);
        assert_eq!(memory_in(""), 0);
    }

    #[test]
    fn this_process_is_a_member_of_its_group() {
        let group = rustix::process::getpgrp().as_raw_nonzero().get();
        let group = group.unsigned_abs();
        assert!(has_more_tasks(group, 1));
        assert!(!has_more_tasks(group, u64::MAX));
        assert!(memory_bytes(group) > 0);
    }
}
