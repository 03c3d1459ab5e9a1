//! Generates the Python module that calls a project's plain functions, with JSON on both sides.

use tool_hub_agent::definition::interface::{Interface, Operation};
use tool_hub_source::Definition;

use super::plain::{GeneratedSource, Plain, quoted, without_ending};
use super::python_values::{given, identifier, returned};

const TEMPLATE: &str = include_str!("../../../templates/functions/glue.py");

/// The name of the module.
pub(crate) const MODULE: &str = "tool_functions";

pub(super) fn source(plain: Plain<'_>) -> anyhow::Result<GeneratedSource> {
    let module = without_ending(plain.file).replace('/', ".");
    let pairs = plain.definitions.iter().zip(&plain.interface.operations);
    let functions: Vec<String> = pairs
        .map(|(definition, operation)| function(definition, operation, plain.interface))
        .collect();
    let names: Vec<String> = plain
        .definitions
        .iter()
        .map(|definition| quoted(&definition.name))
        .collect();
    let exports = plain.interface.operations.iter();
    let exports: Vec<String> = exports
        .map(|operation| format!("{}: {}", quoted(&operation.wit), identifier(&operation.wit)))
        .collect();
    let text = TEMPLATE
        .replace("{{module}}", plain.file)
        .replace("{{module_text}}", &quoted(&module))
        .replace("{{names}}", &format!("[{}]", names.join(", ")))
        .replace("{{functions}}", functions.join("\n\n").trim_end())
        .replace("{{exports}}", &format!("{{{}}}", exports.join(", ")));
    Ok(("tool_functions.py", text))
}

fn function(definition: &Definition, operation: &Operation, interface: &Interface) -> String {
    let (parameters, given) = given(definition, operation, interface);
    let answer = match definition.output {
        None => "as_any".to_owned(),
        Some(_) => format!(
            "lambda it: {}",
            returned("it", &operation.output, interface)
        ),
    };
    format!(
        "def {}({}):\n    given = {{\n{given}    }}\n    return result(source.{}, HINTS[{}], given, {answer})\n",
        identifier(&operation.wit),
        parameters,
        definition.name,
        quoted(&definition.name)
    )
}
