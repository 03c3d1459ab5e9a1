//! Python expressions that take arguments from JSON, and write results as such.

use tool_hub_agent::definition::interface::{Interface, Operation, Parameter, TypeKind, WitType};
use tool_hub_source::Definition;

use super::plain::{cases, quoted};

/// The parameters of the function that an export is, and the items of a dictionary with what makes
/// each argument that was given.
pub(super) fn given(
    definition: &Definition,
    operation: &Operation,
    interface: &Interface,
) -> (String, String) {
    let required = definition.required();
    let (mut parameters, mut given) = (Vec::new(), String::new());
    for (index, parameter) in operation.parameters.iter().enumerate() {
        // No name of the author's hides one of the module's.
        let name = format!("a{index}");
        let value = taken(&name, &parameter.value, interface);
        let item = format!("{}: lambda: {value}", quoted(&parameter.name));
        match required.contains(&parameter.name.as_str()) {
            true => given.push_str(&format!("        {item},\n")),
            // What is left out has the function's own default.
            false => given.push_str(&format!(
                "        **({{}} if {name} is None else {{{item}}}),\n"
            )),
        }
        parameters.push(name);
    }
    (parameters.join(", "), given)
}

/// A name that no other of the module has.
pub(super) fn identifier(wit: &str) -> String {
    format!("export_{}", wit.replace('-', "_"))
}

/// The expression for an argument of the function, made of the `value` that came as JSON.
fn taken(value: &str, wit: &WitType, interface: &Interface) -> String {
    match wit {
        WitType::Json => format!("json.loads({value})"),
        WitType::Option(inner) => match taken(value, inner, interface) {
            same if same == value => same,
            other => format!("None if {value} is None else {other}"),
        },
        WitType::List(inner) => match taken("item", inner, interface).as_str() {
            "item" => value.to_owned(),
            item => format!("[{item} for item in {value}]"),
        },
        WitType::Tuple(items) => {
            let items = items.iter().enumerate();
            let items = items
                .map(|(index, item)| taken(&format!("{value}[{index}]"), item, interface) + ",");
            format!("({})", items.collect::<Vec<_>>().join(" "))
        }
        // Large whole numbers come as texts, and so do those that JSON cannot write.
        WitType::Plain("f64") => format!("float({value})"),
        WitType::Plain("string" | "bool") => value.to_owned(),
        WitType::Plain(_) => format!("int({value})"),
        WitType::Named(name) => match fields(name, interface) {
            Some(fields) => format!("members({value}, {{{}}})", names(fields, interface)),
            None => value.to_owned(),
        },
        _ => value.to_owned(),
    }
}

/// The fields of the record `name`.
fn fields<'a>(name: &str, interface: &'a Interface) -> Option<&'a [Parameter]> {
    let mut definitions = interface.definitions.iter();
    match &definitions.find(|known| known.wit == name)?.kind {
        TypeKind::Record(fields) => Some(fields),
        _ => None,
    }
}

/// Of each field its name in JSON, its own name, and what makes its value.
fn names(fields: &[Parameter], interface: &Interface) -> String {
    let names = fields.iter().map(|field| {
        let json = quoted(&field.wit.replace('-', "_"));
        let value = taken("it", &field.value, interface);
        format!("{json}: ({}, lambda it: {value})", quoted(&field.name))
    });
    names.collect::<Vec<_>>().join(", ")
}

/// The value to write as JSON, of what the function returns.
pub(super) fn returned(value: &str, wit: &WitType, interface: &Interface) -> String {
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
