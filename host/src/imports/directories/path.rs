//! Types for a guest's path: its last directory and name, the link at its end, its errors.

use std::fs::File;

use wasmtime_wasi::p2::bindings::filesystem::types::{ErrorCode, PathFlags};

/// The treatment of a link at the end of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LastLink {
    /// Take it as the name that it is.
    Keep,
    Follow,
}

impl LastLink {
    /// A directory is asked for by a slash at the end: that follows links whatever the flags
    /// say.
    pub(super) fn of(flags: PathFlags, path: &str) -> Self {
        match flags.contains(PathFlags::SYMLINK_FOLLOW) || path.ends_with('/') {
            true => Self::Follow,
            false => Self::Keep,
        }
    }
}

/// The end of a path.
pub(super) struct ResolvedPath {
    /// The directory of `name`; nothing if that is the one in which the path began.
    pub(super) directory: Option<File>,
    pub(super) name: String,
}

/// The reason why a path leads nowhere.
pub(super) enum PathError {
    /// It meets this guarded name.
    Guarded(String),
    Failed(ErrorCode),
}

impl From<ErrorCode> for PathError {
    fn from(error: ErrorCode) -> Self {
        Self::Failed(error)
    }
}
