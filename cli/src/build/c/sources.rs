//! Finds the C files of a project.

use std::path::{Path, PathBuf};

use crate::build::project::Project;
use crate::terminal::problem::Problem;

/// The source that is built when the manifest names none.
const DEFAULT_SOURCE: &str = "tool.c";

/// The file that the manifest names, or the usual one.
pub(super) fn source(project: Project<'_>) -> &str {
    project.build.source.as_deref().unwrap_or(DEFAULT_SOURCE)
}

/// The project's source and the C files beside it, in order and relative to the project.
pub(super) fn sources(project: Project<'_>) -> anyhow::Result<Vec<PathBuf>> {
    let source = Path::new(source(project));
    if !project.directory.join(source).is_file() {
        return Err(
            Problem::user(format!("there is no {} in the project", source.display()))
                .hint("[build] source in tool.toml names the C file that has the functions")
                .into(),
        );
    }
    let parent = source.parent().unwrap_or(Path::new(""));
    let entries = std::fs::read_dir(project.directory.join(parent))?;
    let mut found = vec![argument(source)];
    for entry in entries {
        let path = parent.join(entry?.file_name());
        if path.extension().is_some_and(|extension| extension == "c") && path != source {
            found.push(argument(&path));
        }
    }
    found.sort();
    Ok(found)
}

/// A path as the compiler takes it: one that begins with `-` or `@` would be an option.
fn argument(path: &Path) -> PathBuf {
    match path.to_string_lossy().starts_with(['-', '@']) {
        true => Path::new(".").join(path),
        false => path.to_owned(),
    }
}
