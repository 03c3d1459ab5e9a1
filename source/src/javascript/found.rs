//! What a type allows, as it is read.

use serde_json::{Map, Value, json};

/// The keywords of a JSON Schema.
pub(super) type Schema = Map<String, Value>;

/// What a type allows.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) schema: Schema,
    /// Whether `undefined` is among it.
    pub(super) is_optional: bool,
    /// Whether nothing else is.
    pub(super) is_nothing: bool,
}

impl Found {
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
