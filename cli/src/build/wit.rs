//! The WIT of a project: its files, and the contract among them, which a project carries as
//! it would carry any other package that its WIT uses. Build tools and editors find it there.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use tool_hub_host::authoring::CONTRACT;

use crate::diagnosis::Problem;
use crate::files;

/// Where a project carries the contract.
pub(crate) const CONTRACT_DIRECTORY: &str = "wit/deps/tool-hub-tool";
/// What uses of the contract are spelled with.
const CONTRACT_NAME: &str = "tool-hub:tool";

/// The largest WIT file that is read.
const WIT_BYTES_MAX: u64 = 1 << 20;

/// A WIT file: its path below `wit`, and its text.
pub(crate) type WitFile = (PathBuf, String);

/// Every WIT file of the project in `directory`, in order.
///
/// # Errors
/// When there is none, one is larger than 1 MiB, or one cannot be read as UTF-8.
pub(crate) fn wit_files(directory: &Path) -> anyhow::Result<Vec<WitFile>> {
    let root = directory.join("wit");
    let mut found = Vec::new();
    collect(&root, &root, &mut found)?;
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

fn collect(root: &Path, directory: &Path, found: &mut Vec<WitFile>) -> anyhow::Result<()> {
    let failed = || format!("{} cannot be read", directory.display());
    for entry in std::fs::read_dir(directory).with_context(failed)? {
        let path = entry.with_context(failed)?.path();
        if path.is_dir() {
            collect(root, &path, found)?;
        } else if path.extension().is_some_and(|extension| extension == "wit") {
            let length = std::fs::metadata(&path).with_context(failed)?.len();
            if length > WIT_BYTES_MAX {
                return Err(Problem::user(format!(
                    "{} has {length} bytes, at most {WIT_BYTES_MAX} are read",
                    path.display()
                ))
                .into());
            }
            let text = std::fs::read_to_string(&path)
                .with_context(|| format!("{} cannot be read", path.display()))?;
            let name = path.strip_prefix(root).unwrap_or(&path).to_owned();
            found.push((name, text));
        }
    }
    Ok(())
}

/// Writes the contract into the project in `directory`, where `files`, its WIT, use it and
/// do not hold it. Tells whether it did. What the author has there is left alone.
pub(crate) fn add_contract(directory: &Path, files: &[WitFile]) -> anyhow::Result<bool> {
    let uses = |text: &str| text.contains(&format!("{CONTRACT_NAME}/"));
    let defines = |text: &str| {
        let mut lines = text.lines().map(str::trim_start);
        lines.any(|line| line.starts_with(&format!("package {CONTRACT_NAME}@")))
    };
    if !files.iter().any(|(_, text)| uses(text)) || files.iter().any(|(_, text)| defines(text)) {
        return Ok(false);
    }
    for (name, text) in CONTRACT {
        let path = directory.join(CONTRACT_DIRECTORY).join(name);
        files::write_new(&path, text.as_bytes())?;
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn project(files: &[(&str, &str)]) -> tempfile::TempDir {
        let project = tempfile::tempdir().unwrap();
        for (path, text) in files {
            files::write(&project.path().join(path), text.as_bytes()).unwrap();
        }
        project
    }

    fn adds(project: &tempfile::TempDir) -> bool {
        let files = wit_files(project.path()).unwrap();
        add_contract(project.path(), &files).unwrap()
    }

    #[test]
    fn a_project_that_uses_the_contract_gets_it_once() {
        let world = "package a:b;\ninterface f { use tool-hub:tool/types@0.1.0.{reply}; }";
        let project = project(&[("wit/world.wit", world)]);
        assert!(adds(&project));
        let files = wit_files(project.path()).unwrap();
        assert_eq!(files.len(), 1 + CONTRACT.len());
        assert!(files.contains(&(
            PathBuf::from("deps/tool-hub-tool/types.wit"),
            CONTRACT[0].1.to_owned()
        )));
        assert!(!adds(&project), "it is there");
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
        assert!(!adds(&project));
    }

    #[test]
    fn a_project_over_plain_types_gets_nothing() {
        let project = project(&[("wit/world.wit", "package a:b;\nworld w {}")]);
        assert!(!adds(&project));
        assert!(!project.path().join("wit/deps").exists());
    }

    #[test]
    fn a_project_without_wit_is_told_where_it_belongs() {
        let project = project(&[("wit/notes.txt", "")]);
        let error = wit_files(project.path()).unwrap_err().to_string();
        assert!(error.ends_with("wit holds no .wit file"), "{error}");
    }
}
