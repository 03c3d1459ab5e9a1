//! Generates the Rust source of a new project with stubs; spells WIT names and types in Rust.

use tool_hub_agent::definition::interface::{Interface, Operation, WitType};

use super::names::{Names, upper_camel};
use super::stub::{NOT_WRITTEN, types_used};

/// Words that wit-bindgen writes with `_` after them.
const KEYWORDS: [&str; 50] = [
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate",
    "do", "dyn", "else", "enum", "extern", "false", "final", "fn", "for", "if", "impl", "in",
    "let", "loop", "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref",
    "return", "self", "static", "struct", "super", "trait", "true", "try", "type", "typeof",
    "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];

pub(super) fn source(interface: &Interface, names: &Names) -> String {
    let (named, media) = types_used(interface);
    let own: String = named
        .iter()
        .map(|name| format!(", {}", upper_camel(name)))
        .collect();
    let contract = match media.is_empty() {
        true => String::new(),
        false => {
            let media: Vec<String> = media.iter().map(|name| upper_camel(name)).collect();
            format!("use tool_hub::tool::types::{{{}}};\n", media.join(", "))
        }
    };
    let functions: Vec<String> = interface.operations.iter().map(function).collect();
    let name = &names.name;
    let module = names.module();
    let functions = functions.join("\n");
    format!(
        r#"//! The tool `{name}`, whose functions are defined but not written yet.

wit_bindgen::generate!({{ path: "wit", world: "tool", generate_all }});

use exports::tools::{module}::functions::{{Guest{own}}};
{contract}
struct Tool;

impl Guest for Tool {{
{functions}}}

/// What a function answers until it is written; a tool that is finished does not need it.
fn not_written(function: &str) -> String {{
    format!("`{{function}}` {NOT_WRITTEN}")
}}

export!(Tool);
"#
    )
}

fn function(operation: &Operation) -> String {
    let mut parameters: Vec<String> = Vec::new();
    let mut unused = String::new();
    for parameter in &operation.parameters {
        let name = rust_ident(&parameter.wit);
        unused.push_str(&format!("{name}, "));
        parameters.push(format!("{name}: {}", rust_type(&parameter.value)));
    }
    let unused = match unused.is_empty() {
        true => String::new(),
        false => format!("        let _ = ({});\n", unused.trim_end_matches(' ')),
    };
    format!(
        "    fn {}({}) -> Result<{}, String> {{\n{unused}        Err(not_written(\"{}\"))\n    }}\n",
        rust_ident(&operation.wit),
        parameters.join(", "),
        rust_type(&operation.output),
        operation.name
    )
}

/// A name as wit-bindgen spells it.
pub(crate) fn rust_ident(wit: &str) -> String {
    let name = wit.replace('-', "_");
    match KEYWORDS.contains(&name.as_str()) {
        true => format!("{name}_"),
        false => name,
    }
}

pub(crate) fn rust_type(value: &WitType) -> String {
    match value {
        WitType::Plain("string") | WitType::Json => "String".to_owned(),
        WitType::Plain(number) => number.replace('s', "i"),
        WitType::List(inner) => format!("Vec<{}>", rust_type(inner)),
        WitType::Option(inner) => format!("Option<{}>", rust_type(inner)),
        WitType::Tuple(items) => {
            let items: String = items
                .iter()
                .map(|item| format!("{}, ", rust_type(item)))
                .collect();
            format!("({})", items.trim_end_matches(' '))
        }
        WitType::Named(name) => upper_camel(name),
        WitType::Contract(name) => upper_camel(name),
        other => other.to_string(),
    }
}
