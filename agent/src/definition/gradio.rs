//! Converts a Gradio app's description of its API to functions for a tool that calls the app.

use crate::definition::media_schema::media_schema;
use serde_json::{Map, Value, json};
use thiserror::Error;
use tool_hub_manifest::{Annotations, FunctionSpec};

/// The longest description of an app that is read.
pub const GRADIO_BYTES_MAX: usize = 4 << 20;
/// The most endpoints that one app may have.
const GRADIO_ENDPOINTS_MAX: usize = 200;

/// An app's endpoints.
#[derive(Debug, Clone, PartialEq)]
pub struct GradioApp {
    /// The endpoints that a tool can call, in their order.
    pub endpoints: Vec<GradioEndpoint>,
    /// The endpoints that were left out, each with the reason.
    pub skipped: Vec<String>,
}

/// One endpoint of an app, and the function that calls it.
#[derive(Debug, Clone, PartialEq)]
pub struct GradioEndpoint {
    /// Its name in the app, without `/` before it.
    pub name: String,
    /// The function.
    pub spec: FunctionSpec,
    /// The parameters, in the app's order.
    pub inputs: Vec<GradioInput>,
    /// The results, in the app's order, with their names in the function.
    pub outputs: Vec<(String, GradioValue)>,
}

/// Something that an endpoint takes.
#[derive(Debug, Clone, PartialEq)]
pub struct GradioInput {
    /// The function's argument for it; none where only the default can be sent.
    pub argument: Option<String>,
    /// The kind of value.
    pub value: GradioValue,
    /// The default.
    pub default: Option<Value>,
}

/// The conversion of a value between a function and an app.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum GradioValue {
    /// A text.
    Text,
    /// True or false.
    Flag,
    /// A number.
    Number,
    /// A list of texts.
    Texts,
    /// A picture, in a file of the app.
    Image,
    /// A sound, in a file of the app.
    Audio,
    /// Anything else, as JSON in a text.
    Json,
}

/// An app's description cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum GradioError {
    /// It is longer than is read.
    #[error("the app's description has more than {GRADIO_BYTES_MAX} bytes")]
    TooLong,
    /// It has more endpoints than are read.
    #[error("the app has {count} endpoints, at most {GRADIO_ENDPOINTS_MAX} are read")]
    TooMany {
        /// The number of endpoints.
        count: usize,
    },
    /// It is not in Gradio's format.
    #[error("the app's description is not Gradio's: {reason}")]
    Foreign {
        /// The reason.
        reason: String,
    },
    /// There is nothing to call.
    #[error("the app has no endpoint that a tool could call")]
    Empty,
}

/// Reads an app's answer to `GET info`, relative to its API.
///
/// # Errors
/// The kinds of [`GradioError`].
pub fn gradio(info: &str) -> Result<GradioApp, GradioError> {
    if info.len() > GRADIO_BYTES_MAX {
        return Err(GradioError::TooLong);
    }
    let foreign = |reason: String| GradioError::Foreign { reason };
    let info: Value = serde_json::from_str(info).map_err(|error| foreign(error.to_string()))?;
    let named = info.get("named_endpoints").and_then(Value::as_object);
    let named = named.ok_or_else(|| foreign("it names no endpoints".to_owned()))?;
    if named.len() > GRADIO_ENDPOINTS_MAX {
        return Err(GradioError::TooMany { count: named.len() });
    }
    let (mut endpoints, mut skipped) = (Vec::new(), Vec::new());
    for (path, described) in named {
        let name = path.trim_start_matches('/');
        match endpoint(name, described) {
            Ok(endpoint) => endpoints.push(endpoint),
            Err(reason) => skipped.push(format!("`{}`: {reason}", path.escape_debug())),
        }
    }
    if endpoints.is_empty() {
        return Err(GradioError::Empty);
    }
    Ok(GradioApp { endpoints, skipped })
}

fn endpoint(name: &str, described: &Value) -> Result<GradioEndpoint, String> {
    let (mut properties, mut required) = (Map::new(), Vec::new());
    let mut inputs = Vec::new();
    for (index, parameter) in list(described, "parameters").enumerate() {
        let argument = match text(parameter, "parameter_name") {
            "" => format!("argument_{}", index + 1),
            name => name.to_owned(),
        };
        let value = value_of(parameter);
        let has_default = parameter["parameter_has_default"] == json!(true);
        let default = has_default.then(|| parameter["parameter_default"].clone());
        if value == GradioValue::Json && holds_file(&parameter["type"], 0) {
            if default.is_none() {
                return Err(format!(
                    "`{}` is a file, and only pictures and sounds can be sent",
                    argument.escape_debug()
                ));
            }
            inputs.push(GradioInput {
                argument: None,
                value,
                default,
            });
            continue;
        }
        let mut schema = value.schema();
        schema["description"] = words(parameter, default.as_ref()).into();
        if properties.insert(argument.clone(), schema).is_some() {
            return Err(format!("it has two of `{}`", argument.escape_debug()));
        }
        if !has_default {
            required.push(Value::from(argument.as_str()));
        }
        inputs.push(GradioInput {
            argument: Some(argument),
            value,
            default,
        });
    }
    let outputs = outputs(described);
    Ok(GradioEndpoint {
        name: name.to_owned(),
        spec: FunctionSpec {
            name: name.to_owned(),
            title: None,
            description: description(name, described, &outputs),
            input_schema: json!({
                "type": "object", "properties": properties, "required": required,
            }),
            output_schema: Some(output_schema(&outputs)),
            annotations: Annotations {
                open_world: Some(true),
                ..Annotations::default()
            },
        },
        inputs,
        outputs,
    })
}

/// The results, each named by its label in words that a field name may have.
fn outputs(described: &Value) -> Vec<(String, GradioValue)> {
    let mut found: Vec<(String, GradioValue)> = Vec::new();
    for (index, output) in list(described, "returns").enumerate() {
        let label = text(output, "label").to_ascii_lowercase();
        let words = label.split(|c: char| !c.is_ascii_alphanumeric());
        let name: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
        let mut name = name.join("_");
        let begins = name.starts_with(|c: char| c.is_ascii_lowercase());
        if !begins || found.iter().any(|(other, _)| *other == name) {
            name = format!("output_{}", index + 1);
        }
        found.push((name, value_of(output)));
    }
    found
}

fn output_schema(outputs: &[(String, GradioValue)]) -> Value {
    match outputs {
        [] => GradioValue::Text.schema(),
        [(_, only)] => only.schema(),
        several => {
            let names: Vec<&str> = several.iter().map(|(name, _)| name.as_str()).collect();
            let properties: Map<String, Value> = several
                .iter()
                .map(|(name, value)| (name.clone(), value.schema()))
                .collect();
            json!({"type": "object", "properties": properties, "required": names})
        }
    }
}

fn description(name: &str, described: &Value, outputs: &[(String, GradioValue)]) -> String {
    let own = text(described, "description").trim();
    let own = match own.is_empty() {
        true => format!("Calls `{name}` of an app."),
        false => own.to_owned(),
    };
    match outputs {
        [] => format!("{own}\n\nReturns nothing but that it is done."),
        outputs => {
            let names: Vec<String> = outputs.iter().map(|(it, _)| format!("`{it}`")).collect();
            format!("{own}\n\nReturns {}.", names.join(", "))
        }
    }
}

/// The description of an argument: its label, the values it takes, its default.
fn words(parameter: &Value, default: Option<&Value>) -> String {
    let mut words = vec![text(parameter, "label").to_owned()];
    let kind = &parameter["type"];
    words.push(text(kind, "description").to_owned());
    let choices = kind.get("enum").or_else(|| kind["items"].get("enum"));
    if let Some(choices) = choices.and_then(Value::as_array) {
        let choices: Vec<String> = choices.iter().map(Value::to_string).collect();
        words.push(format!("one of {}", choices.join(", ")));
    }
    if let Some(default) = default.filter(|default| !default.is_null()) {
        words.push(format!("{default} when it is left out"));
    }
    words.retain(|word| !word.trim().is_empty());
    words.join("; ")
}

fn value_of(described: &Value) -> GradioValue {
    let kind = &described["type"];
    match (text(described, "component"), text(kind, "type")) {
        ("Image", _) => GradioValue::Image,
        ("Audio", _) => GradioValue::Audio,
        (_, "string") => GradioValue::Text,
        (_, "boolean") => GradioValue::Flag,
        (_, "number" | "integer") => GradioValue::Number,
        (_, "array") if text(&kind["items"], "type") == "string" => GradioValue::Texts,
        _ => GradioValue::Json,
    }
}

/// The deepest nesting of a schema that is read.
const DEPTH_MAX: usize = 32;

fn holds_file(schema: &Value, depth: usize) -> bool {
    match schema {
        Value::String(text) => text == "gradio.FileData",
        Value::Array(items) if depth < DEPTH_MAX => {
            items.iter().any(|item| holds_file(item, depth + 1))
        }
        Value::Object(members) if depth < DEPTH_MAX => {
            members.values().any(|member| holds_file(member, depth + 1))
        }
        _ => false,
    }
}

fn list<'a>(value: &'a Value, member: &str) -> impl Iterator<Item = &'a Value> {
    value
        .get(member)
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
}

fn text<'a>(value: &'a Value, member: &str) -> &'a str {
    value.get(member).and_then(Value::as_str).unwrap_or("")
}

impl GradioValue {
    fn schema(self) -> Value {
        match self {
            Self::Text => json!({"type": "string"}),
            Self::Flag => json!({"type": "boolean"}),
            Self::Number => json!({"type": "number"}),
            Self::Texts => json!({"type": "array", "items": {"type": "string"}}),
            Self::Image => media_schema("image"),
            Self::Audio => media_schema("audio"),
            Self::Json => json!({}),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parameter(name: &str, component: &str, kind: Value) -> Value {
        json!({
            "parameter_name": name, "label": name.to_uppercase(), "component": component,
            "type": kind, "parameter_has_default": false, "parameter_default": null,
        })
    }

    fn file() -> Value {
        json!({"properties": {"meta": {"default": {"_type": "gradio.FileData"}}}})
    }

    fn app(endpoints: Value) -> Result<GradioApp, GradioError> {
        gradio(&json!({"named_endpoints": endpoints}).to_string())
    }

    #[test]
    fn endpoints_become_functions() {
        let mut planet = parameter(
            "planet",
            "Radio",
            json!({"type": "string", "enum": ["Mars"]}),
        );
        planet["parameter_has_default"] = json!(true);
        planet["parameter_default"] = json!("Mars");
        let mut extra = parameter("extra", "File", file());
        extra["parameter_has_default"] = json!(true);
        let parameters = [
            planet,
            parameter("picture", "Image", file()),
            parameter("rows", "Dataframe", json!({"type": "object"})),
            extra,
        ];
        let returns = [
            json!({"label": "Weight!", "component": "Number", "type": {"type": "number"}}),
            json!({"label": "重", "component": "Audio", "type": {}}),
        ];
        let app = app(json!({"/weigh": {"parameters": parameters, "returns": returns}})).unwrap();
        let weigh = &app.endpoints[0];
        let kinds: Vec<_> = weigh.inputs.iter().map(|input| input.value).collect();
        let (text, json) = (GradioValue::Text, GradioValue::Json);
        assert_eq!(kinds, [text, GradioValue::Image, json, json]);
        assert_eq!(weigh.inputs[3].argument, None);
        let schema = &weigh.spec.input_schema;
        assert_eq!(schema["required"], json!(["picture", "rows"]));
        assert_eq!(
            schema["properties"]["planet"]["description"],
            "PLANET; one of \"Mars\"; \"Mars\" when it is left out"
        );
        assert_eq!(
            weigh.outputs,
            [
                ("weight".to_owned(), GradioValue::Number),
                ("output_2".to_owned(), GradioValue::Audio)
            ]
        );
        assert!(
            weigh
                .spec
                .description
                .ends_with("Returns `weight`, `output_2`.")
        );
    }

    #[test]
    fn what_cannot_be_called_is_left_out_with_its_reason() {
        let parameters = [parameter("document", "File", file())];
        let read = json!({"parameters": parameters, "returns": []});
        let both = app(json!({"/read": read, "/stop": {}})).unwrap();
        assert_eq!(both.endpoints.len(), 1);
        let reason = "`/read`: `document` is a file, and only pictures and sounds can be sent";
        assert_eq!(both.skipped, [reason]);
        assert_eq!(app(json!({"/read": read})), Err(GradioError::Empty));
        for foreign in ["", "[]", "{}", r#"{"named_endpoints": 1}"#] {
            assert!(matches!(gradio(foreign), Err(GradioError::Foreign { .. })));
        }
        let many: Map<String, Value> = (0..201).map(|n| (n.to_string(), json!({}))).collect();
        assert_eq!(app(many.into()), Err(GradioError::TooMany { count: 201 }));
        assert_eq!(
            gradio(&" ".repeat(GRADIO_BYTES_MAX + 1)),
            Err(GradioError::TooLong)
        );
    }
}
