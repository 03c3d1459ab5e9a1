//! Converts function definitions to a WIT interface, to write a tool for them.
//!
//! A type that WIT cannot express becomes a string of JSON, and a bound becomes a comment.

pub(super) mod names;
mod signature;
mod types;
mod value;
mod wit;

use tool_hub_manifest::{FunctionName, FunctionSpec};

use crate::definition::loss::LossKind;
use crate::definition::report::Report;
use crate::schema::{Document, Form};
use names::Names;
pub use signature::{Interface, Operation, Parameter, TypeDefinition, TypeKind, WitType};
use types::Types;

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
            report.add(LossKind::Renamed {
                pointer: String::new(),
                to: name.to_string(),
            });
        }
        operations.push(operation(spec, wit, name, &mut types, &mut report));
    }
    Interface {
        operations,
        definitions: types.into_definitions(),
        failure: WitType::Plain("string"),
        losses,
    }
}

/// The names in WIT, and each function's name there and for agents. A name that agents can see as
/// it is takes precedence over one that would be converted to it.
fn name_functions(specs: &[FunctionSpec]) -> (Names, Vec<(String, FunctionName)>) {
    let kept: Vec<Option<FunctionName>> = specs.iter().map(|spec| spec.name.parse().ok()).collect();
    let mut visible = Names::of(kept.iter().flatten().map(FunctionName::to_string));
    // The types that an interface uses and its functions may not share names.
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
                // Only the allowed characters, and short enough.
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

#[cfg(test)]
mod tests;
