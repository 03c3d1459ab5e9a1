//! Writes the WIT of the tools that a project depends on to where build tools and editors look.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use tool_hub_host::authoring::exported_packages;
use tool_hub_manifest::ToolName;
use tool_hub_toolbox::fetched::Fetched;

use crate::files;
use crate::terminal::printer::Printer;
use crate::terminal::problem::Problem;

/// The first line of a file that this writes: one that begins otherwise is the author's.
const HEADING: &str = "// Written by `tool build`: the interface of ";

/// Writes the packages of the interfaces that `dependencies` export into the project in
/// `directory`. What the author has at that place is left alone.
///
/// # Errors
/// When a file cannot be written, and when two dependencies have a package of one name and version
/// that differs.
pub(crate) fn write_dependencies(
    directory: &Path,
    dependencies: &BTreeMap<ToolName, Fetched>,
    printer: &Printer,
) -> anyhow::Result<()> {
    let mut written: BTreeMap<PathBuf, (String, &ToolName)> = BTreeMap::new();
    for (name, dependency) in dependencies {
        for (package, text) in exported_packages(dependency.verified.component())? {
            let path = Path::new("wit/deps").join(package).join("package.wit");
            if let Some((other, of)) = written.get(&path)
                && *other != text
            {
                return Err(Problem::user(format!(
                    "the dependencies `{of}` and `{name}` each have their own {}",
                    path.display()
                ))
                .hint("depend on one of them only")
                .into());
            }
            written.insert(path, (text, name));
        }
    }
    for (path, (text, name)) in written {
        let place = directory.join(&path);
        files::refuse_outside(directory, &place)?;
        let present = files::read_if_present(&place)?;
        if present.as_ref().is_some_and(|it| !it.starts_with(HEADING)) {
            continue;
        }
        let text = format!("{HEADING}`{name}`.\n{text}");
        if present.as_ref() != Some(&text) {
            files::write(&place, text.as_bytes())?;
            let path = path.display();
            printer.note(&format!("wrote the interface of `{name}` to {path}"));
        }
    }
    Ok(())
}
