//! The kernel's questions about a caged program's system calls, and the answers to them.

use std::io;
use std::os::fd::{AsFd, AsRawFd as _, BorrowedFd};

use libc::{seccomp_notif, seccomp_notif_addfd, seccomp_notif_resp};
use rustix::event::{PollFd, PollFlags, Timespec, poll};

/// The operations on a listener, as `linux/seccomp.h` defines them.
const RECEIVE: libc::c_ulong = 0xc050_2100;
const SEND: libc::c_ulong = 0xc018_2101;
const IS_VALID: libc::c_ulong = 0x4008_2102;
const ADD_DESCRIPTOR: libc::c_ulong = 0x4018_2103;
const SET_FLAGS: libc::c_ulong = 0x4008_2104;

/// A system call that waits for an answer.
pub(super) struct Question {
    id: u64,
    /// The thread that makes it.
    pub(super) thread: u32,
    /// Its arguments, as they will be used.
    pub(super) arguments: [u64; 6],
}

/// Has the kernel run who receives questions in the place of who asks, at once. A signal that comes
/// before a question is received ends the asking call with `EINTR`, for which few programs are
/// prepared. Where the kernel refuses, it is only slower.
#[expect(unsafe_code, reason = "no library sets this")]
pub(super) fn wake_at_once(listener: BorrowedFd<'_>) {
    const SYNC_WAKE_UP: libc::c_ulong = 1;
    // SAFETY: the operation takes a number, and no pointer.
    let _ = unsafe { libc::ioctl(listener.as_raw_fd(), SET_FLAGS as _, SYNC_WAKE_UP) };
}

/// Waits for the next question. `None` when nobody is left to ask.
#[expect(unsafe_code, reason = "no library receives notifications")]
pub(super) fn next(listener: BorrowedFd<'_>) -> io::Result<Option<Question>> {
    loop {
        // SAFETY: all bits zero are a value of this type, and the kernel asks for that one.
        let mut asked: seccomp_notif = unsafe { std::mem::zeroed() };
        // SAFETY: the kernel writes a value of this type.
        match unsafe { ioctl(listener, RECEIVE, &mut asked) } {
            Ok(()) => {
                return Ok(Some(Question {
                    id: asked.id,
                    thread: asked.pid,
                    arguments: asked.data.args,
                }));
            }
            // Who asked was ended meanwhile, or nobody is left, which ends the wait since Linux
            // 6.11.
            Err(error) if error.raw_os_error() == Some(libc::ENOENT) => {
                if nobody_is_left(listener) {
                    return Ok(None);
                }
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

fn nobody_is_left(listener: BorrowedFd<'_>) -> bool {
    let mut events = [PollFd::from_borrowed_fd(listener, PollFlags::IN)];
    let at_once = Timespec::default();
    let looked = poll(&mut events, Some(&at_once));
    looked.is_ok_and(|_| events[0].revents().contains(PollFlags::HUP))
}

impl Question {
    /// True if who asks is still there and waits, so that the thread's number is its own.
    #[expect(unsafe_code, reason = "no library asks this")]
    pub(super) fn is_open(&self, listener: impl AsFd) -> bool {
        let mut id = self.id;
        // SAFETY: the kernel reads a number.
        unsafe { ioctl(listener, IS_VALID, &mut id) }.is_ok()
    }

    /// Ends the call with an error, or with success where `errno` is 0.
    #[expect(unsafe_code, reason = "no library answers notifications")]
    pub(super) fn end(&self, listener: impl AsFd, errno: i32) {
        let mut response = seccomp_notif_resp {
            id: self.id,
            val: 0,
            error: -errno,
            flags: 0,
        };
        // SAFETY: the kernel reads a value of this type. It refuses when who asked was ended.
        let _ = unsafe { ioctl(listener, SEND, &mut response) };
    }

    /// Puts `file` in the place of the asking process's descriptor `number`.
    #[expect(unsafe_code, reason = "no library hands over descriptors")]
    pub(super) fn replace(
        &self,
        listener: impl AsFd,
        number: u32,
        file: impl AsFd,
        close_on_exec: CloseOnExec,
    ) -> io::Result<()> {
        const SET: u32 = 1;
        let mut request = seccomp_notif_addfd {
            id: self.id,
            flags: SET,
            srcfd: file.as_fd().as_raw_fd().cast_unsigned(),
            newfd: number,
            newfd_flags: match close_on_exec {
                CloseOnExec::Yes => libc::O_CLOEXEC.cast_unsigned(),
                CloseOnExec::No => 0,
            },
        };
        // SAFETY: the kernel reads a value of this type.
        unsafe { ioctl(listener, ADD_DESCRIPTOR, &mut request) }
    }
}

/// Tells whether a descriptor is closed when another program starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CloseOnExec {
    Yes,
    No,
}

/// # Safety
/// `argument` has the type that `operation` reads or writes.
#[expect(unsafe_code, reason = "the operations have no other form")]
unsafe fn ioctl<T>(
    listener: impl AsFd,
    operation: libc::c_ulong,
    argument: &mut T,
) -> io::Result<()> {
    let listener = listener.as_fd().as_raw_fd();
    // C libraries give operations different types.
    // SAFETY: as the caller promises.
    match unsafe { libc::ioctl(listener, operation as _, std::ptr::from_mut(argument)) } {
        result if result >= 0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}
