//! Resolves the path of a client's configuration through links, and reads the file's text.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::Context as _;

use crate::files;
use crate::terminal::problem::Problem;

/// Nobody's configuration is larger.
const FILE_BYTES_MAX: u64 = 64 << 20;

/// The real path of the file at `path`, which need not exist yet.
pub(super) fn target_of(path: &Path) -> anyhow::Result<PathBuf> {
    match path.canonicalize() {
        Ok(target) => Ok(target),
        Err(error) if error.kind() == ErrorKind::NotFound && !path.is_symlink() => {
            Ok(files::real_path(path))
        }
        Err(error) if error.kind() == ErrorKind::NotFound => Err(Problem::user(format!(
            "{} is a broken link",
            path.display()
        ))
        .hint("remove it, or create its target")
        .into()),
        Err(error) => Err(error).with_context(|| unreadable(path)),
    }
}

pub(super) fn unreadable(path: &Path) -> String {
    format!("{} cannot be read", path.display())
}

/// The text at `path`; nothing when nothing is there.
pub(super) fn text_of(path: &Path) -> anyhow::Result<Option<String>> {
    match files::read_text(path, FILE_BYTES_MAX) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Problem::user(error.to_string()).into()),
    }
}
