//! Answers for what is not there.

use http::StatusCode;

use crate::access::{Anyone, Call, repo_not_found};
use crate::http::{Refusal, Reply};

/// `GET /api/{kinds}/{name}`: an id without an owner, which only the public Hub has.
pub(crate) async fn repository(call: Call<Anyone>) -> Reply {
    Err(repo_not_found(&call.admitted))
}

/// Any address the protocol does not have.
pub(crate) async fn route() -> Refusal {
    Refusal::new(StatusCode::NOT_FOUND, "there is nothing at this address")
}
