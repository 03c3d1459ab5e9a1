//! Digests of a project's sources: records them, finds changes since, and copies sources.
//! They are recorded beside the built package. So nobody publishes yesterday's code under today's
//! version.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::Context as _;
use serde::{Deserialize, Serialize};
use tool_hub_manifest::Digest;

use super::walk::{Bounds, Walk};
use crate::files;

/// Limits on the sources of a project.
const PROJECT: Bounds = Bounds {
    depth_max: 64,
    entries_max: 100_000,
    file_bytes_max: 256 << 20,
    bytes_max: 1 << 30,
};
/// Limits on the user's own Python environment.
const ENVIRONMENT: Bounds = Bounds {
    entries_max: 1_000_000,
    bytes_max: 16 << 30,
    ..PROJECT
};
/// The record's name in the package's directory. It is not part of the package.
pub(crate) const SOURCES_FILE: &str = "sources.json";

/// Directories that builds and package managers write, described by lock files.
const NOT_SOURCES: [&str; 4] = ["dist", "target", "node_modules", "__pycache__"];
/// A directory that holds one of these is a cache or a Python environment.
const MARKS_OF_CACHES: [&str; 2] = ["CACHEDIR.TAG", "pyvenv.cfg"];
/// The directory of a project for its tests, which no package is built from: `tool test` reads it
/// as it is, and writes recordings there.
const TESTS: &str = "tests";
/// The one hidden name that cargo reads.
const CARGO_SETTINGS: &str = ".cargo";

/// The digest of every file of a project, by its path there.
///
/// Every file counts, because a build may read any of them. What is left out is what builds
/// write, the project's `tests`, what begins with a dot, which editors and version control write,
/// backups that end in `~`, and links to directories. What lies outside the project is not seen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Sources(BTreeMap<String, Digest>);

impl Sources {
    /// Reads the project in `directory`.
    ///
    /// # Errors
    /// When a file cannot be read, and when there is too much.
    pub(crate) fn of(directory: &Path) -> anyhow::Result<Self> {
        let mut found = BTreeMap::new();
        let mut walk = Walk::new(directory, PROJECT);
        for (name, path) in listed(&mut walk, directory)? {
            if Path::new(&name).starts_with(TESTS) {
                continue;
            }
            found.insert(name, Digest::of(&walk.read(&path)?));
        }
        Ok(Self(found))
    }

    /// The paths of the files, in order.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// Reads `name` again, which the build itself wrote.
    pub(crate) fn renew(&mut self, directory: &Path, name: &str) -> anyhow::Result<()> {
        let path = directory.join(name);
        if path.is_file() {
            let bytes = Walk::new(directory, PROJECT).read(&path)?;
            self.0.insert(name.to_owned(), Digest::of(&bytes));
        }
        Ok(())
    }

    /// Writes the record beside a package.
    pub(crate) fn write(&self, package: &Path) -> anyhow::Result<()> {
        let text = serde_json::to_string_pretty(self)?;
        Ok(files::write(&package.join(SOURCES_FILE), text.as_bytes())?)
    }

    /// Names a difference between the project in `directory` and the sources that the package in
    /// `package` was built from; nothing when they are the same.
    ///
    /// # Errors
    /// When a file cannot be read.
    pub(crate) fn change_since(directory: &Path, package: &Path) -> anyhow::Result<Option<String>> {
        let path = package.join(SOURCES_FILE);
        let recorded = files::read_if_present(&path)?;
        let recorded: Option<Self> = recorded.and_then(|text| serde_json::from_str(&text).ok());
        match recorded {
            Some(built_from) => {
                let changes = built_from.changes_to(&Self::of(directory)?);
                Ok(changes.first().map(|change| format!("{change} since")))
            }
            None => Ok(Some("nothing tells what it was built from".to_owned())),
        }
    }

    /// Names each difference of `now` from these.
    pub(crate) fn changes_to(&self, now: &Self) -> Vec<String> {
        let changed = now
            .0
            .iter()
            .filter_map(|(path, digest)| match self.0.get(path) {
                Some(built) if built == digest => None,
                Some(_) => Some(format!("{path} was changed")),
                None => Some(format!("{path} was added")),
            });
        let removed = self.0.keys().filter(|path| !now.0.contains_key(*path));
        let removed = removed.map(|path| format!("{path} was removed"));
        changed.chain(removed).collect()
    }
}

/// The time of the last change and the length of every source of a project, by which an edit shows
/// without reading what is in them.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct SourceStamps(BTreeMap<String, (SystemTime, u64)>);

impl SourceStamps {
    /// The stamps of the project in `directory` at this moment. A file that goes away meanwhile
    /// has none.
    ///
    /// # Errors
    /// When a directory cannot be read, and when there is too much.
    pub(crate) fn of(directory: &Path) -> anyhow::Result<Self> {
        let files = listed(&mut Walk::new(directory, PROJECT), directory)?;
        let stamps = files.into_iter().filter_map(|(name, path)| {
            let metadata = path.metadata().ok()?;
            Some((name, (metadata.modified().ok()?, metadata.len())))
        });
        Ok(Self(stamps.collect()))
    }

    /// The same without the files called so.
    #[must_use]
    pub(crate) fn without(mut self, names: &[&str]) -> Self {
        self.0.retain(|name, _| !names.contains(&name.as_str()));
        self
    }
}

/// Copies the sources of the project in `directory` to `place`, so that a build program cannot
/// change the originals. Links that lead out of the project are left out.
///
/// # Errors
/// When a file cannot be read or written, and when there is too much.
pub(crate) fn copy(directory: &Path, place: &Path) -> anyhow::Result<()> {
    copy_within(PROJECT, directory, place)
}

/// The same for packages of an environment that the user made.
pub(super) fn copy_packages(directory: &Path, place: &Path) -> anyhow::Result<()> {
    copy_within(ENVIRONMENT, directory, place)
}

fn copy_within(bounds: Bounds, directory: &Path, place: &Path) -> anyhow::Result<()> {
    let failed = || format!("{} cannot be read", directory.display());
    let root = directory.canonicalize().with_context(failed)?;
    let mut walk = Walk::new(&root, bounds);
    for (name, path) in listed(&mut walk, &root)? {
        let from = path.canonicalize().with_context(failed)?;
        if from.starts_with(&root) {
            files::write(&place.join(name), &walk.read(&from)?)?;
        }
    }
    Ok(())
}

/// The sources of the project in `directory`, by their paths there.
fn listed(walk: &mut Walk<'_>, directory: &Path) -> anyhow::Result<BTreeMap<String, PathBuf>> {
    walk.files(directory, &is_source)
}

/// True for a file that is a source, and for a directory that may hold some.
fn is_source(path: &str, place: &Path) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let is_hidden = name.starts_with('.') && name != CARGO_SETTINGS;
    if is_hidden || name.ends_with('~') || NOT_SOURCES.contains(&name) {
        return false;
    }
    let is_cache = || MARKS_OF_CACHES.iter().any(|mark| place.join(mark).exists());
    !place.is_dir() || !(place.is_symlink() || is_cache())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(project: &Path, path: &str, text: &str) {
        files::write(&project.join(path), text.as_bytes()).unwrap();
    }

    #[track_caller]
    fn check(act: impl Fn(&Path), expect: Option<&str>) {
        let project = tempfile::tempdir().unwrap();
        let project = project.path();
        write(project, "src/lib.rs", "one");
        write(project, "tool.toml", "two");
        let package = project.join("dist");
        Sources::of(project).unwrap().write(&package).unwrap();
        act(project);
        let change = Sources::change_since(project, &package).unwrap();
        assert_eq!(change.as_deref(), expect);
    }

    #[test]
    fn a_change_of_any_source_is_seen_and_named() {
        check(|_| {}, None);
        check(
            |project| write(project, "src/lib.rs", "other"),
            Some("src/lib.rs was changed since"),
        );
        check(
            |project| write(project, "src/more.rs", "new"),
            Some("src/more.rs was added since"),
        );
        check(
            |project| std::fs::remove_file(project.join("tool.toml")).unwrap(),
            Some("tool.toml was removed since"),
        );
        check(
            |project| write(project, ".cargo/config.toml", "new"),
            Some(".cargo/config.toml was added since"),
        );
    }

    #[test]
    fn a_file_written_anew_with_the_same_contents_is_no_change() {
        check(|project| write(project, "src/lib.rs", "one"), None);
    }

    #[test]
    fn what_builds_and_editors_write_is_no_source() {
        for path in [
            "target/release/x.wasm",
            "node_modules/a/index.js",
            "__pycache__/app.pyc",
            ".git/index",
            "src/.lib.rs.swp",
            "src/lib.rs~",
            "venv/pyvenv.cfg",
            "tests/words.toml",
            "tests/recordings/words.json",
        ] {
            check(|project| write(project, path, "made"), None);
        }
    }

    #[test]
    fn a_package_without_a_record_is_not_trusted() {
        check(
            |project| std::fs::remove_file(project.join("dist/sources.json")).unwrap(),
            Some("nothing tells what it was built from"),
        );
        check(
            |project| write(project, "dist/sources.json", "?"),
            Some("nothing tells what it was built from"),
        );
    }

    #[test]
    #[cfg(unix)]
    fn a_copy_holds_the_sources_and_nothing_from_elsewhere() {
        use std::os::unix::fs::symlink;
        let directory = tempfile::tempdir().unwrap();
        let (project, place) = (directory.path().join("a"), directory.path().join("b"));
        for path in ["src/lib.py", "app.py", "target/made", ".git/config"] {
            write(&project, path, path);
        }
        write(directory.path(), "secret", "mine");
        symlink("../secret", project.join("leads-out")).unwrap();
        symlink("app.py", project.join("stays-in")).unwrap();
        copy(&project, &place).unwrap();
        let copied = Sources::of(&place).unwrap();
        let names: Vec<&str> = copied.0.keys().map(String::as_str).collect();
        assert_eq!(names, ["app.py", "src/lib.py", "stays-in"]);
    }

    #[test]
    fn what_the_build_wrote_is_read_again() {
        let project = tempfile::tempdir().unwrap();
        let project = project.path();
        write(project, "a", "");
        let mut before = Sources::of(project).unwrap();
        write(project, "Cargo.lock", "made");
        before.renew(project, "Cargo.lock").unwrap();
        before.renew(project, "absent").unwrap();
        assert_eq!(before, Sources::of(project).unwrap());
    }
}
