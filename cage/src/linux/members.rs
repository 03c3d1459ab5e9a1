//! The members of a cage's group of processes, as `/proc` shows them.

use std::fs;

/// A process of the group.
pub(super) struct Member {
    pub(super) threads: u64,
    /// Memory that holds no file: its own, and what it shares with others, which counts for each.
    pub(super) memory_bytes: u64,
}

/// The processes of `group`. What ends meanwhile is left out.
pub(super) fn members(group: u32) -> Vec<Member> {
    let Ok(entries) = fs::read_dir("/proc") else {
        return Vec::new();
    };
    let processes = entries.flatten().filter(|entry| {
        let name = entry.file_name();
        name.as_encoded_bytes().iter().all(u8::is_ascii_digit)
    });
    processes
        .filter_map(|entry| {
            let stat = fs::read(entry.path().join("stat")).ok()?;
            let threads = threads_in(&stat, group)?;
            let status = fs::read_to_string(entry.path().join("status")).ok();
            Some(Member {
                threads,
                memory_bytes: status.as_deref().map_or(0, memory_in),
            })
        })
        .collect()
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
        let members = members(group.unsigned_abs());
        assert!(members.iter().any(|member| member.threads >= 2));
        assert!(members.iter().any(|member| member.memory_bytes > 0));
    }
}
