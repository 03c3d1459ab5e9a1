//! `POST /api/validate-yaml`: whether a card's front matter can be read.
//!
//! The Python client asks before every commit that adds a card and decodes the body whatever the status.

use http::StatusCode;
use serde::Deserialize;
use serde_json::json;

use super::json;
use crate::access::{Anyone, Call};
use crate::card::parse_card;
use crate::http::{Refusal, Reply};

#[derive(Deserialize)]
struct Question {
    content: String,
}

pub(crate) async fn check(mut call: Call<Anyone>) -> Reply {
    let question: Question = call.json().await?;
    match parse_card(&question.content, call.registry.limits().card_bytes_max) {
        Ok(_) => Ok(json(json!({"errors": [], "warnings": []}))),
        Err(error) => Err(Refusal::new(
            StatusCode::BAD_REQUEST,
            "the card's front matter cannot be read",
        )
        .field("errors", json!([{"message": error.0}]))
        .field("warnings", json!([]))),
    }
}
