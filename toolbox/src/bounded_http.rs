//! Sends a request to a service: bounded in time and length, and followed to no other place.
//! No proxy of the environment is used.

use std::time::Duration;

use reqwest::header::HeaderMap;
use reqwest::redirect::Policy;
use reqwest::{Request, StatusCode};

/// The longest answer of a service that is read.
const ANSWER_BYTES_MAX: usize = 64 << 10;

/// A request was not answered.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HttpError {
    /// The service cannot be reached.
    #[error("the service cannot be reached")]
    Unreachable(#[from] reqwest::Error),
    /// The answer did not come in time.
    #[error("the service did not answer within {} s", after.as_secs())]
    TimedOut {
        /// The time that it had.
        after: Duration,
    },
    /// The answer is longer than anything that belongs here.
    #[error("the answer is longer than {ANSWER_BYTES_MAX} bytes")]
    TooLong,
}

/// The answer of a service.
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

/// Sends `request` and reads its answer, which has to be here `within` that time.
pub(crate) async fn send(request: Request, within: Duration) -> Result<Answer, HttpError> {
    let failed = |error: reqwest::Error| match error.is_timeout() {
        true => HttpError::TimedOut { after: within },
        false => HttpError::Unreachable(error.without_url()),
    };
    let client = reqwest::Client::builder()
        .redirect(Policy::none())
        .no_proxy()
        .timeout(within)
        .build()?;
    let mut response = client.execute(request).await.map_err(failed)?;
    let (status, headers) = (response.status(), response.headers().clone());
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(failed)? {
        if body.len() + chunk.len() > ANSWER_BYTES_MAX {
            return Err(HttpError::TooLong);
        }
        body.extend_from_slice(&chunk);
    }
    Ok(Answer {
        status,
        headers,
        body,
    })
}

#[cfg(test)]
mod tests {
    use reqwest::Method;
    use tokio::net::TcpListener;

    use super::*;

    #[tokio::test]
    async fn a_service_that_hangs_is_left() {
        // Connections are taken by the system, and nobody answers.
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/", listener.local_addr().unwrap());
        let request = Request::new(Method::POST, url.parse().unwrap());
        let within = Duration::from_millis(300);
        let Err(error) = send(request, within).await else {
            panic!("it answered");
        };
        assert!(matches!(error, HttpError::TimedOut { after } if after == within));
    }
}
