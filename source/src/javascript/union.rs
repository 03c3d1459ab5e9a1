//! Builds the JSON Schemas of unions: values become one `enum`, plain types one list.

use serde_json::{Map, Value, json};
use tree_sitter::Node;

use crate::description::describe;
use crate::syntax::children;

/// The schema of what any of `schemas` allows.
pub(super) fn of(mut schemas: Vec<Map<String, Value>>) -> Map<String, Value> {
    let mut unique: Vec<Map<String, Value>> = Vec::new();
    for schema in schemas.drain(..) {
        if !unique.contains(&schema) {
            unique.push(schema);
        }
    }
    if unique.len() <= 1 {
        return unique.pop().unwrap_or_default();
    }
    if let Some(schema) = values(&unique).or_else(|| plain(&unique)) {
        return schema;
    }
    Map::from_iter([("anyOf".to_owned(), json!(unique))])
}

/// The parts of a union, which the grammar nests as pairs. No recursion, since unions may be long.
pub(super) fn parts(node: Node<'_>) -> Vec<Node<'_>> {
    let (mut parts, mut rest) = (Vec::new(), vec![node]);
    while let Some(node) = rest.pop() {
        match node.kind() {
            "union_type" => rest.extend(children(node).into_iter().rev()),
            _ => parts.push(node),
        }
    }
    parts
}

/// One `enum`, if all of them are values or `null`.
fn values(schemas: &[Map<String, Value>]) -> Option<Map<String, Value>> {
    let (mut types, mut values) = (Vec::new(), Vec::new());
    let mut texts = Vec::new();
    for schema in schemas {
        texts.extend(schema.get("description").and_then(Value::as_str));
        match (schema.get("enum"), schema.get("type")) {
            (Some(Value::Array(found)), _) => values.extend(found.iter().cloned()),
            (None, Some(Value::String(name))) if name == "null" => values.push(Value::Null),
            _ => return None,
        }
        match schema.get("type") {
            Some(Value::Array(names)) => types.extend(names.iter().cloned()),
            Some(name) => types.push(name.clone()),
            None => {}
        }
    }
    let mut unique: Vec<Value> = Vec::new();
    for name in types {
        if !unique.contains(&name) {
            unique.push(name);
        }
    }
    if values.iter().all(Value::is_boolean) && values.len() == 2 {
        return Some(Map::from_iter([("type".to_owned(), json!("boolean"))]));
    }
    let types = match &unique[..] {
        [only] => only.clone(),
        _ => Value::Array(unique),
    };
    let mut schema = Map::from_iter([
        ("type".to_owned(), types),
        ("enum".to_owned(), Value::Array(values)),
    ]);
    describe(&mut schema, &texts.join("\n"));
    Some(schema)
}

/// One list of types, if all of them are types without other keywords.
fn plain(schemas: &[Map<String, Value>]) -> Option<Map<String, Value>> {
    let names = schemas.iter().map(|schema| match schema.get("type") {
        Some(Value::String(name)) if schema.len() == 1 => Some(name.as_str()),
        _ => None,
    });
    let names = names.collect::<Option<Vec<&str>>>()?;
    Some(Map::from_iter([("type".to_owned(), json!(names))]))
}
