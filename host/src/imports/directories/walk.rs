//! Walks a guest's path name by name, on Unix; refuses guarded names and ways out of a directory.
//! It follows links. The directory that is reached is held open.

use std::fs::File;
use std::path::Path;

use rustix::fs::{Mode, OFlags, openat, readlinkat};
use rustix::io::Errno;
use wasmtime_wasi::p2::bindings::filesystem::types::ErrorCode;

use crate::imports::directories::guard::Guard;
use crate::imports::directories::path::{LastLink, PathError, ResolvedPath};

/// Links are followed here, name by name, so a tool may make some.
pub(super) const FOLLOWS_LINKS: bool = true;
/// Linux follows as many.
const LINKS_MAX: u32 = 40;
/// Every directory on the way is held until its end.
const DEPTH_MAX: usize = 128;
/// Systems take no longer paths.
const PATH_BYTES_MAX: usize = 4096;

/// Passing through a directory needs no right to list it, where a system can tell.
#[cfg(target_os = "linux")]
const PASSING: OFlags = OFlags::PATH;
#[cfg(not(target_os = "linux"))]
const PASSING: OFlags = OFlags::RDONLY;

/// Follows `path` from `start`, and never out of it.
pub(super) fn walk(
    start: &File,
    path: &str,
    last: LastLink,
    guard: &Guard,
) -> Result<ResolvedPath, PathError> {
    let (path, slashes) = match last {
        // A name to be made, renamed or removed may be written as a directory.
        LastLink::Keep if !path.starts_with('/') => path.split_at(path.trim_end_matches('/').len()),
        _ => (path, ""),
    };
    let mut walk = Walk {
        start,
        below: Vec::new(),
        left: Vec::new(),
        links: 0,
    };
    walk.put(path)?;
    while let Some(part) = walk.left.pop() {
        match part.as_str() {
            "" | "." => {}
            ".." => drop(walk.below.pop().ok_or(ErrorCode::NotPermitted)?),
            name => {
                walk.look(name, guard)?;
                let is_last = walk.left.is_empty();
                if !is_last {
                    walk.enter(name)?;
                } else if last == LastLink::Keep || !walk.follow(name)? {
                    return Ok(walk.end(format!("{name}{slashes}")));
                }
            }
        }
    }
    Ok(walk.end(".".to_owned()))
}

struct Walk<'a> {
    start: &'a File,
    /// The directories that were entered and not left again.
    below: Vec<File>,
    /// The parts still to go, the next one at the end.
    left: Vec<String>,
    links: u32,
}

impl Walk<'_> {
    fn here(&self) -> &File {
        self.below.last().unwrap_or(self.start)
    }

    /// Puts the parts of `path` before what is left.
    fn put(&mut self, path: &str) -> Result<(), ErrorCode> {
        if path.starts_with('/') {
            return Err(ErrorCode::NotPermitted);
        }
        if path.len() > PATH_BYTES_MAX {
            return Err(ErrorCode::NameTooLong);
        }
        self.left.extend(path.split('/').rev().map(str::to_owned));
        Ok(())
    }

    /// Stops at a guarded name, unless a person insisted on it in this very directory.
    fn look(&self, name: &str, guard: &Guard) -> Result<(), PathError> {
        let Some(meant) = guard.guarded_name(name) else {
            return Ok(());
        };
        let mut given = guard.exceptions(meant);
        match given.any(|directory| is_same(self.here(), directory)) {
            true => Ok(()),
            false => Err(PathError::Guarded(meant.to_owned())),
        }
    }

    fn enter(&mut self, name: &str) -> Result<(), PathError> {
        let flags = PASSING | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        match openat(self.here(), name, flags, Mode::empty()) {
            Ok(_) if self.below.len() >= DEPTH_MAX => Err(ErrorCode::NameTooLong.into()),
            Ok(directory) => {
                self.below.push(directory.into());
                Ok(())
            }
            Err(error) => match self.follow(name)? {
                true => Ok(()),
                false => Err(error.into()),
            },
        }
    }

    /// Puts what the link `name` says in its place; false where it is no link.
    fn follow(&mut self, name: &str) -> Result<bool, PathError> {
        let Ok(target) = readlinkat(self.here(), name, Vec::new()) else {
            return Ok(false);
        };
        self.links += 1;
        if self.links > LINKS_MAX {
            return Err(ErrorCode::Loop.into());
        }
        let target = target.into_string();
        let target = target.map_err(|_| ErrorCode::IllegalByteSequence)?;
        self.put(&target)?;
        Ok(true)
    }

    fn end(mut self, name: String) -> ResolvedPath {
        ResolvedPath {
            directory: self.below.pop(),
            name,
        }
    }
}

fn is_same(directory: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let identity = |metadata: std::fs::Metadata| (metadata.dev(), metadata.ino());
    match (directory.metadata(), path.metadata()) {
        (Ok(one), Ok(other)) => identity(one) == identity(other),
        _ => false,
    }
}

impl From<Errno> for PathError {
    fn from(error: Errno) -> Self {
        Self::Failed(std::io::Error::from(error).into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    /// Walks `path` below `base`, on which names are guarded.
    fn walked(base: &Path, path: &str, last: LastLink) -> Result<ResolvedPath, PathError> {
        let start = File::open(base).unwrap();
        let mut config = crate::HostConfig::new();
        config.guarded_names = vec![".git".into()];
        let guard = Guard::new(&tool_hub_manifest::Grants::none(), &config);
        walk(&start, path, last, &guard)
    }

    #[track_caller]
    fn leads(base: &Path, path: &str, last: LastLink, directory: Option<&str>, name: &str) {
        let reached = match walked(base, path, last) {
            Ok(reached) => reached,
            Err(PathError::Guarded(name)) => panic!("{path} is stopped at {name}"),
            Err(PathError::Failed(error)) => panic!("{path}: {error}"),
        };
        let found = reached.directory.as_ref();
        let is_there = |at: &str| is_same(found.unwrap(), &base.join(at));
        assert_eq!(found.is_some(), directory.is_some(), "{path}");
        assert!(directory.is_none_or(is_there), "{path}");
        assert_eq!(reached.name, name, "{path}");
    }

    #[track_caller]
    fn fails(base: &Path, path: &str, expect: ErrorCode) {
        match walked(base, path, LastLink::Follow) {
            Err(PathError::Failed(error)) => assert_eq!(error, expect, "{path}"),
            Err(PathError::Guarded(name)) => panic!("{path} is stopped at {name}"),
            Ok(reached) => panic!("{path} leads to {}", reached.name),
        }
    }

    #[test]
    fn a_path_ends_at_a_name_that_is_no_link() {
        let base = tempfile::tempdir().unwrap();
        let base = base.path();
        std::fs::create_dir_all(base.join("a/b")).unwrap();
        for (target, name) in [("a", "to-a"), ("b/../new", "a/to-new"), ("../to-a", "a/up")] {
            symlink(target, base.join(name)).unwrap();
        }
        use LastLink::{Follow, Keep};
        leads(base, "file", Follow, None, "file");
        leads(base, "a/b/../x", Follow, Some("a"), "x");
        leads(base, "to-a/x", Keep, Some("a"), "x");
        leads(base, "to-a", Follow, None, "a");
        leads(base, "to-a", Keep, None, "to-a");
        leads(base, "to-a/", Follow, Some("a"), ".");
        leads(base, "a/b/", Keep, Some("a"), "b/");
        leads(base, "a/up/up/to-new", Follow, Some("a"), "new");
        leads(base, "a/b/..", Follow, Some("a"), ".");
        leads(base, "a/..", Follow, None, ".");
        fails(base, "absent/x", ErrorCode::NoEntry);
    }

    #[test]
    fn no_way_leads_out_or_on_without_end() {
        let base = tempfile::tempdir().unwrap();
        let base = base.path().canonicalize().unwrap();
        let deep = vec!["d"; DEPTH_MAX + 1].join("/");
        std::fs::create_dir_all(base.join(&deep)).unwrap();
        for (target, name) in [("..", "up"), ("/", "root"), ("loop", "loop")] {
            symlink(target, base.join(name)).unwrap();
        }
        for path in [
            "/",
            "/d",
            "..",
            "d/../..",
            "up",
            "up/x",
            "d/../up/x",
            "root/x",
        ] {
            fails(&base, path, ErrorCode::NotPermitted);
        }
        for path in ["loop", "loop/x"] {
            fails(&base, path, ErrorCode::Loop);
        }
        let long = "./".repeat(PATH_BYTES_MAX);
        for path in [format!("{deep}/x"), long] {
            fails(&base, &path, ErrorCode::NameTooLong);
        }
    }
}
