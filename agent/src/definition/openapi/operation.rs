//! One operation of an OpenAPI document, as lists and choices see it.

use serde_json::Value;

/// An operation: a method on a path.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ApiOperation<'a> {
    /// The method, in capitals.
    pub method: &'static str,
    /// The path, with its parameters in braces.
    pub path: &'a str,
    pub(super) item: &'a Value,
    pub(super) operation: &'a Value,
}

impl<'a> ApiOperation<'a> {
    /// The document's own name for it, `operationId`.
    pub fn id(&self) -> Option<&'a str> {
        let id = self.operation.get("operationId")?.as_str()?.trim();
        (!id.is_empty()).then_some(id)
    }

    /// The tags, by which documents group operations.
    pub fn tags(&self) -> Vec<&'a str> {
        let tags = self.operation.get("tags").and_then(Value::as_array);
        tags.into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect()
    }

    /// The summary, or the first sentence of the description.
    pub fn summary(&self) -> &'a str {
        let own = |name: &str| self.operation.get(name).and_then(Value::as_str);
        let summary = own("summary").map_or("", str::trim);
        match summary.is_empty() {
            false => summary,
            true => own("description").map_or("", |text| text.trim().lines().next().unwrap_or("")),
        }
    }

    /// True if the API asks that it is used no more.
    pub fn is_deprecated(&self) -> bool {
        self.operation.get("deprecated") == Some(&Value::Bool(true))
    }

    /// True if its method says that it changes nothing.
    pub fn is_read_only(&self) -> bool {
        matches!(self.method, "GET" | "HEAD")
    }

    pub(super) fn text(&self, member: &str) -> &'a str {
        let text = self.operation.get(member).and_then(Value::as_str);
        text.unwrap_or_default()
    }

    /// Its name in messages: its `operationId`, or method and path.
    pub(super) fn shown(&self) -> String {
        match self.id() {
            Some(id) => id.to_owned(),
            None => format!("{} {}", self.method, self.path),
        }
    }
}
