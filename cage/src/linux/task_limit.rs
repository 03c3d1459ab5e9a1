//! The kernel's limit on the tasks of one user, which counts those in a user namespace apart.
//! It is nothing to the machine's own root.

use std::io;

use rustix::io::Errno;
use rustix::process::{Pid, Resource, Rlimit, WaitOptions, getrlimit, setrlimit, waitpid};

/// More tasks than any user has.
const ALL: u64 = 1 << 22;

/// The tasks that a user may start beside a cage that is counted from outside, before the kernel
/// refuses that cage more.
const BESIDE: u64 = 1_024;

/// Limits the tasks of this user to `tasks`, here and in what this process starts.
pub(super) fn limit(tasks: u64) -> io::Result<()> {
    set(Some(tasks), Some(tasks))
}

/// Limits the tasks of this user to those that there are, `tasks`, and room for others. So tasks
/// without end meet a bound, before they are counted.
pub(super) fn limit_beside_others(tasks: u64) -> io::Result<()> {
    let hard = getrlimit(Resource::Nproc).maximum;
    // Nobody says how many there are, as some may be in other containers. So it is tried.
    let is_refused_at = |tasks| set(Some(tasks), hard).is_ok() && refuses_more();
    if !is_refused_at(1) {
        return set(hard, hard);
    }
    let (mut refused, mut allowed) = (1, hard.unwrap_or(ALL).min(ALL));
    while allowed - refused > 1 {
        let middle = refused.midpoint(allowed);
        match is_refused_at(middle) {
            true => refused = middle,
            false => allowed = middle,
        }
    }
    let most = refused.saturating_add(tasks).saturating_add(BESIDE);
    limit(most.min(hard.unwrap_or(ALL)))
}

fn set(current: Option<u64>, maximum: Option<u64>) -> io::Result<()> {
    Ok(setrlimit(Resource::Nproc, Rlimit { current, maximum })?)
}

/// True if the kernel refuses this process another one.
#[expect(unsafe_code, reason = "the library's fork does more than the call")]
pub(super) fn refuses_more() -> bool {
    // SAFETY: a fork without handlers, whose child does nothing but end.
    let child = unsafe { libc::syscall(libc::SYS_clone, libc::SIGCHLD, 0, 0, 0, 0) };
    match i32::try_from(child) {
        // SAFETY: as above.
        Ok(0) => unsafe { libc::_exit(0) },
        Ok(child) if child > 0 => {
            let _ = Pid::from_raw(child).map(exit_code);
            false
        }
        _ => io::Error::last_os_error().raw_os_error() == Some(libc::EAGAIN),
    }
}

/// The code with which the child `process` exits.
pub(super) fn exit_code(process: Pid) -> Result<i32, Errno> {
    loop {
        match waitpid(Some(process), WaitOptions::empty()) {
            Ok(Some((_, status))) => return Ok(status.exit_status().unwrap_or(-1)),
            Ok(None) | Err(Errno::INTR) => {}
            Err(error) => return Err(error),
        }
    }
}
