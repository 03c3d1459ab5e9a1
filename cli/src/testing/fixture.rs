//! The `Fixture` that a tool finds while it is tested: copies of directories, variables, storage.

use std::collections::BTreeMap;
use std::path::{Component, Path};

use anyhow::Context as _;
use tempfile::TempDir;
use tool_hub_manifest::{Capabilities, Grants, VariableName};

use super::case_file::{DIRECTORY, Setup};
use crate::build::{Bounds, Walk};
use crate::files;
use crate::terminal::problem::Problem;

/// Limits on what is copied for the cases of one file.
const COPIED: Bounds = Bounds {
    depth_max: 32,
    entries_max: 10_000,
    file_bytes_max: 64 << 20,
    bytes_max: 256 << 20,
};

/// What a tool is granted for the cases of one file. The directories go with it.
#[derive(Debug)]
pub(super) struct Fixture {
    pub(super) grants: Grants,
    pub(super) values: BTreeMap<VariableName, String>,
    _directories: TempDir,
}

impl Fixture {
    /// Makes what the tool asks for and flags did not grant in `granted`: each directory as a copy
    /// of what `setup` names in the tests of `project`, or empty; the variables that `setup` gives
    /// a value; and a storage in memory. Requests are the caller's affair.
    ///
    /// # Errors
    /// When `setup` names what the tool does not ask for, or what cannot be copied.
    pub(super) fn new(
        setup: &Setup,
        asked: &Capabilities,
        granted: &Grants,
        project: &Path,
    ) -> anyhow::Result<Self> {
        check_asked(setup, asked)?;
        let mut grants = granted.clone();
        let directories = tempfile::Builder::new()
            .prefix("tool-test-")
            .tempdir()
            .context("a temporary directory cannot be made")?;
        // A granted directory is known by its real path.
        let place = directories.path().canonicalize();
        let place = place.context("a temporary directory cannot be found")?;
        for request in &asked.directories {
            if grants.directories.contains_key(&request.name) {
                continue;
            }
            let copy = place.join(request.name.as_str());
            std::fs::create_dir(&copy).context("a temporary directory cannot be made")?;
            if let Some(from) = setup.directories.get(&request.name) {
                copy_tests(project, from, &copy)?;
            }
            grants = grants.directory(request.name.clone(), copy, request.access);
        }
        let mut values = BTreeMap::new();
        for (name, value) in &setup.variables {
            if grants.variables.contains(name) {
                continue;
            }
            let is_secret = asked.variable(name).is_none_or(|request| request.secret);
            grants = match is_secret {
                true => grants.variable(name.clone()),
                false => grants.plain_variable(name.clone()),
            };
            values.insert(name.clone(), value.clone());
        }
        if asked.storage.is_some() {
            grants = grants.storage();
        }
        Ok(Self {
            grants,
            values,
            _directories: directories,
        })
    }
}

fn check_asked(setup: &Setup, asked: &Capabilities) -> anyhow::Result<()> {
    let directories = setup.directories.keys();
    let mut unknown = directories
        .filter(|name| asked.directory(name).is_none())
        .map(|name| format!("directory `{name}`"));
    let variables = setup.variables.keys();
    let mut unset = variables
        .filter(|name| asked.variable(name).is_none())
        .map(|name| format!("variable {name}"));
    match unknown.next().or_else(|| unset.next()) {
        None => Ok(()),
        Some(what) => Err(Problem::user(format!(
            "a file of cases sets up the {what}, which the tool does not ask for"
        ))
        .hint("ask for it in [capabilities] of tool.toml, or take it out of the file")
        .into()),
    }
}

/// Copies the directory `from` of the project's tests, without links.
fn copy_tests(project: &Path, from: &Path, to: &Path) -> anyhow::Result<()> {
    let tests = project.join(DIRECTORY);
    let is_below = from
        .components()
        .all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    let real = tests.join(from).canonicalize();
    let real = real.with_context(|| format!("{} cannot be read", tests.join(from).display()))?;
    // The directory `tests` itself may be a link in a checkout.
    let tests = project.canonicalize().map(|it| it.join(DIRECTORY));
    let is_within = tests.is_ok_and(|tests| real.starts_with(tests));
    if !is_below || !is_within || !real.is_dir() {
        return Err(Problem::user(format!(
            "{} is no directory below the project's tests",
            from.display()
        ))
        .hint("name a directory in tests, such as notes = \"notes\"; it is copied for the cases")
        .into());
    }
    copy(&mut Walk::new(&real, COPIED), &real, to)
}

fn copy(walk: &mut Walk<'_>, from: &Path, to: &Path) -> anyhow::Result<()> {
    for path in walk.entries(from)? {
        let Some(name) = path.file_name().filter(|_| !path.is_symlink()) else {
            continue;
        };
        let place = to.join(name);
        if path.is_dir() {
            let failed = || format!("{} cannot be made", place.display());
            std::fs::create_dir(&place).with_context(failed)?;
            copy(walk, &path, &place)?;
        } else if path.is_file() {
            files::write(&place, &walk.read(&path)?)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use tool_hub_manifest::{Access, DirectoryRequest};

    fn asked() -> Capabilities {
        Capabilities {
            directories: vec![DirectoryRequest {
                name: "notes".parse().unwrap(),
                access: Access::ReadWrite,
                why: String::new(),
            }],
            ..Capabilities::default()
        }
    }

    #[track_caller]
    fn made(project: &Path, from: &str) -> anyhow::Result<Fixture> {
        let mut setup = Setup::default();
        setup
            .directories
            .insert("notes".parse().unwrap(), from.into());
        Fixture::new(&setup, &asked(), &Grants::none(), project)
    }

    #[test]
    fn a_directory_of_the_tests_is_copied_and_no_other() {
        let project = tempfile::tempdir().unwrap();
        let project = project.path();
        files::write(&project.join("tests/notes/deep/a.md"), b"text").unwrap();
        files::write(&project.join("secret/b.md"), b"mine").unwrap();
        let fixture = made(project, "notes").unwrap();
        let grant = fixture.grants.directories.values().next().unwrap();
        let copy = grant.path.join("deep/a.md");
        assert_eq!(std::fs::read(&copy).unwrap(), b"text");
        drop(fixture);
        assert!(!copy.exists());
        for outside in ["../secret", "..", "/etc", "absent", "notes/deep/a.md"] {
            assert!(made(project, outside).is_err(), "{outside}");
        }
    }

    #[test]
    #[cfg(unix)]
    fn links_of_the_tests_lead_nowhere() {
        let project = tempfile::tempdir().unwrap();
        let project = project.path();
        files::write(&project.join("secret/b.md"), b"mine").unwrap();
        files::write(&project.join("tests/notes/a.md"), b"text").unwrap();
        std::os::unix::fs::symlink("../../secret/b.md", project.join("tests/notes/b.md")).unwrap();
        std::os::unix::fs::symlink("../secret", project.join("tests/other")).unwrap();
        let fixture = made(project, "notes").unwrap();
        let grant = fixture.grants.directories.values().next().unwrap();
        assert_eq!(std::fs::read_dir(&grant.path).unwrap().count(), 1);
        assert!(made(project, "other").is_err());
        let linked = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink(project.join("tests"), linked.path().join("tests")).unwrap();
        assert!(made(linked.path(), "notes").is_err());
    }

    #[test]
    fn what_is_not_asked_for_is_not_set_up() {
        let mut setup = Setup::default();
        setup
            .variables
            .insert("API_KEY".parse().unwrap(), "x".to_owned());
        let refused = Fixture::new(&setup, &asked(), &Grants::none(), Path::new("."));
        let refused = refused.unwrap_err().to_string();
        assert!(refused.contains("variable API_KEY"), "{refused}");
    }
}
