//! `GET /health/live` and `/ready`: tells if the process answers, and if database and storage do.

use std::time::Duration;

use axum::response::IntoResponse as _;
use http::StatusCode;
use serde::Serialize;
use utoipa::ToSchema;

use super::json;
use crate::access::{Call, Probe};
use crate::error::RegistryError;
use crate::http::Reply;

/// Longest wait for the database and the store; who asks gives up soon after.
const PROBE_MAX: Duration = Duration::from_secs(3);

/// That the process answers.
#[derive(Serialize, ToSchema)]
pub(crate) struct Liveness {
    status: &'static str,
}

/// The state of the database and of the content store: `ok` or `unavailable` each.
#[derive(Serialize, ToSchema)]
pub(crate) struct Readiness {
    status: &'static str,
    database: &'static str,
    storage: &'static str,
}

/// Succeeds if the process answers.
#[utoipa::path(
    get,
    path = "/health/live",
    responses(
        (status = 200, description = "The process answers", body = Liveness),
    ),
)]
pub(crate) async fn live(_: Call<Probe>) -> Reply {
    Ok(json(Liveness { status: "ok" }))
}

/// Succeeds if database and content store answer too.
///
/// The reason why one does not is in the log, not for everybody to read.
#[utoipa::path(
    get,
    path = "/health/ready",
    responses(
        (status = 200, description = "The database and the content store answer", body = Readiness),
        (status = 503, description = "The database or the content store does not answer", body = Readiness),
    ),
)]
pub(crate) async fn ready(call: Call<Probe>) -> Reply {
    let (database, storage) = tokio::join!(
        probe("database", call.registry.database().probe()),
        probe("storage", call.registry.content().probe()),
    );
    let word = |up: bool| if up { "ok" } else { "unavailable" };
    let up = database && storage;
    let body = Readiness {
        status: word(up),
        database: word(database),
        storage: word(storage),
    };
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
