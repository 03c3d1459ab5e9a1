//! Reads a server's standard output as long as what it says between two answers is not too much.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, ReadBuf};

/// The most bytes between two answers. One message has at most [`MESSAGE_BYTES_MAX`].
const BYTES_MAX: u64 = 256 << 20;
/// The most bytes of one message. The library drops what is longer.
pub(crate) const MESSAGE_BYTES_MAX: usize = 16 << 20;

/// The bytes that were read since the last answer.
#[derive(Debug, Clone, Default)]
pub(crate) struct Budget(Arc<AtomicU64>);

impl Budget {
    /// An answer came: the server may say as much again.
    pub(crate) fn renew(&self) {
        self.0.store(0, Relaxed);
    }
}

/// A reader that ends when the budget is used up: a server that says nothing but garbage would
/// keep this process busy for ever.
pub(crate) struct BoundedOutput<R> {
    inner: R,
    budget: Budget,
}

impl<R> BoundedOutput<R> {
    pub(crate) fn new(inner: R, budget: Budget) -> Self {
        Self { inner, budget }
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for BoundedOutput<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.budget.0.load(Relaxed) > BYTES_MAX {
            return Poll::Ready(Ok(()));
        }
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.inner).poll_read(context, buffer);
        let bytes = (buffer.filled().len() - before) as u64;
        self.budget.0.fetch_add(bytes, Relaxed);
        read
    }
}
