//! Wraps WASI's file operations in writable directories: no guarded names, no links that lead out.
//! WASI's own functions check neither.

use wasmtime::component::{Linker, LinkerInstance};
use wasmtime_wasi::filesystem::WasiFilesystemView as _;
use wasmtime_wasi::p2::FsResult;
use wasmtime_wasi::p2::bindings::filesystem::types::{
    DescriptorFlags, ErrorCode, HostDescriptor as Wasi, NewTimestamp, OpenFlags, PathFlags,
};

use crate::call::state::CallState;
use crate::imports::directories::path::LastLink;
use crate::imports::directories::resolve::{FOLLOWS_LINKS, Fd, TargetPath};

/// The interface under which WASI's own functions are linked. Guests that import an older version
/// get this one.
const INTERFACE: &str = "wasi:filesystem/types@0.2.12";

type ImportResult<T> = wasmtime::Result<(Result<T, ErrorCode>,)>;

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
            Box::new(async move { answer(store.data_mut().create_directory(fd, path).await) })
        },
    )?;
    types.func_wrap_async(
        "[method]descriptor.set-times-at",
        |mut store, (fd, flags, path, read, changed): (Fd, PathFlags, String, NewTimestamp, NewTimestamp)| {
            Box::new(async move {
                let times = [read, changed];
                answer(store.data_mut().set_times(fd, flags, path, times).await)
            })
        },
    )?;
    types.func_wrap_async(
        "[method]descriptor.open-at",
        |mut store, (fd, follow, path, how, flags): (Fd, PathFlags, String, OpenFlags, DescriptorFlags)| {
            Box::new(async move {
                answer(store.data_mut().open(fd, follow, path, how, flags).await)
            })
        },
    )?;
    types.func_wrap_async(
        "[method]descriptor.remove-directory-at",
        |mut store, (fd, path): (Fd, String)| {
            Box::new(async move { answer(store.data_mut().remove_directory(fd, path).await) })
        },
    )?;
    types.func_wrap_async(
        "[method]descriptor.unlink-file-at",
        |mut store, (fd, path): (Fd, String)| {
            Box::new(async move { answer(store.data_mut().unlink(fd, path).await) })
        },
    )
}

fn two_paths(types: &mut LinkerInstance<'_, CallState>) -> wasmtime::Result<()> {
    types.func_wrap_async(
        "[method]descriptor.link-at",
        |mut store, (fd, flags, from, other, to): (Fd, PathFlags, String, Fd, String)| {
            Box::new(
                async move { answer(store.data_mut().link(flags, (fd, from), (other, to)).await) },
            )
        },
    )?;
    types.func_wrap_async(
        "[method]descriptor.rename-at",
        |mut store, (fd, from, other, to): (Fd, String, Fd, String)| {
            Box::new(async move { answer(store.data_mut().rename((fd, from), (other, to)).await) })
        },
    )?;
    types.func_wrap_async(
        "[method]descriptor.symlink-at",
        |mut store, (fd, target, path): (Fd, String, String)| {
            Box::new(async move { answer(store.data_mut().symlink(fd, target, path).await) })
        },
    )
}

impl CallState {
    async fn create_directory(&mut self, fd: Fd, path: String) -> FsResult<()> {
        let at = self.resolve(&fd, path, LastLink::Keep).await?;
        let mut files = self.filesystem();
        let done = Wasi::create_directory_at(&mut files, at.fd(), at.path.clone()).await;
        self.release(at)?;
        done
    }

    async fn set_times(
        &mut self,
        fd: Fd,
        flags: PathFlags,
        path: String,
        [read, changed]: [NewTimestamp; 2],
    ) -> FsResult<()> {
        let last = LastLink::of(flags, &path);
        let at = self.resolve(&fd, path, last).await?;
        let (flags, path) = (at.flags(flags), at.path.clone());
        let mut files = self.filesystem();
        let done = Wasi::set_times_at(&mut files, at.fd(), flags, path, read, changed).await;
        self.release(at)?;
        done
    }

    /// Resolves the path for reading too: an opened directory is the start of other paths.
    async fn open(
        &mut self,
        fd: Fd,
        follow: PathFlags,
        path: String,
        how: OpenFlags,
        flags: DescriptorFlags,
    ) -> FsResult<Fd> {
        // A name that has to be new is no link to be followed.
        let follow = match how.contains(OpenFlags::CREATE | OpenFlags::EXCLUSIVE) {
            true => PathFlags::empty(),
            false => follow,
        };
        let last = LastLink::of(follow, &path);
        let at = self.resolve(&fd, path, last).await?;
        let (follow, path) = (at.flags(follow), at.path.clone());
        let mut files = self.filesystem();
        let done = Wasi::open_at(&mut files, at.fd(), follow, path, how, flags).await;
        self.release(at)?;
        done
    }

    async fn remove_directory(&mut self, fd: Fd, path: String) -> FsResult<()> {
        let at = self.resolve(&fd, path, LastLink::Keep).await?;
        let mut files = self.filesystem();
        let done = Wasi::remove_directory_at(&mut files, at.fd(), at.path.clone()).await;
        self.release(at)?;
        done
    }

    async fn unlink(&mut self, fd: Fd, path: String) -> FsResult<()> {
        let at = self.resolve(&fd, path, LastLink::Keep).await?;
        let mut files = self.filesystem();
        let done = Wasi::unlink_file_at(&mut files, at.fd(), at.path.clone()).await;
        self.release(at)?;
        done
    }

    async fn link(
        &mut self,
        flags: PathFlags,
        (fd, from): (Fd, String),
        (other, to): (Fd, String),
    ) -> FsResult<()> {
        let (old, new) = self.resolve_both((&fd, from), (&other, to)).await?;
        let (from, to) = (old.path.clone(), new.path.clone());
        let mut files = self.filesystem();
        let done = Wasi::link_at(&mut files, old.fd(), flags, from, new.fd(), to).await;
        self.release(old)?;
        self.release(new)?;
        done
    }

    async fn rename(
        &mut self,
        (fd, from): (Fd, String),
        (other, to): (Fd, String),
    ) -> FsResult<()> {
        let (old, new) = self.resolve_both((&fd, from), (&other, to)).await?;
        let (from, to) = (old.path.clone(), new.path.clone());
        let mut files = self.filesystem();
        let done = Wasi::rename_at(&mut files, old.fd(), from, new.fd(), to).await;
        self.release(old)?;
        self.release(new)?;
        done
    }

    async fn symlink(&mut self, fd: Fd, target: String, path: String) -> FsResult<()> {
        self.check_links_made()?;
        let led = self.resolve(&fd, beside(&path, &target), LastLink::Follow);
        let led = led.await;
        self.check_led(led, &target)?;
        let at = self.resolve(&fd, path, LastLink::Keep).await?;
        let mut files = self.filesystem();
        let done = Wasi::symlink_at(&mut files, at.fd(), target, at.path.clone()).await;
        self.release(at)?;
        done
    }

    /// Refuses all links where another call of the tool, or another task of this one, could put
    /// one in a path between that path's check and its use.
    pub(super) fn check_links_made(&mut self) -> FsResult<()> {
        match !FOLLOWS_LINKS && !self.policy.guard.is_empty() {
            true => Err(ErrorCode::NotPermitted.into()),
            false => Ok(()),
        }
    }

    /// Refuses a link to `target` that could lead out, or that leads to a guarded name, by other
    /// links too: it `led` there.
    pub(super) fn check_led(&mut self, led: FsResult<TargetPath>, target: &str) -> FsResult<()> {
        match led {
            Ok(led) => self.release(led)?,
            // The link leads nowhere yet, and is checked again when it is used.
            Err(error) if may_change(error.downcast_ref()) && !self.policy.guard.names(target) => {}
            Err(error) => return Err(error),
        }
        match may_lead_out(target) {
            true => Err(ErrorCode::NotPermitted.into()),
            false => Ok(()),
        }
    }
}

/// The path to which a link to `target` at `path` would lead.
pub(super) fn beside(path: &str, target: &str) -> String {
    match path.rsplit_once('/') {
        Some((above, _)) => format!("{above}/{target}"),
        None => target.to_owned(),
    }
}

/// Tells errors of the file system, which may change, from refusals and traps.
fn may_change(error: Option<&ErrorCode>) -> bool {
    error.is_some_and(|error| *error != ErrorCode::NotPermitted)
}

fn answer<T>(done: FsResult<T>) -> ImportResult<T> {
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
}
