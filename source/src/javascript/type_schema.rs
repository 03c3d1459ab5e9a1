//! The JSON Schema of a TypeScript type, and whether `undefined` is one or all of its values.

use serde_json::{Map, Value, json};

/// The keywords of a JSON Schema.
pub(super) type Schema = Map<String, Value>;

/// The JSON Schema of a type.
#[derive(Debug, Default)]
pub(super) struct TypeSchema {
    pub(super) schema: Schema,
    /// True if `undefined` is one of the values.
    pub(super) is_optional: bool,
    /// True if it is the only one.
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
