//! Lists the operations of an OpenAPI document, and its tags.

use indexmap::IndexMap;
use serde_json::Value;

use super::document::OpenApiDocument;
use super::error::OpenApiError;
use super::operation::ApiOperation;

/// The most operations that are read.
const OPERATIONS_MAX: usize = 20_000;

/// The methods that functions make requests with, as documents spell them.
const METHODS: [(&str, &str); 6] = [
    ("get", "GET"),
    ("head", "HEAD"),
    ("post", "POST"),
    ("put", "PUT"),
    ("patch", "PATCH"),
    ("delete", "DELETE"),
];

impl OpenApiDocument {
    /// Its operations, in the order of the document.
    ///
    /// # Errors
    /// When it has none, or too many.
    pub fn operations(&self) -> Result<Vec<ApiOperation<'_>>, OpenApiError> {
        let paths = self.root().get("paths").and_then(Value::as_object);
        let mut found = Vec::new();
        for (path, item) in paths.into_iter().flatten() {
            // An item that is nowhere has no operations that could be told of.
            let Ok(item) = self.resolve(item, "/paths") else {
                continue;
            };
            for (spelled, method) in METHODS {
                let operation = item.get(spelled).filter(|operation| operation.is_object());
                found.extend(operation.map(|operation| ApiOperation {
                    method,
                    path,
                    item,
                    operation,
                }));
            }
            if found.len() > OPERATIONS_MAX {
                return Err(OpenApiError::TooMany {
                    count_max: OPERATIONS_MAX,
                });
            }
        }
        match found.is_empty() {
            true => Err(OpenApiError::Empty),
            false => Ok(found),
        }
    }
}

/// The tags of `operations` with the number of those that have each, the most frequent first.
pub(super) fn tags(operations: &[ApiOperation<'_>]) -> Vec<(String, usize)> {
    let mut counts: IndexMap<&str, usize> = IndexMap::new();
    for tag in operations.iter().flat_map(ApiOperation::tags) {
        *counts.entry(tag).or_default() += 1;
    }
    let mut counts: Vec<(String, usize)> = counts
        .into_iter()
        .map(|(tag, count)| (tag.to_owned(), count))
        .collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    counts
}
