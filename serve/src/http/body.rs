//! Reads request bodies whole before they are handled, within limits on their length, their time,
//! and the memory of all bodies together.

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, HttpBody as _};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use futures::StreamExt as _;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::problem::Problem;
use crate::mcp::MESSAGE_BYTES_MAX;

/// How long a body may take. A client that sends one byte at a time would otherwise keep its
/// place among the requests for as long as it likes.
const BODY_TIME: Duration = Duration::from_secs(30);
/// The longest wait for memory that other requests hold.
const BUDGET_TIME: Duration = Duration::from_secs(30);
/// The most bytes that the text of all bodies may take together. The values that are parsed from
/// them may take as much again.
const HELD_BYTES_MAX: usize = 64 << 20;
/// The longest body, in bytes.
const BODY_BYTES_MAX: usize = MESSAGE_BYTES_MAX;
/// Bodies up to this length are not counted: there may be one for every request.
const SHORT_BYTES_MAX: usize = 4 << 10;
/// The unit in which memory is counted, in bytes.
const UNIT_BYTES: usize = 1 << 10;

/// The memory for bodies: one budget for texts, and one for parsed values. Clones share both.
#[derive(Clone)]
pub(super) struct BodyBudget {
    texts: Arc<Semaphore>,
    values: Arc<Semaphore>,
}

/// A caller's share of the memory, which keeps one caller from taking all of it.
pub(super) struct CallerBudget {
    all: BodyBudget,
    own: BodyBudget,
    bytes: usize,
}

/// A body and the memory that it holds until this is dropped.
pub(super) struct BufferedBody {
    pub(super) body: Body,
    pub(super) taken: [Option<Permits>; 2],
}

type Permits = [OwnedSemaphorePermit; 2];

impl BodyBudget {
    pub(super) fn new() -> Self {
        Self::of(HELD_BYTES_MAX)
    }

    fn of(bytes: usize) -> Self {
        let semaphore = || Arc::new(Semaphore::new(bytes / UNIT_BYTES));
        Self {
            texts: semaphore(),
            values: semaphore(),
        }
    }

    /// The share of one of `callers` callers: half of the memory if there are several, which is
    /// enough for the longest body.
    pub(super) fn share(&self, callers: usize) -> CallerBudget {
        let bytes = match callers {
            0 | 1 => HELD_BYTES_MAX,
            _ => (HELD_BYTES_MAX / 2).max(BODY_BYTES_MAX),
        };
        CallerBudget {
            all: self.clone(),
            own: Self::of(bytes),
            bytes,
        }
    }
}

impl CallerBudget {
    /// Reads all of `body`. Returns the response to send if it is refused.
    pub(super) async fn read(&self, body: Body) -> Result<BufferedBody, Response> {
        self.try_read(body).await.map_err(|problem| {
            let mut response = problem.into_response();
            // The rest of the body is not read, so no other request can follow.
            let close = HeaderValue::from_static("close");
            response.headers_mut().insert(header::CONNECTION, close);
            response
        })
    }

    async fn try_read(&self, body: Body) -> Result<BufferedBody, Problem> {
        let length = body.size_hint().upper();
        let length = length.and_then(|length| usize::try_from(length).ok());
        let text = match length {
            // A body that is too long is not kept.
            Some(length) if length > BODY_BYTES_MAX => None,
            // A body of unknown length may be the longest.
            length => {
                let length = length.unwrap_or(BODY_BYTES_MAX);
                self.take(length, |budget| &budget.texts).await?
            }
        };
        let bytes = in_time(body, length).await?;
        // A short text can hold many values, each of which takes more memory than its text.
        let values = match bytes.len() {
            ..=SHORT_BYTES_MAX => None,
            _ => {
                self.take(value_bytes(&bytes), |budget| &budget.values)
                    .await?
            }
        };
        Ok(BufferedBody {
            body: Body::from(bytes),
            taken: [text, values],
        })
    }

    /// Waits for `bytes` of the caller's share and then of the whole budget. Requests are served in
    /// order of arrival.
    async fn take(
        &self,
        bytes: usize,
        kind: impl Fn(&BodyBudget) -> &Arc<Semaphore>,
    ) -> Result<Option<Permits>, Problem> {
        if bytes <= SHORT_BYTES_MAX {
            return Ok(None);
        }
        if bytes > self.bytes {
            let detail = "the request's JSON takes too much memory; split it into several requests";
            return Err(Problem::new(StatusCode::PAYLOAD_TOO_LARGE, detail));
        }
        let units = u32::try_from(bytes.div_ceil(UNIT_BYTES)).unwrap_or(u32::MAX);
        let taken = async {
            // While a request waits for its caller's share, it takes nothing of the common one.
            let own = kind(&self.own).clone().acquire_many_owned(units).await;
            let of_all = kind(&self.all).clone().acquire_many_owned(units).await;
            Some([own.ok()?, of_all.ok()?])
        };
        match tokio::time::timeout(BUDGET_TIME, taken).await {
            Ok(Some(taken)) => Ok(Some(taken)),
            Ok(None) | Err(_) => Err(Problem::new(
                StatusCode::SERVICE_UNAVAILABLE,
                "the server is busy with long requests; try again",
            )),
        }
    }
}

/// Estimates the memory of the values in the JSON `text` from its separators.
fn value_bytes(text: &[u8]) -> usize {
    let (mut bytes, mut is_string, mut is_escaped) = (0, false, false);
    for byte in text {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_string => is_escaped = true,
            b'"' => is_string = !is_string,
            _ if is_string => {}
            b'{' => bytes += 192,
            b'[' | b',' | b':' => bytes += 64,
            _ => {}
        }
    }
    bytes
}

async fn in_time(body: Body, length: Option<usize>) -> Result<Vec<u8>, Problem> {
    let (status, detail) = match tokio::time::timeout(BODY_TIME, collect(body, length)).await {
        Ok(Ok(Some(bytes))) => return Ok(bytes),
        Ok(Ok(None)) => (
            StatusCode::PAYLOAD_TOO_LARGE,
            format!("a request has at most {MESSAGE_BYTES_MAX} bytes"),
        ),
        Ok(Err(error)) => (StatusCode::BAD_REQUEST, error.to_string()),
        Err(_) => (
            StatusCode::REQUEST_TIMEOUT,
            format!("the body was not here within {} s", BODY_TIME.as_secs()),
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
        let held = ann.read(long()).await.unwrap();
        for waits in [long(), unsaid()] {
            assert!(ann.read(waits).now_or_never().is_none());
        }
        assert!(ann.read(Body::from("{}")).await.is_ok());
        assert!(robin.read(long()).await.is_ok());
        drop(held);
        assert!(ann.read(long()).await.is_ok());
        let longer = ann.read(Body::from(vec![b' '; BODY_BYTES_MAX + 1])).await;
        let refused = longer.err().unwrap().status();
        assert_eq!(refused, StatusCode::PAYLOAD_TOO_LARGE);
    }

    #[tokio::test]
    async fn few_bytes_that_are_many_values_need_more_room() {
        let share = BodyBudget::new().share(1);
        let taken = async |text: String| {
            let whole = share.read(Body::from(text)).await;
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
