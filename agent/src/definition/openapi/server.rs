//! The address of the server that an operation is called at.

use serde_json::Value;

use super::document::OpenApiDocument;
use super::operation::ApiOperation;

impl OpenApiDocument {
    /// The first server that is named for the operation, with the defaults of its variables. It may
    /// be relative to the document's own address, and is `/` where none is named.
    pub(super) fn server(&self, operation: &ApiOperation<'_>) -> String {
        let places = [operation.operation, operation.item, self.root()];
        let first = places.into_iter().find_map(|place| {
            let servers = place.get("servers").and_then(Value::as_array)?;
            servers.iter().find(|server| server["url"].is_string())
        });
        first.map_or_else(|| "/".to_owned(), with_defaults)
    }
}

fn with_defaults(server: &Value) -> String {
    let mut url = server["url"].as_str().unwrap_or_default().to_owned();
    let variables = server.get("variables").and_then(Value::as_object);
    for (name, variable) in variables.into_iter().flatten() {
        let default = match &variable["default"] {
            Value::String(text) => text.clone(),
            Value::Number(number) => number.to_string(),
            _ => continue,
        };
        url = url.replace(&format!("{{{name}}}"), &default);
    }
    url
}
