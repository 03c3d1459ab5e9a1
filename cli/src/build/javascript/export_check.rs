//! Generates the module that checks in a build if a JavaScript project exports its WIT's functions.
//! The check runs in the sandbox in which the module is evaluated; its findings become the error of
//! the build.

use std::path::Path;

use serde::Serialize;
use serde_json::json;
use tool_hub_manifest::ExportName;

use crate::scaffold::lower_camel;
use crate::terminal::problem::Problem;

const TEMPLATE: &str = include_str!("export_check.js");

/// The name by which it imports the project's module.
pub(super) const MODULE: &str = "tool-checked";

/// The beginning of the error that the check throws.
const MARK: &str = "the module is not what the WIT says: ";

/// Functions that the module has to export in one place.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(super) struct ExpectedExports {
    /// The object's name; empty for the module itself.
    pub(super) place: String,
    /// The names by which it may be exported.
    pub(super) interfaces: Vec<String>,
    pub(super) functions: Vec<String>,
}

/// The module that exports what the project's does, after it has checked that none of `exports` is
/// missing. Its functions wait for what those of the project promise.
pub(super) fn source<'a>(exports: impl Iterator<Item = &'a ExportName>) -> String {
    let groups = grouped(exports);
    TEMPLATE
        .replace("{{expected}}", &json!(groups).to_string())
        .replace("{{mark}}", MARK)
        .replace("{{exports}}", &exporting(&groups))
}

/// The lines of a module that export each function as the template's `called` makes it.
pub(super) fn exporting(groups: &[ExpectedExports]) -> String {
    let mut text = String::new();
    for (index, group) in groups.iter().enumerate() {
        let called = |name: &str| format!("called({}, {})", json!(group.interfaces), json!(name));
        if group.place.is_empty() {
            for (at, name) in group.functions.iter().enumerate() {
                let (value, constant) = (called(name), format!("e{index}_{at}"));
                text.push_str(&format!(
                    "const {constant} = {value};\nexport {{ {constant} as {name} }};\n"
                ));
            }
            continue;
        }
        let members: Vec<String> = group
            .functions
            .iter()
            .map(|name| format!("  {name}: {},\n", called(name)))
            .collect();
        text.push_str(&format!(
            "const e{index} = {{\n{}}};\nexport {{ e{index} as {} }};\n",
            members.concat(),
            group.place
        ));
    }
    text.trim_end().to_owned()
}

/// `exports` by the objects that hold them.
pub(super) fn grouped<'a>(exports: impl Iterator<Item = &'a ExportName>) -> Vec<ExpectedExports> {
    let mut groups: Vec<ExpectedExports> = Vec::new();
    for export in exports {
        let interface = export.interface();
        let place = interface.map(short).map(lower_camel).unwrap_or_default();
        let function = lower_camel(export.function());
        if let Some(group) = groups.iter_mut().find(|group| group.place == place) {
            group.functions.push(function);
            continue;
        }
        let whole = interface.map(str::to_owned);
        groups.push(ExpectedExports {
            interfaces: whole
                .into_iter()
                .chain(interface.map(|_| place.clone()))
                .collect(),
            functions: vec![function],
            place,
        });
    }
    groups
}

/// `edit` of `demo:sound/edit@1.0.0`.
fn short(interface: &str) -> &str {
    let path = interface.split('@').next().unwrap_or(interface);
    path.rsplit('/').next().unwrap_or(path)
}

/// The message for a build of `file` in `directory` that failed with `error`: the finding of the
/// check, if it is one.
pub(super) fn explained(error: anyhow::Error, directory: &Path, file: &str) -> anyhow::Error {
    let said = error.chain().nth(1).map(ToString::to_string);
    let said = said.unwrap_or_default();
    let Some((_, found)) = said.split_once(MARK) else {
        return error;
    };
    let found = found.lines().next().unwrap_or_default();
    let text = std::fs::read_to_string(directory.join(file)).unwrap_or_default();
    let line = line_of(&text, found);
    Problem::user(format!("{file} is not what wit/world.wit says"))
        .caused_by(format!("{file}:{line}: {found}"))
        .hint("an interface is exported as `export const name = { function() {} }`, with names in camelCase")
        .into()
}

/// The line of `text` that has what the check `found`: the object that it names, else the first
/// export.
fn line_of(text: &str, found: &str) -> usize {
    let name = found.split('`').nth(1).unwrap_or_default();
    let place = name.split('.').next().unwrap_or(name);
    let mut lines = text.lines();
    let named = lines.position(|line| line.contains("export") && line.contains(place));
    let named = named.or_else(|| text.lines().position(|line| line.contains(place)));
    let first = named.or_else(|| text.lines().position(|line| line.contains("export")));
    first.map_or(1, |index| index + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_looked_for_where_the_world_exports_them() {
        let exports = ["demo:x/other-things@1.0.0.look-up", "top-level"];
        let exports: Vec<ExportName> = exports.map(|it| it.parse().unwrap()).into();
        let groups = grouped(exports.iter());
        assert_eq!(groups[0].place, "otherThings");
        assert_eq!(
            groups[0].interfaces,
            ["demo:x/other-things@1.0.0", "otherThings"]
        );
        assert_eq!(groups[0].functions, ["lookUp"]);
        assert_eq!((&*groups[1].place, groups[1].interfaces.len()), ("", 0));
        assert_eq!(groups[1].functions, ["topLevel"]);
        let source = source(exports.iter());
        assert!(!source.contains("{{"), "{source}");
    }

    #[test]
    fn what_the_look_found_is_said_alone() {
        let said =
            format!("Error: : x: Error: {MARK}`f.g` is missing\n    at <anonymous> (/b.js:1)");
        let failed: anyhow::Error = Problem::user("building failed").caused_by(said).into();
        let error = explained(failed, Path::new("/no/such"), "tool.js");
        assert_eq!(error.to_string(), "tool.js is not what wit/world.wit says");
        assert_eq!(
            error.chain().nth(1).unwrap().to_string(),
            "tool.js:1: `f.g` is missing"
        );
        let other: anyhow::Error = Problem::user("building failed").caused_by("no room").into();
        assert_eq!(
            explained(other, Path::new("/no/such"), "tool.js").to_string(),
            "building failed"
        );
    }
}
