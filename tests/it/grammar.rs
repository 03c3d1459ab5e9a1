//! Tests of `tool grammar`, which prints grammars and checks with `--check` what a model wrote.
//! They hold a model to calls or to a schema.

use serde_json::{Value, json};
use tool_hub_agent::constraint::{Backend, Format};

use crate::support::documents::{reference, rows};
use crate::support::loading::load;
use crate::support::{Home, Need, Test, guests, test};

pub(crate) fn tests() -> Vec<Test> {
    vec![
        test("grammar::of_a_toolbox", of_a_toolbox).needs(&[Need::RustGuests]),
        test(
            "grammar::what_cannot_be_said_is_told",
            what_cannot_be_said_is_told,
        )
        .needs(&[Need::RustGuests]),
        test("grammar::of_ones_own", of_ones_own),
        test(
            "grammar::of_definitions_from_elsewhere",
            of_definitions_from_elsewhere,
        ),
        test(
            "grammar::what_a_model_wrote_is_checked",
            what_a_model_wrote_is_checked,
        ),
        test("grammar::calls_are_checked", calls_are_checked).needs(&[Need::RustGuests]),
        test("grammar::every_format_is_named", every_format_is_named),
    ]
}

fn toolbox() -> Home {
    let home = Home::new();
    load(&home, &guests::built("calculator").to_string_lossy(), &[]);
    home
}

fn of_a_toolbox() {
    let home = toolbox();
    let all = home.tool("grammar calculator").json();
    let names = |schema: &Value| -> Vec<String> {
        let choices = schema["anyOf"].as_array().expect("choices").iter();
        choices
            .map(|choice| choice["properties"]["name"]["const"].to_string())
            .collect()
    };
    let expect =
        ["evaluate", "convert", "list_units"].map(|name| format!("\"calculator__{name}\""));
    assert_eq!(names(&all), expect);
    let free = home.tool("grammar --tool-choice auto").json();
    assert_eq!(
        names(&free).last().map(String::as_str),
        Some("null"),
        "{free}"
    );

    let gbnf = home.tool("grammar calculator__convert --format gbnf").ok();
    assert!(gbnf.starts_with("root ::= "), "{gbnf}");
    assert!(
        gbnf.contains(r#""\"target\"""#) && !gbnf.contains("expression"),
        "{gbnf}"
    );
    let lark = home
        .tool("grammar --format lark --tool-choice calculator__convert")
        .ok();
    assert!(
        lark.starts_with("start: ") && !lark.contains("expression"),
        "{lark}"
    );
    let regex = home
        .tool("grammar calculator__evaluate --format regex")
        .ok();
    assert!(
        regex.starts_with(r#"\{"name": ?"calculator__evaluate""#),
        "{regex}"
    );

    let chosen = json!({"type": "function", "function": {"name": "calculator__convert"}});
    let tgi = home
        .run([
            "grammar",
            "--backend",
            "tgi",
            "--tool-choice",
            &chosen.to_string(),
        ])
        .json();
    let value = &tgi["grammar"]["value"]["properties"]["name"];
    assert_eq!(
        (&tgi["grammar"]["type"], &value["const"]),
        (&json!("json"), &json!("calculator__convert"))
    );
    let several = home.tool("grammar --backend tgi").json();
    assert_eq!(several["grammar"]["type"], "regex");
    for (backend, member) in [
        ("vllm", "/structured_outputs/json"),
        ("llama.cpp", "/json_schema"),
        ("sglang", "/response_format/json_schema/schema"),
    ] {
        let request = home.tool(&format!("grammar --backend {backend}")).json();
        assert_eq!(request.pointer(member), Some(&all), "{backend}");
    }
}

fn what_cannot_be_said_is_told() {
    let home = toolbox();
    for (arguments, told) in [
        ("grammar --tool-choice none", "--tool-choice forbids calls"),
        (
            "grammar --tool-choice calculator__root",
            "`tool_choice` names `calculator__root`, which is not in `tools`",
        ),
        (
            "grammar --tool-choice {x",
            "--tool-choice is not valid JSON",
        ),
        (
            "grammar --backend openai",
            "openai does not support a call of a function",
        ),
        (
            "grammar calculator__root",
            "the toolbox has no tool and no function `calculator__root`",
        ),
    ] {
        let ran = home.tool(arguments);
        assert_eq!(ran.code(), 1, "{arguments}");
        assert!(ran.stderr().contains(told), "{}", ran.stderr());
    }
}

/// A home without any tool, with a schema and two grammars.
fn with_constraints() -> Home {
    let home = Home::new();
    home.write("schema.json", schema().to_string());
    home.write("root.gbnf", "root ::= \"yes\" | \"no\"\n");
    home.write("start.lark", "start: \"yes\" | \"no\"\n");
    home
}

fn schema() -> Value {
    json!({"type": "object", "properties": {"n": {"type": "integer", "maximum": 5}}, "required": ["n"]})
}

fn of_ones_own() {
    let home = with_constraints();
    assert_eq!(home.tool("grammar --schema schema.json").json(), schema());
    let piped = home.run_with_input("grammar --schema - --backend vllm", &schema().to_string());
    assert_eq!(piped.json()["structured_outputs"]["json"], schema());
    for (arguments, printed) in [
        ("--schema schema.json --format gbnf", "root ::= "),
        ("--schema schema.json --format lark", "start: "),
        ("--regex [0-9]{4}", "[0-9]{4}\n"),
        ("--regex [0-9]{4} --format gbnf", "root ::= [0-9]{4}"),
        ("--choice yes --choice no", "yes|no\n"),
        ("--choice yes --choice no --format lark", "start: "),
        ("--grammar root.gbnf", "root ::= \"yes\""),
        ("--grammar start.lark", "start: \"yes\""),
    ] {
        let ran = home.tool(&format!("grammar {arguments}"));
        assert!(
            ran.ok().starts_with(printed),
            "{arguments}: {}",
            ran.stdout()
        );
    }
    home.write(
        "set.json",
        r#"{"type": "array", "items": {"type": "string"}, "uniqueItems": true}"#,
    );
    let lossy = home.tool("grammar --schema set.json --format gbnf");
    lossy.ok();
    for told in ["warning: the value: ", "hint: hold what a model writes"] {
        assert!(lossy.stderr().contains(told), "{}", lossy.stderr());
    }
    for (arguments, told) in [
        (
            "--grammar root.gbnf --format lark",
            "a grammar in GBNF cannot be written in lark",
        ),
        ("--regex a --choice b", "cannot be used with"),
        ("--regex a calculator", "cannot be used with"),
        ("--schema root.gbnf", "root.gbnf is not JSON"),
        (
            "--choice a --backend openai",
            "openai does not support a choice of texts",
        ),
        (
            "--grammar root.gbnf --check schema.json",
            "a grammar of one's own is read by the server",
        ),
        ("", "the toolbox has no tools that could be called"),
    ] {
        let ran = home.tool(&format!("grammar {arguments}"));
        assert_eq!(ran.code(), 1, "{arguments}: {}", ran.stderr());
        assert!(ran.stderr().contains(told), "{arguments}: {}", ran.stderr());
    }
}

fn of_definitions_from_elsewhere() {
    let home = Home::new();
    let sloppy = json!({"type": "boolean", "enum": ["True", "False"]});
    let arguments = json!({"type": "object", "properties": {"city": {"type": "string"}, "now": sloppy}, "required": ["city"]});
    let function =
        json!({"name": "rain", "description": "Says whether it rains.", "parameters": arguments});
    for definitions in [
        json!([{"type": "function", "function": function}]),
        json!({"tools": [{"name": "rain", "input_schema": arguments}]}),
        json!({"jsonrpc": "2.0", "id": 1, "result": {"tools": [{"name": "rain", "inputSchema": arguments}]}}),
    ] {
        let definitions = definitions.to_string();
        let ran = home.run_with_input("grammar --from - --format regex", &definitions);
        assert_eq!(ran.ok().lines().count(), 1);
        assert!(
            ran.stdout().contains("rain") && !ran.stdout().contains("now"),
            "{}",
            ran.stdout()
        );
        let told = "rain: no value is valid at `/properties/now`, so it is left out";
        assert!(ran.stderr().contains(told), "{}", ran.stderr());
        home.write("tools.json", definitions);
        let line = "grammar --from tools.json --tool-choice rain --check -";
        let call = json!({"name": "rain", "arguments": {"city": "Bern"}});
        home.run_with_input(line, &call.to_string()).ok();
    }
    let none = home.run_with_input("grammar --from -", "[1]");
    assert_eq!(none.code(), 1);
    assert!(
        none.stderr()
            .contains("contains no readable function definitions"),
        "{}",
        none.stderr()
    );
}

fn what_a_model_wrote_is_checked() {
    let home = with_constraints();
    for (constraint, text, told) in [
        ("--schema schema.json", "{\"n\": 3}\n", None),
        (
            "--schema schema.json",
            "{\"n\": 9}",
            Some("`/n`: 9 is greater than the maximum of 5"),
        ),
        (
            "--schema schema.json",
            "n = 3",
            Some("The answer is not valid JSON"),
        ),
        ("--regex [0-9]{4}", "1984\n", None),
        (
            "--regex [0-9]{4}",
            "19841",
            Some("Write what matches all of `[0-9]{4}`"),
        ),
        ("--regex -?[0-9]+", "-5", None),
        ("--choice yes --choice no", "no", None),
        (
            "--choice yes --choice no",
            "maybe",
            Some("Write one of these and nothing else: \"yes\", \"no\""),
        ),
    ] {
        let line = format!("grammar {constraint} --check -");
        let ran = home.run_with_input(&line, text);
        assert_eq!(
            ran.code(),
            i32::from(told.is_some()),
            "{text}: {}",
            ran.stderr()
        );
        assert!(
            ran.stderr().contains(told.unwrap_or("is allowed")),
            "{}",
            ran.stderr()
        );
        assert_eq!(ran.stdout(), "");
        let ran = home.run_with_input(&format!("--json {line}"), text);
        assert_eq!(ran.code(), i32::from(told.is_some()));
        let said: Value = serde_json::from_str(&ran.stdout()).expect("JSON");
        assert_eq!(said["is_allowed"], told.is_none());
        assert!(
            said["told"]
                .as_str()
                .unwrap_or_default()
                .contains(told.unwrap_or_default())
        );
    }
    home.write("long.txt", " ".repeat((4 << 20) + 1));
    let long = home.tool("grammar --regex a --check long.txt");
    assert_eq!(long.code(), 3, "{}", long.stderr());
}

fn calls_are_checked() {
    let home = toolbox();
    let call = |expression: Value| {
        json!({"name": "calculator__evaluate", "arguments": {"expression": expression}}).to_string()
    };
    let line = "grammar calculator__evaluate --check -";
    home.run_with_input(line, &call(json!("6 * 7"))).ok();
    let wrong = home.run_with_input(line, &call(json!(42)));
    assert_eq!(wrong.code(), 1);
    assert!(
        wrong.stderr().contains("`arguments/expression`"),
        "{}",
        wrong.stderr()
    );
    let meant = home.tool("grammar --tool-choice evaluate");
    let hint = "hint: did you mean `calculator__evaluate`?";
    assert!(meant.stderr().contains(hint), "{}", meant.stderr());
}

fn every_format_is_named() {
    let reference = reference();
    let formats = Format::ALL.iter().map(|format| format!("`{format}`"));
    let named = rows(&reference, "## `tool grammar`").into_iter();
    assert_eq!(
        named.map(|(name, _)| name).collect::<Vec<_>>(),
        formats.collect::<Vec<_>>()
    );
    for &backend in Backend::ALL {
        assert!(
            reference.contains(&format!("\n| `{backend}` | ")),
            "{backend}"
        );
    }
}
