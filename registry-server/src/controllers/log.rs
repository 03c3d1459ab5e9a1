//! `GET /api/log/…`: the transparency log in C2SP's form, and proofs for one version.
//!
//! The records of a private repository are hidden in the tiles, and opened for those who may read
//! it.

use axum::response::{IntoResponse as _, Response};
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use http::{HeaderValue, StatusCode};
use serde::Serialize;
use tool_hub_manifest::Version;
use tool_hub_transparency::{HashQuery, Proof, TilePath, entry_bundle};
use utoipa::ToSchema;

use super::json;
use crate::access::{Anyone, Call, ReadRepository};
use crate::database::Database;
use crate::database::log::LogSubject;
use crate::http::{ErrorBody, Query, Refusal, Reply};
use crate::served_log::{ServedLog, answer, inclusions};

/// Most records that are shown of one version from its first on, and as many of the newest.
const RECORDS_MAX: u32 = 50;

/// The log's name and the public key that signs its checkpoints.
///
/// It is a verifier key of C2SP `signed-note`.
#[utoipa::path(
    get,
    path = "/api/log/key",
    responses(
        (status = 200, description = "The key", body = String, content_type = "text/plain"),
        (status = 404, description = "This is a mirror of a registry without a log", body = ErrorBody),
    ),
)]
pub(crate) async fn key(call: Call<Anyone>) -> Reply {
    let log = served(call.registry.database()).await?;
    Ok(of_this_moment(text(format!("{}\n", log.key()))))
}

/// The size and the root of the log at this moment, signed.
///
/// The witnesses that have seen this state cosigned it. Whoever says how many records they have
/// seen gets the state of the last minute, no smaller than that, that most witnesses cosigned.
#[utoipa::path(
    get,
    path = "/api/log/checkpoint",
    params(
        ("older" = Option<u64>, Query, description = "The size of the log that the caller has seen."),
    ),
    responses(
        (status = 200, description = "The checkpoint", body = String, content_type = "text/plain"),
        (status = 400, description = "This is no number of records", body = ErrorBody),
        (status = 404, description = "This is a mirror of a registry without a log", body = ErrorBody),
    ),
)]
pub(crate) async fn checkpoint(call: Call<Anyone>) -> Reply {
    let older = older(&call.query())?;
    let database = call.registry.database();
    let mut log = served(database).await?;
    if let Some(older) = older {
        log = log.cosigned(database, older).await?;
    }
    Ok(of_this_moment(text(log.checkpoint(database).await?)))
}

/// A tile of hashes, or a bundle of records.
#[utoipa::path(
    get,
    path = "/api/log/tile/{rest}",
    responses(
        (status = 200, description = "The tile", body = Vec<u8>, content_type = "application/octet-stream"),
        (status = 404, description = "The log has no such tile", body = ErrorBody),
    ),
)]
pub(crate) async fn tile(call: Call<Anyone>) -> Reply {
    let path = call.parts.uri.path();
    let path = path.strip_prefix("/api/log/").unwrap_or_default();
    let tile: TilePath = path.parse().map_err(|_| no_tile())?;
    let database = call.registry.database();
    if tile.records() > served(database).await?.size {
        return Err(no_tile());
    }
    let content = if tile.is_entries() {
        let records = database.log_records(tile.range()).await?;
        entry_bundle(records.iter().map(|record| record.record.as_bytes()))
    } else {
        let hashes = answer(database, HashQuery::Tile(tile)).await?;
        hashes.iter().flat_map(|hash| hash.0).collect()
    };
    let mut response = content.into_response();
    let headers = response.headers_mut();
    let kind = HeaderValue::from_static("application/octet-stream");
    headers.insert(CONTENT_TYPE, kind);
    // The content of this address never changes.
    let forever = HeaderValue::from_static("public, max-age=31536000, immutable");
    headers.insert(CACHE_CONTROL, forever);
    Ok(response)
}

/// The records of one version with their proofs.
#[derive(Serialize, ToSchema)]
pub(crate) struct VersionRecords {
    /// The log's name and public key.
    key: String,
    /// The checkpoint that the proofs are for.
    checkpoint: String,
    /// The proof that the log begins with what the caller has seen: hashes in base64.
    #[schema(value_type = Vec<String>)]
    consistency: Proof,
    records: Vec<ProvedRecord>,
}

/// A record and the proof that it is in the log.
#[derive(Serialize, ToSchema)]
pub(crate) struct ProvedRecord {
    /// Its place, counted from 0.
    index: u64,
    /// Its bytes.
    record: String,
    /// The text that opens it, where the repository is private.
    #[serde(skip_serializing_if = "Option::is_none")]
    opening: Option<String>,
    /// Hashes in base64.
    #[schema(value_type = Vec<String>)]
    proof: Proof,
}

/// The log's records of one version.
///
/// A version with more than 100 records is shown with its first 50 and its newest 50. Only models
/// have records. The checkpoint is that of a state of the last minute which has all of them, and
/// which most witnesses cosigned.
#[utoipa::path(
    get,
    path = "/api/{kinds}/{owner}/{name}/log",
    params(
        ("version" = String, Query, description = "The version."),
        ("older" = Option<u64>, Query, description = "The size of the log that the caller has seen."),
    ),
    responses(
        (status = 200, description = "Records and proofs", body = VersionRecords),
        (status = 400, description = "This is no version", body = ErrorBody),
    ),
)]
pub(crate) async fn version(call: Call<ReadRepository>) -> Reply {
    let query = call.query();
    let version: Version = match query.first("version").map(str::parse) {
        Some(Ok(version)) => version,
        _ => return Err(Refusal::bad_request("version is a version, such as 1.2.0")),
    };
    let older = older(&query)?.unwrap_or_default();
    let reader = &call.admitted;
    let database = call.registry.database();
    let log = served(database).await?;
    // A repository that was moved has records under each of its names.
    let (full_name, version) = (reader.address.id.to_string(), version.to_string());
    let logged = match LogSubject::of(&reader.repository, &full_name, &version) {
        Some(subject) => {
            database
                .log_records_of(subject, log.size, RECORDS_MAX)
                .await?
        }
        None => Vec::new(),
    };
    let places: Vec<u64> = logged.iter().map(|it| it.position.unsigned_abs()).collect();
    let least = places.iter().max().map_or(0, |last| last + 1).max(older);
    let log = log.cosigned(database, least).await?;
    let proofs = inclusions(database, log.size, &places).await?;
    let records = places.into_iter().zip(logged).zip(proofs);
    let records = records.map(|((index, logged), proof)| ProvedRecord {
        index,
        record: logged.record,
        opening: logged.opening,
        proof,
    });
    Ok(of_this_moment(json(VersionRecords {
        key: log.key(),
        checkpoint: log.checkpoint(database).await?,
        consistency: log.consistency(database, older).await?,
        records: records.collect(),
    })))
}

/// The number of records that the caller has seen, if they say so.
fn older(query: &Query) -> Result<Option<u64>, Refusal> {
    let older = query.first("older").map(str::parse::<u64>).transpose();
    older.map_err(|_| Refusal::bad_request("older is a number of records"))
}

async fn served(database: &Database) -> Result<ServedLog, Refusal> {
    let log = ServedLog::of(database).await?;
    log.ok_or_else(|| {
        Refusal::new(
            StatusCode::NOT_FOUND,
            "this registry is a mirror, and has no log of the registry that it mirrors",
        )
    })
}

fn no_tile() -> Refusal {
    Refusal::entry_not_found("a tile of the log")
}

/// The answer, of which a cache before the registry serves no older one: who is shown an earlier
/// state of the log than before refuses the registry.
fn of_this_moment(mut answer: Response) -> Response {
    let asked_again = HeaderValue::from_static("no-cache");
    answer.headers_mut().insert(CACHE_CONTROL, asked_again);
    answer
}

fn text(content: String) -> Response {
    content.into_response()
}
