//! `GET /metrics`, on an address of its own: serves the server's metrics as text.

use axum::response::IntoResponse as _;
use http::header::CONTENT_TYPE;

use crate::access::{Call, Probe};
use crate::clock;
use crate::http::Reply;
use crate::metrics;

pub(crate) async fn show(call: Call<Probe>) -> Reply {
    let mirror = call.registry.database().mirror().await?;
    let lag = mirror.map(|mirror| mirror.lag(clock::now_ms()));
    let text = call.registry.metrics().text(lag)?;
    Ok(([(CONTENT_TYPE, metrics::CONTENT_TYPE)], text).into_response())
}
