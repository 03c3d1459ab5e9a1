//! Tests of the operations that a confined thread cannot do, and of those that it still can.

use std::fs::{self, File};
use std::io;
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::os::unix::net::UnixStream;
use std::process::Command;
use std::time::Instant;

use rustix::process::Pid;

use super::*;

/// Runs `attempt` in a thread confined by `confine`.
fn confined<R: Send + 'static>(
    confine: fn() -> bool,
    attempt: impl FnOnce() -> R + Send + 'static,
) -> R {
    let thread = std::thread::spawn(move || {
        assert!(confine(), "this kernel cannot confine");
        attempt()
    });
    thread.join().expect("a thread that ends")
}

fn whole() -> bool {
    let held = Confinement::apply();
    held.landlock && held.seccomp
}

/// Operations that reach beyond the process.
fn attempts(port: u16, parent: Pid) -> Vec<(&'static str, io::Result<()>)> {
    let directory = std::env::temp_dir();
    let program = || Command::new("/bin/true").spawn().map(drop);
    vec![
        ("open a file", File::open("/etc/passwd").map(drop)),
        ("open itself", File::open("/proc/self/maps").map(drop)),
        ("list files", fs::read_dir("/").map(drop)),
        ("look at a file", fs::metadata("/etc/passwd").map(drop)),
        ("make a file", File::create(directory.join("x")).map(drop)),
        ("make a directory", fs::create_dir(directory.join("x"))),
        ("remove a file", fs::remove_file("/nonexistent")),
        ("connect", TcpStream::connect(("127.0.0.1", port)).map(drop)),
        ("listen", TcpListener::bind("127.0.0.1:0").map(drop)),
        ("send", UdpSocket::bind("127.0.0.1:0").map(drop)),
        ("reach another process", UnixStream::pair().map(drop)),
        ("start a program", program()),
        ("signal its parent", signal(parent)),
    ]
}

/// Only checks for permission to send a signal.
fn signal(process: Pid) -> io::Result<()> {
    Ok(rustix::process::test_kill_process(process)?)
}

#[test]
fn nothing_beyond_the_process_is_reached() {
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = server.local_addr().unwrap().port();
    let parent = rustix::process::getppid().unwrap();
    // These work without confinement, so that their refusal proves something.
    let free = [File::open("/etc/passwd").is_ok(), signal(parent).is_ok()];
    assert_eq!(free, [true; 2]);
    for (what, result) in confined(whole, move || attempts(port, parent)) {
        let error = result.expect_err(what);
        assert_eq!(error.raw_os_error(), Some(libc::ENOSYS), "{what}: {error}");
    }
    server.set_nonblocking(true).unwrap();
    assert!(server.accept().is_err(), "somebody connected");
}

#[test]
#[expect(
    unsafe_code,
    reason = "no library offers calls that nobody should make"
)]
fn no_call_is_made_that_starts_or_looks_into_a_process() {
    let this = i64::from(std::process::id());
    for (name, call, first) in [
        ("clone3", libc::SYS_clone3, 0),
        // A process of its own that shares nothing.
        ("clone", libc::SYS_clone, i64::from(libc::SIGCHLD)),
        ("execve", libc::SYS_execve, 0),
        ("execveat", libc::SYS_execveat, -1),
        ("ptrace", libc::SYS_ptrace, i64::from(libc::PTRACE_TRACEME)),
        ("process_vm_readv", libc::SYS_process_vm_readv, this),
        ("process_vm_writev", libc::SYS_process_vm_writev, this),
        ("pidfd_open", libc::SYS_pidfd_open, this),
        ("openat2", libc::SYS_openat2, -1),
        ("io_uring_setup", libc::SYS_io_uring_setup, 0),
        ("bpf", libc::SYS_bpf, 0),
        ("kill", libc::SYS_kill, this),
        ("tgkill", libc::SYS_tgkill, 1),
        ("memfd_create", libc::SYS_memfd_create, 0),
        ("unshare", libc::SYS_unshare, 0),
    ] {
        let error = confined(whole, move || {
            // SAFETY: none of these arguments is a pointer to anything. If a call were allowed
            // after all, it would fail for want of arguments, or change only this thread, which
            // ends here.
            let result = unsafe { libc::syscall(call, first, 0, 0, 0, 0, 0) };
            (result == -1).then(|| io::Error::last_os_error().raw_os_error())
        });
        assert_eq!(error, Some(Some(libc::ENOSYS)), "{name}");
    }
}

#[test]
fn landlock_alone_keeps_files_and_servers_away() {
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = server.local_addr().unwrap().port();
    let refused = |result: io::Result<()>| result.unwrap_err().kind();
    let directory = tempfile::tempdir().unwrap();
    let new = directory.path().join("new");
    let [opened, made] = confined(linux::landlock, move || {
        [
            File::open("/etc/passwd").map(drop),
            File::create(new).map(drop),
        ]
        .map(refused)
    });
    let denied = io::ErrorKind::PermissionDenied;
    assert_eq!([opened, made], [denied; 2]);
    let connected = confined(linux::landlock, move || {
        TcpStream::connect(("127.0.0.1", port)).map(drop)
    });
    // On Linux 6.7 and newer.
    assert_eq!(connected.map_err(|error| error.kind()), Err(denied));
}

#[test]
fn memory_and_threads_are_there_all_the_same() {
    let sum: u64 = confined(whole, || {
        let sum = |from: u64| {
            (from..from + 1_000_000)
                .collect::<Vec<_>>()
                .iter()
                .sum::<u64>()
        };
        let threads = [0, 1, 2, 3].map(|n| {
            let named = std::thread::Builder::new().name(format!("worker {n}"));
            named.spawn(move || sum(n)).unwrap()
        });
        threads.map(|thread| thread.join().unwrap()).iter().sum()
    });
    assert!(sum > 0);
    assert!(std::thread::available_parallelism().is_ok());
}

#[test]
fn what_a_machine_gives_is_found_out_without_taking_it_from_this_process() {
    let begun = Instant::now();
    let held = Confinement::detect();
    eprintln!("confined in {:?}", begun.elapsed());
    assert!(held.landlock && held.seccomp, "{held:?}");
    assert!(File::open("/etc/passwd").is_ok());
}
