//! Describes an operation's answer in a sentence of its function's description.

use serde_json::Value;

use super::body::is_json;
use super::document::OpenApiDocument;
use super::operation::ApiOperation;
use super::schema::{SchemaReader, listed};

/// The answer of an operation, as the document describes it.
pub(super) struct Answer {
    /// The media type that is asked for.
    pub(super) accept: String,
    /// A sentence that says what the function returns.
    pub(super) sentence: String,
}

impl OpenApiDocument {
    /// The answer of an operation that succeeds.
    pub(super) fn answer(&self, operation: &ApiOperation<'_>) -> Answer {
        let unknown = || Answer {
            accept: "*/*".to_owned(),
            sentence: "Returns what the API answers.".to_owned(),
        };
        let responses = operation
            .operation
            .get("responses")
            .and_then(Value::as_object);
        let Some(responses) = responses else {
            return unknown();
        };
        let success = responses.iter().find(|(status, _)| status.starts_with('2'));
        let Some((_, response)) = success.or_else(|| responses.get_key_value("default")) else {
            return unknown();
        };
        let Ok(response) = self.resolve(response, "/responses") else {
            return unknown();
        };
        let content = response.get("content").and_then(Value::as_object);
        let content = content.filter(|content| !content.is_empty());
        let Some(content) = content else {
            return Answer {
                accept: "*/*".to_owned(),
                sentence: "Returns nothing but that it is done.".to_owned(),
            };
        };
        let json = content.iter().find(|(name, _)| is_json(name));
        match (json, content.keys().next()) {
            (Some((name, media)), _) => Answer {
                accept: name.clone(),
                sentence: self.members(media.get("schema").unwrap_or(&Value::Null)),
            },
            (None, Some(name)) => Answer {
                accept: name.clone(),
                sentence: format!("Returns {}.", super::document::shown(name)),
            },
            (None, None) => unknown(),
        }
    }

    fn members(&self, schema: &Value) -> String {
        let outline = SchemaReader::new(self).outline(schema);
        match outline {
            Ok((names, true)) if names.is_empty() => "Returns a list.".to_owned(),
            Ok((names, true)) => format!("Returns a list of objects with {}.", listed(&names)),
            Ok((names, false)) if !names.is_empty() => format!("Returns {}.", listed(&names)),
            _ => "Returns JSON.".to_owned(),
        }
    }
}
