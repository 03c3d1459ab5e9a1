//! `POST /api/lfs/complete?ticket=…`: puts the parts of an LFS object together and stores it.

use std::collections::HashMap;

use http::StatusCode;
use serde::Deserialize;
use utoipa::ToSchema;

use super::part::length;
use super::{size_of, take_in};
use crate::access::{Call, HoldsTicket};
use crate::content::{Sha256Digest, SpooledFile};
use crate::controllers::json;
use crate::database::uploads::{Part, Upload};
use crate::error::RegistryError;
use crate::http::{ErrorBody, List, Refusal, Reply};
use crate::quota::Room;
use crate::registry::Registry;
use crate::wire::Success;

/// The most parts of an object; the same as the limit of S3.
const PARTS_MAX: usize = 10_000;

/// The parts that were sent.
#[derive(Deserialize, ToSchema)]
pub(crate) struct CompleteRequest {
    #[serde(default)]
    #[schema(value_type = Vec<SentPart>)]
    parts: List<SentPart>,
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct SentPart {
    part_number: i64,
    etag: String,
}

/// Puts the parts of an object together.
#[utoipa::path(
    post,
    path = "/api/lfs/complete",
    request_body = CompleteRequest,
    responses(
        (status = 200, description = "The object is stored", body = Success),
        (status = 422, description = "A part is missing, or its ETag is another one than was returned for it", body = ErrorBody),
    ),
)]
pub(crate) async fn finish(mut call: Call<HoldsTicket>) -> Reply {
    let request: CompleteRequest = call.json().await?;
    let upload = &call.admitted;
    if has_arrived(&call.registry, upload).await? {
        // The answer to an earlier request was lost on its way.
        return Ok(json(Success::DONE));
    }
    let parts = call.registry.database().parts(&upload.ticket).await?;
    // Some clients list a part twice if they sent it twice.
    let named = request.parts.within(2 * PARTS_MAX, "parts")?;
    check(upload, &parts, &named)?;
    let mut room = Room::of_announced(&call.registry, &upload.owner).await?;
    let spooled = join(&call.registry, upload, &parts, &mut room).await?;
    take_in(&call.registry, upload, spooled, &mut room).await?;
    for part in &parts {
        // The object is stored; a part that stays behind is swept later.
        if let Err(error) = call
            .registry
            .content()
            .remove_part(&upload.ticket, part.number)
            .await
        {
            tracing::warn!(
                error = &error as &dyn std::error::Error,
                "a part could not be removed"
            );
        }
    }
    Ok(json(Success::DONE))
}

async fn has_arrived(registry: &Registry, upload: &Upload) -> Result<bool, RegistryError> {
    let database = registry.database();
    let given = database.given(&upload.repository, &[upload.sha256]).await?;
    Ok(given.contains_key(&upload.sha256))
}

/// All parts must be there, and be the ones the client has the ETags of.
fn check(upload: &Upload, parts: &[Part], named: &[SentPart]) -> Result<(), Refusal> {
    let refuse = |text: String| Err(Refusal::new(StatusCode::UNPROCESSABLE_ENTITY, text));
    let mut next = 1;
    for part in parts {
        if part.number != next {
            break;
        }
        next += 1;
    }
    if length(upload, next).is_some() || parts.is_empty() {
        return refuse(format!("part {next} has not arrived"));
    }
    let by_number: HashMap<i64, &Part> = parts.iter().map(|part| (part.number, part)).collect();
    for named in named {
        let known = by_number.get(&named.part_number);
        let etag = Sha256Digest::from_hex(named.etag.trim_matches('"'));
        if known.is_none_or(|part| Some(part.sha256) != etag) {
            return refuse(format!(
                "part {} is not the one that arrived",
                named.part_number
            ));
        }
    }
    Ok(())
}

async fn join(
    registry: &Registry,
    upload: &Upload,
    parts: &[Part],
    room: &mut Room,
) -> Result<SpooledFile, Refusal> {
    let limits = registry.limits();
    let content = registry.content();
    let mut spool = content.spool(limits.spool_memory_bytes_max);
    for part in parts {
        let size = part.size_bytes.max(0).unsigned_abs();
        let body = content.read_part(&upload.ticket, part.number, size).await?;
        let mut stream = body.into_data_stream();
        while let Some(piece) = futures::StreamExt::next(&mut stream).await {
            let piece =
                piece.map_err(|error| RegistryError::Spool(std::io::Error::other(error)))?;
            room.admit(piece.len() as u64)?;
            spool.write(&piece).await?;
        }
    }
    debug_assert!(spool.size_bytes() <= size_of(upload));
    Ok(spool.finish().await?)
}
