//! The two connected sockets through which a thread wakes an event loop that watches one of them.

#[cfg(unix)]
pub(crate) use unix::{Socket, number, pair};
#[cfg(windows)]
pub(crate) use windows::{Socket, number, pair};

#[cfg(unix)]
mod unix {
    use std::io;
    use std::os::fd::AsRawFd as _;
    pub(crate) use std::os::unix::net::UnixStream as Socket;

    /// Two sockets, connected to each other.
    pub(crate) fn pair() -> io::Result<(Socket, Socket)> {
        Socket::pair()
    }

    /// The number by which Python knows the socket.
    pub(crate) fn number(socket: &Socket) -> i64 {
        socket.as_raw_fd().into()
    }
}

#[cfg(windows)]
mod windows {
    use std::io;
    use std::net::TcpListener;
    pub(crate) use std::net::TcpStream as Socket;
    use std::os::windows::io::AsRawSocket as _;

    /// Two sockets, connected to each other.
    pub(crate) fn pair() -> io::Result<(Socket, Socket)> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let connecting = Socket::connect(listener.local_addr()?)?;
        let ours = connecting.local_addr()?;
        loop {
            // Anybody on this machine may connect.
            let (accepted, peer) = listener.accept()?;
            if peer == ours {
                return Ok((connecting, accepted));
            }
        }
    }

    /// The number by which Python knows the socket.
    pub(crate) fn number(socket: &Socket) -> i64 {
        socket.as_raw_socket().cast_signed()
    }
}
