//! `PUT /api/lfs/part?ticket=…&number=…`: receives and stores one part of an LFS object.

use std::collections::BTreeSet;

use axum::response::IntoResponse as _;
use http::header::ETAG;
use http::{HeaderValue, StatusCode};

use super::{authority, size_of};
use crate::access::{Call, HoldsTicket};
use crate::database::uploads::{Part, Upload};
use crate::error::RegistryError;
use crate::http::{ErrorBody, Refusal, Reply, drain};
use crate::quota::{self, Room};
use crate::upload::read_object;

/// Takes a part of an object.
#[utoipa::path(
    put,
    path = "/api/lfs/part",
    params(
        ("number" = u32, Query, description = "The number of the part, counted from 1."),
    ),
    request_body(content = Vec<u8>, content_type = "application/octet-stream"),
    responses(
        (status = 200, description = "The part is stored", headers(("ETag" = String))),
        (status = 422, description = "The part has another length than it must have", body = ErrorBody),
    ),
)]
pub(crate) async fn put(mut call: Call<HoldsTicket>) -> Reply {
    let body = call.take_body();
    let number = call
        .query()
        .first("number")
        .and_then(|text| text.parse().ok());
    let Some((number, expected)) =
        number.and_then(|number| Some((number, length(&call.admitted, number)?)))
    else {
        drain(body, &call.registry).await;
        return Err(Refusal::bad_request(
            "\"number\" is not that of a part of this upload",
        ));
    };
    let mut room = Room::of_announced(&call.registry, &call.admitted.owner).await?;
    let spooled = read_object(&call.registry, body, expected, &mut room).await?;
    if spooled.size_bytes != expected {
        return Err(Refusal::new(
            StatusCode::UNPROCESSABLE_ENTITY,
            format!(
                "part {number} has {} bytes, not {expected}",
                spooled.size_bytes
            ),
        ));
    }
    let part = Part {
        number,
        sha256: spooled.sha256,
        size_bytes: i64::try_from(spooled.size_bytes).unwrap_or(i64::MAX),
    };
    let ticket = &call.admitted.ticket;
    call.registry
        .content()
        .keep_part(ticket, number, spooled)
        .await?;
    if let Err(refusal) = record(&call, &part, &mut room).await {
        // The part is not recorded, so it must not stay.
        call.registry.content().remove_part(ticket, number).await?;
        return Err(refusal);
    }
    let etag = HeaderValue::from_str(&format!("\"{}\"", part.sha256))
        .map_err(|_| RegistryError::Damaged("a digest is no header".to_owned()))?;
    Ok((StatusCode::OK, [(ETAG, etag)]).into_response())
}

/// Records an uploaded part, unless the owner would exceed their quota: an object that is sent
/// several times takes more than was announced.
async fn record(call: &Call<HoldsTicket>, part: &Part, room: &mut Room) -> Result<(), Refusal> {
    let upload = &call.admitted;
    let database = call.registry.database();
    let authority = authority(upload);
    let (mut writing, _) = database.write_as(&authority, &upload.repository).await?;
    writing.upsert_part(&upload.ticket, part).await?;
    let nothing = BTreeSet::new();
    let (registry, owner) = (&call.registry, &upload.owner);
    quota::check_with(registry, &mut writing, owner, &nothing, room).await?;
    Ok(writing.commit().await?)
}

/// The length that a part must have; `None` when the upload has no such part.
pub(super) fn length(upload: &Upload, number: i64) -> Option<u64> {
    let part_bytes = upload.part_bytes?.max(1).unsigned_abs();
    let before = u64::try_from(number.checked_sub(1)?)
        .ok()?
        .checked_mul(part_bytes)?;
    let left = size_of(upload).checked_sub(before)?;
    (left > 0).then_some(left.min(part_bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::content::Sha256Digest;
    use crate::database::keys::{AccountKey, RepositoryKey, TokenKey};

    #[track_caller]
    fn check(size_bytes: i64, part_bytes: Option<i64>, number: i64, expect: Option<u64>) {
        let upload = Upload {
            ticket: String::new(),
            repository: RepositoryKey::NONE,
            owner: AccountKey::NONE,
            account: AccountKey::NONE,
            token: TokenKey::from(""),
            sha256: Sha256Digest::new([0; 32]),
            size_bytes,
            part_bytes,
        };
        assert_eq!(
            length(&upload, number),
            expect,
            "part {number} of {size_bytes}"
        );
    }

    #[test]
    fn lengths_of_parts() {
        check(25, Some(10), 1, Some(10));
        check(25, Some(10), 2, Some(10));
        check(25, Some(10), 3, Some(5));
        check(20, Some(10), 2, Some(10));
        check(20, Some(10), 3, None);
        check(25, Some(10), 4, None);
        check(25, Some(10), 0, None);
        check(25, Some(10), -1, None);
        check(25, Some(10), i64::MAX, None);
        check(25, Some(10), i64::MIN, None);
        check(25, None, 1, None);
    }
}
