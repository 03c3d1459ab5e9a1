//! `PUT /api/lfs/object?ticket=…`: an object in one piece.

use serde_json::json;

use super::{size_of, take_in};
use crate::access::{Call, HoldsTicket};
use crate::controllers::json as answer;
use crate::http::Reply;
use crate::quota::Room;
use crate::upload::read_object;

pub(crate) async fn put(mut call: Call<HoldsTicket>) -> Reply {
    let body = call.take_body();
    let (registry, upload) = (&call.registry, &call.admitted);
    let mut room = Room::of_announced(registry, &upload.owner).await?;
    let spooled = read_object(registry, body, size_of(upload), &mut room).await?;
    take_in(registry, upload, spooled, &mut room).await?;
    Ok(answer(json!({"success": true})))
}
