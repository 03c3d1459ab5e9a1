//! The part of a report on the tools that a tool calls: each with its maker, version and rights.

use tool_hub_agent::characters::escape_line;
use tool_hub_host::Inspection;
use tool_hub_manifest::Source;

use super::{Detail, described, right_lines};
use crate::provenance::Provenance;

/// Lines on all that the tool of `inspection` depends on, by their paths; none where it depends on
/// nothing.
pub(super) fn lines(
    from: &Provenance,
    inspection: &Inspection,
    detail: Detail,
    more: &str,
) -> Vec<String> {
    let mut lines = Vec::new();
    add(&mut lines, "", (from, inspection), detail, more);
    if !lines.is_empty() {
        let heading = "Calls other tools, each in a sandbox of its own with rights of its own";
        lines.splice(..0, [String::new(), heading.to_owned()]);
    }
    lines
}

fn add(
    lines: &mut Vec<String>,
    path: &str,
    (from, inspection): (&Provenance, &Inspection),
    detail: Detail,
    more: &str,
) {
    let pairs = inspection.dependencies.iter();
    let pairs = pairs.filter_map(|(name, it)| Some((name, from.dependencies.get(name)?, it)));
    for (name, from, inspection) in pairs {
        let path = match path.is_empty() {
            true => name.to_string(),
            false => format!("{path}.{name}"),
        };
        let place = match &from.source {
            Source::Registry { repo, .. } => repo.to_string(),
            Source::File { path } => escape_line(&path.display().to_string()),
            Source::Server { address } => escape_line(&address.to_string()),
        };
        let (version, signed) = (&inspection.version, from.signature.in_words());
        lines.push(format!("  {path}: {place} {version}, {signed}"));
        lines.extend(described(&inspection.description, "      ", detail, more));
        let rights = right_lines(inspection);
        lines.extend(
            rights
                .iter()
                .map(|right| format!("      may ask for: {}", right.trim_start())),
        );
        add(lines, &path, (from, inspection), detail, more);
    }
}
