//! Says where in `tool.toml` a function is claimed that the component does not export.

use std::path::Path;

use tool_hub_host::authoring::Docs;
use tool_hub_host::{HostError, Refusal};
use tool_hub_manifest::package_file;

use crate::terminal::problem::Problem;

/// The `error` of finishing the manifest of the project in `directory`, for its author.
pub(crate) fn explained(error: anyhow::Error, directory: &Path, docs: &Docs) -> anyhow::Error {
    let refusals = match error.downcast_ref() {
        Some(HostError::Disagreement { refusals }) => refusals.as_slice(),
        _ => &[],
    };
    let claim = refusals.iter().find_map(|refusal| match refusal {
        Refusal::NotExported { function, .. } => Some((refusal, function.to_string())),
        _ => None,
    });
    let Some((refusal, function)) = claim else {
        return error;
    };
    let text = std::fs::read_to_string(directory.join(package_file::MANIFEST));
    let text = text.unwrap_or_default();
    let section = format!("[functions.{function}]");
    let line = text.lines().position(|line| line.trim() == section);
    let exports: Vec<String> = docs.exports().map(|export| format!("`{export}`")).collect();
    Problem::user(format!(
        "{}:{}: {refusal}",
        package_file::MANIFEST,
        line.map_or(1, |index| index + 1)
    ))
    .hint(format!(
        "correct that section; what the component exports is {}",
        exports.join(", ")
    ))
    .into()
}

/// The line of `text`, a `tool.toml`, that gives `key` of its section `[build]`.
pub(super) fn line_of_key(text: &str, key: &str) -> usize {
    let is_key = |line: &str| {
        let rest = line.trim_start().strip_prefix(key);
        rest.is_some_and(|rest| rest.trim_start().starts_with('='))
    };
    text.lines().position(is_key).map_or(1, |index| index + 1)
}
