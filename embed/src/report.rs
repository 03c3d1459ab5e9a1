//! Formats an inspection as text for people: about ten lines to decide on, or everything.

use tool_hub_agent::characters::escape_line;
use tool_hub_host::{
    CallableFunction, ImportAccess, ImportEffect, InspectedCapability, Inspection,
};
use tool_hub_manifest::Source;
use tool_hub_toolbox::provenance::Provenance;

/// The extent of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Detail {
    Decision,
    Everything,
}

/// The longest line of a description that is shown where not everything is.
const LINE_CHARS_MAX: usize = 160;

/// The inspection, in the order in which a person decides. Every text of the tool's is on a line
/// of its own and escaped.
pub(crate) fn report(from: &Provenance, inspection: &Inspection, detail: Detail) -> String {
    let mut lines = vec![format!("{} {}", inspection.name, inspection.version)];
    lines.extend(described(&inspection.description, "  ", detail));
    lines.extend(identity(from));
    lines.push(row("digest", &inspection.approval_digest.to_string()));
    lines.extend([String::new(), "Functions".to_owned()]);
    for function in &inspection.functions {
        lines.extend(function_lines(function, detail));
    }
    lines.extend([String::new(), "Asks for".to_owned()]);
    lines.extend(right_lines(inspection));
    if detail == Detail::Everything {
        lines.extend([String::new(), "Imports".to_owned()]);
        let imports = inspection.imports.iter();
        lines.extend(imports.map(|import| {
            let inert = match import.effect {
                ImportEffect::Inert => " (without effect)",
                _ => "",
            };
            let interface = escape_line(&import.interface);
            format!("  {interface}{inert}: {}", escape_line(&import.says))
        }));
    }
    let warnings = inspection.warnings.iter();
    lines.extend(warnings.map(|warning| format!("warning: {}", escape_line(warning))));
    let refusals = inspection.refusals.iter();
    lines.extend(refusals.map(|it| format!("refused: {}", escape_line(&it.to_string()))));
    lines.join("\n")
}

fn identity(from: &Provenance) -> Vec<String> {
    match &from.source {
        Source::Registry { endpoint, repo, .. } => {
            let on = from.published.as_deref().map(escape_line);
            let on = on.map_or_else(String::new, |day| format!(", {day}"));
            vec![
                row("from", &format!("{endpoint}{repo}")),
                row("publisher", &format!("{}{on}", repo.owner())),
            ]
        }
        Source::File { path } => vec![row("from", &path.display().to_string())],
    }
}

fn row(name: &str, value: &str) -> String {
    format!("  {name:<10} {value}")
}

fn function_lines(function: &CallableFunction, detail: Detail) -> Vec<String> {
    let inputs = function.inputs.iter().map(|input| {
        let optional = if input.optional { "?" } else { "" };
        format!("{}{optional}: {}", input.name, input.value_type)
    });
    let inputs: Vec<String> = inputs.collect();
    let output = function.output.as_ref();
    let output = output.map_or_else(String::new, |it| format!(" -> {}", it.value_type));
    let mut lines = vec![format!(
        "  {}({}){output}",
        function.name,
        inputs.join(", ")
    )];
    lines.extend(described(&function.spec.description, "      ", detail));
    lines
}

/// A description, indented so that no line of it can pass for a line of the report.
fn described(text: &str, indent: &str, detail: Detail) -> Vec<String> {
    let mut texts = text.lines().filter(|line| !line.trim().is_empty());
    let line = |text: &str| format!("{indent}{}", escape_line(text));
    if detail == Detail::Everything {
        return texts.map(line).collect();
    }
    let Some(first) = texts.next() else {
        return Vec::new();
    };
    let is_cut = first.chars().count() > LINE_CHARS_MAX || texts.next().is_some();
    let shown: String = first.chars().take(LINE_CHARS_MAX).collect();
    vec![match is_cut {
        true => format!("{}… (more in the full report)", line(&shown)),
        false => line(&shown),
    }]
}

/// Lines on the tool's rights if it is granted everything that it asks for, and on powers that its
/// bytes could use although it does not ask.
fn right_lines(inspection: &Inspection) -> Vec<String> {
    let mut lines: Vec<String> = inspection.capabilities.iter().map(right_line).collect();
    let imports = |power| inspection.imports.iter().any(|it| it.access == power);
    if imports(ImportAccess::Toolbox) {
        lines.push("  calls other functions that it is given".to_owned());
    }
    if imports(ImportAccess::Person) {
        lines.push("  shows its progress and asks you questions".to_owned());
    }
    for power in &inspection.undeclared {
        lines.push(format!(
            "  {power}: imported but not asked for, so every use is refused"
        ));
    }
    if lines.is_empty() {
        lines.push("  nothing: it only computes".to_owned());
    }
    lines
}

fn right_line(capability: &InspectedCapability) -> String {
    let does = match capability.access {
        ImportAccess::Network => "sends requests to",
        ImportAccess::Files => "uses a directory of yours as",
        ImportAccess::Variables => "reads the variable",
        ImportAccess::Storage => "keeps things from call to call, in a storage",
        _ => "uses",
    };
    let why = match capability.why.is_empty() {
        true => String::new(),
        false => format!(": {}", escape_line(&capability.why)),
    };
    let used = match capability.used {
        true => "",
        false => "; nothing in the component could use it",
    };
    // The author's text comes last: nothing of it passes for what is said here.
    format!("  {does} {}{used}{why}", escape_line(&capability.what))
}
