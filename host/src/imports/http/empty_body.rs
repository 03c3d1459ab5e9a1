//! Waits for the end of a body that a request must not have.

use std::time::Duration;

use http_body::Body as _;
use http_body_util::{BodyExt as _, Empty};
use wasmtime_wasi_http::{Error, WasiBody};

/// Waits at most `timeout` for the end of `body`; guests open an empty one even for requests that
/// have none. `None` if it is not empty.
pub(super) async fn expect_empty(
    mut body: WasiBody,
    timeout: Duration,
) -> Result<Option<WasiBody>, Error> {
    while !body.is_end_stream() {
        let frame = tokio::time::timeout(timeout, body.frame()).await;
        let Some(frame) = frame.map_err(|_| Error::ConnectionWriteTimeout)? else {
            break;
        };
        if frame?.data_ref().is_some_and(|data| !data.is_empty()) {
            return Ok(None);
        }
    }
    let empty = Empty::new().map_err(|never| match never {});
    Ok(Some(empty.boxed_unsync()))
}
