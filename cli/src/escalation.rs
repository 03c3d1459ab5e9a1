//! What a newer version asks for or says beyond the version that was approved.

use std::collections::BTreeMap;

use tool_hub_host::{CallableFunction, Inspection};
use tool_hub_manifest::{Capabilities, Verified};

/// One line of the difference that a person has to agree to: `+` is new, `-` and `+` of the
/// same thing are the text before and after.
type Line = String;

/// Everything in `new` that goes beyond `old`: capabilities, functions, texts, schemas.
/// Nothing that only shrinks is listed, so an empty list passes without asking.
pub(crate) fn between(old: (&Verified, &Inspection), new: (&Verified, &Inspection)) -> Vec<Line> {
    let mut lines = Vec::new();
    capabilities(
        &old.0.manifest().capabilities,
        &new.0.manifest().capabilities,
        &mut lines,
    );
    text(
        "description",
        &old.1.description,
        &new.1.description,
        &mut lines,
    );
    let known: BTreeMap<_, _> = old
        .1
        .functions
        .iter()
        .map(|function| (&function.name, function))
        .collect();
    for function in &new.1.functions {
        match known.get(&function.name) {
            None => lines.push(format!(
                "+ function {}: {}",
                function.name, function.spec.description
            )),
            Some(before) => function_texts(before, function, &mut lines),
        }
    }
    lines
}

fn capabilities(old: &Capabilities, new: &Capabilities, lines: &mut Vec<Line>) {
    for line in new.network.beyond(&old.network).lines() {
        lines.push(format!("+ network {line}"));
    }
    for request in &new.directories {
        let before = old.directory(&request.name).map(|request| request.access);
        if before.is_none_or(|before| request.access > before) {
            lines.push(format!("+ directory {} ({})", request.name, request.access));
        }
    }
    for request in &new.variables {
        if old.variable(&request.name).is_none() {
            lines.push(format!("+ variable {}", request.name));
        }
    }
    if new.storage.is_some() && old.storage.is_none() {
        lines.push("+ storage".to_owned());
    }
}

fn function_texts(old: &CallableFunction, new: &CallableFunction, lines: &mut Vec<Line>) {
    if old.spec.digest() == new.spec.digest() {
        return;
    }
    let name = &new.name;
    let before = lines.len();
    text(
        &format!("{name}: description"),
        &old.spec.description,
        &new.spec.description,
        lines,
    );
    let title = |function: &CallableFunction| function.spec.title.clone().unwrap_or_default();
    text(&format!("{name}: title"), &title(old), &title(new), lines);
    let inputs = |function: &CallableFunction| function.spec.input_schema.to_string();
    text(
        &format!("{name}: inputs"),
        &inputs(old),
        &inputs(new),
        lines,
    );
    let output = |function: &CallableFunction| {
        function
            .spec
            .output_schema
            .as_ref()
            .map(ToString::to_string)
            .unwrap_or_default()
    };
    text(
        &format!("{name}: output"),
        &output(old),
        &output(new),
        lines,
    );
    if lines.len() == before {
        lines.push(format!("+ {name}: behaviour hints changed"));
    }
}

fn text(what: &str, old: &str, new: &str, lines: &mut Vec<Line>) {
    if old != new {
        lines.push(format!("- {what}: {old}"));
        lines.push(format!("+ {what}: {new}"));
    }
}
