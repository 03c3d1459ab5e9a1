//! Writes the WIT of the tools that a project depends on to where build tools and editors look.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use tool_hub_host::authoring::exported_packages;
use tool_hub_manifest::{Manifest, Source, ToolName};
use tool_hub_toolbox::fetched::Fetched;

use super::packages::{WitFile, package_ids};
use crate::files;
use crate::terminal::printer::Printer;
use crate::terminal::problem::Problem;

/// The first line of a file that this writes: one that begins otherwise is the author's.
const HEADING: &str = "// Written by `tool build`: the interface of ";

/// Writes the packages of the interfaces that `dependencies` export into the project of `author` in
/// `directory`, whose WIT `wit` is. What the author has at that place is left alone, and so is
/// a package that the author has at another place.
///
/// # Errors
/// When a dependency needs a package that the project itself defines, which is a circle; nothing is
/// written then. When two dependencies have a package of one name and version that differs, and
/// when a file cannot be written.
pub(crate) fn write_dependencies(
    directory: &Path,
    author: &Manifest,
    wit: &[WitFile],
    dependencies: &BTreeMap<ToolName, Fetched>,
    printer: &Printer,
) -> anyhow::Result<()> {
    let by_author = || wit.iter().filter(|(_, text)| !text.starts_with(HEADING));
    let own = package_ids(by_author().filter(|(path, _)| !path.starts_with("deps")));
    refuse_a_circle(author, &own, dependencies)?;
    let at_hand = package_ids(by_author()).into_iter();
    let at_hand: BTreeSet<String> = at_hand.map(directory_of).collect();
    let mut written: BTreeMap<PathBuf, (String, &ToolName)> = BTreeMap::new();
    for (name, dependency) in dependencies {
        for (package, text) in exported_packages(dependency.verified.component())? {
            if at_hand.contains(&package) {
                continue;
            }
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

/// The directory below `wit/deps` of the package `id`, such as `ada:units@1.0.0`.
fn directory_of(id: &str) -> String {
    id.replace([':', '@'], "-")
}

/// Refuses `dependencies` that lead back to the project of `author`, which defines the packages
/// `own`: what calls a tool by such a package calls this project. A tool of another name that only
/// offers one to the project does not.
fn refuse_a_circle(
    author: &Manifest,
    own: &BTreeSet<&str>,
    dependencies: &BTreeMap<ToolName, Fetched>,
) -> anyhow::Result<()> {
    for id in own {
        for (name, dependency) in dependencies {
            let Some(way) = way_to(&directory_of(id), (name, dependency))? else {
                continue;
            };
            let is_direct = way.len() == 1;
            if !is_direct || dependency.verified.manifest().name == author.name {
                return Err(circle(author, id, &way).into());
            }
        }
    }
    Ok(())
}

/// The refusal of a circle: `way` leads to another version of the project of `author`, which
/// defines the package `id`.
fn circle(author: &Manifest, id: &str, way: &[Step<'_>]) -> Problem {
    let last = way.last().map(|(_, found)| found.origin.source());
    let repo = last.as_ref().and_then(Source::repo);
    let project = repo.map_or_else(|| author.name.to_string(), |(_, repo)| repo.to_string());
    let names: Vec<&str> = way.iter().map(|(name, _)| name.as_str()).collect();
    let first = names.first().copied().unwrap_or_default();
    let between = names.iter().rev().skip(1).rev();
    let steps: Vec<&str> = between.copied().chain([&*project]).collect();
    Problem::user(format!(
        "the dependencies lead back to this project in a circle: {project} calls {}",
        steps.join(", which calls ")
    ))
    .hint(format!(
        "take `{first}` out of [dependencies] in tool.toml, or move what both need into a third \
         tool, which both call"
    ))
    .hint(format!(
        "if this project is another tool than {project}, give its WIT another package than {id}"
    ))
}

/// A dependency, with the name that the tool before it has for it.
type Step<'a> = (&'a ToolName, &'a Fetched);

/// The way from `step` to the last tool whose interfaces use the package whose directory is
/// `package`, if there is one.
fn way_to<'a>(package: &str, step: Step<'a>) -> anyhow::Result<Option<Vec<Step<'a>>>> {
    let (_, found) = step;
    for below in &found.dependencies {
        if let Some(mut way) = way_to(package, below)? {
            way.insert(0, step);
            return Ok(Some(way));
        }
    }
    let packages = exported_packages(found.verified.component())?;
    Ok(packages.contains_key(package).then(|| vec![step]))
}
