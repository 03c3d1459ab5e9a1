//! Reads and writes MCP messages on byte streams, one JSON text a line.
//!
//! rmcp's own line transport reads every message into a JSON tree, twice over for a
//! request, before it knows what it is. Calls are what an agent waits for, and their
//! arguments may hold a picture: here a line is read once, and a call's arguments stay the
//! text they are until the function's own types read them.

mod parse;

use std::future::Future;
use std::io;
use std::sync::Arc;

use rmcp::model::{JsonRpcMessage, ServerJsonRpcMessage};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::{ErrorData, RoleServer};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::Mutex;

use crate::message_limits::MESSAGE_BYTES_MAX;
use parse::Parsed;
pub(super) use parse::RawArguments;

/// The most bytes that are taken from the reader at once.
const READ_BYTES: usize = 64 << 10;

pub(super) struct LineTransport<R, W> {
    reader: BufReader<R>,
    /// The beginning of a line. It stays here when a read is given up half-way, which happens
    /// whenever the service has something to send.
    line: Vec<u8>,
    /// True if the rest of the line is dropped because the line is too long.
    skipping: bool,
    /// Absent once closed.
    writer: Arc<Mutex<Option<W>>>,
}

enum Line {
    Whole,
    TooLong,
    End,
}

impl<R, W> LineTransport<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    pub(super) fn new(reader: R, writer: W) -> Self {
        Self {
            reader: BufReader::with_capacity(READ_BYTES, reader),
            line: Vec::new(),
            skipping: false,
            writer: Arc::new(Mutex::new(Some(writer))),
        }
    }

    /// Reads up to the end of a line into `self.line`. Giving the future up loses nothing.
    async fn read_line(&mut self) -> io::Result<Line> {
        loop {
            let available = self.reader.fill_buf().await?;
            if available.is_empty() {
                return Ok(Line::End);
            }
            let end = available.iter().position(|&byte| byte == b'\n');
            let taken = end.map_or(available.len(), |end| end + 1);
            if !self.skipping {
                let text = &available[..end.unwrap_or(taken)];
                if self.line.len() + text.len() > MESSAGE_BYTES_MAX {
                    self.skipping = true;
                    self.line = Vec::new();
                } else {
                    self.line.extend_from_slice(text);
                }
            }
            self.reader.consume(taken);
            if end.is_some() {
                return Ok(if std::mem::take(&mut self.skipping) {
                    Line::TooLong
                } else {
                    Line::Whole
                });
            }
        }
    }

    /// Answers a message that cannot be passed on, beside whatever else is being sent.
    fn refuse(&mut self, message: ServerJsonRpcMessage) {
        let sent = self.send(message);
        tokio::spawn(async move {
            if let Err(error) = sent.await {
                tracing::debug!(%error, "a refusal could not be sent");
            }
        });
    }
}

impl<R, W> Transport<RoleServer> for LineTransport<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let writer = Arc::clone(&self.writer);
        async move {
            let mut line = serde_json::to_vec(&message)?;
            line.push(b'\n');
            let mut writer = writer.lock().await;
            let writer = writer.as_mut().ok_or(io::ErrorKind::NotConnected)?;
            writer.write_all(&line).await?;
            writer.flush().await
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            match self.read_line().await {
                Ok(Line::Whole) => {}
                Ok(Line::TooLong) => {
                    let reason = format!("a message has at most {MESSAGE_BYTES_MAX} bytes");
                    let error = ErrorData::invalid_request(reason, None);
                    self.refuse(JsonRpcMessage::error(error, None));
                    continue;
                }
                Ok(Line::End) => return None,
                Err(error) => {
                    tracing::warn!(%error, "the client cannot be read");
                    return None;
                }
            }
            let parsed = parse::parse(&self.line);
            // A line that held a picture does not keep its memory for the next request.
            self.line.clear();
            self.line.shrink_to(READ_BYTES);
            match parsed {
                Parsed::Message(message) => return Some(*message),
                Parsed::Refused { id, error } => {
                    self.refuse(JsonRpcMessage::error(error, Some(id)));
                }
                Parsed::Nothing => {}
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        match self.writer.lock().await.take() {
            Some(mut writer) => writer.shutdown().await,
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rmcp::model::{ClientRequest, RequestId};

    async fn receive_all(input: &[u8], piece_bytes: usize) -> (Vec<String>, String) {
        let (ours, theirs) = tokio::io::duplex(piece_bytes);
        let (reader, mut writer) = tokio::io::split(ours);
        let (mut answers, output) = tokio::io::duplex(1 << 20);
        let input = input.to_vec();
        tokio::spawn(async move {
            let _ = writer.write_all(&input).await;
            let _ = writer.shutdown().await;
            drop(reader);
        });
        let mut transport = LineTransport::new(theirs, output);
        let mut received = Vec::new();
        while let Some(message) = transport.receive().await {
            received.push(match message {
                JsonRpcMessage::Request(request) => match request.request {
                    ClientRequest::CallToolRequest(call) => {
                        let arguments = call.extensions.get::<RawArguments>();
                        format!("{} {}", request.id, arguments.unwrap().0)
                    }
                    other => format!("{} {}", request.id, other.method()),
                },
                other => format!("{other:?}"),
            });
        }
        tokio::task::yield_now().await;
        drop(transport);
        let mut answered = String::new();
        tokio::io::AsyncReadExt::read_to_string(&mut answers, &mut answered)
            .await
            .unwrap();
        (received, answered)
    }

    #[tokio::test]
    async fn messages_arrive_whole_however_they_are_cut() {
        let input = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\
            \"params\":{\"name\":\"a\",\"arguments\":{\"n\": 1.50}}}\r\n\n\
            \xef\xbb\xbf{\"jsonrpc\":\"2.0\",\"id\":\"b\",\"method\":\"tools/list\"}\nhalf a line";
        for piece_bytes in [1, 7, 1 << 16] {
            let (received, answered) = receive_all(input, piece_bytes).await;
            assert_eq!(received, ["1 {\"n\": 1.50}", "b tools/list"]);
            assert_eq!(answered, "");
        }
    }

    #[tokio::test]
    async fn a_line_that_is_too_long_is_refused_and_the_next_one_read() {
        let mut input = vec![b' '; MESSAGE_BYTES_MAX + 1];
        input.extend_from_slice(b"\n{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}\n");
        let (received, answered) = receive_all(&input, 1 << 20).await;
        assert_eq!(received, ["2 ping"]);
        assert!(
            answered.contains("a message has at most 20971520 bytes"),
            "{answered}"
        );
    }

    #[tokio::test]
    async fn nothing_is_sent_once_closed() {
        let mut transport = LineTransport::new(tokio::io::empty(), tokio::io::sink());
        transport.close().await.unwrap();
        let error = ErrorData::invalid_request("late", None);
        let message = JsonRpcMessage::error(error, Some(RequestId::Number(1)));
        let refused = transport.send(message).await.unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::NotConnected);
    }
}
