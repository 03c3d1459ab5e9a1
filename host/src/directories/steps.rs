//! The way of a path through a directory, name by name: no link is followed but by putting
//! what it says in its place, so every name on the way is looked at, and what is found is held.

use std::fs::File;
use std::path::Path;

use rustix::fs::{Mode, OFlags, openat, readlinkat};
use rustix::io::Errno;
use wasmtime_wasi::p2::bindings::filesystem::types::ErrorCode;

use super::guard::Guard;
use super::reach::{Last, Reached, Stopped};

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

/// Goes to where `path` leads from `start`, and no way out of it.
pub(super) fn walk(
    start: &File,
    path: &str,
    last: Last,
    guard: &Guard,
) -> Result<Reached, Stopped> {
    let (path, slashes) = match last {
        // A name to be made, renamed or removed may be written as a directory.
        Last::Itself if !path.starts_with('/') => path.split_at(path.trim_end_matches('/').len()),
        _ => (path, ""),
    };
    let mut way = Way {
        start,
        below: Vec::new(),
        left: Vec::new(),
        links: 0,
    };
    way.put(path)?;
    while let Some(part) = way.left.pop() {
        match part.as_str() {
            "" | "." => {}
            ".." => drop(way.below.pop().ok_or(ErrorCode::NotPermitted)?),
            name => {
                way.look(name, guard)?;
                let is_last = way.left.is_empty();
                if !is_last {
                    way.enter(name)?;
                } else if last == Last::Itself || !way.follow(name)? {
                    return Ok(way.end(format!("{name}{slashes}")));
                }
            }
        }
    }
    Ok(way.end(".".to_owned()))
}

struct Way<'a> {
    start: &'a File,
    /// The directories that were entered and not left again.
    below: Vec<File>,
    /// The parts still to go, the next one at the end.
    left: Vec<String>,
    links: u32,
}

impl Way<'_> {
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
    fn look(&self, name: &str, guard: &Guard) -> Result<(), Stopped> {
        let Some(meant) = guard.meant_by(name) else {
            return Ok(());
        };
        let mut given = guard.insisted_on(meant);
        match given.any(|directory| is_same(self.here(), directory)) {
            true => Ok(()),
            false => Err(Stopped::Guarded(meant.to_owned())),
        }
    }

    fn enter(&mut self, name: &str) -> Result<(), Stopped> {
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
    fn follow(&mut self, name: &str) -> Result<bool, Stopped> {
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

    fn end(mut self, name: String) -> Reached {
        Reached {
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

impl From<Errno> for Stopped {
    fn from(error: Errno) -> Self {
        Self::Failed(std::io::Error::from(error).into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    /// Walks `path` below `base`, on which names are guarded.
    fn walked(base: &Path, path: &str, last: Last) -> Result<Reached, Stopped> {
        let start = File::open(base).unwrap();
        let mut config = crate::HostConfig::new();
        config.guarded_names = vec![".git".into()];
        let guard = Guard::new(&tool_hub_manifest::Grants::none(), &config);
        walk(&start, path, last, &guard)
    }

    #[track_caller]
    fn leads(base: &Path, path: &str, last: Last, directory: Option<&str>, name: &str) {
        let reached = match walked(base, path, last) {
            Ok(reached) => reached,
            Err(Stopped::Guarded(name)) => panic!("{path} is stopped at {name}"),
            Err(Stopped::Failed(error)) => panic!("{path}: {error}"),
        };
        let found = reached.directory.as_ref();
        let is_there = |at: &str| is_same(found.unwrap(), &base.join(at));
        assert_eq!(found.is_some(), directory.is_some(), "{path}");
        assert!(directory.is_none_or(is_there), "{path}");
        assert_eq!(reached.name, name, "{path}");
    }

    #[track_caller]
    fn fails(base: &Path, path: &str, expect: ErrorCode) {
        match walked(base, path, Last::Followed) {
            Err(Stopped::Failed(error)) => assert_eq!(error, expect, "{path}"),
            Err(Stopped::Guarded(name)) => panic!("{path} is stopped at {name}"),
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
        use Last::{Followed, Itself};
        leads(base, "file", Followed, None, "file");
        leads(base, "a/b/../x", Followed, Some("a"), "x");
        leads(base, "to-a/x", Itself, Some("a"), "x");
        leads(base, "to-a", Followed, None, "a");
        leads(base, "to-a", Itself, None, "to-a");
        leads(base, "to-a/", Followed, Some("a"), ".");
        leads(base, "a/b/", Itself, Some("a"), "b/");
        leads(base, "a/up/up/to-new", Followed, Some("a"), "new");
        leads(base, "a/b/..", Followed, Some("a"), ".");
        leads(base, "a/..", Followed, None, ".");
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
