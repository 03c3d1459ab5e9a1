//! The names of functions and arguments, made of those of an OpenAPI document.

use std::collections::HashSet;

use crate::definition::interface::names::kebab;

use super::operation::ApiOperation;

/// The longest name of a function that is made; a number may follow it. Agents see the tool's name
/// before it, and 64 characters in all.
const LENGTH_MAX: usize = 40;

/// Names that functions may not have beside the types of the contract that their interface uses.
const TYPES: [&str; 4] = ["reply", "failure", "image", "audio"];

/// Names that are taken.
#[derive(Debug, Default)]
pub(super) struct TakenNames(HashSet<String>);

impl TakenNames {
    /// A name of words with `_`, and a number where it is taken.
    pub(super) fn take(&mut self, wanted: &str, otherwise: &str) -> String {
        // Methods in Python have an argument of this name already.
        let name = match snake(wanted, otherwise) {
            name if name == "self" => "self_value".to_owned(),
            name => name,
        };
        let numbered = (2..).map(|number| format!("{name}_n{number}"));
        let mut candidates = std::iter::once(name.clone()).chain(numbered);
        let free = candidates.find(|name| self.0.insert(name.clone()));
        free.unwrap_or(name)
    }
}

/// The name of the function for an operation, which another may have as well.
pub(super) fn function_name(operation: &ApiOperation<'_>) -> String {
    let by_place = by_method_and_path(operation);
    let name = match operation.id() {
        Some(id) => without_path(&snake(id, &by_place), operation),
        None => by_place,
    };
    let name = match TYPES.contains(&name.as_str()) {
        true => format!("{}_{name}", operation.method.to_ascii_lowercase()),
        false => name,
    };
    cut(&name)
}

fn snake(name: &str, otherwise: &str) -> String {
    kebab(name, otherwise).replace('-', "_")
}

/// Some frameworks write path and method into each `operationId`: `read_item_items__item_id__get`.
fn without_path(id: &str, operation: &ApiOperation<'_>) -> String {
    let method = operation.method.to_ascii_lowercase();
    let path = snake(operation.path, "");
    let shorter = id
        .strip_suffix(&method)
        .map(|rest| rest.trim_end_matches('_'))
        .and_then(|rest| rest.strip_suffix(&path))
        .map(|rest| rest.trim_end_matches('_'));
    shorter
        .filter(|rest| !rest.is_empty() && !path.is_empty())
        .unwrap_or(id)
        .to_owned()
}

/// `GET /pets/{petId}` is `get_pets_by_pet_id`.
fn by_method_and_path(operation: &ApiOperation<'_>) -> String {
    let segments: Vec<&str> = operation
        .path
        .split('/')
        .filter(|it| !it.is_empty())
        .collect();
    let words = segments.iter().enumerate().filter_map(|(index, segment)| {
        let parameter = segment
            .strip_prefix('{')
            .and_then(|it| it.strip_suffix('}'));
        match parameter {
            // What is named on the way says little.
            Some(_) if index + 1 < segments.len() => None,
            Some(parameter) => Some(format!("by {parameter}")),
            None => Some((*segment).to_owned()),
        }
    });
    let words: Vec<String> = words.collect();
    snake(
        &format!(
            "{} {}",
            operation.method.to_ascii_lowercase(),
            words.join(" ")
        ),
        "call",
    )
}

/// The name with as many whole words as there is room for.
fn cut(name: &str) -> String {
    match name.get(..=LENGTH_MAX) {
        None => name.to_owned(),
        Some(kept) => kept
            .rsplit_once('_')
            .map_or(&kept[..LENGTH_MAX], |(kept, _)| kept)
            .to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[track_caller]
    fn is_named(method: &'static str, path: &str, operation: Value, expect: &str) {
        let operation = ApiOperation {
            method,
            path,
            item: &Value::Null,
            operation: &operation,
        };
        assert_eq!(function_name(&operation), expect);
    }

    #[test]
    fn names_are_words() {
        is_named(
            "GET",
            "/",
            json!({"operationId": "issues/list-for-repo"}),
            "issues_list_for_repo",
        );
        is_named(
            "POST",
            "/",
            json!({"operationId": "PostCustomers"}),
            "post_customers",
        );
        is_named("GET", "/pets/{petId}", json!({}), "get_pets_by_pet_id");
        is_named(
            "GET",
            "/a/{b}/2fa",
            json!({"operationId": " "}),
            "get_a_n2fa",
        );
        is_named("GET", "/", json!({"operationId": "重"}), "get");
        is_named("POST", "/", json!({"operationId": "reply"}), "post_reply");
        let by_framework = json!({"operationId": "read_item_items__item_id__get"});
        is_named("GET", "/items/{item_id}", by_framework, "read_item");
        let long = json!({"operationId": "a-name-that-is-longer-than-agents-would-like-to-see"});
        is_named("GET", "/", long, "a_name_that_is_longer_than_agents_would");
        is_named(
            "GET",
            "/",
            json!({"operationId": "a".repeat(60)}),
            &"a".repeat(40),
        );
    }

    #[test]
    fn names_are_taken_once() {
        let mut names = TakenNames::default();
        let taken = ["userId", "user-id", "", "", "self"].map(|it| names.take(it, "value"));
        assert_eq!(
            taken,
            ["user_id", "user_id_n2", "value", "value_n2", "self_value"]
        );
    }
}
