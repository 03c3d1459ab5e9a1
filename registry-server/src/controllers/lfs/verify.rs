//! `POST /{id}.git/info/lfs/objects/verify`: confirms that an LFS object arrived in full length.

use http::StatusCode;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::access::{Call, PublishToRepository};
use crate::content::Sha256Digest;
use crate::controllers::json;
use crate::http::{ErrorBody, Refusal, Reply};

/// An object.
#[derive(Deserialize, Serialize, ToSchema)]
pub(crate) struct LfsObject {
    oid: String,
    size: u64,
}

/// Succeeds if an object has arrived.
#[utoipa::path(
    post,
    path = "/{owner}/{name}/info/lfs/objects/verify",
    request_body = LfsObject,
    responses(
        (status = 200, description = "The object has arrived", body = LfsObject),
        (status = 422, description = "The object that arrived has another length", body = ErrorBody),
    ),
)]
pub(crate) async fn check(mut call: Call<PublishToRepository>) -> Reply {
    let request: LfsObject = call.json().await?;
    let known = match Sha256Digest::from_hex(&request.oid) {
        Some(sha256) => {
            let repository = &call.admitted.repository.id;
            let given = call
                .registry
                .database()
                .given(repository, &[sha256])
                .await?;
            given.get(&sha256).map(|given| given.size_bytes)
        }
        None => None,
    };
    match known {
        Some(size) if size == request.size => Ok(json(request)),
        Some(size) => Err(Refusal::new(
            StatusCode::UNPROCESSABLE_ENTITY,
            format!("the object has {size} bytes, not {}", request.size),
        )),
        None => Err(Refusal::new(
            StatusCode::NOT_FOUND,
            "the object has not arrived",
        )),
    }
}
