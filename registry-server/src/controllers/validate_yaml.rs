//! `POST /api/validate-yaml`: reports front matter that is absent, unreadable or wrongly typed.
//!
//! The Python client asks before every commit that adds a card and decodes the body whatever the
//! status.

use http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::json as answer;
use crate::access::{Anyone, Call};
use crate::card::{card_faults, parse_card};
use crate::http::{Refusal, Reply};

/// The text of a card.
#[derive(Deserialize, ToSchema)]
pub(crate) struct ValidateYamlRequest {
    content: String,
}

/// Refuses front matter that cannot be read or has values of the wrong form; warns if there is
/// none.
#[utoipa::path(
    post,
    path = "/api/validate-yaml",
    request_body = ValidateYamlRequest,
    responses(
        (status = 200, description = "It can be read", body = CardFindings),
    ),
)]
pub(crate) async fn check(mut call: Call<Anyone>) -> Reply {
    let request: ValidateYamlRequest = call.json().await?;
    let card = parse_card(&request.content, call.registry.limits().card_bytes_max)
        .map_err(|error| refusal(vec![error.0]))?;
    let Some(front_matter) = card.front_matter else {
        return Ok(answer(CardFindings {
            errors: Vec::new(),
            warnings: vec![message("the card has no metadata")],
        }));
    };
    match card_faults(&front_matter) {
        faults if faults.is_empty() => Ok(answer(CardFindings::default())),
        faults => Err(refusal(faults)),
    }
}

/// Faults in a card.
#[derive(Default, Serialize, ToSchema)]
pub(crate) struct CardFindings {
    errors: Vec<CardMessage>,
    warnings: Vec<CardMessage>,
}

#[derive(Serialize, ToSchema)]
struct CardMessage {
    message: String,
}

fn message(text: &str) -> CardMessage {
    CardMessage {
        message: text.to_owned(),
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
