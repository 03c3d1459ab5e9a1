//! Refuses guest paths that have a guarded name or a link in them, on systems other than Unix.
//! Directories cannot be held open there.
//!
//! A program outside can put a link there between the check and the use. The tool itself cannot,
//! because it makes no links on such a system.

use std::fs::File;
use std::io::ErrorKind;
use std::path::Path;

use cap_primitives::fs::{FollowSymlinks, stat};
use wasmtime_wasi::p2::bindings::filesystem::types::ErrorCode;

use crate::imports::directories::guard::Guard;
use crate::imports::directories::path::{LastLink, PathError, ResolvedPath};

/// Links are not followed here, so a tool may make none.
pub(super) const FOLLOWS_LINKS: bool = false;

/// Gives `path` back as it is, from `start`, if no part of it is a link or a guarded name.
///
/// A name that a person excepted in one directory is refused in all: directories cannot be told
/// apart here by what they are.
pub(super) fn walk(
    start: &File,
    path: &str,
    last: LastLink,
    guard: &Guard,
) -> Result<ResolvedPath, PathError> {
    if let Some(name) = guard.named_in(path).next() {
        return Err(PathError::Guarded(name.to_owned()));
    }
    let whole = path.trim_end_matches(['/', '\\']);
    let above = whole.match_indices(['/', '\\']).map(|(end, _)| end);
    for end in above.filter(|end| *end > 0) {
        refuse_link(start, &whole[..end])?;
    }
    if last == LastLink::Follow && !whole.is_empty() {
        match refuse_link(start, whole) {
            // It may be about to be made.
            Err(PathError::Failed(ErrorCode::NoEntry)) => {}
            checked => checked?,
        }
    }
    Ok(ResolvedPath {
        directory: None,
        name: path.to_owned(),
    })
}

fn refuse_link(start: &File, path: &str) -> Result<(), PathError> {
    match stat(start, Path::new(path), FollowSymlinks::No) {
        Ok(found) if found.is_symlink() => Err(ErrorCode::NotPermitted.into()),
        Ok(_) => Ok(()),
        Err(error) if error.kind() == ErrorKind::PermissionDenied => {
            Err(ErrorCode::NotPermitted.into())
        }
        Err(error) => Err(PathError::Failed(error.into())),
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    use tool_hub_manifest::{Access, Grants};

    /// Checks `path` in `base`, where `.git` is guarded, although a person insisted on it.
    fn walked(base: &Path, path: &str, last: LastLink) -> Result<String, String> {
        let start = File::open(base).unwrap();
        let mut config = crate::HostConfig::new();
        config.guarded_names = vec![".git".into()];
        let name = "notes".parse().unwrap();
        let mut grants = Grants::none().directory(name, base, Access::ReadWrite);
        for grant in grants.directories.values_mut() {
            grant.despite.insert(base.join(".git"));
        }
        match walk(&start, path, last, &Guard::new(&grants, &config)) {
            Ok(reached) if reached.directory.is_none() => Ok(reached.name),
            Ok(_) => Err("a directory".into()),
            Err(PathError::Guarded(name)) => Err(name),
            Err(PathError::Failed(error)) => Err(error.to_string()),
        }
    }

    #[test]
    fn no_link_is_followed_and_no_guarded_name_is_given() {
        let base = tempfile::tempdir().unwrap();
        let base = base.path().canonicalize().unwrap();
        std::fs::create_dir_all(base.join("a/b")).unwrap();
        std::fs::create_dir(base.join(".git")).unwrap();
        for (target, name) in [(".git", "to-git"), ("../.git", "a/up"), ("b", "a/to-b")] {
            symlink(target, base.join(name)).unwrap();
        }
        use LastLink::{Follow, Keep};
        for (path, last) in [
            ("a/b", Follow),
            ("a/b/", Follow),
            ("a/b/../new", Follow),
            ("a", Keep),
            (".", Follow),
            ("to-git", Keep),
            ("a/to-b", Keep),
        ] {
            assert_eq!(walked(&base, path, last).as_deref(), Ok(path), "{path}");
        }
        let not_permitted = ErrorCode::NotPermitted.to_string();
        for (path, last) in [
            ("to-git", Follow),
            ("to-git/config", Keep),
            ("a/up/config", Keep),
            ("a/to-b/x", Keep),
            ("a/to-b/../../.gitignore", Follow),
            ("../x", Follow),
            ("a/../../x", Follow),
        ] {
            assert_eq!(
                walked(&base, path, last),
                Err(not_permitted.clone()),
                "{path}"
            );
        }
        for path in [".git/config", "a/.GIT/x", "a\\.git\\x"] {
            assert_eq!(walked(&base, path, Keep), Err(".git".into()), "{path}");
        }
        const { assert!(!FOLLOWS_LINKS) };
        let no_entry = ErrorCode::NoEntry.to_string();
        assert_eq!(walked(&base, "absent/x", Keep), Err(no_entry));
    }
}
