//! The socket between this process and the launcher: whole messages, with descriptors.

use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, SocketFlags, SocketType, recvmsg, sendmsg, socketpair,
};

/// The longest message, which the plan is. The system's usual buffers hold it.
pub(super) const MESSAGE_BYTES_MAX: usize = 160 << 10;

/// The first byte of each message from the launcher and the program's process.
pub(super) mod kind {
    /// The listener of the program's filter comes with it.
    pub(in crate::linux) const LISTENER: u8 = b'N';
    /// The process has a user namespace of its own, in which its user has to be mapped. Its number
    /// follows. The answer is the same kind alone.
    pub(in crate::linux) const NAMESPACE: u8 = b'U';
    /// The program runs. The number of its process follows, and a descriptor of it comes with it.
    pub(in crate::linux) const STARTED: u8 = b'S';
    /// Nothing runs. The reason follows.
    pub(in crate::linux) const FAILED: u8 = b'F';
    /// All has ended. The status of the program's process follows.
    pub(in crate::linux) const ENDED: u8 = b'E';
}

/// A message. One without bytes and descriptors means that nobody sends any more.
pub(super) struct Message {
    pub(super) bytes: Vec<u8>,
    pub(super) descriptors: Vec<OwnedFd>,
}

/// Two ends that keep messages apart.
pub(super) fn pair() -> io::Result<(OwnedFd, OwnedFd)> {
    Ok(socketpair(
        AddressFamily::UNIX,
        SocketType::SEQPACKET,
        SocketFlags::CLOEXEC,
        None,
    )?)
}

/// Sends `bytes` and at most three descriptors as one message.
pub(super) fn send(
    socket: impl AsFd,
    bytes: &[u8],
    descriptors: &[BorrowedFd<'_>],
) -> io::Result<()> {
    if bytes.len() > MESSAGE_BYTES_MAX {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            format!("{} bytes are more than {MESSAGE_BYTES_MAX}", bytes.len()),
        ));
    }
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(3))];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    if !descriptors.is_empty() {
        ancillary.push(SendAncillaryMessage::ScmRights(descriptors));
    }
    let text = [IoSlice::new(bytes)];
    sendmsg(socket, &text, &mut ancillary, SendFlags::NOSIGNAL)?;
    Ok(())
}

/// Receives one message.
pub(super) fn receive(socket: impl AsFd) -> io::Result<Message> {
    let mut bytes = vec![0; MESSAGE_BYTES_MAX];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(3))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    let received = loop {
        let mut buffer = [IoSliceMut::new(&mut bytes)];
        match recvmsg(
            &socket,
            &mut buffer,
            &mut ancillary,
            RecvFlags::CMSG_CLOEXEC,
        ) {
            Err(rustix::io::Errno::INTR) => {}
            other => break other?,
        }
    };
    bytes.truncate(received.bytes);
    let mut descriptors = Vec::new();
    for message in ancillary.drain() {
        if let RecvAncillaryMessage::ScmRights(files) = message {
            descriptors.extend(files);
        }
    }
    Ok(Message { bytes, descriptors })
}
