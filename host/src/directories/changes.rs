//! Operations that guests are denied in directories with write access: creating links that could
//! lead out, and touching names that have a meaning for the user's other programs. WASI's own
//! functions check neither, so this wraps those that take a path.
//!
//! Both rules check only the path, so there is no time between the check and the operation in which
//! the result could change.

use wasmtime::component::{Linker, LinkerInstance, Resource};
use wasmtime_wasi::FsPerms;
use wasmtime_wasi::filesystem::{Descriptor, WasiFilesystemView as _};
use wasmtime_wasi::p2::FsResult;
use wasmtime_wasi::p2::bindings::filesystem::types::{
    DescriptorFlags, ErrorCode, HostDescriptor as Wasi, NewTimestamp, OpenFlags, PathFlags,
};

use crate::call::state::CallState;
use crate::grant::Denial;

/// The interface under which WASI's own functions are linked. Guests that import an older version
/// get this one.
const INTERFACE: &str = "wasi:filesystem/types@0.2.12";

type Fd = Resource<Descriptor>;
type Answer<T> = wasmtime::Result<(Result<T, ErrorCode>,)>;

/// Replaces those of WASI's functions that may be refused.
pub(crate) fn add_to_linker(linker: &mut Linker<CallState>) -> wasmtime::Result<()> {
    linker.allow_shadowing(true);
    let mut types = linker.instance(INTERFACE)?;
    one_path(&mut types)?;
    two_paths(&mut types)?;
    linker.allow_shadowing(false);
    Ok(())
}

fn one_path(types: &mut LinkerInstance<'_, CallState>) -> wasmtime::Result<()> {
    types.func_wrap_async(
        "[method]descriptor.create-directory-at",
        |mut store, (fd, path): (Fd, String)| {
            Box::new(async move {
                let state: &mut CallState = store.data_mut();
                if state.guards(&fd, &path)? {
                    return refused();
                }
                answer(Wasi::create_directory_at(&mut state.filesystem(), fd, path).await)
            })
        },
    )?;
    types.func_wrap_async(
        "[method]descriptor.set-times-at",
        |mut store, (fd, flags, path, read, changed): (Fd, PathFlags, String, NewTimestamp, NewTimestamp)| {
            Box::new(async move {
                let state: &mut CallState = store.data_mut();
                if state.guards(&fd, &path)? {
                    return refused();
                }
                let mut files = state.filesystem();
                answer(Wasi::set_times_at(&mut files, fd, flags, path, read, changed).await)
            })
        },
    )?;
    types.func_wrap_async(
        "[method]descriptor.open-at",
        |mut store, (fd, follow, path, how, flags): (Fd, PathFlags, String, OpenFlags, DescriptorFlags)| {
            Box::new(async move {
                let state: &mut CallState = store.data_mut();
                // Checked for reading, too: a directory opened here leads on under other paths.
                if state.guards(&fd, &path)? {
                    return refused();
                }
                answer(Wasi::open_at(&mut state.filesystem(), fd, follow, path, how, flags).await)
            })
        },
    )?;
    types.func_wrap_async(
        "[method]descriptor.remove-directory-at",
        |mut store, (fd, path): (Fd, String)| {
            Box::new(async move {
                let state: &mut CallState = store.data_mut();
                if state.guards(&fd, &path)? {
                    return refused();
                }
                answer(Wasi::remove_directory_at(&mut state.filesystem(), fd, path).await)
            })
        },
    )?;
    types.func_wrap_async(
        "[method]descriptor.unlink-file-at",
        |mut store, (fd, path): (Fd, String)| {
            Box::new(async move {
                let state: &mut CallState = store.data_mut();
                if state.guards(&fd, &path)? {
                    return refused();
                }
                answer(Wasi::unlink_file_at(&mut state.filesystem(), fd, path).await)
            })
        },
    )
}

fn two_paths(types: &mut LinkerInstance<'_, CallState>) -> wasmtime::Result<()> {
    types.func_wrap_async(
        "[method]descriptor.link-at",
        |mut store, (fd, flags, from, other, to): (Fd, PathFlags, String, Fd, String)| {
            Box::new(async move {
                let state: &mut CallState = store.data_mut();
                if state.guards(&fd, &from)? || state.guards(&other, &to)? {
                    return refused();
                }
                answer(Wasi::link_at(&mut state.filesystem(), fd, flags, from, other, to).await)
            })
        },
    )?;
    types.func_wrap_async(
        "[method]descriptor.rename-at",
        |mut store, (fd, from, other, to): (Fd, String, Fd, String)| {
            Box::new(async move {
                let state: &mut CallState = store.data_mut();
                if state.guards(&fd, &from)? || state.guards(&other, &to)? {
                    return refused();
                }
                answer(Wasi::rename_at(&mut state.filesystem(), fd, from, other, to).await)
            })
        },
    )?;
    types.func_wrap_async(
        "[method]descriptor.symlink-at",
        |mut store, (fd, target, path): (Fd, String, String)| {
            Box::new(async move {
                let state: &mut CallState = store.data_mut();
                let guarded = state.guards(&fd, &target)? || state.guards(&fd, &path)?;
                if guarded || may_lead_out(&target) {
                    return refused();
                }
                answer(Wasi::symlink_at(&mut state.filesystem(), fd, target, path).await)
            })
        },
    )
}

impl CallState {
    /// True if `path` contains a guarded name and `fd` is a directory with write access. Then the
    /// refusal is recorded.
    fn guards(&mut self, fd: &Fd, path: &str) -> wasmtime::Result<bool> {
        let tool = self.tool.clone();
        let Some(name) = guarded(path, &tool.guarded) else {
            return Ok(false);
        };
        let may_change = match self.table().get(fd)? {
            Descriptor::Dir(directory) => directory.perms == FsPerms::ReadWrite,
            Descriptor::File(_) => false,
        };
        if may_change {
            let denial = Denial::guarded(&tool.known, name);
            self.record.denials.add(denial);
        }
        Ok(may_change)
    }
}

fn refused<T>() -> Answer<T> {
    Ok((Err(ErrorCode::NotPermitted),))
}

fn answer<T>(done: FsResult<T>) -> Answer<T> {
    match done {
        Ok(value) => Ok((Ok(value),)),
        Err(error) => Ok((Err(error.downcast()?),)),
    }
}

/// True if a link to `target` could lead out of its directory, at once or after the link or a
/// directory above it was moved. The guest itself cannot follow it out, but the user's editor, copy
/// and backup programs would. A link that only leads down stays inside wherever it is moved.
fn may_lead_out(target: &str) -> bool {
    let mut parts = target.split(['/', '\\']);
    let is_absolute = target.starts_with(['/', '\\']) || target.contains(':') && cfg!(windows);
    is_absolute || parts.any(|part| part == "..")
}

/// Normalizes a name as file systems compare it: without the characters that some ignore, in one
/// case.
pub(super) fn settled(name: &str) -> String {
    let is_passed_over = |c: char| matches!(c, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}');
    let name = name.split(':').next().unwrap_or_default();
    let name: String = name.chars().filter(|c| !is_passed_over(*c)).collect();
    name.trim_end_matches([' ', '.']).to_lowercase()
}

/// The first of the normalized `names` that a component of `path` matches.
fn guarded<'a>(path: &str, names: &'a [String]) -> Option<&'a str> {
    if names.is_empty() {
        return None;
    }
    let mut parts = path.split(['/', '\\']).map(settled);
    parts.find_map(|part| names.iter().find(|name| **name == part).map(String::as_str))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_lead_down_or_are_not_made() {
        for target in ["file", "deep/er/file", "./file", "..file", "a/...", ""] {
            assert!(!may_lead_out(target), "{target}");
        }
        for target in [
            "/etc",
            "..",
            "../x",
            "a/../../x",
            "a/../b",
            "a\\..\\..",
            "\\x",
        ] {
            assert!(may_lead_out(target), "{target}");
        }
    }

    #[test]
    fn a_guarded_name_is_found_however_it_is_written() {
        let names = [".git".to_owned(), "toolbox.toml".to_owned()];
        for path in [
            ".git",
            ".git/hooks/post-checkout",
            "a/.GIT/config",
            "./.git.",
            ".git /config",
            ".g\u{200c}it/config",
            ".git::$INDEX_ALLOCATION/config",
            "a\\.git\\config",
            "Toolbox.toml",
        ] {
            assert!(guarded(path, &names).is_some(), "{path}");
        }
        for path in [
            "git",
            ".gitignore",
            "a/.github/x",
            "toolbox.toml.md",
            "",
            ".",
        ] {
            assert_eq!(guarded(path, &names), None, "{path}");
        }
    }
}
