//! `PUT /api/lfs/object?ticket=…`: an object in one piece.

use serde_json::json;

use super::{size_of, take_in};
use crate::access::{Call, HoldsTicket};
use crate::controllers::json as answer;
use crate::http::Reply;
use crate::upload::read_object;

pub(crate) async fn put(mut call: Call<HoldsTicket>) -> Reply {
    let body = call.take_body();
    let spooled = read_object(&call.registry, body, size_of(&call.admitted)).await?;
    take_in(&call.registry, &call.admitted, spooled).await?;
    Ok(answer(json!({"success": true})))
}
