//! Prints what `tool new` read of a project's functions, and what the tool's types cannot say.

use tool_hub_agent::definition::{Loss, LossKind};
use tool_hub_manifest::ToolName;

use crate::scaffold::{
    DefinedFunctions, FunctionSource, Names, OpenApiProject, PlainFile, ServerProject,
};
use crate::terminal::phrases::counted;
use crate::terminal::printer::Printer;

/// The most differences that are told one by one.
const TOLD_MAX: usize = 20;

/// Tells what was read, and what the project's types do not say.
pub(super) fn tell(functions: &FunctionSource, printer: &Printer) {
    let Some(interface) = functions.interface() else {
        return;
    };
    let read = counted(interface.operations.len(), "function");
    match functions {
        FunctionSource::Greeter => {}
        FunctionSource::Plain(plain) => tell_plain(&read, plain, printer),
        FunctionSource::Server(server) => tell_server(&read, server, printer),
        FunctionSource::Defined(defined) => tell_defined(&read, defined, printer),
        FunctionSource::GradioProject(calling) => tell_defined(&read, calling.defined(), printer),
        FunctionSource::OpenApiProject(calling) => {
            tell_defined(&read, calling.defined(), printer);
            for call in calling.calls() {
                printer.note(&format!("  {call}"));
            }
            for scheme in calling.refused_schemes() {
                printer.warning(&format!(
                    "requests cannot carry the security scheme `{scheme}`"
                ));
            }
        }
    }
    tell_differences(&interface.losses, printer);
}

/// Tells which credentials the API's functions need, and how a user keeps them.
pub(super) fn tell_credentials(calling: &OpenApiProject, name: &ToolName, printer: &Printer) {
    let names = calling.credentials(&Names::of(name));
    match &names[..] {
        [] => printer.hint(
            "the document asks for no credential; if the API wants one, add [[capabilities.credentials]] to tool.toml",
        ),
        names => {
            for name in names {
                printer.hint(&format!(
                    "its users keep their credential with: tool credential set {name}"
                ));
            }
        }
    }
}

fn tell_plain(read: &str, plain: &PlainFile, printer: &Printer) {
    let names: Vec<String> = plain.frameworks().iter().map(ToString::to_string).collect();
    let whose = match names.is_empty() {
        true => String::new(),
        false => format!(" ({})", names.join(", ")),
    };
    printer.note(&format!("read {read} of {}{whose}", plain.name()));
    for left_out in plain.left_out() {
        printer.warning(&format!("left out: {left_out}"));
    }
    if !plain.requirements().is_empty() {
        let packages = plain.requirements().join(", ");
        printer.note(&format!("wrote requirements.txt: {packages}"));
    }
    if plain.needs_npm() {
        printer.hint(
            "pin the packages in package.json once, in the project: npm install --package-lock-only --ignore-scripts",
        );
    }
    for setting in plain.settings() {
        printer.note(&format!(
            "the variable {} is `{}` of {}",
            setting.variable(),
            setting.parameter,
            setting.class
        ));
    }
}

fn tell_server(read: &str, server: &ServerProject, printer: &Printer) {
    let package = &server.package;
    printer.note(&format!("{package} listed {read} in the sandbox"));
    for name in &server.variables {
        printer.note(&format!("the variable {name} is one that it looks for"));
    }
    for name in &server.directories {
        printer.note(&format!("the directory `{name}` is one that it looks for"));
    }
    printer.hint(&format!(
        "write the origins, directories and variables that it needs to [capabilities] in tool.toml; {package} gets nothing else"
    ));
}

fn tell_defined(read: &str, defined: &DefinedFunctions, printer: &Printer) {
    printer.note(&format!("read {read} ({})", defined.source()));
    for skipped in defined.skipped() {
        printer.warning(&format!("left out: {skipped}"));
    }
}

fn tell_differences(differences: &[Loss], printer: &Printer) {
    let is_cut = |loss: &&Loss| matches!(loss.kind, LossKind::DescriptionCut { .. });
    let cut = differences.iter().filter(is_cut).count();
    let (in_words, told): (Vec<_>, Vec<_>) = differences
        .iter()
        .filter(|loss| !is_cut(loss))
        .partition(|loss| matches!(loss.kind, LossKind::ToldInWords { .. }));
    for loss in told.iter().take(TOLD_MAX) {
        printer.note(&loss.to_string());
    }
    if told.len() > TOLD_MAX {
        printer.note(&format!(
            "{} more differ; --json lists all",
            told.len() - TOLD_MAX
        ));
    }
    if cut > 0 {
        let cut = counted(cut, "description");
        printer.note(&format!("cut where they are long: {cut}; --json lists all"));
    }
    if !in_words.is_empty() {
        printer.note(&format!(
            "left to the functions to check, since comments say it and no type does: {} of the definitions",
            counted(in_words.len(), "bound")
        ));
    }
}
