//! Writes the functions of an API in Python: the parts of each request, and the types they take.

use std::collections::BTreeSet;

use tool_hub_agent::definition::interface::{Interface, Operation, Parameter, TypeKind, WitType};
use tool_hub_agent::definition::openapi::{ApiArgument, ApiFunction, ApiPlace, ApiStyle, BodyKind};

use super::super::names::Names;
use super::super::python::{ident, written};
use super::super::stub::types_used;
use super::endpoint::{ApiServer, Endpoint};

/// The longest line of parameters or of a request's parts; what is longer has a line for each.
const LINE_CHARACTERS_MAX: usize = 90;

pub(super) fn source(
    title: &str,
    interface: &Interface,
    endpoints: &[Endpoint],
    names: &Names,
) -> String {
    let servers = servers(endpoints);
    let constants: Vec<String> = servers
        .iter()
        .enumerate()
        .map(|(index, server)| format!("{} = {}\n", constant(index), literal(server.base())))
        .collect();
    let functions: Vec<String> = interface
        .operations
        .iter()
        .zip(endpoints)
        .map(|(operation, endpoint)| {
            let server = servers
                .iter()
                .position(|server| *server == &endpoint.server);
            let server = constant(server.unwrap_or_default());
            function(operation, &endpoint.function, &server, interface)
        })
        .collect();
    let types = match types_used(interface).0.is_empty() {
        true => "",
        false => "from wit_world.exports import functions\n",
    };
    let title = one_line(title);
    let (name, constants) = (&names.name, constants.concat());
    let (functions, records) = (functions.join("\n"), records(interface));
    format!(
        r#""""The tool {name}, which calls {title}."""

from __future__ import annotations

import openapi_client as _client
from wit_world import exports
{types}from wit_world.imports.tool_hub_tool_types import Reply

{constants}

class Functions(exports.Functions):
{functions}{records}"#
    )
}

/// A text for the middle of a docstring's line.
fn one_line(text: &str) -> String {
    let plain = |c: char| match c {
        '\\' | '"' => '\'',
        c if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') => ' ',
        c => c,
    };
    text.chars().take(100).map(plain).collect()
}

/// The different servers, in the order of the functions.
fn servers(endpoints: &[Endpoint]) -> Vec<&ApiServer> {
    let mut found: Vec<&ApiServer> = Vec::new();
    for endpoint in endpoints {
        if !found.contains(&&endpoint.server) {
            found.push(&endpoint.server);
        }
    }
    found
}

fn constant(index: usize) -> String {
    match index {
        0 => "API".to_owned(),
        index => format!("API_{}", index + 1),
    }
}

fn function(
    operation: &Operation,
    function: &ApiFunction,
    server: &str,
    interface: &Interface,
) -> String {
    let parameters: Vec<String> = operation
        .parameters
        .iter()
        .map(|it| format!("{}: {}", ident(&it.wit), written(&it.value)))
        .collect();
    let all = [vec!["self".to_owned()], parameters].concat();
    let name = ident(&operation.wit);
    let parameters = match all.join(", ") {
        line if line.len() + name.len() <= LINE_CHARACTERS_MAX => line,
        _ => format!("\n        {},\n    ", all.join(",\n        ")),
    };
    let call = call(operation, function, server, interface);
    format!(
        "    def {name}({parameters}) -> Reply:\n        return _client.call(\n{call}        )\n"
    )
}

/// The arguments of the client's call.
fn call(
    operation: &Operation,
    function: &ApiFunction,
    server: &str,
    interface: &Interface,
) -> String {
    let mut parts = vec![
        literal(function.method),
        format!("{server} + {}", literal(&function.path)),
    ];
    let given: Vec<(&ApiArgument, String)> = function
        .arguments
        .iter()
        .zip(&operation.parameters)
        .map(|(argument, parameter)| (argument, sent(argument, parameter, interface)))
        .collect();
    let group = |is_in: fn(&ApiPlace) -> bool| -> Vec<(&ApiArgument, String)> {
        let group = given.iter().filter(|(argument, _)| is_in(&argument.place));
        group.cloned().collect()
    };
    for (name, group) in [
        ("path", group(|it| matches!(it, ApiPlace::Path(_)))),
        ("query", group(|it| matches!(it, ApiPlace::Query(_)))),
        ("headers", group(|it| matches!(it, ApiPlace::Header(_)))),
        ("cookies", group(|it| matches!(it, ApiPlace::Cookie(_)))),
    ] {
        if !group.is_empty() {
            parts.push(format!("{name}={}", members(&group)));
        }
    }
    let body = group(|it| matches!(it, ApiPlace::Member | ApiPlace::Field(_) | ApiPlace::Body));
    parts.extend(body_parts(function, &body));
    let renamed: Vec<String> = given
        .iter()
        .filter(|(argument, _)| argument.wire != argument.name)
        .map(|(argument, _)| format!("{}: {}", literal(&argument.wire), literal(&argument.name)))
        .collect();
    if !renamed.is_empty() {
        parts.push(format!("names={}", braced(&renamed)));
    }
    if function.accept != "application/json" {
        parts.push(format!("accept={}", literal(&function.accept)));
    }
    parts
        .iter()
        .map(|part| format!("            {part},\n"))
        .collect()
}

fn body_parts(function: &ApiFunction, given: &[(&ApiArgument, String)]) -> Vec<String> {
    let Some(body) = &function.body else {
        return Vec::new();
    };
    let name = match body.kind {
        BodyKind::Json => "json",
        BodyKind::Form => "form",
        BodyKind::Text => "text",
        _ => "data",
    };
    let whole = given
        .iter()
        .find(|(argument, _)| argument.place == ApiPlace::Body);
    let value = match whole {
        Some((_, value)) => value.clone(),
        None => members(given),
    };
    let media_type = literal(&body.media_type);
    vec![
        format!("{name}={value}"),
        format!("media_type={media_type}"),
    ]
}

/// A dictionary by the names of the API.
fn members(group: &[(&ApiArgument, String)]) -> String {
    let members = group.iter();
    let members: Vec<String> = members
        .map(|(argument, value)| format!("{}: {value}", literal(&argument.wire)))
        .collect();
    braced(&members)
}

fn braced(members: &[String]) -> String {
    match members.join(", ") {
        line if line.len() <= LINE_CHARACTERS_MAX => format!("{{{line}}}"),
        _ => format!(
            "{{\n                {},\n            }}",
            members.join(",\n                ")
        ),
    }
}

/// An argument as its place in the request takes it.
fn sent(argument: &ApiArgument, parameter: &Parameter, interface: &Interface) -> String {
    let own = ident(&parameter.wit);
    let value = converted(&own, &parameter.value, &argument.name, interface);
    let style = match argument.place {
        ApiPlace::Path(style)
        | ApiPlace::Query(style)
        | ApiPlace::Header(style)
        | ApiPlace::Cookie(style)
        | ApiPlace::Field(style) => style,
        _ => {
            // Null is a value where the API needs one.
            let takes_null = matches!(parameter.value, WitType::Option(_)) && argument.required;
            return match takes_null {
                true => format!("_client.nullable({value})"),
                false => value,
            };
        }
    };
    let name = literal(&argument.wire);
    let is_scalar = is_scalar(&parameter.value, interface);
    match style {
        ApiStyle::Json => format!("_client.as_text({value})"),
        ApiStyle::DeepObject => format!("_client.Deep({value})"),
        ApiStyle::Label => format!("_client.label({value})"),
        ApiStyle::LabelExploded => format!("_client.label({value}, explode=True)"),
        ApiStyle::Matrix => format!("_client.matrix({name}, {value})"),
        ApiStyle::MatrixExploded => format!("_client.matrix({name}, {value}, explode=True)"),
        // Of these one value alone is written the same.
        _ if is_scalar => value,
        ApiStyle::SimpleExploded => format!("_client.exploded({value})"),
        ApiStyle::Form => format!("_client.joined({value})"),
        ApiStyle::SpaceDelimited => format!("_client.joined({value}, \"%20\")"),
        ApiStyle::PipeDelimited => format!("_client.joined({value}, \"%7C\")"),
        _ => value,
    }
}

fn is_scalar(value: &WitType, interface: &Interface) -> bool {
    match value {
        WitType::Plain(_) => true,
        WitType::Option(inner) => is_scalar(inner, interface),
        WitType::Named(name) => fields(name, interface).is_none(),
        _ => false,
    }
}

/// The expression that makes the API's value of one in Python.
fn converted(value: &str, wit: &WitType, argument: &str, interface: &Interface) -> String {
    if !is_converted(wit) {
        return value.to_owned();
    }
    match wit {
        WitType::Json => format!("_client.parsed({value}, {})", literal(argument)),
        // Each of the functions that are called takes what is left out.
        WitType::Option(inner) => match &**inner {
            WitType::Named(name) if fields(name, interface).is_some() => {
                format!("_client.maybe({value}, {})", record(name))
            }
            inner => converted(value, inner, argument, interface),
        },
        WitType::List(inner) => match &**inner {
            WitType::Named(name) if fields(name, interface).is_some() => {
                format!("_client.each({value}, {})", record(name))
            }
            inner => format!(
                "_client.each({value}, lambda it: {})",
                converted("it", inner, argument, interface)
            ),
        },
        WitType::Tuple(items) => {
            let items = items.iter().enumerate();
            let items: Vec<String> = items
                .map(|(index, item)| {
                    converted(&format!("{value}[{index}]"), item, argument, interface)
                })
                .collect();
            format!("[{}]", items.join(", "))
        }
        WitType::Named(name) => match fields(name, interface) {
            Some(_) => format!("{}({value})", record(name)),
            None => format!("_client.case({value})"),
        },
        _ => value.to_owned(),
    }
}

/// True for values that Python has otherwise than JSON.
fn is_converted(wit: &WitType) -> bool {
    match wit {
        WitType::Option(inner) | WitType::List(inner) => is_converted(inner),
        WitType::Json | WitType::Named(_) | WitType::Tuple(_) => true,
        _ => false,
    }
}

/// The fields of a record; nothing for an enumeration.
fn fields<'a>(name: &str, interface: &'a Interface) -> Option<&'a [Parameter]> {
    let mut definitions = interface.definitions.iter();
    match &definitions.find(|it| it.wit == name)?.kind {
        TypeKind::Record(fields) => Some(fields),
        _ => None,
    }
}

/// The name of the function for a record.
fn record(name: &str) -> String {
    format!("_{}", name.replace('-', "_"))
}

/// A function for each record that arguments hold.
fn records(interface: &Interface) -> String {
    let reached = reached(interface);
    let definitions = interface.definitions.iter();
    definitions
        .filter(|it| reached.contains(it.wit.as_str()))
        .filter_map(|it| Some((&it.wit, fields(&it.wit, interface)?)))
        .map(|(name, fields)| {
            let members: Vec<String> = fields
                .iter()
                .map(|field| {
                    let value = format!("it.{}", ident(&field.wit));
                    let value = converted(&value, &field.value, &field.name, interface);
                    format!("        {}: {value},\n", literal(&field.name))
                })
                .collect();
            let (function, members) = (record(name), members.concat());
            let class = written(&WitType::Named(name.clone()));
            format!("\n\ndef {function}(it: {class}) -> dict:\n    return {{\n{members}    }}\n")
        })
        .collect()
}

/// The types that arguments hold.
fn reached(interface: &Interface) -> BTreeSet<&str> {
    fn collect<'a>(value: &'a WitType, interface: &'a Interface, found: &mut BTreeSet<&'a str>) {
        match value {
            WitType::Named(name) if found.insert(name) => {
                let fields = fields(name, interface).into_iter().flatten();
                fields.for_each(|field| collect(&field.value, interface, found));
            }
            WitType::List(inner) | WitType::Option(inner) => collect(inner, interface, found),
            WitType::Tuple(items) => items.iter().for_each(|it| collect(it, interface, found)),
            _ => {}
        }
    }
    let mut found = BTreeSet::new();
    for operation in &interface.operations {
        for parameter in &operation.parameters {
            collect(&parameter.value, interface, &mut found);
        }
    }
    found
}

/// A text as Python writes it, which is as JSON does, but for what is no part of a line.
fn literal(text: &str) -> String {
    let text = serde_json::Value::from(text).to_string();
    let escaped = text.chars().map(|c| match c {
        ' '..='~' => c.to_string(),
        c if (c as u32) < 0x1_0000 => format!("\\u{:04x}", c as u32),
        c => format!("\\U{:08x}", c as u32),
    });
    escaped.collect()
}
