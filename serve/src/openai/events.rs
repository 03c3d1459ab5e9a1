//! Server-sent events, read from an endpoint and written to a client.

use std::convert::Infallible;
use std::future::Future;
use std::task::{Poll, ready};

use axum::body::{Body, Bytes};
use axum::http::{HeaderValue, header};
use axum::response::Response;
use bytes::{Buf as _, BytesMut};
use futures::stream;
use serde_json::Value;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::{Instant, MissedTickBehavior, interval_at};

use super::refusal::Refusal;
use super::reply_memory::ReplyReservation;
use super::upstream::VALUE_BYTES;
use crate::budget::{Share, value_bytes};
use crate::message_limits::KEEP_ALIVE;

/// Events that wait while the client reads slowly.
const WAITING_MAX: usize = 16;
/// The longest reply in events. Most of it is what stands around a model's words.
const STREAM_BYTES_MAX: usize = 32 << 20;
/// The longest line of one, and the longest event.
const LINE_BYTES_MAX: usize = 1 << 20;
/// The byte order mark that a stream may begin with.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
/// The data of the last event in the Chat Completions API.
const DONE: &[u8] = b"[DONE]";

/// A part of an endpoint's stream.
pub(super) enum Received {
    Event(Value),
    Done,
}

/// The events of one reply.
pub(super) struct Events {
    response: reqwest::Response,
    buffer: BytesMut,
    /// The length of the buffer's beginning that holds no line break.
    searched: usize,
    data: Vec<u8>,
    bytes_total: usize,
    /// True after a line that ended with a carriage return, which may have another half.
    was_return: bool,
    held: ReplyReservation,
}

impl Events {
    pub(super) fn of(response: reqwest::Response, share: &Share) -> Result<Self, Refusal> {
        let kind = response.headers().get(header::CONTENT_TYPE);
        let is_stream = kind.is_some_and(|kind| kind.as_bytes().starts_with(b"text/event-stream"));
        if !is_stream {
            return Err(Refusal::malformed(
                "it does not stream, though it was asked to",
            ));
        }
        Ok(Self {
            response,
            buffer: BytesMut::new(),
            searched: 0,
            data: Vec::new(),
            bytes_total: 0,
            was_return: false,
            held: ReplyReservation::of(share),
        })
    }

    /// The next event that carries data; nothing at the end.
    pub(super) async fn next(&mut self) -> Result<Option<Received>, Refusal> {
        loop {
            while let Some(line) = self.line()? {
                if let Some(data) = self.take(&line)? {
                    return self.received(&data).map(Some);
                }
            }
            let Some(chunk) = self.response.chunk().await.map_err(Refusal::unreachable)? else {
                // What no empty line ends was cut off, or was written by somebody who leaves it
                // out.
                let rest = std::mem::take(&mut self.buffer);
                self.searched = 0;
                if !rest.is_empty() {
                    self.take(&rest)?;
                }
                let data = std::mem::take(&mut self.data);
                return if data.is_empty() {
                    Ok(None)
                } else {
                    self.received(&data).map(Some)
                };
            };
            self.bytes_total += chunk.len();
            if self.bytes_total > STREAM_BYTES_MAX {
                return Err(Refusal::malformed(format!(
                    "its reply has more than {STREAM_BYTES_MAX} bytes"
                )));
            }
            self.buffer.extend_from_slice(&chunk);
            if self.bytes_total == chunk.len() && self.buffer.starts_with(BYTE_ORDER_MARK) {
                self.buffer.advance(BYTE_ORDER_MARK.len());
            }
            self.held.hold(self.buffer.len() + self.data.len())?;
        }
    }

    /// The next line that is complete, without its end: a line feed, a carriage return, or both.
    fn line(&mut self) -> Result<Option<BytesMut>, Refusal> {
        if std::mem::take(&mut self.was_return) {
            match self.buffer.first() {
                Some(b'\n') => self.buffer.advance(1),
                Some(_) => {}
                None => self.was_return = true,
            }
        }
        let found = self.buffer[self.searched..]
            .iter()
            .position(|byte| matches!(byte, b'\n' | b'\r'));
        let end = found.map(|at| self.searched + at);
        bounded(end.unwrap_or(self.buffer.len()))?;
        let Some(end) = end else {
            self.searched = self.buffer.len();
            return Ok(None);
        };
        let mut line = self.buffer.split_to(end + 1);
        self.searched = 0;
        self.was_return = line.last() == Some(&b'\r');
        line.truncate(end);
        Ok(Some(line))
    }

    /// Takes note of a line; an empty one ends an event, which is given back.
    fn take(&mut self, line: &[u8]) -> Result<Option<Vec<u8>>, Refusal> {
        if line.is_empty() {
            return Ok(Some(std::mem::take(&mut self.data)).filter(|data| !data.is_empty()));
        }
        // Everything that counts stands in the data, the type of an event as well.
        if let Some(data) = line.strip_prefix(b"data:") {
            if !self.data.is_empty() {
                self.data.push(b'\n');
            }
            self.data
                .extend_from_slice(data.strip_prefix(b" ").unwrap_or(data));
            bounded(self.data.len())?;
        }
        Ok(None)
    }

    fn received(&mut self, data: &[u8]) -> Result<Received, Refusal> {
        if data.trim_ascii() == DONE {
            return Ok(Received::Done);
        }
        self.held
            .hold(self.buffer.len() + data.len() + value_bytes(data, VALUE_BYTES))?;
        let event = serde_json::from_slice(data);
        let event = event
            .map_err(|error| Refusal::malformed(format!("an event is not valid JSON: {error}")))?;
        Ok(Received::Event(event))
    }
}

fn bounded(length: usize) -> Result<(), Refusal> {
    match length {
        ..=LINE_BYTES_MAX => Ok(()),
        _ => Err(Refusal::malformed(format!(
            "an event has more than {LINE_BYTES_MAX} bytes"
        ))),
    }
}

/// The sender of events for the client.
pub(super) struct Sink(mpsc::Sender<Bytes>);

impl Sink {
    pub(super) async fn send_all(&self, events: Vec<Bytes>) {
        for event in events {
            // The receiver lives as long as whoever sends.
            let _ = self.0.send(event).await;
        }
    }
}

/// An event of a name, or one without.
pub(super) fn event(name: Option<&str>, data: &Value) -> Bytes {
    match name {
        Some(name) => format!("event: {name}\ndata: {data}\n\n").into(),
        None => format!("data: {data}\n\n").into(),
    }
}

pub(super) fn done() -> Bytes {
    Bytes::from_static(b"data: [DONE]\n\n")
}

/// A response that consists of what `work` sends. The work has a task of its own, so that its
/// clocks go on whether anybody reads or not, and ends with the response: a client that leaves
/// stops all of it.
pub(super) fn response<W>(work: impl FnOnce(Sink) -> W) -> Response
where
    W: Future<Output = ()> + Send + 'static,
{
    let (sender, mut events) = mpsc::channel(WAITING_MAX);
    let mut task = JoinSet::new();
    task.spawn(work(Sink(sender)));
    let mut idle = interval_at(Instant::now() + KEEP_ALIVE, KEEP_ALIVE);
    idle.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let body = stream::poll_fn(move |context| {
        // It is dropped, and with it the work, when the response is.
        let _ = &task;
        if let Poll::Ready(event) = events.poll_recv(context) {
            idle.reset();
            return Poll::Ready(event.map(Ok::<_, Infallible>));
        }
        ready!(idle.poll_tick(context));
        Poll::Ready(Some(Ok(Bytes::from_static(b": waiting\n\n"))))
    });
    let mut response = Response::new(Body::from_stream(body));
    let headers = response.headers_mut();
    headers.insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("text/event-stream"),
    );
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    response
}
