//! Finds the file with tools in a package of PyPI, for `tool new --from pypi:PACKAGE`.

use std::path::Path;

use tool_hub_source::{Language, SOURCE_BYTES_MAX, read};

use crate::build::UnpackedPackage;
use crate::files;
use crate::scaffold::{PlainFile, Template};
use crate::terminal::phrases::counted;
use crate::terminal::printer::Printer;
use crate::terminal::problem::Problem;

/// What a value of `--from` begins with that names such a package.
const PREFIX: &str = "pypi:";
/// The most files that are named beside the one that is taken.
const OTHERS_MAX: usize = 10;

/// The requirement in a value of `--from` that names a package.
pub(super) fn named(from: &Path) -> Option<&str> {
    from.to_str()?.strip_prefix(PREFIX)
}

/// The file of the package with the most tools, with what it needs of the package and its license.
pub(super) async fn fetched(requirement: &str, printer: &Printer) -> anyhow::Result<PlainFile> {
    let place = tempfile::Builder::new().prefix("tool-package-").tempdir()?;
    let directory = place.path();
    let package = UnpackedPackage::fetch(requirement, directory, printer).await?;
    let UnpackedPackage { name, version, .. } = &package;
    let mut files: Vec<(usize, &str)> = package
        .modules
        .iter()
        .map(|file| (tools(&directory.join(file)), file.as_str()))
        .filter(|(count, _)| *count > 0)
        .collect();
    // The most tools first, of as many the shortest path.
    files.sort_by_key(|(count, file)| (usize::MAX - count, file.len()));
    let Some(((count, taken), others)) = files.split_first() else {
        return Err(Problem::user(format!(
            "no file of {name} {version} has tools for a framework"
        ))
        .hint("a server that lists its tools when it runs is read by: tool new NAME --from-mcp COMMAND")
        .into());
    };
    printer.note(&format!(
        "took {taken} of {name} {version}, which has {}",
        counted(*count, "tool")
    ));
    if !others.is_empty() {
        let names: Vec<&str> = others.iter().take(OTHERS_MAX).map(|(_, it)| *it).collect();
        printer.note(&format!(
            "{} with tools were not taken: {}",
            counted(others.len(), "other file"),
            names.join(", ")
        ));
    }
    let mut plain = PlainFile::read_in(directory, taken, Path::new(taken), Template::Python)?;
    plain.belongs_to(package.license, package.license_texts);
    Ok(plain)
}

/// The number of tools for a framework in a file.
fn tools(path: &Path) -> usize {
    let text = files::read_text(path, SOURCE_BYTES_MAX as u64);
    let functions = text.map(|text| read(&text, Language::Python));
    let functions = functions.into_iter().flatten().flatten();
    let tools = functions.filter(|it| it.definition.as_ref().is_ok_and(|it| it.tool.is_some()));
    tools.count()
}
