//! `GET …/auth-check[/write]`: confirms the caller's right to read or write a repository.

use serde::Serialize;
use utoipa::ToSchema;

use super::json;
use crate::access::{Call, PublishToRepository, ReadRepository};
use crate::http::Reply;

/// The access that the caller has.
#[derive(Serialize, ToSchema)]
pub(crate) struct GrantedAccess {
    access: &'static str,
}

/// Succeeds if the caller may read.
#[utoipa::path(
    get,
    path = "/api/{kinds}/{owner}/{name}/auth-check",
    responses(
        (status = 200, description = "The caller may read", body = GrantedAccess),
    ),
)]
pub(crate) async fn read(_: Call<ReadRepository>) -> Reply {
    Ok(json(GrantedAccess { access: "read" }))
}

/// Succeeds if the caller may write.
#[utoipa::path(
    get,
    path = "/api/{kinds}/{owner}/{name}/auth-check/write",
    responses(
        (status = 200, description = "The caller may write", body = GrantedAccess),
    ),
)]
pub(crate) async fn write(_: Call<PublishToRepository>) -> Reply {
    Ok(json(GrantedAccess { access: "write" }))
}
