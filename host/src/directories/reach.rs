//! Finds the end of a guest's path. Where names are guarded, WASI's own functions are given no
//! path of the guest's but the directory that it led to, held open, and one name in it that is
//! no link: nothing can be put in its way between the look and the act.
//!
//! A program outside can still rename a directory that is held to a guarded name, or make a
//! hard link to a guarded file: a tool then changes what it had reached before, or what it
//! finds under the other name.

use std::fs::File;
use std::sync::Arc;

use wasmtime::component::{Resource, ResourceTableError};
use wasmtime_wasi::FsPerms;
use wasmtime_wasi::filesystem::{Descriptor, Dir};
use wasmtime_wasi::p2::FsResult;
use wasmtime_wasi::p2::bindings::filesystem::types::{ErrorCode, PathFlags};

use super::guard::Guard;
use crate::call::state::CallState;
use crate::grant::Denial;

pub(super) type Fd = Resource<Descriptor>;

/// The end of a path: taken as the name that it is, or followed where it is a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Last {
    Itself,
    Followed,
}

impl Last {
    /// A directory is asked for by a slash at the end: that follows links whatever the flags
    /// say.
    pub(super) fn of(flags: PathFlags, path: &str) -> Self {
        match flags.contains(PathFlags::SYMLINK_FOLLOW) || path.ends_with('/') {
            true => Self::Followed,
            false => Self::Itself,
        }
    }
}

/// The end of a path.
pub(super) struct Reached {
    /// The directory of `name`; nothing where that is the one in which the path began.
    pub(super) directory: Option<File>,
    pub(super) name: String,
}

/// Why a path led nowhere.
pub(super) enum Stopped {
    /// At this name.
    Guarded(String),
    Failed(ErrorCode),
}

impl From<ErrorCode> for Stopped {
    fn from(error: ErrorCode) -> Self {
        Self::Failed(error)
    }
}

/// A path as WASI's own functions are given it.
pub(super) struct Place {
    rep: u32,
    pub(super) path: String,
    /// The directory that was reached, if the guest does not hold it itself.
    reached: Option<Fd>,
    is_followed: bool,
}

impl Place {
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

impl CallState {
    /// Finds where `path` leads from `fd`. What is found is left again by
    /// [`CallState::leave`].
    pub(super) async fn reach(&mut self, fd: &Fd, path: String, last: Last) -> FsResult<Place> {
        let as_it_is = |path| Place {
            rep: fd.rep(),
            path,
            reached: None,
            is_followed: false,
        };
        let guard = self.tool.guard.clone();
        let Some(directory) = self.guarded_directory(fd, &guard)? else {
            return Ok(as_it_is(path));
        };
        if let Some(name) = guard.refuses(&path) {
            return Err(self.refused(name).into());
        }
        // One name that is not followed leads to itself. It is not guarded, or it would have to
        // be looked at where it is.
        let is_one_name = last == Last::Itself && !path.contains('/');
        if path.is_empty() || is_one_name && guard.meant_by(&path).is_none() {
            return Ok(as_it_is(path));
        }
        match walk(directory.dir.clone(), path, last, guard).await {
            Ok(reached) => Ok(self.place(fd, directory, reached)?),
            Err(Stopped::Guarded(name)) => Err(self.refused(&name).into()),
            Err(Stopped::Failed(error)) => Err(error.into()),
        }
    }

    /// Finds where two paths lead.
    pub(super) async fn reach_both(
        &mut self,
        (fd, path): (&Fd, String),
        (other, other_path): (&Fd, String),
    ) -> FsResult<(Place, Place)> {
        let first = self.reach(fd, path, Last::Itself).await?;
        match self.reach(other, other_path, Last::Itself).await {
            Ok(second) => Ok((first, second)),
            Err(error) => {
                self.leave(first)?;
                Err(error)
            }
        }
    }

    pub(super) fn leave(&mut self, place: Place) -> Result<(), ResourceTableError> {
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
        let denial = Denial::guarded(&self.tool.known, name);
        self.record.denials.add(denial);
        ErrorCode::NotPermitted
    }

    fn place(&mut self, fd: &Fd, from: Dir, reached: Reached) -> Result<Place, ResourceTableError> {
        let directory = match reached.directory {
            Some(file) => {
                let directory = Dir::new(file, from.perms, from.open_mode, false);
                Some(self.table().push(Descriptor::Dir(directory))?)
            }
            None => None,
        };
        Ok(Place {
            rep: directory.as_ref().unwrap_or(fd).rep(),
            path: reached.name,
            reached: directory,
            is_followed: cfg!(unix),
        })
    }
}

#[cfg(unix)]
async fn walk(
    start: Arc<File>,
    path: String,
    last: Last,
    guard: Arc<Guard>,
) -> Result<Reached, Stopped> {
    let walk = move || super::steps::walk(&start, &path, last, &guard);
    wasmtime_wasi::runtime::spawn_blocking(walk).await
}

/// Elsewhere the text of a path is all that is looked at.
#[cfg(not(unix))]
async fn walk(
    _start: Arc<File>,
    path: String,
    _last: Last,
    _guard: Arc<Guard>,
) -> Result<Reached, Stopped> {
    Ok(Reached {
        directory: None,
        name: path,
    })
}
