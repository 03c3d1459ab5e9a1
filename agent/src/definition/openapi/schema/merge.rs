//! Writes references and `allOf` out: one schema that says what all of them say together.

use serde_json::{Map, Value, json};

use super::super::error::PartError;
use super::reader::{DEPTH_MAX, SchemaReader};

impl SchemaReader<'_> {
    /// The schema with its references and its `allOf` written out, which leaves those of its parts.
    pub(super) fn flat(
        &mut self,
        schema: &Value,
        pointer: &str,
        depth: usize,
    ) -> Result<Map<String, Value>, PartError> {
        let Some(keywords) = schema.as_object() else {
            return Ok(Map::new());
        };
        if depth >= DEPTH_MAX || !self.take_room(schema) {
            return Ok(Map::new());
        }
        let mut keywords = keywords.clone();
        if let Some(reference) = keywords.remove("$ref") {
            let reference = reference.as_str().unwrap_or_default();
            if self.followed.iter().any(|followed| followed == reference) {
                // What contains itself is JSON text where it begins again.
                return Ok(Map::new());
            }
            let document = self.document;
            let target = document.target(reference, pointer)?;
            self.followed.push(reference.to_owned());
            let target = self.flat(target, pointer, depth + 1)?;
            // What stands beside a reference, in 3.1, is about this use of it.
            self.merge(&mut keywords, target, pointer);
        }
        if let Some(Value::Array(all)) = keywords.remove("allOf") {
            let parts = self.beside(all.iter(), |reader, part| {
                reader.flat(part, pointer, depth + 1)
            })?;
            for part in parts {
                self.merge(&mut keywords, part, pointer);
            }
        }
        if let Some(value) = keywords.remove("const") {
            keywords.entry("enum").or_insert_with(|| json!([value]));
        }
        Ok(keywords)
    }

    /// Adds to `keywords` what `others` say. Of texts the first one counts.
    pub(super) fn merge(
        &mut self,
        keywords: &mut Map<String, Value>,
        others: Map<String, Value>,
        pointer: &str,
    ) {
        for (name, other) in others {
            let Some(own) = keywords.get_mut(&name) else {
                keywords.insert(name, other);
                continue;
            };
            match (name.as_str(), &mut *own, other) {
                ("properties", Value::Object(own), Value::Object(other)) => {
                    for (member, schema) in other {
                        let both = match own.get(&member) {
                            Some(known) if *known != schema => json!({"allOf": [known, schema]}),
                            _ => schema,
                        };
                        own.insert(member, both);
                    }
                }
                ("required", Value::Array(own), Value::Array(other)) => {
                    for name in other {
                        if !own.contains(&name) {
                            own.push(name);
                        }
                    }
                }
                ("enum", Value::Array(own), Value::Array(other)) => {
                    own.retain(|value| other.contains(value));
                }
                ("minimum" | "minLength" | "minItems", own, other) => {
                    let is_stricter = other.as_f64() > own.as_f64();
                    replace_if(is_stricter, own, other);
                }
                ("maximum" | "maxLength" | "maxItems", own, other) => {
                    let is_stricter = other.as_f64() < own.as_f64();
                    replace_if(is_stricter, own, other);
                }
                ("nullable" | "readOnly", own, other) => {
                    *own = (*own == json!(true) || other == json!(true)).into();
                }
                ("type", own, other) if *own != other => {
                    let pair = [&*own, &other].map(|it| it.as_str().unwrap_or_default());
                    match pair {
                        ["number", "integer"] | ["integer", "number"] => *own = "integer".into(),
                        _ => {
                            keywords.remove("type");
                            self.weakened(pointer, "allOf");
                        }
                    }
                }
                ("oneOf" | "anyOf" | "pattern" | "items", own, other) if *own != other => {
                    self.weakened(pointer, "allOf");
                }
                _ => {}
            }
        }
    }
}
/// Puts `other` in the place of `own` if `condition` holds.
fn replace_if(condition: bool, own: &mut Value, other: Value) {
    if condition {
        *own = other;
    }
}
