//! The members of a cage's group of processes, as `/proc` shows them.

use std::fs;

/// A process of the group.
pub(super) struct Member {
    pub(super) threads: u64,
    /// Memory that is its own.
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
            let memory = fs::read_to_string(entry.path().join("statm")).ok();
            Some(Member {
                threads,
                memory_bytes: memory.as_deref().and_then(own_memory).unwrap_or(0),
            })
        })
        .collect()
}

/// The number of threads in a line of `stat`, if the process belongs to `group`. The name in it may
/// hold anything, so fields are counted from its closing parenthesis.
fn threads_in(stat: &[u8], group: u32) -> Option<u64> {
    let end = stat.iter().rposition(|byte| *byte == b')')?;
    let rest = std::str::from_utf8(stat.get(end + 1..)?).ok()?;
    let mut fields = rest.split_ascii_whitespace();
    let in_group = fields.nth(2)?.parse() == Ok(group);
    let threads = fields.nth(14)?.parse().ok()?;
    in_group.then_some(threads)
}

/// Resident pages that are not shared, in a line of `statm`.
fn own_memory(statm: &str) -> Option<u64> {
    let mut fields = statm.split_ascii_whitespace().map(str::parse::<u64>);
    let resident = fields.nth(1)?.ok()?;
    let shared = fields.next()?.ok()?;
    let page = u64::try_from(rustix::param::page_size()).ok()?;
    Some(resident.saturating_sub(shared).saturating_mul(page))
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
    fn this_process_is_a_member_of_its_group() {
        let group = rustix::process::getpgrp().as_raw_nonzero().get();
        let members = members(group.unsigned_abs());
        assert!(members.iter().any(|member| member.threads >= 2));
        assert!(members.iter().any(|member| member.memory_bytes > 0));
    }
}
