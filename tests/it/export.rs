//! Tests of `tool export`: compilers, type checkers and APIs' own packages take its definitions.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};
use tool_hub_agent::definition::declare::{Language, declare};
use tool_hub_manifest::{Annotations, FunctionSpec};

use crate::public_clients::{packages, said};
use crate::support::loading::load;
use crate::support::{Home, Need, Test, guests, test};

/// The package of OpenAI's client.
pub(crate) const OPENAI: &str = "openai==3.54.0";
const ANTHROPIC: &str = "anthropic==2.12.0";

pub(crate) fn tests() -> Vec<Test> {
    vec![
        test("export::typescript_compiles", typescript_compiles)
            .needs(&[Need::RustGuests, Need::NodePackages]),
        test("export::python_is_typed", python_is_typed)
            .needs(&[Need::RustGuests, Need::PythonPackages]),
        test(
            "export::the_packages_of_openai_and_anthropic_take_them",
            the_packages_of_openai_and_anthropic_take_them,
        )
        .needs(&[Need::RustGuests, Need::PythonPackages]),
        test("export::every_format_is_offered", every_format_is_offered),
        test(
            "export::what_is_exported_can_be_started_from",
            what_is_exported_can_be_started_from,
        ),
    ]
}

/// A toolbox of sample tools, whose types are of many shapes.
fn toolbox() -> Home {
    let home = Home::new();
    for sample in ["calculator", "tally", "thumbnail"] {
        let project = guests::built(sample);
        load(&home, &project.to_string_lossy(), &[]);
    }
    home
}

/// Functions whose names and texts are chosen to break out of declarations.
fn hostile() -> Vec<FunctionSpec> {
    let evil = "*/ }; evil( /* \"\"\"\nevil(\n\"\"\"\" \\\r\u{2028}# type: ignore\n@ts-ignore";
    let properties = json!({
        "class": {"type": "string", "description": evil},
        "a-b\"\n": {"enum": ["\"\\\n\u{1f600}", null, 3, true, 1.5]},
        "tree": {"$ref": "#/$defs/tree", "description": "type: ignore"},
        "pair": {"type": "array", "prefixItems": [{"type": "number"}], "items": {"type": "string"}},
        "rest": {"type": "object", "properties": {"def": {}}, "additionalProperties": {"type": "null"}},
        "map": {"type": "object", "additionalProperties": {"type": "array", "items": {}}},
        "none": {"type": "object", "properties": {}, "additionalProperties": false},
        "both": {"allOf": [{}, {}]},
        "never": {"enum": []},
    });
    let tree = json!({"type": "object", "description": evil, "properties": {
        "kids": {"type": "array", "items": {"$ref": "#/$defs/tree"}}, "leaf": {"$ref": "#/$defs/leaf"},
    }});
    let leaf = json!({"oneOf": [{"type": "string"}, {"type": "array", "items": {"$ref": "#/$defs/leaf"}}]});
    let names = [
        "delete",
        "import",
        "list",
        "str",
        "7zip",
        "a.b",
        "",
        "é",
        "Any",
        "_x2d_",
        "constructor",
    ];
    let names = names.into_iter();
    names
        .map(|name| FunctionSpec {
            name: name.to_owned(),
            title: Some(evil.to_owned()),
            description: evil.to_owned(),
            input_schema: json!({"type": "object", "properties": properties,
                "required": ["class"], "$defs": {"tree": tree, "leaf": leaf}}),
            output_schema: Some(
                json!({"$ref": "#/$defs/tree", "$defs": {"tree": tree, "leaf": leaf}}),
            ),
            annotations: Annotations::default(),
        })
        .collect()
}

const USE_OF_TYPESCRIPT: &str = "
import { calculator__evaluate, tally__forget, tally__totals } from './toolbox';
tally__totals();
tally__forget({ counter: 'a' }).then((was: boolean) => console.log(was));
// @ts-expect-error: a number is no expression
calculator__evaluate({ expression: 1 });
// @ts-expect-error: an argument is missing
tally__forget({});
";

fn typescript_compiles() {
    let declared = toolbox().tool("export --format typescript").ok();
    let place = tempfile::tempdir().expect("a directory");
    let write = |name: &str, text: &str| {
        std::fs::write(place.path().join(name), text).expect("a file");
    };
    write("toolbox.d.ts", &declared);
    write("use.ts", USE_OF_TYPESCRIPT);
    write(
        "hostile.d.ts",
        &declare(&hostile(), Language::TypeScript).text,
    );
    let compiler = packages::node(&["typescript@5.9.3"]).join("node_modules/typescript/bin/tsc");
    said(
        Command::new("node")
            .arg(compiler)
            .args([
                "--strict",
                "--noEmit",
                "--target",
                "es2022",
                "--lib",
                "es2022,dom",
            ])
            .args(["use.ts", "hostile.d.ts"])
            .current_dir(place.path()),
    );
}

const USE_OF_PYTHON: &str = "
import toolbox
from typing import assert_type

toolbox.tally__totals()
assert_type(toolbox.tally__forget(counter='a'), bool)
toolbox.calculator__evaluate(expression=1)  # type: ignore[arg-type]
toolbox.tally__forget()  # type: ignore[call-arg]
";

fn python_is_typed() {
    let declared = toolbox().tool("export --format python").ok();
    let place = tempfile::tempdir().expect("a directory");
    let write = |name: &str, text: &str| {
        std::fs::write(place.path().join(name), text).expect("a file");
    };
    write("toolbox.pyi", &declared);
    write("use.py", USE_OF_PYTHON);
    write("hostile.pyi", &declare(&hostile(), Language::Python).text);
    for stub in ["toolbox.pyi", "hostile.pyi"] {
        let parse = "import ast, sys; ast.parse(open(sys.argv[1]).read(), type_comments=True)";
        said(
            Command::new("python3")
                .args(["-c", parse, stub])
                .current_dir(place.path()),
        );
    }
    said(
        Command::new("python3")
            .env("PYTHONPATH", packages::python(&["mypy==2.4.1"]))
            // Comments that switch a check off have to be needed.
            .args([
                "-m",
                "mypy",
                "--strict",
                "--warn-unused-ignores",
                "--no-incremental",
            ])
            .args(["use.py", "hostile.pyi"])
            .current_dir(place.path()),
    );
}

/// Each list of definitions as the package's own types read a request.
const READ: &str = r#"
import json, sys
from pydantic import TypeAdapter
from typing import Iterable
which, path = sys.argv[1:]
tools = json.load(open(path))
assert len(tools) > 4, tools
if which == "chat":
    from openai.types.chat import ChatCompletionToolUnionParam as Tool
elif which == "responses":
    from openai.types.responses import FunctionToolParam as Tool
elif which == "responses-deferred":
    from openai.types.responses import ToolParam as Tool
elif which == "anthropic-deferred":
    from anthropic.types import ToolUnionParam as Tool
else:
    from anthropic.types import ToolParam as Tool
adapter = TypeAdapter(Tool)
for tool in tools:
    adapter.validate_python(tool)
    try:
        adapter.validate_python({**tool, "type": 3, "input_schema": 3})
    except ValueError:
        continue
    raise SystemExit("anything is taken")
print(len(tools))
"#;

fn the_packages_of_openai_and_anthropic_take_them() {
    let home = toolbox();
    for (options, which, package) in [
        ("openai", "chat", OPENAI),
        ("openai-strict", "chat", OPENAI),
        ("responses", "responses", OPENAI),
        ("responses-strict", "responses", OPENAI),
        ("responses --defer", "responses-deferred", OPENAI),
        ("anthropic", "anthropic", ANTHROPIC),
        ("anthropic --defer", "anthropic-deferred", ANTHROPIC),
    ] {
        let tools = home.tool(&format!("export --format {options}")).json();
        let count = tools.as_array().expect("a list").len();
        let path = home.write("tools.json", tools.to_string());
        let read = said(
            Command::new("python3")
                .env("PYTHONPATH", packages::python(&[package]))
                .args(["-c", READ, which])
                .arg(path),
        );
        assert_eq!(read.trim(), count.to_string(), "{options}");
    }
}

fn every_format_is_offered() {
    let home = Home::new();
    let refused = home.tool("export --format gpt");
    assert_eq!(refused.code(), 1);
    let said = refused.stderr();
    for format in [
        "openai",
        "openai-strict",
        "responses",
        "responses-strict",
        "anthropic",
        "mcp",
        "hf",
        "typescript",
        "python",
    ] {
        assert!(said.contains(format), "{said}");
        home.run(["export", "--format", format]).ok();
    }
    for format in ["mcp", "python"] {
        let refused = home.run(["export", "--defer", "--format", format]);
        assert_eq!(refused.code(), 1);
        assert!(
            refused.stderr().contains("no search for definitions"),
            "{}",
            refused.stderr()
        );
    }
}

fn what_is_exported_can_be_started_from() {
    let home = Home::new();
    home.write("adder.wasm", crate::support::adder::adder());
    load(&home, "adder.wasm", &[]);
    let wit = |project: &str| {
        let path = home.work().join(project).join("wit/world.wit");
        std::fs::read_to_string(Path::new(&path)).expect("WIT")
    };
    for (format, says) in [
        ("openai", "OpenAI"),
        ("responses", "OpenAI Responses"),
        ("anthropic", "Anthropic"),
        ("mcp", "MCP"),
        ("hf", "OpenAI"),
    ] {
        let exported = home.run(["export", "--format", format]);
        let lost = "the format cannot say everything about ";
        let told = exported.stderr();
        assert!(
            told.is_empty() || told.starts_with(lost),
            "{format}: {told}"
        );
        assert_eq!(
            told.is_empty(),
            matches!(format, "mcp" | "hf"),
            "{format}: {told}"
        );
        let tools: Value = exported.json();
        let name = format!("from-{format}");
        let made = home.run_with_input(&format!("new {name} --from -"), &tools.to_string());
        made.ok();
        let told = made.stderr();
        assert!(
            told.starts_with(&format!("read 2 functions ({says})\n")),
            "{told}"
        );
        assert!(
            wit(&name).contains("(a: u32, b: u32) -> result<"),
            "{}",
            wit(&name)
        );
    }
}
