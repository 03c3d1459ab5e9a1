//! The parameters of an operation, with the styles that OpenAPI gives them by default.

use serde_json::{Map, Value};

use super::document::{OpenApiDocument, shown};
use super::error::PartError;
use super::operation::ApiOperation;
use super::place::{ApiPlace, ApiStyle};

/// Headers that OpenAPI has no parameters for: a request has them by itself.
const OWN_HEADERS: [&str; 3] = ["accept", "content-type", "authorization"];

/// A parameter.
pub(super) struct FoundParameter<'a> {
    pub(super) name: &'a str,
    pub(super) place: ApiPlace,
    pub(super) required: bool,
    pub(super) schema: &'a Value,
    /// The whole of it, for its description and its example.
    pub(super) keywords: &'a Map<String, Value>,
}

impl OpenApiDocument {
    /// The parameters of an operation, those of its path before its own. Deprecated ones that may
    /// be left out are left out, and so are those that `is_known` says somebody else sends.
    pub(super) fn parameters<'a>(
        &'a self,
        operation: &ApiOperation<'a>,
        is_known: impl Fn(&str, &str) -> bool,
    ) -> Result<Vec<FoundParameter<'a>>, PartError> {
        let mut found: Vec<(&str, FoundParameter<'a>)> = Vec::new();
        for owner in [operation.item, operation.operation] {
            let parameters = owner.get("parameters").and_then(Value::as_array);
            for parameter in parameters.into_iter().flatten() {
                let parameter = self.resolve(parameter, "/parameters")?;
                let Some((place, read)) = read(parameter)? else {
                    continue;
                };
                // An operation's own parameter takes the place of its path's.
                found.retain(|(known, it)| (*known, it.name) != (place, read.name));
                let is_deprecated = parameter.get("deprecated") == Some(&Value::Bool(true));
                if !(is_known(place, read.name) || is_deprecated && !read.required) {
                    found.push((place, read));
                }
            }
        }
        Ok(found.into_iter().map(|(_, parameter)| parameter).collect())
    }
}

/// The place and the parameter; nothing for a header that requests have by themselves.
fn read(parameter: &Value) -> Result<Option<(&str, FoundParameter<'_>)>, PartError> {
    let text = |member: &str| parameter.get(member).and_then(Value::as_str);
    let (Some(name), Some(place), Some(keywords)) =
        (text("name"), text("in"), parameter.as_object())
    else {
        return Ok(None);
    };
    if place == "header" && OWN_HEADERS.contains(&name.to_ascii_lowercase().as_str()) {
        return Ok(None);
    }
    let default = match place {
        "query" | "cookie" => "form",
        _ => "simple",
    };
    let content = parameter.get("content").and_then(Value::as_object);
    let (schema, style) = match content.and_then(|content| content.values().next()) {
        Some(media) => (media.get("schema"), Some(ApiStyle::Json)),
        None => {
            let style = text("style").unwrap_or(default);
            let explode = parameter.get("explode").and_then(Value::as_bool);
            let style = ApiStyle::of(style, explode.unwrap_or(style == "form"));
            (parameter.get("schema"), style)
        }
    };
    let refused = |reason: &str| PartError::Parameter {
        name: shown(name),
        reason: reason.to_owned(),
    };
    let style = style.ok_or_else(|| refused("has a style that OpenAPI does not have"))?;
    let place_of_request = match place {
        "path" => ApiPlace::Path(style),
        "query" => ApiPlace::Query(style),
        "header" => ApiPlace::Header(style),
        "cookie" => ApiPlace::Cookie(style),
        _ => return Err(refused("is in a place that requests do not have")),
    };
    let found = FoundParameter {
        name,
        place: place_of_request,
        required: place == "path" || parameter.get("required") == Some(&Value::Bool(true)),
        schema: schema.unwrap_or(&Value::Null),
        keywords,
    };
    Ok(Some((place, found)))
}
