//! Tests of reading definitions of every dialect, and of the errors for texts that are none.

use proptest::prelude::*;
use serde_json::{Map, json};
use tool_hub_manifest::Annotations;

use super::*;
use crate::definition::Dialect;
use crate::definition::export::export;

fn schema() -> Value {
    json!({"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]})
}

#[track_caller]
fn check(text: Value, source: Source, output: Option<Value>) {
    let import = import(&text.to_string()).unwrap();
    assert_eq!(import.source, source);
    assert_eq!(import.skipped, [""; 0]);
    let [spec] = &import.specs[..] else {
        panic!("one function, not {:?}", import.specs);
    };
    assert_eq!(spec.name, "weather");
    assert_eq!(spec.description, "Tells the weather.");
    assert_eq!(spec.input_schema["properties"], schema()["properties"]);
    assert_eq!(spec.output_schema, output);
}

#[test]
fn every_dialect_is_told_by_its_members() {
    let about = "Tells the weather.";
    let text = json!({"type": "string"});
    let function = json!({"name": "weather", "description": about, "parameters": schema()});
    check(
        json!({"type": "function", "function": function}),
        Source::OpenAi,
        None,
    );
    check(function.clone(), Source::Responses, None);
    let mut flat = function.clone();
    flat["type"] = "function".into();
    check(json!([flat]), Source::Responses, None);
    let mut returning = function;
    returning["return"] = text.clone();
    check(
        json!({"tools": [{"type": "function", "function": returning}]}),
        Source::OpenAi,
        Some(text.clone()),
    );
    check(
        json!({"name": "weather", "description": about, "input_schema": schema()}),
        Source::Anthropic,
        None,
    );
    let output = json!({"type": "object", "properties": {"result": text}, "required": ["result"]});
    let tool = json!({"name": "weather", "description": about, "inputSchema": schema(),
        "outputSchema": output});
    check(
        json!({"jsonrpc": "2.0", "id": 1, "result": {"tools": [tool]}}),
        Source::Mcp,
        Some(text.clone()),
    );
    let inputs = json!({"city": {"type": "string"}});
    let config = json!({"name": "weather", "description": about, "inputs": inputs,
        "output_type": "string", "tool_class": "tool.Weather"});
    check(config.clone(), Source::ToolConfig, Some(text.clone()));
    let mut quoted = config;
    quoted["inputs"] = inputs.to_string().into();
    check(quoted, Source::ToolConfig, Some(text));
}

#[test]
fn inputs_of_a_tool_config() {
    let config = json!({"name": "modifier", "description": "Modifies.", "inputs": {
        "picture": {"type": "image", "description": "Which."},
        "strength": {"type": "number", "nullable": true},
        "either": {"type": ["string", "null"]},
        "whatever": {"type": "any"},
    }, "output_type": "image"});
    let spec = import(&config.to_string()).unwrap().specs.remove(0);
    assert_eq!(
        spec.input_schema["required"],
        json!(["picture", "either", "whatever"])
    );
    let properties = &spec.input_schema["properties"];
    assert_eq!(properties["picture"]["description"], "Which.");
    assert_eq!(
        properties["either"],
        json!({"anyOf": [{"type": "string"}, {"type": "null"}]})
    );
    assert_eq!(properties["whatever"], json!({}));
    assert_eq!(
        spec.output_schema.unwrap()["properties"]["data"]["contentMediaType"],
        "image/*"
    );

    let old = json!({"name": "a", "tool_class": "a.A", "inputs": ["text", "image", "text"]});
    let spec = import(&old.to_string()).unwrap().specs.remove(0);
    assert_eq!(
        spec.input_schema["required"],
        json!(["text", "image", "text_3"])
    );
}

#[test]
fn services_are_left_out_and_named() {
    let text = json!([{"type": "web_search"}, {"type": "function", "name": "f"}]);
    let import = import(&text.to_string()).unwrap();
    assert_eq!(
        import.skipped,
        ["`/0` is the service `web_search` of the model's own provider"]
    );
    assert_eq!(import.specs.len(), 1);

    let page = json!({"result": {"tools": [{"name": "f", "inputSchema": {}}], "nextCursor": "2"}});
    let import = super::import(&page.to_string()).unwrap();
    assert_eq!(
        import.skipped,
        ["the server has more functions on its next page (`nextCursor`)"]
    );
}

#[test]
fn an_error_says_what_and_where() {
    let long = " ".repeat(IMPORT_BYTES_MAX + 1);
    let many = json!(vec![
        json!({"type": "function", "name": "f"});
        IMPORT_FUNCTIONS_MAX + 1
    ]);
    for (text, expect) in [
        (
            long,
            "it has 4194305 bytes, at most 4194304 are read".to_owned(),
        ),
        (
            many.to_string(),
            "it defines 1001 functions, at most 1000 are read".into(),
        ),
        (
            "{".into(),
            "it is not valid JSON: EOF while parsing an object at line 1 column 1".into(),
        ),
        ("[]".into(), "it defines no function".into()),
        (
            "[{\"type\": \"web_search\"}]".into(),
            "it defines no function".into(),
        ),
        (
            json!({"jsonrpc": "2.0", "error": {"code": -1, "message": "no\u{1b}"}}).to_string(),
            "it is the error of an MCP server: no\\u{1b}".into(),
        ),
        (
            json!({"tools": {}}).to_string(),
            "`/tools`: expected an array, found an object".into(),
        ),
        (
            json!([1]).to_string(),
            "the value at `/0` is not the definition of a function: it has no members, it is a number"
                .into(),
        ),
        (
            json!({"openapi": "3.1.0"}).to_string(),
            "it is not the definition of a function: it has `openapi`".into(),
        ),
        (
            json!({"result": {"tools": [{"name": 3, "inputSchema": {}}]}}).to_string(),
            "`/result/tools/0/name`: expected a name, found a number".into(),
        ),
        (
            json!({"name": "a", "input_schema": {"type": "string"}}).to_string(),
            "`/input_schema/type`: expected \"object\", found a string".into(),
        ),
        (
            json!({"name": "a", "inputs": "{'a': 1}"}).to_string(),
            "`/inputs`: expected an object or a string that holds one as JSON, found a string".into(),
        ),
        (
            json!([{"type": "function", "name": "f"}, {"type": "function", "name": "f"}])
                .to_string(),
            "two functions are called `f`".into(),
        ),
    ] {
        assert_eq!(import(&text).unwrap_err().to_string(), expect);
    }
}

fn spec() -> impl Strategy<Value = FunctionSpec> {
    let value = prop_oneof![
        Just(json!({"type": "string", "description": "D."})),
        Just(json!({"type": "integer", "minimum": 0, "maximum": 255})),
        Just(json!({"type": "array", "items": {"type": "number"}})),
        Just(json!({"type": "string", "enum": ["a", "b"]})),
        Just(
            json!({"type": "object", "properties": {"x": {"type": "boolean"}},
            "required": ["x"], "additionalProperties": false})
        ),
    ];
    let members = prop::collection::btree_map("[a-z]{1,8}", (value.clone(), any::<bool>()), 0..5);
    (
        "[a-z][a-z0-9_]{0,20}",
        "[ -~]{0,30}",
        members,
        prop::option::of(value),
    )
        .prop_map(|(name, description, members, output_schema)| {
            let (mut properties, mut required) = (Map::new(), Vec::new());
            for (name, (schema, is_required)) in members {
                required.extend(is_required.then(|| Value::from(name.as_str())));
                properties.insert(name, schema);
            }
            FunctionSpec {
                name,
                title: None,
                description,
                input_schema: json!({"type": "object", "properties": properties,
                    "required": required, "additionalProperties": false}),
                output_schema,
                annotations: Annotations::default(),
            }
        })
}

proptest! {
    #[test]
    fn what_is_exported_is_read_back(spec in spec()) {
        for &dialect in Dialect::ALL {
            let text = export(std::slice::from_ref(&spec), dialect).tools.to_string();
            let read = import(&text).unwrap().specs.remove(0);
            prop_assert_eq!(&read.name, &spec.name);
            prop_assert_eq!(&read.description, &spec.description);
            match dialect {
                // What could be left out can be null there; types are compared below.
                Dialect::OpenAiStrict | Dialect::ResponsesStrict => {}
                _ => prop_assert_eq!(&read.input_schema, &spec.input_schema),
            }
            if matches!(dialect, Dialect::Mcp | Dialect::HuggingFace) {
                prop_assert_eq!(&read.output_schema, &spec.output_schema);
            }
            let types = |spec: &FunctionSpec| {
                let spec = FunctionSpec { output_schema: None, ..spec.clone() };
                let interface = crate::definition::interface::interface(&[spec]);
                (interface.operations, interface.definitions)
            };
            prop_assert_eq!(types(&read), types(&spec), "{}", dialect);
        }
    }

    #[test]
    fn no_text_makes_it_panic(text in "[\\[{\"a:1,}\\]]{0,40}", name in ".{0,8}") {
        let _ = import(&text);
        let odd = json!({"name": name, "inputs": {"a": {"type": name}}});
        if let Ok(import) = import(&odd.to_string()) {
            crate::definition::interface::interface(&import.specs).to_wit("a:b");
        }
    }
}
