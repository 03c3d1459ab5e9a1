//! Answers the kernel's questions about a cage: connects it to the proxy, and counts its tasks.
//!
//! A connection is never made by the program. This process makes two ends, gives one to the
//! program in the place of its socket, and serves the other. So it does not matter what the
//! program writes into the address after it was read here, and nobody else can reach the proxy,
//! which listens nowhere.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4, TcpListener, TcpStream};
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::Semaphore;
use tokio::sync::mpsc::UnboundedSender;

use crate::linux::members::members;
use crate::linux::notification::{self, CloseOnExec, Question};
use crate::proxy::{Arrival, PROXY_ADDRESS};

/// The time for which the number of tasks counts as known while more are asked for than there may
/// be. Otherwise a program that goes on asking has this process count all the time.
const COUNTED_FOR: Duration = Duration::from_millis(20);

/// The time after which a task that was allowed is there, however busy the machine is.
const BEGUN_AFTER: Duration = Duration::from_secs(1);

/// What decides about the calls of one cage.
pub(super) struct Judge {
    pub(super) group: u32,
    pub(super) tasks_max: u64,
    pub(super) connections: Arc<Semaphore>,
    pub(super) proxy: UnboundedSender<Arrival>,
}

/// Answers until nobody is left in the cage.
pub(super) fn answer(listener: &OwnedFd, judge: &Judge) {
    let mut tasks = Tasks {
        group: judge.group,
        max: judge.tasks_max,
        known: 1,
        refused: None,
        allowed: HashMap::new(),
    };
    notification::wake_at_once(listener.as_fd());
    // Where this process may, it goes before others: a signal that comes to a program before its
    // question is received ends the call with `EINTR`.
    let _ = rustix::process::nice(-20);
    while let Ok(Some(question)) = notification::next(listener.as_fd()) {
        if question.call != libc::SYS_connect {
            match tasks.one_more(question.thread) {
                true => question.proceed(listener),
                false => question.end(listener, libc::EAGAIN),
            }
            continue;
        }
        match connect(listener, judge, &question) {
            Ok(()) => question.end(listener, 0),
            Err(errno) => question.end(listener, errno),
        }
    }
}

/// The number of tasks in a cage, which is counted again when it seems to be too high: it is not
/// told when one ends.
struct Tasks {
    group: u32,
    max: u64,
    known: u64,
    refused: Option<Instant>,
    /// The threads that were allowed one and have not asked for another since. Each may be yet to
    /// begin it, so that it is not there to be counted.
    allowed: HashMap<u32, Instant>,
}

impl Tasks {
    /// True if `thread` may have one more.
    fn one_more(&mut self, thread: u32) -> bool {
        self.allowed.remove(&thread);
        if self.known >= self.max {
            if self.refused.is_some_and(|at| at.elapsed() < COUNTED_FOR) {
                return false;
            }
            self.known = self.count();
            if self.known >= self.max {
                self.refused = Some(Instant::now());
                return false;
            }
        }
        self.known += 1;
        self.allowed.insert(thread, Instant::now());
        true
    }

    fn count(&mut self) -> u64 {
        self.allowed.retain(|thread, at| {
            at.elapsed() < BEGUN_AFTER && Path::new(&format!("/proc/{thread}")).exists()
        });
        let there: u64 = members(self.group).iter().map(|it| it.threads).sum();
        there.saturating_add(self.allowed.len() as u64)
    }
}

/// Connects the asking process to the proxy if that is what it asks for.
fn connect(listener: &OwnedFd, judge: &Judge, question: &Question) -> Result<(), i32> {
    let [number, address, length, ..] = question.arguments;
    let number = u32::try_from(number).map_err(|_| libc::EBADF)?;
    let wanted = destination(question.thread, address, length).map_err(|_| libc::EACCES)?;
    let flags = flags(question.thread, number).map_err(|_| libc::EBADF)?;
    if !question.is_open(listener) {
        return Err(libc::EINTR);
    }
    if wanted != PROXY_ADDRESS {
        return Err(libc::EACCES);
    }
    let place = Arc::clone(&judge.connections).try_acquire_owned();
    let place = place.map_err(|_| libc::ECONNREFUSED)?;
    let (theirs, ours) = pair().map_err(|_| libc::ECONNREFUSED)?;
    let waits = flags & libc::O_NONBLOCK == 0;
    theirs
        .set_nonblocking(!waits)
        .map_err(|_| libc::ECONNREFUSED)?;
    let close_on_exec = match flags & libc::O_CLOEXEC {
        0 => CloseOnExec::No,
        _ => CloseOnExec::Yes,
    };
    question
        .replace(listener, number, &theirs, close_on_exec)
        .map_err(|_| libc::EBADF)?;
    let arrival = Arrival {
        stream: ours,
        place,
    };
    judge.proxy.send(arrival).map_err(|_| libc::ECONNREFUSED)
}

/// The address in the memory of `thread`.
fn destination(thread: u32, address: u64, length: u64) -> io::Result<SocketAddr> {
    // `sockaddr_in`: family, port and address in the network's order, and padding.
    const LENGTH: usize = 16;
    if length < LENGTH as u64 {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let mut bytes = [0; LENGTH];
    fs::File::open(format!("/proc/{thread}/mem"))?.read_exact_at(&mut bytes, address)?;
    let [f0, f1, p0, p1, a, b, c, d, ..] = bytes;
    if i32::from(u16::from_ne_bytes([f0, f1])) != libc::AF_INET {
        return Err(io::ErrorKind::Unsupported.into());
    }
    let port = u16::from_be_bytes([p0, p1]);
    Ok(SocketAddrV4::new(Ipv4Addr::new(a, b, c, d), port).into())
}

/// The flags of the descriptor `number` of `thread`, of which its new file has to have some.
fn flags(thread: u32, number: u32) -> io::Result<i32> {
    let text = fs::read_to_string(format!("/proc/{thread}/fdinfo/{number}"))?;
    let flags = text.lines().find_map(|line| line.strip_prefix("flags:"));
    let flags = flags.and_then(|flags| i32::from_str_radix(flags.trim(), 8).ok());
    flags.ok_or_else(|| io::ErrorKind::InvalidData.into())
}

/// Two ends of a TCP connection, because programs set TCP's options on theirs. The socket that
/// listens is gone before anything is sent, and takes no connection but the one from here.
fn pair() -> io::Result<(TcpStream, TcpStream)> {
    const TRIES_MAX: usize = 8;
    let listening = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let theirs = TcpStream::connect(listening.local_addr()?)?;
    let own = theirs.local_addr()?;
    for _ in 0..TRIES_MAX {
        let (ours, from) = listening.accept()?;
        if from == own {
            theirs.set_nodelay(true)?;
            ours.set_nodelay(true)?;
            return Ok((theirs, ours));
        }
    }
    Err(io::ErrorKind::ConnectionRefused.into())
}
