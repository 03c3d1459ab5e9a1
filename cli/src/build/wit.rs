//! Reads a project's WIT files, and writes the host's packages that they use beside them.
//! Build tools and editors find the packages there.

mod dependencies;
mod errors;
mod packages;

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use tool_hub_host::authoring::{PACKAGES, WitPackage, WitSource};

use super::walk::{Bounds, Walk};
use crate::files;
use crate::terminal::problem::Problem;

pub(crate) use dependencies::write_dependencies;
pub(crate) use errors::{explained, world_without_exports};
pub(crate) use packages::{WitFile, defines, package_names};

/// Bounds for the WIT of a project. Links to directories are followed, since some projects share
/// packages so.
const BOUNDS: Bounds = Bounds {
    depth_max: 16,
    entries_max: 1_000,
    file_bytes_max: 1 << 20,
    bytes_max: 4 << 20,
};

/// Every WIT file of the project in `directory`, in order.
///
/// # Errors
/// When there is none, when there is too much, or one cannot be read as UTF-8.
pub(crate) fn wit_files(directory: &Path) -> anyhow::Result<Vec<WitFile>> {
    let root = directory.join("wit");
    let mut found = Vec::new();
    collect(&mut Walk::new(&root, BOUNDS), &root, &mut found)?;
    for (path, _) in &mut found {
        *path = path.strip_prefix(&root).unwrap_or(path).to_owned();
    }
    if found.is_empty() {
        return Err(
            Problem::user(format!("{} holds no .wit file", root.display()))
                .hint("a tool's functions are declared in wit/world.wit")
                .into(),
        );
    }
    found.sort();
    Ok(found)
}

fn collect(walk: &mut Walk<'_>, directory: &Path, found: &mut Vec<WitFile>) -> anyhow::Result<()> {
    for path in walk.entries(directory)? {
        if path.is_dir() {
            collect(walk, &path, found)?;
        } else if path.extension().is_some_and(|extension| extension == "wit") {
            let text = String::from_utf8(walk.read(&path)?)
                .with_context(|| format!("{} is not UTF-8", path.display()))?;
            found.push((path, text));
        }
    }
    Ok(())
}

/// The `files` as the host's authoring takes them.
pub(crate) fn wit_sources(files: &[WitFile]) -> Vec<WitSource<'_>> {
    let sources = files.iter();
    let sources = sources.map(|(path, contents)| WitSource { path, contents });
    sources.collect()
}

/// The directory of `package` in a project.
pub(crate) fn package_directory(package: &WitPackage) -> PathBuf {
    Path::new("wit/deps").join(package.directory())
}

/// Writes into the project in `directory` the host's packages that `files`, its WIT, use and do
/// not hold. Returns those packages. What the author has there is left alone.
pub(crate) fn add_packages(
    directory: &Path,
    files: &[WitFile],
) -> anyhow::Result<Vec<&'static WitPackage>> {
    let is_missing = |package: &&WitPackage| {
        let uses = format!("{}/", package.name);
        files.iter().any(|(_, text)| text.contains(&uses))
            && !defines(files, &format!("{}@", package.name))
    };
    let missing: Vec<&WitPackage> = PACKAGES.iter().filter(is_missing).collect();
    for package in &missing {
        for (name, text) in package.files {
            let path = directory.join(package_directory(package)).join(name);
            files::refuse_outside(directory, &path)?;
            files::write_new(&path, text.as_bytes())?;
        }
    }
    Ok(missing)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tool_hub_host::authoring::CONTRACT;

    fn project(files: &[(&str, &str)]) -> tempfile::TempDir {
        let project = tempfile::tempdir().unwrap();
        for (path, text) in files {
            files::write(&project.path().join(path), text.as_bytes()).unwrap();
        }
        project
    }

    fn adds(project: &tempfile::TempDir) -> Vec<&'static str> {
        let files = wit_files(project.path()).unwrap();
        let added = add_packages(project.path(), &files).unwrap();
        added.iter().map(|package| package.name).collect()
    }

    #[test]
    fn a_project_that_uses_the_contract_gets_it_once() {
        let world = "package a:b;\ninterface f { use tool-hub:tool/types@0.1.0.{reply}; }";
        let project = project(&[("wit/world.wit", world)]);
        assert_eq!(adds(&project), ["tool-hub:tool"]);
        let files = wit_files(project.path()).unwrap();
        assert_eq!(files.len(), 1 + CONTRACT.files.len());
        assert!(files.contains(&(
            PathBuf::from("deps/tool-hub-tool/types.wit"),
            CONTRACT.files[0].1.to_owned()
        )));
        assert!(adds(&project).is_empty(), "it is there");
    }

    #[test]
    fn a_project_gets_the_wasi_proposals_that_it_imports() {
        let world = "package a:b;\nworld w { import wasi:keyvalue/atomics@0.2.0-draft; import wasi:logging/logging@0.1.0-draft; }";
        let project = project(&[("wit/world.wit", world)]);
        assert_eq!(adds(&project), ["wasi:keyvalue", "wasi:logging"]);
        assert!(
            project
                .path()
                .join("wit/deps/wasi-logging/logging.wit")
                .is_file()
        );
    }

    #[test]
    fn the_author_s_own_copy_is_left_alone() {
        let world = "package a:b;\ninterface f { use tool-hub:tool/types@0.1.0.{reply}; }";
        let project = project(&[
            ("wit/world.wit", world),
            (
                "wit/deps/mine.wit",
                "/// Mine.\npackage tool-hub:tool@0.1.0;",
            ),
        ]);
        assert!(adds(&project).is_empty());
    }

    #[test]
    fn a_project_over_plain_types_gets_nothing() {
        let project = project(&[("wit/world.wit", "package a:b;\nworld w {}")]);
        assert!(adds(&project).is_empty());
        assert!(!project.path().join("wit/deps").exists());
    }

    #[test]
    fn a_project_without_wit_is_told_where_it_belongs() {
        let project = project(&[("wit/notes.txt", "")]);
        let error = wit_files(project.path()).unwrap_err().to_string();
        assert!(error.ends_with("wit holds no .wit file"), "{error}");
    }
}
