//! A builder of JSON Schemas for objects, member by member.

use serde_json::{Value, json};

use super::type_schema::{Schema, TypeSchema};
use crate::description::describe;

/// The members of an object while they are gathered.
#[derive(Default)]
pub(super) struct Object {
    pub(super) properties: Schema,
    pub(super) required: Vec<String>,
    pub(super) rest: Option<Schema>,
}

impl Object {
    pub(super) fn add(&mut self, name: &str, found: TypeSchema, text: &str) {
        let mut schema = found.schema;
        describe(&mut schema, text);
        self.required.retain(|known| known != name);
        if !found.is_optional {
            self.required.push(name.to_owned());
        }
        self.properties
            .insert(name.to_owned(), Value::Object(schema));
    }

    /// Adds the members of another object.
    pub(super) fn join(&mut self, schema: &Schema) {
        if let Some(Value::Object(properties)) = schema.get("properties") {
            self.properties.extend(properties.clone());
        }
        if let Some(Value::Array(names)) = schema.get("required") {
            let names = names.iter().filter_map(Value::as_str).map(str::to_owned);
            self.required.extend(names);
        }
    }

    pub(super) fn into_schema(self) -> Schema {
        let mut schema = TypeSchema::plain("object").schema;
        if !self.properties.is_empty() || self.rest.is_none() {
            schema.insert("properties".to_owned(), Value::Object(self.properties));
        }
        if !self.required.is_empty() {
            schema.insert("required".to_owned(), json!(self.required));
        }
        if let Some(rest) = self.rest {
            schema.insert("additionalProperties".to_owned(), Value::Object(rest));
        }
        schema
    }
}
