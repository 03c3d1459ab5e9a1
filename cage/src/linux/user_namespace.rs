//! A user namespace for a cage, in which the kernel counts the tasks of its user apart.
//!
//! The user is in it who is outside of it, and the program's process drops the privileges over it
//! that it gets. So nothing else changes but the names of other users and groups.

use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::os::fd::BorrowedFd;
use std::sync::OnceLock;

use rustix::process::Pid;

use crate::linux::control::{self, kind};
use crate::linux::task_limit::{exit_code, limit, refuses_more};

/// True if a limit on tasks holds in a user namespace. It holds where one may be made, and for
/// everybody but the machine's own root, who may be root of a container. So it is tried, once.
pub(crate) fn bounds_tasks() -> bool {
    static HOLDS: OnceLock<bool> = OnceLock::new();
    *HOLDS.get_or_init(try_in_a_copy)
}

#[expect(
    unsafe_code,
    reason = "a namespace can only be tried by another process"
)]
fn try_in_a_copy() -> bool {
    // SAFETY: the copy makes system calls only, whatever other threads held, and ends with one.
    let copy = unsafe { libc::fork() };
    if copy == 0 {
        let holds = enter().is_ok() && limit(1).is_ok() && refuses_more();
        // SAFETY: ends the copy without anything that this process has still to do.
        unsafe { libc::_exit(i32::from(holds)) };
    }
    let ended = Pid::from_raw(copy).and_then(|copy| exit_code(copy).ok());
    ended == Some(1)
}

/// Enters a new namespace, has the parent map this user and group into it, and limits its tasks.
pub(super) fn enter_with(control: BorrowedFd<'_>, tasks: u64) -> io::Result<()> {
    enter()?;
    let own = rustix::process::getpid().as_raw_nonzero().get();
    let message = [&[kind::NAMESPACE][..], &own.to_le_bytes()].concat();
    control::send(control, &message, &[])?;
    // The launcher, which has the same end, does not read before the program has started.
    let answer = control::receive(control)?;
    if answer.bytes != [kind::NAMESPACE] {
        return Err(io::Error::other("nobody mapped its user"));
    }
    limit(tasks)
}

#[expect(unsafe_code, reason = "no library of the project has this call")]
fn enter() -> io::Result<()> {
    // SAFETY: the call takes a flag, which is about users only.
    match unsafe { libc::unshare(libc::CLONE_NEWUSER) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Maps this user and this group into the namespace of `process`. It is done from outside, because
/// some systems give a process no privileges in its own.
pub(super) fn map(process: u32) -> io::Result<()> {
    let user = rustix::process::geteuid().as_raw();
    let group = rustix::process::getegid().as_raw();
    for (file, text) in [
        ("uid_map", format!("{user} {user} 1")),
        // Without this a group could be left that denies something.
        ("setgroups", "deny".to_owned()),
        ("gid_map", format!("{group} {group} 1")),
    ] {
        let path = format!("/proc/{process}/{file}");
        let mut file = OpenOptions::new().write(true).open(path)?;
        file.write_all(text.as_bytes())?;
    }
    Ok(())
}
