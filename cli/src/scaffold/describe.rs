//! Writes a project's description and card from the descriptions of its functions.

use tool_hub_agent::definition::interface::{Interface, Operation};

use super::names::Names;

/// The longest description of a tool that is made of those of its functions.
const DESCRIPTION_CHARACTERS_MAX: usize = 200;

/// The names that agents will see.
pub(crate) fn names(interface: &Interface) -> Vec<&str> {
    let operations = interface.operations.iter();
    operations
        .map(|operation| operation.name.as_str())
        .collect()
}

/// The purpose of the tool.
pub(super) fn description(interface: &Interface) -> String {
    let text = match &interface.operations[..] {
        [only] => purpose(only).to_owned(),
        _ => String::new(),
    };
    let text = match text.is_empty() {
        true => format!("The functions {}.", names(interface).join(", ")),
        false => text,
    };
    if text.chars().count() <= DESCRIPTION_CHARACTERS_MAX {
        return text;
    }
    let kept: String = text.chars().take(DESCRIPTION_CHARACTERS_MAX - 1).collect();
    format!("{kept}…")
}

/// The card, whose front matter is that of `text`.
pub(super) fn card(interface: &Interface, text: &str, project: &Names) -> String {
    // The front matter says what the package is; the rest is about greetings.
    let front = text.split_inclusive("---\n").take(2).collect::<String>();
    let functions: String = interface
        .operations
        .iter()
        .map(|operation| format!("- `{}`: {}\n", operation.name, purpose(operation)))
        .collect();
    format!(
        "{front}\n# {}\n\n{}\n\n{functions}",
        project.name,
        description(interface)
    )
}

/// The first line of a function's description, but for a signature that LlamaIndex puts there.
fn purpose(operation: &Operation) -> &str {
    let mut lines = operation.description.trim().lines().map(str::trim);
    let mut lines = lines.by_ref().filter(|line| !line.is_empty());
    let first = lines.next().unwrap_or_default();
    let rest = first.strip_prefix(operation.name.as_str());
    match rest.is_some_and(|rest| rest.starts_with('(')) {
        true => lines.next().unwrap_or(first),
        false => first,
    }
}
