//! What holds a model to calls of the toolbox's functions.

use serde_json::{Value, json};
use tool_hub_agent::{Backend, Format};

use crate::journey::load;
use crate::reference::{reference, rows};
use crate::support::{Home, Need, Test, guests, test};

pub(crate) fn tests() -> Vec<Test> {
    vec![
        test("grammar::of_a_toolbox", of_a_toolbox).needs(&[Need::RustGuests]),
        test(
            "grammar::what_cannot_be_said_is_told",
            what_cannot_be_said_is_told,
        )
        .needs(&[Need::RustGuests]),
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
        ("grammar --tool-choice none", "no call is wanted"),
        (
            "grammar --tool-choice calculator__root",
            "`tool_choice` wants `calculator__root`, which is not offered",
        ),
        ("grammar --tool-choice {x", "--tool-choice is no JSON"),
        (
            "grammar --backend openai",
            "openai has no place for a call of a function",
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

fn every_format_is_named() {
    let reference = reference();
    let formats = Format::ALL.map(|format| format!("`{format}`"));
    let named = rows(&reference, "## `tool grammar`").into_iter();
    assert_eq!(named.map(|(name, _)| name).collect::<Vec<_>>(), formats);
    for backend in Backend::ALL {
        assert!(
            reference.contains(&format!("\n| `{backend}` | ")),
            "{backend}"
        );
    }
}
