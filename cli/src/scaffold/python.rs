//! Generates the Python source of a new project with stubs; spells WIT names and types in Python.

use tool_hub_agent::definition::declare::Language;
use tool_hub_agent::definition::interface::{Interface, Operation, WitType};

use super::names::{Names, upper_camel};
use super::stub::{NOT_WRITTEN, types_used};

pub(super) fn source(interface: &Interface, names: &Names) -> String {
    let (named, media) = types_used(interface);
    let own = match named.is_empty() {
        true => "",
        false => "from wit_world.exports import functions\n",
    };
    let contract = match media.is_empty() {
        true => String::new(),
        false => {
            let media: Vec<String> = media.iter().map(|name| upper_camel(name)).collect();
            format!("from wit_world.imports.types import {}\n", media.join(", "))
        }
    };
    let functions: Vec<String> = interface.operations.iter().map(function).collect();
    let name = &names.name;
    let functions = functions.join("\n");
    format!(
        r#""""The tool {name}, whose functions are defined but not written yet."""

from __future__ import annotations

from componentize_py_types import Err
from wit_world import exports
{own}{contract}

class Functions(exports.Functions):
{functions}

def not_written(function: str) -> str:
    """What a function answers until it is written."""
    return f"`{{function}}` {NOT_WRITTEN}"
"#
    )
}

/// The parameters after `self`.
pub(super) fn parameters(operation: &Operation) -> String {
    operation
        .parameters
        .iter()
        .map(|parameter| format!(", {}: {}", ident(&parameter.wit), written(&parameter.value)))
        .collect()
}

fn function(operation: &Operation) -> String {
    let parameters = parameters(operation);
    format!(
        "    def {}(self{parameters}) -> {}:\n        raise Err(not_written(\"{}\"))\n",
        ident(&operation.wit),
        written(&operation.output),
        operation.name
    )
}

pub(super) fn ident(wit: &str) -> String {
    Language::Python.identifier(&wit.replace('-', "_"))
}

pub(super) fn written(value: &WitType) -> String {
    match value {
        WitType::Plain("string") | WitType::Json => "str".to_owned(),
        WitType::Plain("bool") => "bool".to_owned(),
        WitType::Plain("f64") => "float".to_owned(),
        WitType::Plain(_) => "int".to_owned(),
        WitType::List(inner) if **inner == WitType::Plain("u8") => "bytes".to_owned(),
        WitType::List(inner) => format!("list[{}]", written(inner)),
        WitType::Option(inner) => format!("{} | None", written(inner)),
        WitType::Tuple(items) => {
            let items: Vec<String> = items.iter().map(written).collect();
            format!("tuple[{}]", items.join(", "))
        }
        WitType::Named(name) => format!("functions.{}", upper_camel(name)),
        WitType::Contract(name) => upper_camel(name),
        other => other.to_string(),
    }
}
