//! Refuses guest paths with guarded names; resolves others to an open directory and name for WASI.
//!
//! Where names are guarded, WASI's functions never get the guest's path. They get the directory
//! that it led to, held open, and a name in it that is no link. So nobody can put a link in between
//! the check and the use. Systems other than Unix cannot hold such a directory: there a path with a
//! link in it is refused, and a tool can make none.
//!
//! A program outside can still rename a directory that is held to a guarded name, or make a hard
//! link to a guarded file: a tool then changes what it had reached before, or what it finds under
//! the other name.

use std::sync::Arc;

use wasmtime::component::{Resource, ResourceTableError};
use wasmtime_wasi::FsPerms;
use wasmtime_wasi::filesystem::{Descriptor, Dir};
use wasmtime_wasi::p2::FsResult;
use wasmtime_wasi::p2::bindings::filesystem::types::{ErrorCode, PathFlags};

use crate::approval::denial::Denial;
use crate::call::state::CallState;
use crate::imports::directories::guard::Guard;
use crate::imports::directories::path::{LastLink, PathError, ResolvedPath};
#[cfg(unix)]
use crate::imports::directories::walk;
#[cfg(not(unix))]
use crate::imports::directories::walk_non_unix as walk;

/// True where links below a directory are followed, and may be made.
pub(super) const FOLLOWS_LINKS: bool = walk::FOLLOWS_LINKS;

pub(super) type Fd = Resource<Descriptor>;

/// A path as WASI's own functions are given it.
pub(super) struct TargetPath {
    rep: u32,
    pub(super) path: String,
    /// The directory that was reached, if the guest does not hold it itself.
    reached: Option<Fd>,
    is_followed: bool,
}

impl TargetPath {
    pub(super) fn fd(&self) -> Fd {
        Resource::new_borrow(self.rep)
    }

    /// The flags that go with the path, where the guest asked for `flags`.
    pub(super) fn flags(&self, flags: PathFlags) -> PathFlags {
        match self.is_followed {
            true => PathFlags::empty(),
            false => flags,
        }
    }
}

/// The way to the end of a path. Whoever walks it holds nothing of the call's state meanwhile.
pub(super) enum Way {
    /// There is nothing to be found out.
    Known(TargetPath),
    /// A path that is to be walked.
    Walk(Walk),
}

pub(super) struct Walk {
    directory: Dir,
    path: String,
    last: LastLink,
    guard: Arc<Guard>,
}

impl Walk {
    pub(super) async fn go(&self) -> Result<ResolvedPath, PathError> {
        let (start, path) = (self.directory.dir.clone(), self.path.clone());
        let (last, guard) = (self.last, self.guard.clone());
        let walk = move || walk::walk(&start, &path, last, &guard);
        wasmtime_wasi::runtime::spawn_blocking(walk).await
    }
}

impl CallState {
    /// Finds where `path` leads from `fd`. The result is given back by [`CallState::release`].
    pub(super) async fn resolve(
        &mut self,
        fd: &Fd,
        path: String,
        last: LastLink,
    ) -> FsResult<TargetPath> {
        match self.way(fd, path, last)? {
            Way::Known(target) => Ok(target),
            Way::Walk(walk) => {
                let led = walk.go().await;
                self.arrive(fd, walk, led)
            }
        }
    }

    /// The way to where `path` leads from `fd`.
    pub(super) fn way(&mut self, fd: &Fd, path: String, last: LastLink) -> FsResult<Way> {
        let as_it_is = |path| {
            Way::Known(TargetPath {
                rep: fd.rep(),
                path,
                reached: None,
                is_followed: false,
            })
        };
        let guard = self.policy.guard.clone();
        let Some(directory) = self.guarded_directory(fd, &guard)? else {
            return Ok(as_it_is(path));
        };
        if let Some(name) = guard.refuses(&path) {
            return Err(self.refused(name).into());
        }
        // A single name that is not followed leads to itself. If it is guarded, the walk decides by
        // the directory whether a person excepted it.
        let is_one_name = last == LastLink::Keep && !path.contains('/');
        if path.is_empty() || is_one_name && guard.guarded_name(&path).is_none() {
            return Ok(as_it_is(path));
        }
        Ok(Way::Walk(Walk {
            directory,
            path,
            last,
            guard,
        }))
    }

    /// The end of `walk` from `fd`, which `led` there.
    pub(super) fn arrive(
        &mut self,
        fd: &Fd,
        walk: Walk,
        led: Result<ResolvedPath, PathError>,
    ) -> FsResult<TargetPath> {
        match led {
            Ok(reached) => Ok(self.place(fd, walk.directory, reached)?),
            Err(PathError::Guarded(name)) => Err(self.refused(&name).into()),
            Err(PathError::Failed(error)) => Err(error.into()),
        }
    }

    /// Finds where two paths lead.
    pub(super) async fn resolve_both(
        &mut self,
        (fd, path): (&Fd, String),
        (other, other_path): (&Fd, String),
    ) -> FsResult<(TargetPath, TargetPath)> {
        let first = self.resolve(fd, path, LastLink::Keep).await?;
        match self.resolve(other, other_path, LastLink::Keep).await {
            Ok(second) => Ok((first, second)),
            Err(error) => {
                self.release(first)?;
                Err(error)
            }
        }
    }

    pub(super) fn release(&mut self, place: TargetPath) -> Result<(), ResourceTableError> {
        match place.reached {
            Some(fd) => self.table().delete(fd).map(drop),
            None => Ok(()),
        }
    }

    /// The directory `fd`, where the tool may change things in it and has to leave some alone.
    fn guarded_directory(
        &mut self,
        fd: &Fd,
        guard: &Guard,
    ) -> Result<Option<Dir>, ResourceTableError> {
        if guard.is_empty() {
            return Ok(None);
        }
        Ok(match self.table().get(fd)? {
            Descriptor::Dir(directory) if directory.perms == FsPerms::ReadWrite => {
                Some(directory.clone())
            }
            _ => None,
        })
    }

    fn refused(&self, name: &str) -> ErrorCode {
        let denial = Denial::guarded(&self.policy.tool, name);
        self.record.denials.add(denial);
        ErrorCode::NotPermitted
    }

    fn place(
        &mut self,
        fd: &Fd,
        from: Dir,
        reached: ResolvedPath,
    ) -> Result<TargetPath, ResourceTableError> {
        let directory = match reached.directory {
            Some(file) => {
                let directory = Dir::new(file, from.perms, from.open_mode, false);
                Some(self.table().push(Descriptor::Dir(directory))?)
            }
            None => None,
        };
        Ok(TargetPath {
            rep: directory.as_ref().unwrap_or(fd).rep(),
            path: reached.name,
            reached: directory,
            is_followed: FOLLOWS_LINKS,
        })
    }
}
