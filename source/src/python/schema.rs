//! Builds JSON Schemas from Python type hints, with the keys in the order of Transformers.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::hint::{Container, Hint, Unsupported};

type Schema = Map<String, Value>;

/// The schema of what `hint` allows.
pub(super) fn of(hint: &Hint) -> Result<Schema, Unsupported> {
    Ok(match hint {
        Hint::Any => Schema::new(),
        Hint::Basic(name) => typed(name),
        Hint::Literals(values) => literals(values),
        Hint::Container(kind, _, arguments) => container(*kind, arguments)?,
        Hint::Union(hints) => union(hints)?,
        Hint::Ellipsis => return Err(Unsupported::new("...", "is no type")),
        Hint::Unsupported(unsupported) => return Err(unsupported.clone()),
    })
}

fn typed(name: &str) -> Schema {
    Schema::from_iter([("type".to_owned(), json!(name))])
}

/// The values, and each of their types once.
fn literals(values: &[Value]) -> Schema {
    let mut names: Vec<&str> = Vec::new();
    for value in values {
        let name = match value {
            Value::Null => "null",
            Value::Bool(_) => "boolean",
            Value::Number(number) if number.is_f64() => "number",
            Value::Number(_) => "integer",
            _ => "string",
        };
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let names = match names[..] {
        [only] => json!(only),
        _ => json!(names),
    };
    Schema::from_iter([
        ("type".to_owned(), names),
        ("enum".to_owned(), json!(values)),
    ])
}

fn container(kind: Container, arguments: &[Hint]) -> Result<Schema, Unsupported> {
    let mut schema = typed(match kind {
        Container::List | Container::Tuple => "array",
        Container::Dict => "object",
    });
    match (kind, arguments) {
        (Container::List, [item, ..]) => {
            schema.insert("items".to_owned(), Value::Object(of(item)?));
        }
        (Container::Tuple, [_]) => {
            let reason = "holds one value only; write the type of the value, or `list[…]`";
            return Err(Unsupported::new("tuple", reason));
        }
        (Container::Tuple, [_, ..]) if arguments.contains(&Hint::Ellipsis) => {
            let reason = "has any length; write `list[…]`";
            return Err(Unsupported::new("tuple", reason));
        }
        (Container::Tuple, [_, ..]) => {
            let items: Result<Vec<Value>, _> = arguments
                .iter()
                .map(|item| of(item).map(Value::Object))
                .collect();
            schema.insert("prefixItems".to_owned(), Value::Array(items?));
        }
        (Container::Dict, [_, value]) => {
            let value = Value::Object(of(value)?);
            schema.insert("additionalProperties".to_owned(), value);
        }
        _ => {}
    }
    Ok(schema)
}

/// Plain types become one sorted list of names; others become `anyOf`.
fn union(hints: &[Hint]) -> Result<Schema, Unsupported> {
    let is_none = |hint: &Hint| *hint == Hint::Basic("null");
    let others = hints.iter().filter(|hint| !is_none(hint));
    let mut schemas = others.map(of).collect::<Result<Vec<Schema>, _>>()?;
    let plain: Option<BTreeSet<String>> = schemas
        .iter()
        .map(|schema| match (schema.len(), schema.get("type")) {
            (1, Some(Value::String(name))) => Some(name.clone()),
            _ => None,
        })
        .collect();
    let mut schema = match (schemas.len(), plain) {
        (1, _) => schemas.remove(0),
        (_, Some(names)) if names.len() == 1 => typed(names.first().map_or("", String::as_str)),
        (_, Some(names)) => Schema::from_iter([("type".to_owned(), json!(names))]),
        (_, None) => Schema::from_iter([("anyOf".to_owned(), json!(schemas))]),
    };
    if hints.iter().any(is_none) {
        schema.insert("nullable".to_owned(), json!(true));
    }
    Ok(schema)
}
