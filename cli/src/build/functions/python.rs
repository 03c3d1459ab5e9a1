//! Generates the Python module that calls a project's plain functions, with JSON on both sides.

use tool_hub_agent::definition::interface::{Interface, Operation, WitType};
use tool_hub_source::Definition;

use super::plain::{GeneratedSource, Plain, cases, quoted, without_ending};

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
    let required = definition.required();
    let (mut parameters, mut given) = (String::new(), String::new());
    for (index, parameter) in operation.parameters.iter().enumerate() {
        // No name of the author's hides one of the module's.
        let name = format!("a{index}");
        parameters.push_str(&format!("{name}, "));
        let value = taken(&name, &parameter.value);
        let item = format!("{}: lambda: {value}", quoted(&parameter.name));
        match required.contains(&parameter.name.as_str()) {
            true => given.push_str(&format!("        {item},\n")),
            // What is left out has the function's own default.
            false => given.push_str(&format!(
                "        **({{}} if {name} is None else {{{item}}}),\n"
            )),
        }
    }
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
        parameters.trim_end_matches(", "),
        definition.name,
        quoted(&definition.name)
    )
}

/// A name that no other of the module has.
fn identifier(wit: &str) -> String {
    format!("export_{}", wit.replace('-', "_"))
}

/// The expression for an argument of the function, made of the `value` that came as JSON.
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
        // Large whole numbers come as texts, and so do those that JSON cannot write.
        WitType::Plain("f64") => format!("float({value})"),
        WitType::Plain("string" | "bool") => value.to_owned(),
        WitType::Plain(_) => format!("int({value})"),
        _ => value.to_owned(),
    }
}

/// The value to write as JSON, of what the function returns.
fn returned(value: &str, wit: &WitType, interface: &Interface) -> String {
    match wit {
        WitType::Json => format!("as_json({value})"),
        WitType::Plain("string") => format!("as_text({value})"),
        WitType::Plain("bool") => format!("as_truth({value})"),
        WitType::Plain("f64") => format!("as_float({value})"),
        WitType::Plain(_) => format!("as_integer({value})"),
        WitType::Option(inner) => {
            format!(
                "None if {value} is None else {}",
                returned(value, inner, interface)
            )
        }
        WitType::List(inner) => format!(
            "[{} for item in {value}]",
            returned("item", inner, interface)
        ),
        WitType::Tuple(items) => {
            let items = items.iter().enumerate();
            let items = items
                .map(|(index, item)| returned(&format!("{value}[{index}]"), item, interface) + ",");
            format!("({})", items.collect::<Vec<_>>().join(" "))
        }
        WitType::Named(name) => format!("as_case({}, {value})", cases(name, interface)),
        _ => value.to_owned(),
    }
}
