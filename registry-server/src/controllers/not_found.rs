//! Refusals for addresses without a route and for repository ids without an owner.

use http::StatusCode;

use crate::access::{Anyone, Call, repo_not_found};
use crate::http::{ErrorBody, Refusal, Reply};
use crate::names::Address;

/// Refuses an id without an owner, which only the public Hub has.
#[utoipa::path(
    get,
    path = "/api/{kinds}/{owner}",
    responses(
        (status = 404, description = "There is no such repository", body = ErrorBody),
    ),
)]
pub(crate) async fn repository(call: Call<Anyone>) -> Reply {
    Err(repo_not_found(&call.admitted))
}

/// Any address the protocol does not have. Where an id lacks its owner, clients want to hear that
/// there is no such repository.
pub(crate) async fn route(call: Call<Anyone>) -> Reply {
    if Address::lacks_owner(call.parts.uri.path()) {
        return Err(repo_not_found(&call.admitted));
    }
    Err(nothing())
}

pub(super) fn nothing() -> Refusal {
    Refusal::new(StatusCode::NOT_FOUND, "there is nothing at this address")
}
