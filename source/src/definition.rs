//! Definitions of functions that were read from source code, and their form as JSON for a model.

use serde_json::{Map, Value, json};

use crate::error::Fault;
use crate::framework::FrameworkTool;
use crate::position::Position;
use crate::rust::signature::RustSignature;

/// A function of a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// The position of its name.
    pub position: Position,
    /// The definition, or what is missing of it.
    pub definition: Result<Definition, Fault>,
}

/// The definition of a function, for a model.
#[derive(Debug, Clone, PartialEq)]
pub struct Definition {
    /// The function's name.
    pub name: String,
    /// The description.
    pub description: String,
    /// JSON Schema of the arguments: an object.
    pub parameters: Value,
    /// JSON Schema of what is returned, where the code says it.
    pub output: Option<Value>,
    /// True if the function is async.
    pub is_async: bool,
    /// The signature.
    pub signature: Signature,
    /// What is called, where it is the tool of a framework and not a plain function.
    pub tool: Option<FrameworkTool>,
}

/// The signature of a function.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Signature {
    /// With values of any type: the language checks types when it runs, if at all.
    Dynamic,
    /// With values of these types.
    Rust(RustSignature),
}

impl Definition {
    /// The names of parameters that have to be given.
    pub fn required(&self) -> Vec<&str> {
        let names = self.parameters["required"].as_array();
        let names = names.into_iter().flatten();
        names.filter_map(Value::as_str).collect()
    }

    /// The schema of the arguments as JSON Schema 2020-12, which writes `"nullable": true` as
    /// a type beside others.
    pub fn input_schema(&self) -> Value {
        standard(&self.parameters)
    }

    /// The schema of what is returned as JSON Schema 2020-12.
    pub fn output_schema(&self) -> Option<Value> {
        self.output.as_ref().map(standard)
    }

    /// The definition as Transformers writes it:
    /// `{"type": "function", "function": {"name", "description", "parameters", "return"}}`.
    pub fn to_json(&self) -> Value {
        let mut function = Map::new();
        function.insert("name".to_owned(), json!(self.name));
        function.insert("description".to_owned(), json!(self.description));
        function.insert("parameters".to_owned(), self.parameters.clone());
        if let Some(output) = &self.output {
            function.insert("return".to_owned(), output.clone());
        }
        json!({ "type": "function", "function": function })
    }
}

/// The schema without `nullable`.
fn standard(schema: &Value) -> Value {
    match schema {
        Value::Array(items) => items.iter().map(standard).collect(),
        Value::Object(keywords) => {
            let (mut kept, mut is_nullable) = (Map::new(), false);
            for (name, value) in keywords {
                match name.as_str() {
                    "nullable" if value == true => is_nullable = true,
                    "enum" | "description" => {
                        kept.insert(name.clone(), value.clone());
                    }
                    // The names of properties are not keywords.
                    "properties" => {
                        let properties = value.as_object().into_iter().flatten();
                        let properties = properties.map(|(name, it)| (name.clone(), standard(it)));
                        kept.insert(name.clone(), Value::Object(properties.collect()));
                    }
                    _ => {
                        kept.insert(name.clone(), standard(value));
                    }
                }
            }
            match is_nullable {
                true => nullable(kept),
                false => Value::Object(kept),
            }
        }
        other => other.clone(),
    }
}

fn nullable(mut schema: Map<String, Value>) -> Value {
    let description = schema.remove("description");
    let mut choices = match schema.remove("anyOf") {
        Some(Value::Array(choices)) => choices,
        _ => vec![Value::Object(schema)],
    };
    choices.push(json!({ "type": "null" }));
    let mut whole = Map::new();
    whole.insert("anyOf".to_owned(), Value::Array(choices));
    whole.extend(description.map(|text| ("description".to_owned(), text)));
    Value::Object(whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nullable_is_a_type_beside_others() {
        for (schema, expected) in [
            (
                json!({"type": "integer", "nullable": true, "description": "A."}),
                json!({"anyOf": [{"type": "integer"}, {"type": "null"}], "description": "A."}),
            ),
            (
                json!({"anyOf": [{"type": "string"}, {"type": "array"}], "nullable": true}),
                json!({"anyOf": [{"type": "string"}, {"type": "array"}, {"type": "null"}]}),
            ),
            (
                json!({"items": {"enum": [{"nullable": true}], "nullable": true}}),
                json!({"items": {"anyOf": [{"enum": [{"nullable": true}]}, {"type": "null"}]}}),
            ),
            (
                json!({"properties": {"nullable": {"nullable": true}}}),
                json!({"properties": {"nullable": {"anyOf": [{}, {"type": "null"}]}}}),
            ),
        ] {
            assert_eq!(standard(&schema), expected);
        }
    }
}
