//! `POST /{id}.git/info/lfs/objects/verify`: whether an object has arrived.

use http::StatusCode;
use serde::Deserialize;
use serde_json::json;

use crate::access::{Call, WriteRepository};
use crate::content::Sha256Digest;
use crate::controllers::json as answer;
use crate::http::{Refusal, Reply};

#[derive(Deserialize)]
struct Question {
    oid: String,
    size: u64,
}

pub(crate) async fn check(mut call: Call<WriteRepository>) -> Reply {
    let question: Question = call.json().await?;
    let known = match Sha256Digest::from_hex(&question.oid) {
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
        Some(size) if size == question.size => {
            Ok(answer(json!({"oid": question.oid, "size": size})))
        }
        Some(size) => Err(Refusal::new(
            StatusCode::UNPROCESSABLE_ENTITY,
            format!("the object has {size} bytes, not {}", question.size),
        )),
        None => Err(Refusal::new(
            StatusCode::NOT_FOUND,
            "the object has not arrived",
        )),
    }
}
