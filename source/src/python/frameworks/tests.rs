//! Tests of what is found in files for frameworks, where no framework is there to compare with.

use serde_json::json;

use crate::definition::Function;
use crate::language::Language;
use crate::read;

/// The names of the tools, and of what is left out with the beginning of the reason.
#[track_caller]
fn check(text: &str, expect: &[(&str, Option<&str>)]) -> Vec<Function> {
    let found = read(text, Language::Python).expect("Python");
    let told: Vec<(&str, Option<String>)> = found
        .iter()
        .map(|it| {
            let fault = it.definition.as_ref().err();
            (it.name.as_str(), fault.map(ToString::to_string))
        })
        .collect();
    assert_eq!(told.len(), expect.len(), "{told:?}");
    for ((name, told), (expected, reason)) in told.iter().zip(expect) {
        assert_eq!(name, expected);
        match (told, reason) {
            (Some(told), Some(reason)) => assert!(told.contains(reason), "{told}"),
            (told, reason) => assert!(told.is_none() && reason.is_none(), "{name}: {told:?}"),
        }
    }
    found
}

const SERVER: &str =
    "from fastmcp import FastMCP\nfrom pydantic import BaseModel\nmcp = FastMCP('x')\n";

#[test]
fn a_file_without_a_framework_has_plain_functions() {
    let text = "import functools\n@functools.cache\ndef f(a: int):\n    '''F.\n\n    Args:\n        a: A.\n    '''\n";
    let found = check(text, &[("f", None)]);
    let definition = found[0].definition.as_ref().expect("a definition");
    assert_eq!(definition.tool, None);
}

#[test]
fn what_belongs_to_a_framework_and_is_no_tool_says_why() {
    check(
        &format!(
            "{SERVER}@mcp.tool\ndef f(a: Unknown):\n    'F.'\n@mcp.prompt\ndef g(): 'G.'\n@mcp.tool\ndef h(): pass\ndef i(): 'I.'\n"
        ),
        &[
            ("f", Some("uses the type `Unknown`")),
            ("g", Some("is a prompt of an MCP server")),
            ("h", Some("has no description")),
        ],
    );
    check(
        "from fastmcp import FastMCP\ndef make():\n    mcp = FastMCP('x')\n    @mcp.tool\n    def f(): 'F.'\n    return mcp\n",
        &[("f", Some("is defined within a function"))],
    );
    check(
        "from smolagents import Tool\nclass A(Tool):\n    name = 'a'\n    description = 'A.'\n    inputs = {'p': {'type': 'image', 'description': 'P.'}}\n    output_type = 'string'\n    def forward(self, p): pass\nclass B(Tool):\n    description = 'B.'\n",
        &[
            ("a", Some("takes or returns pictures")),
            ("B", Some("has no `name` that is a text")),
        ],
    );
    check(
        "from langchain_core.tools import StructuredTool\na = StructuredTool.from_function(func=lambda x: x, name='a')\n",
        &[("a", Some("is made of something other than a function"))],
    );
    check(
        "from llama_index.core.tools.tool_spec.base import BaseToolSpec\nclass A(BaseToolSpec):\n    spec_functions = ['f', 'g']\n    def f(self): 'F.'\n",
        &[("f", None), ("g", Some("no method of the class"))],
    );
}

#[test]
fn what_only_a_run_tells_is_said() {
    let computed = |text: &str, name: &str, argument: &str| {
        let reason = format!("has a `{argument}` that is only known when the file runs");
        check(text, &[(name, Some(&reason))]);
    };
    let server = format!("from typing import Annotated\nfrom pydantic import Field\n{SERVER}");
    for (decorator, parameter, argument) in [
        (
            "",
            "Annotated[int, Field(description=f'{load()}')]",
            "description",
        ),
        ("", "Annotated[int, Field(ge=load())]", "ge"),
        ("", "Annotated[int, f'{load()}']", "description"),
        (
            "",
            "int = Field(3, description='A.'.format())",
            "description",
        ),
        ("(description=load())", "int", "description"),
        ("(name=f'{load()}')", "int", "name"),
    ] {
        let text = format!("{server}@mcp.tool{decorator}\ndef f(a: {parameter}): 'F.'\n");
        computed(&text, "f", argument);
    }
    computed(
        "from agents import function_tool\n@function_tool(description_override=load())\ndef f(): 'F.'\n",
        "f",
        "description_override",
    );
    let class = "from smolagents import Tool\nclass A(Tool):\n    name = 'a'\n    description = 'A.'\n    output_type = 'string'\n    def forward(self, p): pass\n";
    computed(&format!("{class}    inputs = load()\n"), "a", "inputs");
    computed(&class.replace("'A.'", "load()"), "a", "description");
    // Constants of the file are known.
    let known = "N = 3\n@mcp.tool\ndef f(a: Annotated[int, Field(description=f'Up to {N}.', default_factory=load)]): 'F.'\n";
    let found = check(&format!("{server}{known}"), &[("f", None)]);
    let definition = found[0].definition.as_ref().expect("a definition");
    let told = &definition.parameters["properties"]["a"]["description"];
    assert_eq!(told, "Up to 3.");
}

#[test]
fn parameters_of_classes_that_have_no_value_are_settings() {
    let text = "from typing import Optional\nfrom llama_index.core.tools.tool_spec.base import BaseToolSpec\nclass A(BaseToolSpec):\n    spec_functions = ['f']\n    def __init__(self, host: str, api_key: Optional[str] = None, more: Optional[dict] = None, n: int = 3): pass\n    def f(self): 'F.'\n";
    let found = check(text, &[("f", None)]);
    let definition = found[0].definition.as_ref().expect("a definition");
    let settings = &definition.tool.as_ref().expect("a tool").settings;
    let told: Vec<_> = settings
        .iter()
        .map(|it| (it.variable(), it.is_required, it.is_secret()))
        .collect();
    let expect = [
        ("HOST".to_owned(), true, false),
        ("API_KEY".to_owned(), false, true),
    ];
    assert_eq!(told, expect);
}

#[test]
fn a_model_that_holds_itself_has_an_end() {
    let text = format!(
        "{SERVER}class A(BaseModel):\n    more: 'list[A]'\n    b: int = 1\n@mcp.tool\ndef f(a: A): 'F.'\n"
    );
    let found = check(&text, &[("f", None)]);
    let definition = found[0].definition.as_ref().expect("a definition");
    assert_eq!(
        definition.parameters["properties"]["a"],
        json!({
            "properties": {
                "more": {"items": {"type": "object"}, "type": "array"},
                "b": {"default": 1, "type": "integer"},
            },
            "required": ["more"],
            "type": "object",
        })
    );
}

#[test]
fn hostile_files_end() {
    let doubling: String = (0..60)
        .map(|it| {
            format!(
                "class A{}(BaseModel):\n    a: A{it}\n    b: A{it}\n",
                it + 1
            )
        })
        .collect();
    for text in [
        format!(
            "{SERVER}class A0(BaseModel):\n    a: int\n{doubling}@mcp.tool\ndef f(a: A60): 'F.'\n"
        ),
        format!(
            "{SERVER}@mcp.tool\ndef f(a: {}int{}): 'F.'\n",
            "list[".repeat(20_000),
            "]".repeat(20_000)
        ),
        format!(
            "{SERVER}@mcp.tool\ndef f(a: {}int): 'F.'\n",
            "int | ".repeat(20_000)
        ),
        "from smolagents import Tool\nclass A(B, Tool): pass\nclass B(A): pass\n".to_owned(),
        format!("{SERVER}X = X\n@mcp.tool\ndef f(a: X): 'F.'\n"),
    ] {
        let found = read(&text, Language::Python);
        assert!(found.is_err() || found.is_ok_and(|it| it.iter().all(|it| it.definition.is_err())));
    }
}
