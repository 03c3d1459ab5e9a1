//! Tests of `tool new --from` a JSON file of tool definitions: the project builds, with stubs.

use serde_json::json;

use crate::support::loading::load;
use crate::support::{Home, Need, Test, test};

pub(super) fn tests() -> Vec<Test> {
    vec![
        test(
            "author::defined_elsewhere_in_rust",
            defined_elsewhere_in_rust,
        )
        .needs(&[Need::RustGuests]),
        test(
            "author::defined_elsewhere_in_python",
            defined_elsewhere_in_python,
        )
        .needs(&[Need::PythonGuest]),
        test(
            "author::defined_elsewhere_in_javascript",
            defined_elsewhere_in_javascript,
        )
        .needs(&[Need::JavascriptGuest]),
        test("author::defined_elsewhere_in_c", defined_elsewhere_in_c).needs(&[Need::CGuest]),
        test(
            "author::what_defines_nothing_is_refused",
            what_defines_nothing_is_refused,
        ),
    ]
}

/// The answer of an MCP server, with types and names of many kinds.
fn tools_list() -> serde_json::Value {
    let picture = json!({
        "type": "object", "required": ["media_type", "data"], "properties": {
            "media_type": {"type": "string"}, "data": {"type": "string", "contentEncoding": "base64"},
        },
    });
    let input = json!({"type": "object", "required": ["city", "spots"], "properties": {
        "city": {"type": "string", "description": "Where."},
        "spots": {"type": "array", "items": {"type": "object", "required": ["type"], "properties": {
            "type": {"enum": ["peak", "valley_floor"]}, "height": {"type": "number"},
        }}},
        "days": {"type": "integer", "minimum": 1},
        "pair": {"type": "array", "prefixItems": [{"type": "number"}, {"type": "boolean"}], "items": false},
        "picture": picture,
        "more": {"type": "object"},
    }});
    json!({"jsonrpc": "2.0", "id": 2, "result": {"tools": [
        {"name": "getForecast", "description": "Tells the weather.", "inputSchema": input,
            "annotations": {"readOnlyHint": true}},
        {"name": "return", "inputSchema": {"type": "object"},
            "outputSchema": {"type": "object", "required": ["n"], "properties": {"n": {"type": "integer"}}}},
    ]}})
}

#[track_caller]
fn defined_elsewhere(language: &str) {
    let home = Home::new();
    home.write("tools.json", tools_list().to_string());
    let made = home.run(["new", "weather", "--lang", language, "--from", "tools.json"]);
    made.ok();
    for told in [
        "read 2 functions (MCP)\n",
        "getForecast: the name becomes `get_forecast`\n",
        "getForecast: the value at `/properties/more` is written as JSON text in a string\n",
        "no type does: 1 bound of the definitions\n",
    ] {
        assert!(made.stderr().contains(told), "{}", made.stderr());
    }
    home.tool("build weather").ok();
    load(&home, "./weather", &[]);
    for (function, arguments) in [
        (
            "get_forecast",
            r#"{"city": "Ulm", "spots": [{"type": "valley_floor", "height": 9.5}], "pair": [1, true],
                "picture": {"media_type": "image/png", "data": ""}, "more": "{}"}"#,
        ),
        ("return", "{}"),
    ] {
        let called = format!("weather.{function}");
        let failed = home.run(["call", &called, "--json-args", arguments, "--json"]);
        assert_eq!(failed.code(), 1, "{}", failed.stderr());
        let failed: serde_json::Value = serde_json::from_str(&failed.stdout()).expect("JSON");
        let message = failed["failure"]["message"].as_str().expect("a message");
        assert!(
            message.starts_with(&format!("`{function}` is not written yet")),
            "{message}"
        );
    }
    let exported = home.tool("export --format mcp").json();
    assert_eq!(exported[0]["name"], "weather__get_forecast");
    assert_eq!(exported[0]["annotations"], json!({"readOnlyHint": true}));
    let city = &exported[0]["inputSchema"]["properties"]["city"];
    assert_eq!(city["description"], "Where.");
    assert_eq!(
        exported[0]["inputSchema"]["required"],
        json!(["city", "spots"])
    );
}

fn defined_elsewhere_in_rust() {
    defined_elsewhere("rust");
}

fn defined_elsewhere_in_python() {
    defined_elsewhere("python");
}

fn defined_elsewhere_in_javascript() {
    defined_elsewhere("javascript");
}

fn defined_elsewhere_in_c() {
    defined_elsewhere("c");
}

fn what_defines_nothing_is_refused() {
    let home = Home::new();
    home.write("openapi.json", r#"{"openapi": "3.1.0"}"#);
    home.write("broken.json", "[{]");
    home.write(
        "odd.json",
        r#"{"tools": [{"name": 1, "input_schema": {}}]}"#,
    );
    for (file, cause, hint) in [
        (
            "openapi.json",
            "it is not the definition of a function: it has `openapi`",
            "definitions are those of OpenAI, Anthropic, MCP (tools/list) or Transformers (tool_config.json)",
        ),
        (
            "broken.json",
            "it is not valid JSON: key must be a string at line 1 column 3",
            "give it JSON, such as the value of `tools` in a request or a server's answer to tools/list",
        ),
        (
            "odd.json",
            "`/tools/0/name`: expected a name, found a number",
            "fix the definition there, or leave it out",
        ),
    ] {
        let refused = home.run(["new", "weather", "--from", file]);
        assert_eq!(refused.code(), 1);
        assert_eq!(
            refused.stderr(),
            format!(
                "error: {file} contains no readable function definitions\ncaused by: {cause}\nhint: {hint}\n"
            )
        );
        assert!(!home.work().join("weather").exists());
    }
    let missing = home.run(["new", "weather", "--from", "nowhere.json"]);
    assert_eq!(missing.code(), 1);
    assert!(
        missing
            .stderr()
            .starts_with("error: nowhere.json cannot be read\n")
    );
    let long = " ".repeat((4 << 20) + 1);
    let refused = home.run_with_input("new weather --from -", &long);
    let too_long = "standard input is too long (definitions_bytes = 4194304)";
    assert!(refused.stderr().contains(too_long), "{}", refused.stderr());
}
