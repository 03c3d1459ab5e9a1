//! `PUT /api/lfs/object?ticket=…`: receives and stores an LFS object in one piece.

use super::{size_of, take_in};
use crate::access::{Call, HoldsTicket};
use crate::controllers::json;
use crate::http::{ErrorBody, Reply};
use crate::quota::Room;
use crate::upload::read_object;
use crate::wire::Success;

/// Takes an object in one piece.
#[utoipa::path(
    put,
    path = "/api/lfs/object",
    request_body(content = Vec<u8>, content_type = "application/octet-stream"),
    responses(
        (status = 200, description = "The object is stored", body = Success),
        (status = 422, description = "The content has another length or hash than was announced", body = ErrorBody),
    ),
)]
pub(crate) async fn put(mut call: Call<HoldsTicket>) -> Reply {
    let body = call.take_body();
    let (registry, upload) = (&call.registry, &call.admitted);
    let mut room = Room::of_announced(registry, &upload.owner).await?;
    let spooled = read_object(registry, body, size_of(upload), &mut room).await?;
    take_in(registry, upload, spooled, &mut room).await?;
    Ok(json(Success::DONE))
}
