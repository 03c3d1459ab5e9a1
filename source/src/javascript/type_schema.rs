//! The JSON Schema of a type, and what of a type no schema can say.

use serde_json::{Map, Value, json};

/// The keywords of a JSON Schema.
pub(super) type Schema = Map<String, Value>;

/// The JSON Schema of a type.
#[derive(Debug, Default)]
pub(super) struct TypeSchema {
    pub(super) schema: Schema,
    /// Whether `undefined` is among it.
    pub(super) is_optional: bool,
    /// Whether nothing else is.
    pub(super) is_nothing: bool,
}

impl TypeSchema {
    pub(super) fn plain(name: &str) -> Self {
        Self::of(Schema::from_iter([("type".to_owned(), json!(name))]))
    }

    pub(super) fn of(schema: Schema) -> Self {
        Self {
            schema,
            ..Self::default()
        }
    }

    /// A list of such items.
    pub(super) fn array(item: Schema) -> Self {
        let mut found = Self::plain("array");
        found.schema.insert("items".to_owned(), Value::Object(item));
        found
    }

    pub(super) fn value(name: &str, value: Value) -> Self {
        let mut found = Self::plain(name);
        found.schema.insert("enum".to_owned(), json!([value]));
        found
    }

    pub(super) fn nothing() -> Self {
        Self {
            is_optional: true,
            is_nothing: true,
            ..Self::default()
        }
    }
}
