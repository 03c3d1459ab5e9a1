//! Tests that WIT, manifest and README generated from function definitions are valid and complete.
//! Definitions may have any names and texts.

use std::path::Path;

use serde_json::{Value, json};
use tool_hub_agent::definition::import::import;
use tool_hub_host::authoring::{Docs, WitSource};
use tool_hub_manifest::{Manifest, ToolName};

use super::*;

fn defined(definitions: &Value) -> DefinedFunctions {
    DefinedFunctions::of(import(&definitions.to_string()).unwrap())
}

fn file(defined: &DefinedFunctions, path: &str, text: &str) -> String {
    let name: ToolName = "made-here".parse().unwrap();
    let names = Names::of(&name);
    let text = Template::Rust.fill(text, &names);
    defined.file(path, text, &names, Template::Rust).unwrap()
}

/// The WIT of `definitions`, as everything that builds tools reads it.
#[track_caller]
fn check_wit(definitions: &Value) -> Docs {
    let wit = file(&defined(definitions), "wit/world.wit", "");
    let source = WitSource {
        path: Path::new("world.wit"),
        contents: &wit,
    };
    Docs::from_sources(&[source], None).unwrap_or_else(|error| panic!("{error}\n{wit}"))
}

const KEYWORDS: [&str; 30] = [
    "use",
    "type",
    "func",
    "u8",
    "s64",
    "f32",
    "char",
    "resource",
    "own",
    "borrow",
    "record",
    "flags",
    "variant",
    "enum",
    "bool",
    "string",
    "option",
    "result",
    "future",
    "stream",
    "list",
    "map",
    "as",
    "from",
    "static",
    "interface",
    "tuple",
    "world",
    "async",
    "constructor",
];

#[test]
fn any_name_is_valid_wit() {
    let odd = [
        "import",
        "export",
        "include",
        "with",
        "package",
        "_",
        "7",
        "a.b",
        "ä",
        "X",
        "errorContext",
        "self",
    ];
    for name in KEYWORDS.iter().chain(&odd) {
        let nested = json!({"type": "object", "properties": {*name: {"type": "string"}}});
        check_wit(
            &json!({"name": name, "inputSchema": {"type": "object", "properties": {
                *name: nested, "enum": {"enum": [name, "other"]},
            }}}),
        );
    }
}

#[test]
fn comments_reach_the_agent_and_do_not_end_early() {
    let docs = check_wit(
        &json!([{"name": "f", "description": "One.\r\n*/ } world w {}\n\u{2028}func",
        "input_schema": {"type": "object", "properties": {
            "a": {"type": "integer", "minimum": 1, "description": "How\nmany."},
        }}}]),
    );
    let export = "tools:made-here-tool/functions.f".parse().unwrap();
    assert_eq!(
        docs.parameter(&export, "a").as_deref(),
        Some("How many. `minimum`: 1.")
    );
    assert!(
        docs.function(&export)
            .unwrap()
            .starts_with("One.\n*/ } world w {}\n")
    );
}

#[test]
fn the_manifest_says_what_wit_does_not() {
    let definitions = json!({"result": {"tools": [
        {"name": "a_7", "title": "\"A\"\n", "inputSchema": {},
            "annotations": {"readOnlyHint": true, "openWorldHint": false}},
        {"name": "plain", "inputSchema": {}},
    ]}});
    let text = file(
        &defined(&definitions),
        "tool.toml",
        super::super::COMMON[0].1,
    );
    let manifest: Manifest = text.parse().unwrap();
    assert_eq!(manifest.description, "The functions a_7, plain.");
    assert_eq!(manifest.functions.len(), 1, "{text}");
    let function = &manifest.functions.values().next().unwrap();
    assert_eq!(function.title.as_deref(), Some("\"A\"\n"));
    assert_eq!(
        function.export.as_ref().map(ToString::to_string).as_deref(),
        Some("tools:made-here-tool/functions.a-n7")
    );
    let hints = function.annotations();
    assert_eq!(
        (hints.read_only, hints.open_world),
        (Some(true), Some(false))
    );
}

#[test]
fn the_card_keeps_its_front_matter() {
    let definitions = json!({"name": "f", "description": "Does it.\nWell.", "parameters": {}});
    let card = file(
        &defined(&definitions),
        "README.md",
        super::super::COMMON[2].1,
    );
    assert!(
        card.starts_with("---\nlicense: apache-2.0\ntags:\n"),
        "{card}"
    );
    assert!(
        card.ends_with("---\n\n# made-here\n\nDoes it.\n\n- `f`: Does it.\n"),
        "{card}"
    );
}
