//! Generates the Python module that offers a project's plain functions as the component's exports.

use tool_hub_agent::definition::declare::Language;
use tool_hub_agent::definition::interface::{Operation, WitType};
use tool_hub_source::Definition;

use super::plain::{GeneratedSource, Plain, quoted, without_ending};
use crate::scaffold::upper_camel;

const TEMPLATE: &str = include_str!("../../../templates/functions/glue.py");

/// The name of the module.
pub(crate) const MODULE: &str = "tool_functions";

pub(super) fn source(plain: Plain<'_>) -> anyhow::Result<GeneratedSource> {
    let module = without_ending(plain.file).replace('/', ".");
    let pairs = plain.definitions.iter().zip(&plain.interface.operations);
    let functions: Vec<String> = pairs
        .map(|(definition, operation)| function(definition, operation))
        .collect();
    let names: Vec<String> = plain
        .definitions
        .iter()
        .map(|definition| quoted(&definition.name))
        .collect();
    let text = TEMPLATE
        .replace("{{module}}", plain.file)
        .replace("{{module_text}}", &quoted(&module))
        .replace("{{names}}", &format!("[{}]", names.join(", ")))
        .replace("{{functions}}", functions.join("\n").trim_end());
    Ok(("tool_functions.py", text))
}

fn function(definition: &Definition, operation: &Operation) -> String {
    let required = definition.required();
    let (mut parameters, mut given) = (String::new(), String::new());
    for (index, parameter) in operation.parameters.iter().enumerate() {
        // No name of the author's hides one of the module's.
        let name = format!("a{index}");
        parameters.push_str(&format!(", {name}"));
        let value = taken(&name, &parameter.value);
        let item = format!("{}: lambda: {value}", quoted(&parameter.name));
        match required.contains(&parameter.name.as_str()) {
            true => given.push_str(&format!("            {item},\n")),
            // What is left out has the function's own default.
            false => given.push_str(&format!(
                "            **({{}} if {name} is None else {{{item}}}),\n"
            )),
        }
    }
    let answer = match definition.output {
        None => "as_any".to_owned(),
        Some(_) => format!("lambda it: {}", returned("it", &operation.output)),
    };
    format!(
        "    def {}(self{parameters}):\n        given = {{\n{given}        }}\n        return call({}, given, {answer})\n",
        identifier(&operation.wit),
        quoted(&definition.name)
    )
}

fn identifier(wit: &str) -> String {
    Language::Python.identifier(&wit.replace('-', "_"))
}

/// The expression for an argument of the function, made of the component's `value`.
fn taken(value: &str, wit: &WitType) -> String {
    match wit {
        WitType::Json => format!("json.loads({value})"),
        WitType::Option(inner) => match taken(value, inner) {
            same if same == value => same,
            other => format!("None if {value} is None else {other}"),
        },
        WitType::List(inner) => match taken("item", inner).as_str() {
            "item" => value.to_owned(),
            item => format!("[{item} for item in {value}]"),
        },
        WitType::Tuple(items) => {
            let items = items.iter().enumerate();
            let items = items.map(|(index, item)| taken(&format!("{value}[{index}]"), item) + ",");
            format!("({})", items.collect::<Vec<_>>().join(" "))
        }
        // The names of its cases are the values in upper case.
        WitType::Named(_) => format!("{value}.name.lower()"),
        _ => value.to_owned(),
    }
}

/// The component's value, of what the function returns.
fn returned(value: &str, wit: &WitType) -> String {
    match wit {
        WitType::Json => format!("as_json({value})"),
        WitType::Plain("string") => format!("as_text({value})"),
        WitType::Plain("bool") => format!("as_truth({value})"),
        WitType::Plain("f64") => format!("as_float({value})"),
        WitType::Plain(_) => format!("as_integer({value})"),
        WitType::Option(inner) => {
            format!("None if {value} is None else {}", returned(value, inner))
        }
        WitType::List(inner) => format!("[{} for item in {value}]", returned("item", inner)),
        WitType::Tuple(items) => {
            let items = items.iter().enumerate();
            let items =
                items.map(|(index, item)| returned(&format!("{value}[{index}]"), item) + ",");
            format!("({})", items.collect::<Vec<_>>().join(" "))
        }
        WitType::Named(name) => format!("as_case(functions.{}, {value})", upper_camel(name)),
        _ => value.to_owned(),
    }
}
