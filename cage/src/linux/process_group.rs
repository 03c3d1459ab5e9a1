//! The `ProcessGroup` of a cage, by a descriptor of its first process, which stands for no other.

use std::os::fd::{AsRawFd as _, OwnedFd};

use rustix::process::Pid;

/// The group that the program's process leads, and that nobody leaves.
pub(super) struct ProcessGroup {
    number: Pid,
    leader: OwnedFd,
}

impl ProcessGroup {
    /// The group of the process `number`, which `leader` stands for.
    pub(super) fn of(number: Pid, leader: OwnedFd) -> Self {
        Self { number, leader }
    }

    /// Its number, which may be another group's once this one has ended.
    pub(super) fn number(&self) -> Pid {
        self.number
    }

    /// Ends all of it at once: one that is being forked is ended with the one that forks it.
    #[expect(unsafe_code, reason = "the library's call reaches one process")]
    pub(super) fn kill(&self) {
        // Since Linux 6.9.
        const PROCESS_GROUP: u32 = 4;
        // SAFETY: the call takes numbers, and a pointer that may be null.
        let _ = unsafe {
            libc::syscall(
                libc::SYS_pidfd_send_signal,
                self.leader.as_raw_fd(),
                libc::SIGKILL,
                std::ptr::null::<libc::siginfo_t>(),
                PROCESS_GROUP,
            )
        };
    }
}
