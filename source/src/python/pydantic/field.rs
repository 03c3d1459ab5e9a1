//! Reads what `Field(…)`, and marks such as `Ge(…)` in `Annotated`, say of a value.

use serde_json::{Map, Value, json};

use crate::python::expression::Expression;
use crate::python::hint::Unsupported;

type Schema = Map<String, Value>;

/// What is said of a field beside its type.
#[derive(Debug, Default)]
pub(super) struct FieldText {
    pub(super) title: Option<String>,
    pub(super) description: Option<String>,
    /// Keywords of the schema, by the names that `Field` has for them.
    bounds: Vec<(String, Value)>,
    examples: Option<Value>,
}

/// The arguments of `Field` that a schema shows.
const IN_SCHEMA: [&str; 12] = [
    "description",
    "title",
    "examples",
    "ge",
    "gt",
    "le",
    "lt",
    "multiple_of",
    "min_length",
    "max_length",
    "pattern",
    "regex",
];

/// The keyword of numbers for an argument of `Field`.
fn number_keyword(name: &str) -> Option<&'static str> {
    Some(match name {
        "ge" => "minimum",
        "gt" => "exclusiveMinimum",
        "le" => "maximum",
        "lt" => "exclusiveMaximum",
        "multiple_of" => "multipleOf",
        _ => return None,
    })
}

/// The keyword of a schema whose type is `kind` for an argument of `Field`.
fn keyword(name: &str, kind: &str) -> Option<&'static str> {
    let least = matches!(name, "min_length" | "min_items");
    let most = matches!(name, "max_length" | "max_items");
    match kind {
        "integer" | "number" => number_keyword(name),
        "string" if least => Some("minLength"),
        "string" if most => Some("maxLength"),
        "string" if matches!(name, "pattern" | "regex") => Some("pattern"),
        "array" if least => Some("minItems"),
        "array" if most => Some("maxItems"),
        "object" if least => Some("minProperties"),
        "object" if most => Some("maxProperties"),
        _ => None,
    }
}

impl FieldText {
    /// Adds what a call of `Field` says; `value` reads constants. An error if something that the
    /// schema would hold is no constant.
    pub(super) fn add_field(
        &mut self,
        call: &Expression,
        value: impl Fn(&Expression) -> Option<Value>,
    ) -> Result<(), Unsupported> {
        let Expression::Call(_, arguments) = call else {
            return Ok(());
        };
        for argument in arguments {
            let Expression::Keyword(name, expression) = argument else {
                continue;
            };
            let Some(found) = value(expression) else {
                if IN_SCHEMA.contains(&name.as_str()) {
                    return Err(Unsupported::computed(name));
                }
                continue;
            };
            match (name.as_str(), found) {
                ("description", Value::String(text)) => self.description = Some(text),
                ("title", Value::String(text)) => self.title = Some(text),
                ("examples", found) => self.examples = Some(found),
                (_, found) => self.bounds.push((name.clone(), found)),
            }
        }
        Ok(())
    }

    /// Adds a mark of `annotated_types`, such as `Ge(1)`.
    pub(super) fn add_mark(&mut self, mark: &str, value: Value) {
        let name = match mark {
            "MinLen" => "min_length",
            "MaxLen" => "max_length",
            "Ge" => "ge",
            "Gt" => "gt",
            "Le" => "le",
            "Lt" => "lt",
            "MultipleOf" => "multiple_of",
            _ => return,
        };
        self.bounds.push((name.to_owned(), value));
    }

    /// Writes all of it into the schema of the field's type.
    pub(super) fn write(&self, schema: &mut Schema) {
        for (name, value) in &self.bounds {
            bound(schema, name, value);
        }
        let texts = [("title", &self.title), ("description", &self.description)];
        for (name, text) in texts {
            if let Some(text) = text {
                schema.insert(name.to_owned(), json!(text));
            }
        }
        if let Some(examples) = &self.examples {
            schema.insert("examples".to_owned(), examples.clone());
        }
    }
}

/// Writes a bound where it belongs: of a union, into the choices that can have it.
fn bound(schema: &mut Schema, name: &str, value: &Value) {
    if let Some(Value::Array(choices)) = schema.get_mut("anyOf") {
        for choice in choices.iter_mut().filter_map(Value::as_object_mut) {
            bound(choice, name, value);
        }
        return;
    }
    let kind = schema.get("type").and_then(Value::as_str);
    if let Some(keyword) = kind.and_then(|kind| keyword(name, kind)) {
        schema.insert(keyword.to_owned(), value.clone());
    }
}
