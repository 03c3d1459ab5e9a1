//! `POST /api/validate-yaml`: whether a card's front matter can be read, and what is missing from
//! it.
//!
//! The Python client asks before every commit that adds a card and decodes the body whatever the
//! status.

use http::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};

use super::json;
use crate::access::{Anyone, Call};
use crate::card::{card_faults, parse_card};
use crate::http::{Refusal, Reply};

#[derive(Deserialize)]
struct Question {
    content: String,
}

pub(crate) async fn check(mut call: Call<Anyone>) -> Reply {
    let question: Question = call.json().await?;
    let card = parse_card(&question.content, call.registry.limits().card_bytes_max)
        .map_err(|error| refusal(vec![error.0]))?;
    let Some(front_matter) = card.front_matter else {
        return Ok(json(
            json!({"errors": [], "warnings": [{"message": "the card has no metadata"}]}),
        ));
    };
    match card_faults(&front_matter) {
        faults if faults.is_empty() => Ok(json(json!({"errors": [], "warnings": []}))),
        faults => Err(refusal(faults)),
    }
}

fn refusal(errors: Vec<String>) -> Refusal {
    let errors: Vec<Value> = errors.iter().map(|text| json!({"message": text})).collect();
    Refusal::new(
        StatusCode::BAD_REQUEST,
        "the card's front matter cannot be read",
    )
    .field("errors", Value::Array(errors))
    .field("warnings", json!([]))
}
