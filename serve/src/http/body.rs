//! Reads request bodies whole, within limits on their length, time and shared memory.

use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody as _};
use axum::http::StatusCode;
use axum::response::Response;
use futures::StreamExt as _;

use super::problem::Problem;
use crate::budget::{BUFFERED_BYTES_MAX, Reservation, ReserveError, Share, Values};
use crate::message_limits::MESSAGE_BYTES_MAX;

/// The longest time that a body may take. A client that sends one byte at a time would otherwise
/// keep its place among the requests for as long as it likes.
const BODY_TIME: Duration = Duration::from_secs(30);
/// The same for a body that says itself that it is too long. Nothing of it is kept.
const LONG_TIME: Duration = Duration::from_secs(5);
/// The longest wait for memory, or for a place, that other requests hold.
pub(super) const BUDGET_TIME: Duration = Duration::from_secs(30);
/// The longest body, in bytes.
const BODY_BYTES_MAX: usize = MESSAGE_BYTES_MAX;
/// Bodies that take no more memory than this are not counted: there may be one for every request.
const SHORT_BYTES_MAX: usize = 8 << 10;

/// The memory that reading JSON takes beside its text.
#[derive(Clone, Copy)]
pub(super) struct ReadingCost {
    /// Bytes for each value.
    value_bytes: usize,
    /// Bytes for each byte of a string in which something is escaped.
    escaped_copies: usize,
}

/// The cost of a body that is read once: `Value` has 72 bytes, and lists grow by doubling.
pub(super) const PLAIN_COST: ReadingCost = ReadingCost {
    value_bytes: 128,
    escaped_copies: 0,
};
/// The cost of an MCP message, which is read several times over: whole, by its method, and by what
/// the function takes. A string that has escapes is copied each time.
pub(super) const MCP_COST: ReadingCost = ReadingCost {
    value_bytes: 288,
    escaped_copies: 4,
};
const _: () = assert!(BUFFERED_BYTES_MAX / 2 >= text_bytes(BODY_BYTES_MAX));

/// A body and the memory that it holds until this is dropped.
pub(super) struct BufferedBody {
    pub(super) bytes: Bytes,
    pub(super) held: Reservation,
}

/// Reads all of `body`, which is JSON that takes `cost` to read, and holds memory of `share` for
/// it. Returns the response to send if it is refused.
pub(super) async fn read(
    body: Body,
    cost: ReadingCost,
    share: &Share,
) -> Result<BufferedBody, Response> {
    // The rest of the body is not read, so no other request can follow.
    let read = try_read(body, cost, share).await;
    read.map_err(Problem::and_close)
}

async fn try_read(body: Body, cost: ReadingCost, share: &Share) -> Result<BufferedBody, Problem> {
    let length = body.size_hint().upper();
    let length = length.and_then(|length| usize::try_from(length).ok());
    let mut held = share.held();
    match length {
        // A body that is too long is not kept.
        Some(length) if length > BODY_BYTES_MAX => {}
        // A body of unknown length may be the longest.
        length => take(&mut held, text_bytes(length.unwrap_or(BODY_BYTES_MAX))).await?,
    }
    let (bytes, values) = in_time(body, length).await?;
    // A short text can hold many values, each of which takes more memory than its text.
    let read = values.bytes(cost.value_bytes) + values.escaped_bytes() * cost.escaped_copies;
    take(&mut held, text_bytes(bytes.len()) + read).await?;
    Ok(BufferedBody {
        bytes: bytes.into(),
        held,
    })
}

/// The memory of a body with `length` bytes: the body itself, and the texts that are read from it.
/// Few bodies are there whole in both forms at once, so less than twice the length is counted.
const fn text_bytes(length: usize) -> usize {
    length / 4 * 7
}

/// Waits until `held` holds `bytes` in all.
async fn take(held: &mut Reservation, bytes: usize) -> Result<(), Problem> {
    if bytes <= SHORT_BYTES_MAX {
        return Ok(());
    }
    match tokio::time::timeout(BUDGET_TIME, held.wait(bytes)).await {
        Ok(Ok(())) => Ok(()),
        Ok(Err(ReserveError::ExceedsShare)) => {
            let detail = "the request's JSON takes too much memory; split it into several requests";
            Err(Problem::new(StatusCode::PAYLOAD_TOO_LARGE, detail))
        }
        Ok(Err(ReserveError::Exhausted)) | Err(_) => Err(Problem::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "the server is busy with long requests; try again",
        )),
    }
}

async fn in_time(body: Body, length: Option<usize>) -> Result<(Vec<u8>, Values), Problem> {
    let is_too_long = length.is_some_and(|length| length > BODY_BYTES_MAX);
    let time = if is_too_long { LONG_TIME } else { BODY_TIME };
    let collected = tokio::time::timeout(time, collect(body, length)).await;
    let (status, detail) = match collected {
        Ok(Ok(Some(read))) => return Ok(read),
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

/// The whole body, or nothing if it is too long. Such a body is read to its end, too: a client that
/// is still sending would see a broken connection and not the reason.
async fn collect(
    body: Body,
    length: Option<usize>,
) -> Result<Option<(Vec<u8>, Values)>, axum::Error> {
    let mut pieces = body.into_data_stream();
    let expected = length.unwrap_or_default();
    let mut values = Values::default();
    let mut whole = (expected <= BODY_BYTES_MAX).then(|| Vec::with_capacity(expected));
    while let Some(piece) = pieces.next().await {
        let piece = piece?;
        whole = whole.filter(|bytes: &Vec<u8>| bytes.len() + piece.len() <= BODY_BYTES_MAX);
        if let Some(bytes) = &mut whole {
            // Piece by piece: to count a long text at once would keep others waiting.
            values.add(&piece);
            bytes.extend_from_slice(&piece);
        }
    }
    Ok(whole.map(|bytes| (bytes, values)))
}

#[cfg(test)]
mod tests {
    use futures::FutureExt as _;

    use super::*;
    use crate::budget::Budget;

    #[tokio::test]
    async fn long_bodies_of_one_caller_leave_room_for_others() {
        let budget = Budget::new();
        let (ann, robin) = (budget.share(2), budget.share(2));
        let long = || Body::from(vec![b' '; BODY_BYTES_MAX]);
        // A body of unknown length.
        let unsaid = || Body::from_stream(futures::stream::iter([Ok::<_, axum::Error>("{}")]));
        let held = read(long(), PLAIN_COST, &ann).await.unwrap();
        for waits in [long(), unsaid()] {
            assert!(read(waits, PLAIN_COST, &ann).now_or_never().is_none());
        }
        assert!(read(Body::from("{}"), PLAIN_COST, &ann).await.is_ok());
        assert!(read(long(), PLAIN_COST, &robin).await.is_ok());
        drop(held);
        assert!(read(long(), PLAIN_COST, &ann).await.is_ok());
        let longer = Body::from(vec![b' '; BODY_BYTES_MAX + 1]);
        let longer = read(longer, PLAIN_COST, &ann).await;
        let refused = longer.err().unwrap().status();
        assert_eq!(refused, StatusCode::PAYLOAD_TOO_LARGE);
    }

    #[tokio::test]
    async fn few_bytes_that_are_many_values_need_more_room() {
        let share = Budget::new().share(1);
        let is_counted = async |text: String| {
            let whole = read(Body::from(text), PLAIN_COST, &share).await;
            whole
                .map(|whole| !whole.held.is_empty())
                .map_err(|refused| refused.status())
        };
        assert_eq!(is_counted("[1]".into()).await, Ok(false));
        let short = format!("[{}]", "{\"a\":0},".repeat(100));
        assert!(short.len() < 1_000);
        assert_eq!(is_counted(short).await, Ok(true));
        let text = format!("\"{}\"", "[{\\\",:".repeat(500));
        assert_eq!(is_counted(text).await, Ok(false), "it is one text");
        let many = is_counted("[],".repeat(2_000_000)).await;
        assert_eq!(many, Err(StatusCode::PAYLOAD_TOO_LARGE));
    }

    #[tokio::test]
    async fn a_text_with_an_escape_needs_more_room_where_it_is_read_several_times() {
        let share = Budget::new().share(1);
        let text = |escape: &str| format!("\"{escape}{}\"", "x".repeat(16 << 20));
        let status = async |text: String, cost| {
            let whole = read(Body::from(text), cost, &share).await;
            whole.err().map(|refused| refused.status())
        };
        assert_eq!(status(text(""), MCP_COST).await, None);
        assert_eq!(status(text("\\n"), PLAIN_COST).await, None);
        let refused = status(text("\\n"), MCP_COST).await;
        assert_eq!(refused, Some(StatusCode::PAYLOAD_TOO_LARGE));
        let shorter = format!("[\"\\\"\",{},\"\\\\\"]", text(""));
        assert_eq!(status(shorter, MCP_COST).await, None, "others have escapes");
    }
}
