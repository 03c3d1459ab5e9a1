//! Has the allocator give memory back after a call whose values took much of it.
//!
//! glibc keeps what was freed between buffers in use, and once a long buffer was freed up to 64 MiB
//! at the end of each of its arenas, for as long as the process runs. A result of 120 MiB would
//! leave most of that behind.

use tool_hub_manifest::contract::{Failure, FailureKind};
use wasmtime::component::Val;

/// The size of values after which memory is given back. That takes milliseconds.
const LONG_BYTES: usize = 8 << 20;

/// Drops the result of a call.
pub(crate) fn drop_value(value: Option<Val>) {
    let is_long = value.as_ref().is_some_and(is_long);
    drop(value);
    if is_long {
        give_back();
    }
}

/// To be called when a call has failed and its store is gone. One that reached the limit of what it
/// may hand to the host handed over as much.
pub(crate) fn after(failure: &Failure) {
    if let FailureKind::HostLimit { limit, .. } = &failure.kind
        && *limit == "transfer_bytes"
    {
        give_back();
    }
}

fn is_long(value: &Val) -> bool {
    let mut room = LONG_BYTES;
    !fits(value, &mut room)
}

/// True if `value` takes no more than `room`, which becomes less. It stops counting where not.
fn fits(value: &Val, room: &mut usize) -> bool {
    let texts = |name: &str| name.len() + size_of::<String>();
    let own = size_of::<Val>()
        + match value {
            Val::String(text) | Val::Enum(text) | Val::Variant(text, _) => text.len(),
            Val::Record(members) => members.iter().map(|(name, _)| texts(name)).sum(),
            Val::Flags(names) => names.iter().map(|name| texts(name)).sum(),
            _ => 0,
        };
    let Some(left) = room.checked_sub(own) else {
        return false;
    };
    *room = left;
    match value {
        Val::List(items) | Val::Tuple(items) | Val::FixedLengthList(items) => {
            items.iter().all(|item| fits(item, room))
        }
        Val::Map(pairs) => pairs
            .iter()
            .all(|(key, value)| fits(key, room) && fits(value, room)),
        Val::Record(members) => members.iter().all(|(_, value)| fits(value, room)),
        Val::Variant(_, value) | Val::Option(value) | Val::Result(Ok(value) | Err(value)) => {
            value.as_ref().is_none_or(|value| fits(value, room))
        }
        _ => true,
    }
}

/// The most that glibc may keep at the end of an arena, in bytes.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const ARENA_END_BYTES: i32 = 1 << 20;

/// Has the ends of arenas given back when they are freed: [`give_back`] reaches only the rest.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(unsafe_code, reason = "the allocator has no other way to be told")]
pub(crate) fn keep_little() {
    // SAFETY: `mallopt` takes two integers and the allocator's lock; any thread may call it.
    let was_set = unsafe { libc::mallopt(libc::M_TRIM_THRESHOLD, ARENA_END_BYTES) };
    tracing::debug!(was_set, "set the end that an arena keeps");
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(crate) fn keep_little() {}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(unsafe_code, reason = "the allocator has no other way to be told")]
fn give_back() {
    // SAFETY: `malloc_trim` takes an integer and the allocator's locks; any thread may call it.
    unsafe { libc::malloc_trim(0) };
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn give_back() {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_long_values_are_long() {
        let text = |bytes| Val::String("x".repeat(bytes));
        assert!(!is_long(&text(LONG_BYTES / 2)));
        assert!(is_long(&text(LONG_BYTES)));
        let list = |count| Val::List(vec![Val::U8(0); count]);
        assert!(!is_long(&list(LONG_BYTES / size_of::<Val>() - 1)));
        assert!(is_long(&Val::Option(Some(Box::new(list(LONG_BYTES / 32))))));
        assert!(is_long(&Val::Tuple(vec![text(LONG_BYTES / 2); 2])));
    }
}
