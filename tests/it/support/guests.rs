//! Builds the sample tools, each once, with the command under test from a copy of their sources.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::{Home, kept, root};

/// The sample tools and what each is written in.
pub(crate) const RUST: [&str; 6] = [
    "text-stats",
    "calculator",
    "notes",
    "fetch-page",
    "tally",
    "thumbnail",
];
pub(crate) const PYTHON: [&str; 2] = ["slugify", "run-python"];
pub(crate) const JAVASCRIPT: [&str; 2] = ["json-query", "run-javascript"];

/// The project directory of a sample tool, with its package built in `dist`.
#[track_caller]
pub(crate) fn built(name: &str) -> PathBuf {
    try_build(name).unwrap_or_else(|error| panic!("{name} cannot be built: {error}"))
}

/// As [`built`], or why it cannot be.
pub(crate) fn try_build(name: &str) -> Result<PathBuf, String> {
    type Built = Arc<OnceLock<Result<PathBuf, String>>>;
    static BUILT: Mutex<BTreeMap<String, Built>> = Mutex::new(BTreeMap::new());
    // A test waits only for the tool that it needs, not for others that are being built.
    let mut tools = BUILT.lock().unwrap_or_else(PoisonError::into_inner);
    let built = tools.entry(name.to_owned()).or_default().clone();
    drop(tools);
    built
        .get_or_init(|| build(copies().join("sample-tools").join(name)))
        .clone()
}

/// A tool of this repository that only a test uses, with its package built in `dist`.
#[track_caller]
pub(crate) fn fixture(path: &str) -> PathBuf {
    let project = copies().join(path);
    copy(&root().join(path), &project);
    build(project).unwrap_or_else(|error| panic!("{path} cannot be built: {error}"))
}

/// Builds what `tool new` makes in `language`, or says why it cannot be built.
pub(crate) fn try_scaffold(language: &str) -> Result<(), String> {
    let home = Home::new();
    home.run(["new", "greeter", "--lang", language]).ok();
    let ran = home.run(["build", "greeter"]);
    match ran.code() {
        0 => Ok(()),
        _ => Err(ran.stderr()),
    }
}

fn build(project: PathBuf) -> Result<PathBuf, String> {
    let trusting = [Path::new("build"), Path::new("--trust"), &project];
    let ran = Home::new().run(trusting);
    match ran.code() {
        0 => Ok(project),
        _ => Err(ran.stderr()),
    }
}

/// A copy of the sources, in a place that survives, so that a second run builds only what
/// changed.
fn copies() -> &'static Path {
    static COPIES: OnceLock<PathBuf> = OnceLock::new();
    COPIES.get_or_init(|| {
        let copies = kept().join("guests");
        copy_sources(&copies);
        copies
    })
}

/// Copies the sources of this repository's tools, and what they are built against, to `place`.
pub(crate) fn copy_sources(place: &Path) {
    for directory in ["wit", "sample-tools"] {
        copy(&root().join(directory), &place.join(directory));
    }
}

/// Copies what is new or changed; a file that is the same keeps its time, by which build
/// tools know that there is nothing to do.
fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a directory");
    for entry in std::fs::read_dir(from).expect("a directory of the repository") {
        let entry = entry.expect("an entry");
        let (source, target) = (entry.path(), to.join(entry.file_name()));
        let name = entry.file_name();
        if ["target", "dist", "node_modules", "__pycache__"]
            .iter()
            .any(|made| name == *made)
        {
            continue;
        }
        if source.is_dir() {
            copy(&source, &target);
            continue;
        }
        let contents = std::fs::read(&source).expect("a file of the repository");
        if std::fs::read(&target).ok().as_deref() != Some(&contents) {
            std::fs::write(&target, contents).expect("a copy");
        }
    }
}
