//! The WIT interface of functions that are only defined, so that a tool can be written for
//! definitions that exist: the way back from JSON Schema to component types.
//!
//! What WIT cannot say becomes a string that holds JSON, and a bound becomes words.

mod names;
mod types;
mod wit;

use serde_json::Value;
use tool_hub_manifest::{Annotations, FunctionName, FunctionSpec};

use crate::export::Report;
use crate::export::strict::in_words;
use crate::schema::{Document, Form, Node, Presence};
use crate::{Loss, Lost};

use names::Names;
use types::Types;

/// An interface whose functions can be written.
#[derive(Debug, Clone, PartialEq)]
pub struct Interface {
    /// The functions, in the order of the specs.
    pub operations: Vec<Operation>,
    /// The types that their signatures name, each before those that use it.
    pub definitions: Vec<TypeDefinition>,
    /// What the types do not say, in the order of the functions.
    pub losses: Vec<Loss>,
}

/// A function of an interface.
#[derive(Debug, Clone, PartialEq)]
pub struct Operation {
    /// The name that agents see.
    pub name: FunctionName,
    /// The name in WIT, without the `%` that marks a keyword.
    pub wit: String,
    /// A name for people.
    pub title: Option<String>,
    /// What it does.
    pub description: String,
    /// The parameters.
    pub parameters: Vec<Parameter>,
    /// What it returns when it does not fail.
    pub output: WitType,
    /// How it behaves.
    pub annotations: Annotations,
}

/// A parameter of a function, or a field of a record.
#[derive(Debug, Clone, PartialEq)]
pub struct Parameter {
    /// The name in the definition.
    pub name: String,
    /// The name in WIT, without the `%` that marks a keyword.
    pub wit: String,
    /// What to write there.
    pub description: String,
    /// Its type.
    pub value: WitType,
}

/// A type of an interface.
#[derive(Debug, Clone, PartialEq)]
pub struct TypeDefinition {
    /// The name in WIT, which is no keyword.
    pub wit: String,
    /// What it is.
    pub kind: TypeKind,
}

/// What a type is.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum TypeKind {
    /// A record with these fields.
    Record(Vec<Parameter>),
    /// One of these names.
    Enum(Vec<String>),
}

/// A WIT type as it is used.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum WitType {
    /// `bool`, `string`, `f64` or an integer.
    Plain(&'static str),
    /// A `string` that holds JSON text.
    Json,
    /// `list<…>`.
    List(Box<WitType>),
    /// `option<…>`.
    Option(Box<WitType>),
    /// `tuple<…>`.
    Tuple(Vec<WitType>),
    /// A type of [`Interface::definitions`].
    Named(String),
    /// `image` or `audio` of the contract `tool-hub:tool`.
    Media(&'static str),
}

/// The interface of `specs`. Every name in it is one that WIT takes, and no two are alike;
/// those that differ from the definitions' are in the report.
pub fn interface(specs: &[FunctionSpec]) -> Interface {
    let mut losses = Vec::new();
    let (functions, named) = name_functions(specs);
    let mut types = Types::new(functions);
    let mut operations = Vec::new();
    for (spec, (wit, name)) in specs.iter().zip(named) {
        let mut report = Report {
            function: &spec.name,
            losses: &mut losses,
        };
        if name.as_str() != spec.name {
            report.add(Lost::Renamed {
                pointer: String::new(),
                to: name.to_string(),
            });
        }
        operations.push(operation(spec, wit, name, &mut types, &mut report));
    }
    Interface {
        operations,
        definitions: types.into_definitions(),
        losses,
    }
}

/// The names in WIT, and each function's name there and for agents. Who has a name that
/// agents can be told keeps it, whoever else would get the same.
fn name_functions(specs: &[FunctionSpec]) -> (Names, Vec<(String, FunctionName)>) {
    let kept: Vec<Option<FunctionName>> = specs.iter().map(|spec| spec.name.parse().ok()).collect();
    let mut visible = Names::of(kept.iter().flatten().map(FunctionName::to_string));
    // A type that is used has its name in the interface, as the functions have theirs.
    let mut functions = Names::of(types::MEDIA.map(str::to_owned));
    let mut take = |spec: &FunctionSpec| {
        functions.take(&names::kebab(&spec.name, "function"), names::WIT_NUMBER)
    };
    let first: Vec<Option<String>> = specs
        .iter()
        .zip(&kept)
        .map(|(spec, kept)| kept.as_ref().map(|_| take(spec)))
        .collect();
    let named = specs
        .iter()
        .zip(kept)
        .zip(first)
        .filter_map(|((spec, kept), first)| {
            let wit = first.unwrap_or_else(|| take(spec));
            let name = match kept {
                Some(name) => name,
                // Made of what a function's name may hold, and short enough.
                None => visible
                    .take(&wit.replace('-', "_"), names::VISIBLE_NUMBER)
                    .parse()
                    .ok()?,
            };
            Some((wit, name))
        })
        .collect();
    (functions, named)
}

fn operation(
    spec: &FunctionSpec,
    wit: String,
    name: FunctionName,
    types: &mut Types,
    report: &mut Report<'_>,
) -> Operation {
    let document = Document::new(&spec.input_schema);
    let root = document.root();
    for (keyword, _) in root.unread(&[]) {
        report.weakened(&root.pointer, keyword);
    }
    let parameters = match &root.form {
        Form::Object(members, rest) => {
            types::check_rest(&root, rest, report);
            types.parameters(document, members, &wit, report)
        }
        _ => Vec::new(),
    };
    let output = match &spec.output_schema {
        None => WitType::Plain("string"),
        Some(schema) => {
            let document = Document::new(schema);
            types.of(document, &document.root(), &format!("{wit}-result"), report)
        }
    };
    Operation {
        name,
        wit,
        title: spec.title.clone(),
        description: spec.description.clone(),
        parameters,
        output,
        annotations: spec.annotations,
    }
}

/// What the comment of a parameter says: its description, and the bounds that its type does
/// not have.
fn value_text(node: &Node<'_>, known: &[&str], report: &mut Report<'_>) -> String {
    let mut words: Vec<String> = node.description.map(str::to_owned).into_iter().collect();
    for (name, value) in node.unread(known) {
        report.told_in_words(&node.pointer, name);
        words.push(in_words(name, value));
    }
    words.join(" ")
}

fn or_absent(value: WitType, presence: Presence) -> WitType {
    match (presence, value) {
        (Presence::Optional, value) => optional(value),
        (Presence::Required, value) => value,
    }
}

/// An option; one within another would say nothing more.
fn optional(value: WitType) -> WitType {
    match value {
        WitType::Option(_) => value,
        value => WitType::Option(Box::new(value)),
    }
}

/// The bounds that an integer type of WIT has, as the host writes them.
fn integer_of(node: &Node<'_>) -> Option<&'static str> {
    let bound = |name: &str| node.keyword(name).and_then(Value::as_i64);
    let types = [
        ("s8", i8::MIN.into(), i8::MAX.into()),
        ("u8", 0, u8::MAX.into()),
        ("s16", i16::MIN.into(), i16::MAX.into()),
        ("u16", 0, u16::MAX.into()),
        ("s32", i32::MIN.into(), i32::MAX.into()),
        ("u32", 0, i64::from(u32::MAX)),
        ("s64", i64::MIN, i64::MAX),
    ];
    let (least, most) = (bound("minimum")?, bound("maximum"));
    let found = types
        .iter()
        .find(|(_, l, m)| *l == least && Some(*m) == most);
    let is_u64 = least == 0 && node.keyword("maximum").and_then(Value::as_u64) == Some(u64::MAX);
    found.map(|(name, ..)| *name).or(is_u64.then_some("u64"))
}

#[cfg(test)]
mod tests;
