//! `GET /health/live` and `/health/ready`: whether the process answers, and whether it can serve.

use std::time::Duration;

use axum::response::IntoResponse as _;
use http::StatusCode;
use serde_json::{Value, json};

use super::json;
use crate::access::{Call, Probe};
use crate::error::RegistryError;
use crate::http::Reply;

/// Longest wait for the database and the store; who asks gives up soon after.
const PROBE_MAX: Duration = Duration::from_secs(3);

/// The process answers. Also at `/health`.
pub(crate) async fn live(_: Call<Probe>) -> Reply {
    Ok(json(json!({"status": "ok"})))
}

/// Database and content store answer too; 503 says which does not. Why is in the log, not for
/// everybody to read.
pub(crate) async fn ready(call: Call<Probe>) -> Reply {
    let (database, storage) = tokio::join!(
        probe("database", call.registry.database().probe()),
        probe("storage", call.registry.content().probe()),
    );
    let word = |up: bool| Value::from(if up { "ok" } else { "unavailable" });
    let up = database && storage;
    let body = json!({"status": word(up), "database": word(database), "storage": word(storage)});
    let status = if up {
        StatusCode::OK
    } else {
        StatusCode::SERVICE_UNAVAILABLE
    };
    Ok((status, json(body)).into_response())
}

async fn probe(what: &str, asking: impl Future<Output = Result<(), RegistryError>>) -> bool {
    match tokio::time::timeout(PROBE_MAX, asking).await {
        Ok(Ok(())) => true,
        Ok(Err(error)) => {
            tracing::warn!(what, error = &error as &dyn std::error::Error, "not ready");
            false
        }
        Err(_) => {
            tracing::warn!(what, "not ready: no answer in time");
            false
        }
    }
}
