//! Reads which fields of a repository the query `expand` asks for, and keeps only those.

use http::StatusCode;
use serde_json::{Map, Value};

use crate::http::{Query, Refusal};
use crate::wire::EXPANDABLE;

/// The fields asked for one by one, or `None` for all.
pub(super) fn wanted_fields(query: &Query) -> Result<Option<Vec<String>>, Refusal> {
    let names: Vec<String> = query
        .all("expand")
        .flat_map(|value| value.split(','))
        .map(str::to_owned)
        .collect();
    if names.is_empty() {
        return Ok(None);
    }
    if names
        .iter()
        .any(|name| !EXPANDABLE.contains(&name.as_str()))
    {
        return Err(Refusal::new(
            StatusCode::BAD_REQUEST,
            format!("\"expand\" must be one of [{}]", EXPANDABLE.join(", ")),
        ));
    }
    Ok(Some(names))
}

/// Keeps only the fields asked for, and the ids.
pub(super) fn only(
    mut fields: Map<String, Value>,
    expand: Option<&[String]>,
) -> Map<String, Value> {
    if let Some(names) = expand {
        fields.retain(|name, _| {
            matches!(name.as_str(), "_id" | "id") || names.iter().any(|n| n == name)
        });
    }
    fields
}
