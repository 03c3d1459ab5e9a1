//! Generates the JavaScript source of a new project, with a stub for each defined function.

use tool_hub_agent::definition::declare::Language;
use tool_hub_agent::definition::interface::{Interface, Operation};

use super::names::{Names, lower_camel};
use super::stub::NOT_WRITTEN;

pub(super) fn source(interface: &Interface, names: &Names) -> String {
    let functions: Vec<String> = interface.operations.iter().map(function).collect();
    let name = &names.name;
    let functions = functions.join("\n");
    format!(
        r#"// The tool {name}, whose functions are defined but not written yet.

export const functions = {{
{functions}}};

// What a function answers until it is written.
function notWritten(name) {{
  return `\`${{name}}\` {NOT_WRITTEN}`;
}}
"#
    )
}

fn function(operation: &Operation) -> String {
    let parameters: Vec<String> = operation
        .parameters
        .iter()
        .map(|parameter| Language::TypeScript.identifier(&lower_camel(&parameter.wit)))
        .collect();
    // A member of an object may be called like a keyword.
    format!(
        "  {}({}) {{\n    throw notWritten(\"{}\");\n  }},\n",
        lower_camel(&operation.wit),
        parameters.join(", "),
        operation.name
    )
}
