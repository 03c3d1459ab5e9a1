//! Captures standard output and standard error of a call, up to a limit.
//! They are only passed on with secrets masked.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use bytes::Bytes;
use tokio::io::AsyncWrite;
use wasmtime_wasi::cli::{IsTerminal, StdoutStream};
use wasmtime_wasi::p2::{OutputStream, Pollable, StreamResult};

use crate::secret::Secrets;

/// The most bytes that a guest may write at once.
const WRITE_BYTES_MAX: usize = 64 << 10;

/// The output of a guest to one stream. What does not fit is counted and dropped: a tool that
/// writes much to its log is not a tool that fails.
#[derive(Clone)]
pub(crate) struct CapturedStream {
    bytes_max: usize,
    secrets: Secrets,
    written: Arc<Mutex<CapturedBytes>>,
}

#[derive(Default)]
struct CapturedBytes {
    /// The output up to the limit, and some bytes more: enough to find a secret that the limit
    /// cuts.
    bytes: Vec<u8>,
    total: u64,
}

impl CapturedStream {
    pub(crate) fn new(bytes_max: u64, secrets: &Secrets) -> Self {
        Self {
            bytes_max: usize::try_from(bytes_max).unwrap_or(usize::MAX),
            secrets: secrets.clone(),
            written: Arc::default(),
        }
    }

    /// The captured output with secrets masked, and the number of bytes that were dropped.
    pub(crate) fn contents(&self) -> (Vec<u8>, u64) {
        let written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        let (bytes, total) = (written.bytes.clone(), written.total);
        drop(written);
        let dropped = total.saturating_sub(self.bytes_max as u64);
        (self.secrets.mask_start(bytes, self.bytes_max), dropped)
    }

    fn keep(&self, bytes: &[u8]) {
        let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        let max = self
            .bytes_max
            .saturating_add(self.secrets.longest_written());
        let kept = bytes.len().min(max.saturating_sub(written.bytes.len()));
        written.bytes.extend_from_slice(&bytes[..kept]);
        written.total += bytes.len() as u64;
    }
}

impl IsTerminal for CapturedStream {
    fn is_terminal(&self) -> bool {
        false
    }
}

impl StdoutStream for CapturedStream {
    fn async_stream(&self) -> Box<dyn AsyncWrite + Send + Sync> {
        Box::new(self.clone())
    }

    fn p2_stream(&self) -> Box<dyn OutputStream> {
        Box::new(self.clone())
    }
}

#[wasmtime_wasi::async_trait]
impl Pollable for CapturedStream {
    async fn ready(&mut self) {}
}

#[wasmtime_wasi::async_trait]
impl OutputStream for CapturedStream {
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

impl AsyncWrite for CapturedStream {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::secret::Secret;

    #[test]
    fn the_end_of_a_full_stream_is_no_part_of_a_secret() {
        let secret = "sk-canary77aa01secretx";
        for before in 0..=30 {
            let secrets = Secrets::new([Secret::new(secret.to_owned())]);
            let captured = CapturedStream::new(30, &secrets);
            captured.keep(&vec![b'.'; before]);
            // Each byte is written separately: secrets are also found across writes.
            for byte in secret.bytes().chain(*b" and more") {
                captured.keep(&[byte]);
            }
            let (kept, dropped) = captured.contents();
            let kept = String::from_utf8(kept).unwrap();
            let expect = format!("{}*** and more", ".".repeat(before));
            assert!(expect.starts_with(&kept), "{before}: {kept}");
            assert_eq!(
                dropped,
                (before + secret.len() + 9).saturating_sub(30) as u64
            );
        }
    }
}
