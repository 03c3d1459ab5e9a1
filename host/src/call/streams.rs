//! Standard output and standard error of a call: kept up to a bound, never passed on.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use bytes::Bytes;
use tokio::io::AsyncWrite;
use wasmtime_wasi::cli::{IsTerminal, StdoutStream};
use wasmtime_wasi::p2::{OutputStream, Pollable, StreamResult};

/// How much a guest may write at once.
const WRITE_BYTES_MAX: usize = 64 << 10;

/// What a guest wrote to one stream. What does not fit is counted and dropped: a tool that
/// writes much to its log is not a tool that fails.
#[derive(Debug, Clone)]
pub(crate) struct Captured {
    bytes_max: usize,
    written: Arc<Mutex<Written>>,
}

#[derive(Debug, Default)]
struct Written {
    bytes: Vec<u8>,
    dropped: u64,
}

impl Captured {
    pub(crate) fn new(bytes_max: u64) -> Self {
        Self {
            bytes_max: usize::try_from(bytes_max).unwrap_or(usize::MAX),
            written: Arc::default(),
        }
    }

    /// What was kept, and how many bytes were dropped.
    pub(crate) fn contents(&self) -> (Vec<u8>, u64) {
        let written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        (written.bytes.clone(), written.dropped)
    }

    fn keep(&self, bytes: &[u8]) {
        let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        let room = self.bytes_max.saturating_sub(written.bytes.len());
        let kept = bytes.len().min(room);
        written.bytes.extend_from_slice(&bytes[..kept]);
        written.dropped += (bytes.len() - kept) as u64;
    }
}

impl IsTerminal for Captured {
    fn is_terminal(&self) -> bool {
        false
    }
}

impl StdoutStream for Captured {
    fn async_stream(&self) -> Box<dyn AsyncWrite + Send + Sync> {
        Box::new(self.clone())
    }

    fn p2_stream(&self) -> Box<dyn OutputStream> {
        Box::new(self.clone())
    }
}

#[wasmtime_wasi::async_trait]
impl Pollable for Captured {
    async fn ready(&mut self) {}
}

#[wasmtime_wasi::async_trait]
impl OutputStream for Captured {
    fn write(&mut self, bytes: Bytes) -> StreamResult<()> {
        self.keep(&bytes);
        Ok(())
    }

    fn flush(&mut self) -> StreamResult<()> {
        Ok(())
    }

    fn check_write(&mut self) -> StreamResult<usize> {
        Ok(WRITE_BYTES_MAX)
    }
}

impl AsyncWrite for Captured {
    fn poll_write(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.keep(bytes);
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}
