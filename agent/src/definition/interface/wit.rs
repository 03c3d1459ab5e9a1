//! Writes an `Interface` as the text of a WIT package.

use std::collections::BTreeSet;
use std::fmt;

use super::signature::{Interface, Operation, Parameter, TypeKind, WitType};
use crate::definition::comment;

/// Words that WIT gives a meaning; a name that is one of them is marked with `%`.
const KEYWORDS: [&str; 42] = [
    "use",
    "type",
    "func",
    "u8",
    "u16",
    "u32",
    "u64",
    "s8",
    "s16",
    "s32",
    "s64",
    "f32",
    "f64",
    "char",
    "resource",
    "own",
    "borrow",
    "record",
    "flags",
    "variant",
    "enum",
    "bool",
    "string",
    "option",
    "result",
    "future",
    "stream",
    "error-context",
    "list",
    "map",
    "as",
    "from",
    "static",
    "interface",
    "tuple",
    "world",
    "import",
    "export",
    "package",
    "constructor",
    "include",
    "with",
];

/// The contract's interface of types.
const CONTRACT: &str = "tool-hub:tool/types@0.1.0";

impl Interface {
    /// The WIT package `package` with the interface `functions`, and a world `tool` that
    /// exports it.
    pub fn to_wit(&self, package: &str) -> String {
        let mut text = format!(
            "package {package};\n\n\
             /// What agents can call. The comments are what they read: say what a function \
             does and\n\
             /// returns, then what to write for each argument.\n\
             interface functions {{\n"
        );
        let types = self.contract_types();
        if !types.is_empty() {
            let names: Vec<&str> = types.into_iter().collect();
            text.push_str(&format!("    use {CONTRACT}.{{{}}};\n\n", names.join(", ")));
        }
        for definition in &self.definitions {
            match &definition.kind {
                TypeKind::Record(fields) => {
                    text.push_str(&format!("    record {} {{\n", definition.wit));
                    for field in fields {
                        text.push_str(&comment(&field.description, "        "));
                        text.push_str(&format!("        {field},\n"));
                    }
                }
                TypeKind::Enum(cases) => {
                    text.push_str(&format!("    enum {} {{\n", definition.wit));
                    for case in cases {
                        text.push_str(&format!("        {},\n", marked(case)));
                    }
                }
            }
            text.push_str("    }\n\n");
        }
        let operations: Vec<String> = self
            .operations
            .iter()
            .map(|operation| function(operation, &self.failure))
            .collect();
        text.push_str(&operations.join("\n"));
        text.push_str("}\n\nworld tool {\n    export functions;\n}\n");
        text
    }

    /// The types of the contract that are used.
    fn contract_types(&self) -> BTreeSet<&'static str> {
        let fields = self
            .definitions
            .iter()
            .flat_map(|definition| match &definition.kind {
                TypeKind::Record(fields) => &fields[..],
                TypeKind::Enum(_) => &[],
            });
        let parameters = self
            .operations
            .iter()
            .flat_map(|operation| &operation.parameters);
        let outputs = self.operations.iter().map(|operation| &operation.output);
        let values = fields.chain(parameters).map(|parameter| &parameter.value);
        let mut found = BTreeSet::new();
        values
            .chain(outputs)
            .chain([&self.failure])
            .for_each(|value| value.contract_types(&mut found));
        found
    }
}

impl WitType {
    fn contract_types(&self, found: &mut BTreeSet<&'static str>) {
        match self {
            Self::Contract(name) => {
                found.insert(name);
            }
            Self::List(inner) | Self::Option(inner) => inner.contract_types(found),
            Self::Tuple(items) => items.iter().for_each(|item| item.contract_types(found)),
            Self::Plain(_) | Self::Json | Self::Named(_) => {}
        }
    }
}

fn function(operation: &Operation, failure: &WitType) -> String {
    let mut words = operation.description.trim().to_owned();
    if words.is_empty() {
        words = format!("Say here what `{}` does.", operation.name);
    }
    let items: String = operation
        .parameters
        .iter()
        .filter(|parameter| !parameter.description.is_empty())
        .map(|parameter| {
            let about = comment::lines(&parameter.description).join(" ");
            format!("\n- `{}`: {about}", parameter.wit)
        })
        .collect();
    if !items.is_empty() {
        words = format!("{words}\n{items}");
    }
    let parameters: Vec<String> = operation
        .parameters
        .iter()
        .map(Parameter::to_string)
        .collect();
    format!(
        "{}    {}: func({}) -> result<{}, {failure}>;\n",
        comment(&words, "    "),
        marked(&operation.wit),
        parameters.join(", "),
        operation.output
    )
}

/// A comment of as many lines as the text has; no text leaves its line.
fn comment(text: &str, indent: &str) -> String {
    let lines = comment::lines(text);
    if lines.iter().all(String::is_empty) {
        return String::new();
    }
    lines
        .iter()
        .map(|line| format!("{indent}/// {line}").trim_end().to_owned() + "\n")
        .collect()
}

fn marked(name: &str) -> String {
    match KEYWORDS.contains(&name) || name == "async" {
        true => format!("%{name}"),
        false => name.to_owned(),
    }
}

impl fmt::Display for Parameter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", marked(&self.wit), self.value)
    }
}

impl fmt::Display for WitType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Plain(name) | Self::Contract(name) => f.write_str(name),
            Self::Json => f.write_str("string"),
            Self::Named(name) => f.write_str(name),
            Self::List(inner) => write!(f, "list<{inner}>"),
            Self::Option(inner) => write!(f, "option<{inner}>"),
            Self::Tuple(items) => {
                let items: Vec<String> = items.iter().map(Self::to_string).collect();
                write!(f, "tuple<{}>", items.join(", "))
            }
        }
    }
}
