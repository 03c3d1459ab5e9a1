//! Downloads a file of advisories from a URL, with bounds on its length, time and redirects.

use std::time::Duration;

use reqwest::StatusCode;
use reqwest::header::{ETAG, IF_NONE_MATCH};
use reqwest::redirect::Policy;
use url::Url;

use super::archive::FILE_BYTES_MAX;
use super::error::AdvisoryError;
use super::source::is_private;

/// The time for a connection.
const CONNECT_TIME_MAX: Duration = Duration::from_secs(10);
/// The time for everything.
const TIME_MAX: Duration = Duration::from_secs(120);
const REDIRECTS_MAX: usize = 5;

/// The answer of a URL.
pub(crate) enum Download {
    /// The file, and the tag by which it is recognized.
    File(Vec<u8>, Option<String>),
    /// It is the file that the tag was given for.
    Unchanged,
}

/// Downloads what is at `url`, unless it is what `tag` was given for.
pub(crate) async fn download(url: &Url, tag: Option<&str>) -> Result<Download, AdvisoryError> {
    let unreachable = |source: reqwest::Error| AdvisoryError::Unreachable {
        url: Box::new(url.clone()),
        source: source.without_url(),
    };
    let redirects = Policy::custom(|attempt| {
        match attempt.previous().len() <= REDIRECTS_MAX && is_private(attempt.url()) {
            true => attempt.follow(),
            // The status of the redirect is told as that of the answer.
            false => attempt.stop(),
        }
    });
    let client = reqwest::Client::builder()
        .user_agent(concat!("tool-hub/", env!("CARGO_PKG_VERSION")))
        .redirect(redirects)
        .referer(false)
        .no_proxy()
        .connect_timeout(CONNECT_TIME_MAX)
        .timeout(TIME_MAX)
        .build()
        .map_err(unreachable)?;
    let mut request = client.get(url.clone());
    if let Some(tag) = tag {
        request = request.header(IF_NONE_MATCH, tag);
    }
    let mut response = request.send().await.map_err(unreachable)?;
    match response.status() {
        StatusCode::NOT_MODIFIED if tag.is_some() => return Ok(Download::Unchanged),
        StatusCode::OK => {}
        status => {
            return Err(AdvisoryError::Refused {
                url: Box::new(url.clone()),
                status: status.as_u16(),
            });
        }
    }
    let tag = response.headers().get(ETAG);
    let tag = tag.and_then(|tag| tag.to_str().ok()).map(str::to_owned);
    let mut bytes = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(unreachable)? {
        if (bytes.len() + chunk.len()) as u64 > FILE_BYTES_MAX {
            return Err(AdvisoryError::TooMuch {
                file: url.to_string(),
                max: FILE_BYTES_MAX,
                of: "bytes",
            });
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(Download::File(bytes, tag))
}
