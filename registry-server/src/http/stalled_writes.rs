//! A TCP stream that gives up when the client takes nothing for too long.
//!
//! Connections are counted, so a client that asks for large files and never reads them could
//! otherwise keep everybody else out.

use std::future::Future as _;
use std::io::{Error, ErrorKind, IoSlice, Result};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Sleep, sleep};

use super::pace::{PRESSURE_CHECK_INTERVAL, Pace};
use crate::registry::Registry;

/// A stream whose writes fail with [`ErrorKind::TimedOut`] when the client takes next to nothing
/// for too long.
pub(crate) struct StalledWrites {
    stream: TcpStream,
    registry: Registry,
    pace: Pace,
    waiting: Option<BlockedWrite>,
}

/// A write that the client has left no room for.
struct BlockedWrite {
    since: Instant,
    timer: Pin<Box<Sleep>>,
}

impl StalledWrites {
    pub(crate) fn new(stream: TcpStream, registry: &Registry) -> Self {
        let limits = registry.limits();
        Self {
            stream,
            registry: registry.clone(),
            pace: Pace::new(limits.answer_stall_max, limits.stall_bytes_min),
            waiting: None,
        }
    }

    fn bound(
        &mut self,
        written: Poll<Result<usize>>,
        context: &mut Context<'_>,
    ) -> Poll<Result<usize>> {
        if let Poll::Ready(written) = written {
            // Only waits for the client count, not the time in which there is nothing to send.
            let waited = self.waiting.take().map(|waiting| waiting.since.elapsed());
            let bytes = *written.as_ref().unwrap_or(&0) as u64;
            self.pace.moved(bytes, waited.unwrap_or_default());
            return Poll::Ready(written);
        }
        let patience = self.patience();
        let waiting = self.waiting.get_or_insert_with(|| BlockedWrite {
            since: Instant::now(),
            timer: Box::pin(sleep(patience.min(PRESSURE_CHECK_INTERVAL))),
        });
        while waiting.timer.as_mut().poll(context).is_ready() {
            let left = patience.saturating_sub(waiting.since.elapsed());
            if left.is_zero() {
                let message = "the client took nothing, or next to nothing, for too long";
                return Poll::Ready(Err(Error::new(ErrorKind::TimedOut, message)));
            }
            waiting.timer = Box::pin(sleep(left.min(PRESSURE_CHECK_INTERVAL)));
        }
        Poll::Pending
    }

    /// The time that the client may still be waited for: not long while others have to wait for it.
    fn patience(&self) -> Duration {
        match self.registry.is_under_pressure() {
            true => self.pace.left_of(self.registry.limits().pressed_stall_max),
            false => self.pace.left(),
        }
    }
}

impl AsyncRead for StalledWrites {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for StalledWrites {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.bound(written, context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, pieces);
        self.bound(written, context)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        // Nothing is buffered here, so this says nothing about the client.
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
