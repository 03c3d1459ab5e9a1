//! Fetches a text of limited length from an address that the user named.

use anyhow::anyhow;
use futures::StreamExt as _;
use url::Url;

/// The reason that a text was not fetched.
pub(super) enum FetchError {
    /// It is longer than it may be.
    TooLong,
    /// There is no answer with a text.
    Failed(anyhow::Error),
}

/// The text at `url`, of at most `bytes_max` bytes.
pub(super) async fn fetched_text(
    http: &reqwest::Client,
    url: &Url,
    bytes_max: usize,
) -> Result<String, FetchError> {
    let lost = |error: reqwest::Error| FetchError::Failed(error.without_url().into());
    let answer = http.get(url.clone()).send().await.map_err(lost)?;
    if answer.status() != reqwest::StatusCode::OK {
        let status = answer.status();
        return Err(FetchError::Failed(anyhow!(
            "it answers with status {status}"
        )));
    }
    let (mut body, mut stream) = (Vec::new(), answer.bytes_stream());
    while let Some(chunk) = stream.next().await {
        let chunk = chunk.map_err(lost)?;
        if body.len() + chunk.len() > bytes_max {
            return Err(FetchError::TooLong);
        }
        body.extend_from_slice(&chunk);
    }
    String::from_utf8(body).map_err(|_| FetchError::Failed(anyhow!("it is not UTF-8")))
}
