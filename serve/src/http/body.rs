//! Reads request bodies whole before they are handled, within limits on their length, their time,
//! and the memory of all bodies together.

use std::time::Duration;

use axum::body::{Body, HttpBody as _};
use axum::http::StatusCode;
use axum::response::Response;
use futures::StreamExt as _;

use super::problem::Problem;
use crate::budget::{self, Budget, Taken};
use crate::mcp::MESSAGE_BYTES_MAX;

/// How long a body may take. A client that sends one byte at a time would otherwise keep its
/// place among the requests for as long as it likes.
const BODY_TIME: Duration = Duration::from_secs(30);
/// The same for a body that says itself that it is too long. Nothing of it is kept.
const LONG_TIME: Duration = Duration::from_secs(5);
/// The longest wait for memory, or for a place, that other requests hold.
pub(super) const BUDGET_TIME: Duration = Duration::from_secs(30);
/// The most bytes that the text of all bodies may take together. The values that are parsed from
/// them may take as much again. Half of it, which is a caller's share, holds the longest body.
const HELD_BYTES_MAX: usize = 48 << 20;
/// The longest body, in bytes.
const BODY_BYTES_MAX: usize = MESSAGE_BYTES_MAX;
/// Bodies up to this length are not counted: there may be one for every request.
const SHORT_BYTES_MAX: usize = 4 << 10;
/// The memory of a value, in bytes.
pub(super) const VALUE_BYTES: usize = 64;
/// The same where a message is read several times over: whole, by its method, and by what the
/// function takes.
pub(super) const MCP_VALUE_BYTES: usize = 160;
const _: () = assert!(HELD_BYTES_MAX / 2 >= BODY_BYTES_MAX);

/// The memory for bodies: one budget for texts, and one for parsed values.
pub(super) struct BodyBudget {
    texts: Budget,
    values: Budget,
}

/// A caller's share of the memory, which keeps one caller from taking all of it.
pub(super) struct CallerBudget {
    texts: budget::Share,
    values: budget::Share,
}

/// A body and the memory that it holds until this is dropped.
pub(super) struct BufferedBody {
    pub(super) body: Body,
    pub(super) taken: [Option<Taken>; 2],
}

impl BodyBudget {
    pub(super) fn new() -> Self {
        Self {
            texts: Budget::new(HELD_BYTES_MAX),
            values: Budget::new(HELD_BYTES_MAX),
        }
    }

    /// The share of one of `callers` callers, which is enough for the longest body.
    pub(super) fn share(&self, callers: usize) -> CallerBudget {
        CallerBudget {
            texts: self.texts.share(callers),
            values: self.values.share(callers),
        }
    }
}

impl CallerBudget {
    /// Reads all of `body`, which is JSON whose values take `value_bytes` each. Returns the response
    /// to send if it is refused.
    pub(super) async fn read(
        &self,
        body: Body,
        value_bytes: usize,
    ) -> Result<BufferedBody, Response> {
        // The rest of the body is not read, so no other request can follow.
        let read = self.try_read(body, value_bytes).await;
        read.map_err(Problem::and_close)
    }

    async fn try_read(&self, body: Body, value_bytes: usize) -> Result<BufferedBody, Problem> {
        let length = body.size_hint().upper();
        let length = length.and_then(|length| usize::try_from(length).ok());
        let text = match length {
            // A body that is too long is not kept.
            Some(length) if length > BODY_BYTES_MAX => None,
            // A body of unknown length may be the longest.
            length => take(&self.texts, length.unwrap_or(BODY_BYTES_MAX)).await?,
        };
        let bytes = in_time(body, length).await?;
        // A short text can hold many values, each of which takes more memory than its text.
        let values = match bytes.len() {
            ..=SHORT_BYTES_MAX => None,
            _ => take(&self.values, budget::value_bytes(&bytes, value_bytes)).await?,
        };
        Ok(BufferedBody {
            body: Body::from(bytes),
            taken: [text, values],
        })
    }
}

/// Waits for `bytes` of `share`.
async fn take(share: &budget::Share, bytes: usize) -> Result<Option<Taken>, Problem> {
    if bytes <= SHORT_BYTES_MAX {
        return Ok(None);
    }
    if !share.can_hold(bytes) {
        let detail = "the request's JSON takes too much memory; split it into several requests";
        return Err(Problem::new(StatusCode::PAYLOAD_TOO_LARGE, detail));
    }
    match tokio::time::timeout(BUDGET_TIME, share.take(bytes)).await {
        Ok(Some(taken)) => Ok(Some(taken)),
        Ok(None) | Err(_) => Err(Problem::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "the server is busy with long requests; try again",
        )),
    }
}

async fn in_time(body: Body, length: Option<usize>) -> Result<Vec<u8>, Problem> {
    let is_too_long = length.is_some_and(|length| length > BODY_BYTES_MAX);
    let time = if is_too_long { LONG_TIME } else { BODY_TIME };
    let collected = tokio::time::timeout(time, collect(body, length)).await;
    let (status, detail) = match collected {
        Ok(Ok(Some(bytes))) => return Ok(bytes),
        Ok(Err(error)) => (StatusCode::BAD_REQUEST, error.to_string()),
        Err(_) if !is_too_long => (
            StatusCode::REQUEST_TIMEOUT,
            format!("the body was not here within {} s", BODY_TIME.as_secs()),
        ),
        Ok(Ok(None)) | Err(_) => (
            StatusCode::PAYLOAD_TOO_LARGE,
            format!("a request has at most {MESSAGE_BYTES_MAX} bytes"),
        ),
    };
    Err(Problem::new(status, detail))
}

/// All of it, or nothing when it is too long. That is found out by its end: a client that is
/// still sending would hear of a broken connection, and not why.
async fn collect(body: Body, length: Option<usize>) -> Result<Option<Vec<u8>>, axum::Error> {
    let mut pieces = body.into_data_stream();
    let expected = length.unwrap_or_default();
    let mut whole = (expected <= BODY_BYTES_MAX).then(|| Vec::with_capacity(expected));
    while let Some(piece) = pieces.next().await {
        let piece = piece?;
        whole = whole.filter(|bytes: &Vec<u8>| bytes.len() + piece.len() <= BODY_BYTES_MAX);
        if let Some(bytes) = &mut whole {
            bytes.extend_from_slice(&piece);
        }
    }
    Ok(whole)
}

#[cfg(test)]
mod tests {
    use futures::FutureExt as _;

    use super::*;

    #[tokio::test]
    async fn long_bodies_of_one_caller_leave_room_for_others() {
        let budget = BodyBudget::new();
        let (ann, robin) = (budget.share(2), budget.share(2));
        let long = || Body::from(vec![b' '; BODY_BYTES_MAX]);
        // A body of unknown length.
        let unsaid = || Body::from_stream(futures::stream::iter([Ok::<_, axum::Error>("{}")]));
        let held = ann.read(long(), VALUE_BYTES).await.unwrap();
        for waits in [long(), unsaid()] {
            assert!(ann.read(waits, VALUE_BYTES).now_or_never().is_none());
        }
        assert!(ann.read(Body::from("{}"), VALUE_BYTES).await.is_ok());
        assert!(robin.read(long(), VALUE_BYTES).await.is_ok());
        drop(held);
        assert!(ann.read(long(), VALUE_BYTES).await.is_ok());
        let longer = ann
            .read(Body::from(vec![b' '; BODY_BYTES_MAX + 1]), VALUE_BYTES)
            .await;
        let refused = longer.err().unwrap().status();
        assert_eq!(refused, StatusCode::PAYLOAD_TOO_LARGE);
    }

    #[tokio::test]
    async fn few_bytes_that_are_many_values_need_more_room() {
        let share = BodyBudget::new().share(1);
        let taken = async |text: String| {
            let whole = share.read(Body::from(text), VALUE_BYTES).await;
            whole
                .map(|whole| whole.taken[1].is_some())
                .map_err(|refused| refused.status())
        };
        assert_eq!(taken("[1]".into()).await, Ok(false));
        assert_eq!(
            taken(format!("[{}]", "{\"a\":0},".repeat(1_000))).await,
            Ok(true)
        );
        let text = format!("\"{}\"", "[{\\\",:".repeat(200_000));
        assert_eq!(taken(text).await, Ok(false), "it is one text");
        let many = taken("[],".repeat(2_000_000)).await;
        assert_eq!(many, Err(StatusCode::PAYLOAD_TOO_LARGE));
    }
}
