//! Answers the kernel's questions about the connections of a cage: connects it to the proxy.
//!
//! A connection is never made by the program. This process makes two ends, gives one to the
//! program in the place of its socket, and serves the other. So it does not matter what the
//! program writes into the address after it was read here, and nobody else can reach the proxy,
//! which listens nowhere.

use std::fs;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4, TcpListener, TcpStream};
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::fs::FileExt as _;
use std::sync::Arc;

use tokio::sync::Semaphore;
use tokio::sync::mpsc::UnboundedSender;

use crate::linux::notification::{self, CloseOnExec, Question};
use crate::proxy::{Arrival, PROXY_ADDRESS};

/// What decides about the calls of one cage.
pub(super) struct Judge {
    pub(super) connections: Arc<Semaphore>,
    pub(super) proxy: UnboundedSender<Arrival>,
}

/// Answers until nobody is left in the cage.
pub(super) fn answer(listener: &OwnedFd, judge: &Judge) {
    notification::wake_at_once(listener.as_fd());
    while let Ok(Some(question)) = notification::next(listener.as_fd()) {
        match connect(listener, judge, &question) {
            Ok(()) => question.end(listener, 0),
            Err(errno) => question.end(listener, errno),
        }
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
