//! The input and output types of the generators for plain functions; helpers for quotes and paths.

use std::path::PathBuf;

use tool_hub_agent::definition::interface::{Interface, TypeKind};
use tool_hub_source::Definition;

/// The source that offers functions of a file: its name, and its text.
pub(super) type GeneratedSource = (&'static str, String);

/// The parts from which a language's source is generated.
#[derive(Clone, Copy)]
pub(super) struct Plain<'a> {
    /// The file, relative to the project.
    pub(super) file: &'a str,
    pub(super) definitions: &'a [Definition],
    pub(super) interface: &'a Interface,
}

/// The text as a string literal, in the form of JSON, which all of the languages read.
pub(super) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// The path of a module of the project without its ending.
pub(super) fn without_ending(file: &str) -> String {
    PathBuf::from(file)
        .with_extension("")
        .to_string_lossy()
        .into_owned()
}

/// The values of the enumeration `name` as agents write them, as a list of string literals.
pub(super) fn cases(name: &str, interface: &Interface) -> String {
    let definition = interface.definitions.iter().find(|known| known.wit == name);
    let cases = match definition.map(|definition| &definition.kind) {
        Some(TypeKind::Enum(cases)) => cases.as_slice(),
        _ => &[],
    };
    let cases: Vec<String> = cases
        .iter()
        .map(|case| quoted(&case.replace('-', "_")))
        .collect();
    format!("[{}]", cases.join(", "))
}
