//! The schemas of types that pydantic knows by their names.

use serde_json::{Map, Value, json};

/// The schema of the type with the whole name `path`.
pub(super) fn of(path: &str) -> Option<Map<String, Value>> {
    let schema = match path {
        "builtins.int" => json!({"type": "integer"}),
        "builtins.float" => json!({"type": "number"}),
        "builtins.str" | "typing.Text" | "typing.AnyStr" => json!({"type": "string"}),
        "builtins.bool" => json!({"type": "boolean"}),
        "builtins.bytes" => json!({"format": "binary", "type": "string"}),
        "builtins.object" | "typing.Any" | "typing_extensions.Any" => json!({}),
        "types.NoneType" => json!({"type": "null"}),
        "datetime.datetime" => json!({"format": "date-time", "type": "string"}),
        "datetime.date" => json!({"format": "date", "type": "string"}),
        "datetime.time" => json!({"format": "time", "type": "string"}),
        "datetime.timedelta" => json!({"format": "duration", "type": "string"}),
        "uuid.UUID" => json!({"format": "uuid", "type": "string"}),
        "pathlib.Path" => json!({"format": "path", "type": "string"}),
        "decimal.Decimal" => json!({"anyOf": [{"type": "number"},
            {"pattern": DECIMAL, "type": "string"}]}),
        _ => return of_pydantic(path.strip_prefix("pydantic.")?),
    };
    schema.as_object().cloned()
}

/// The pattern by which pydantic takes decimal numbers as text.
const DECIMAL: &str = r"^(?!^[-+.]*$)[+-]?0*\d*\.?\d*$";

fn of_pydantic(name: &str) -> Option<Map<String, Value>> {
    let schema = match name {
        "PositiveInt" => json!({"exclusiveMinimum": 0, "type": "integer"}),
        "NonNegativeInt" => json!({"minimum": 0, "type": "integer"}),
        "NegativeInt" => json!({"exclusiveMaximum": 0, "type": "integer"}),
        "NonPositiveInt" => json!({"maximum": 0, "type": "integer"}),
        "PositiveFloat" => json!({"exclusiveMinimum": 0.0, "type": "number"}),
        "NonNegativeFloat" => json!({"minimum": 0.0, "type": "number"}),
        "SecretStr" => {
            json!({"format": "password", "type": "string", "writeOnly": true})
        }
        "StrictStr" => json!({"type": "string"}),
        "StrictInt" => json!({"type": "integer"}),
        "StrictFloat" => json!({"type": "number"}),
        "StrictBool" => json!({"type": "boolean"}),
        "EmailStr" => json!({"format": "email", "type": "string"}),
        "AnyUrl" => json!({"format": "uri", "minLength": 1, "type": "string"}),
        "HttpUrl" | "AnyHttpUrl" => {
            let mut schema = json!({"format": "uri", "minLength": 1, "type": "string"});
            if name == "HttpUrl" {
                schema["maxLength"] = json!(2083);
            }
            schema
        }
        _ => return None,
    };
    schema.as_object().cloned()
}

/// The name of the form of types that the whole name `path` is, such as `Optional`.
pub(super) fn typing(path: &str) -> Option<&'static str> {
    const NAMES: [&str; 22] = [
        "Annotated",
        "Literal",
        "Optional",
        "Union",
        "Final",
        "Required",
        "NotRequired",
        "list",
        "List",
        "Sequence",
        "Iterable",
        "Collection",
        "set",
        "Set",
        "frozenset",
        "FrozenSet",
        "tuple",
        "Tuple",
        "dict",
        "Dict",
        "Mapping",
        "MutableMapping",
    ];
    const MODULES: [&str; 4] = ["builtins", "typing", "typing_extensions", "collections.abc"];
    let (module, name) = path.rsplit_once('.')?;
    let found = NAMES.iter().find(|known| **known == name).copied();
    found.filter(|_| MODULES.contains(&module))
}
