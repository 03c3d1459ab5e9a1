//! Wraps the file operations of WASI 0.3 with the checks that those of WASI 0.2 have.
//! Other tasks of the same call run while an operation is under way, and may change what is there:
//! as another call of the tool may. Nothing of the call's state is held meanwhile.

mod codes;
mod entries;

use wasmtime::component::{Accessor, Linker, LinkerInstance};
use wasmtime_wasi::filesystem::{WasiFilesystem, WasiFilesystemView as _};
use wasmtime_wasi::p2::FsResult;
use wasmtime_wasi::p2::bindings::filesystem::types::PathFlags as Flags;
use wasmtime_wasi::p3::bindings::filesystem::types::{
    DescriptorFlags, ErrorCode, HostDescriptorWithStore, NewTimestamp, OpenFlags, PathFlags,
};
use wasmtime_wasi::p3::filesystem::FilesystemResult;

use crate::call::state::CallState;
use crate::imports::directories::operations::beside;
use crate::imports::directories::path::LastLink;
use crate::imports::directories::resolve::{Fd, TargetPath, Way};

/// The interface under which WASI's own functions are linked.
const INTERFACE: &str = "wasi:filesystem/types@0.3.0";

type Store = Accessor<CallState>;
type ImportResult<T> = wasmtime::Result<(Result<T, ErrorCode>,)>;

/// Replaces those of WASI's functions that may be refused, and the one that reads directories.
pub(crate) fn add_to_linker(linker: &mut Linker<CallState>) -> wasmtime::Result<()> {
    linker.allow_shadowing(true);
    let mut types = linker.instance(INTERFACE)?;
    one_path(&mut types)?;
    two_paths(&mut types)?;
    entries::add_to_linker(&mut types)?;
    linker.allow_shadowing(false);
    Ok(())
}

fn one_path(types: &mut LinkerInstance<'_, CallState>) -> wasmtime::Result<()> {
    types.func_wrap_concurrent(
        "[method]descriptor.create-directory-at",
        |store, (fd, path): (Fd, String)| {
            Box::pin(async move { answer(create_directory(store, fd, path).await) })
        },
    )?;
    types.func_wrap_concurrent(
        "[method]descriptor.set-times-at",
        |store, (fd, flags, path, read, changed): (Fd, PathFlags, String, NewTimestamp, NewTimestamp)| {
            Box::pin(async move {
                answer(set_times(store, fd, flags, path, [read, changed]).await)
            })
        },
    )?;
    types.func_wrap_concurrent(
        "[method]descriptor.open-at",
        |store, (fd, follow, path, how, flags): (Fd, PathFlags, String, OpenFlags, DescriptorFlags)| {
            Box::pin(async move { answer(open(store, fd, follow, path, how, flags).await) })
        },
    )?;
    types.func_wrap_concurrent(
        "[method]descriptor.remove-directory-at",
        |store, (fd, path): (Fd, String)| {
            Box::pin(async move { answer(remove_directory(store, fd, path).await) })
        },
    )?;
    types.func_wrap_concurrent(
        "[method]descriptor.unlink-file-at",
        |store, (fd, path): (Fd, String)| {
            Box::pin(async move { answer(unlink(store, fd, path).await) })
        },
    )
}

fn two_paths(types: &mut LinkerInstance<'_, CallState>) -> wasmtime::Result<()> {
    types.func_wrap_concurrent(
        "[method]descriptor.link-at",
        |store, (fd, flags, from, other, to): (Fd, PathFlags, String, Fd, String)| {
            Box::pin(async move { answer(link(store, flags, (fd, from), (other, to)).await) })
        },
    )?;
    types.func_wrap_concurrent(
        "[method]descriptor.rename-at",
        |store, (fd, from, other, to): (Fd, String, Fd, String)| {
            Box::pin(async move { answer(rename(store, (fd, from), (other, to)).await) })
        },
    )?;
    types.func_wrap_concurrent(
        "[method]descriptor.symlink-at",
        |store, (fd, target, path): (Fd, String, String)| {
            Box::pin(async move { answer(symlink(store, fd, target, path).await) })
        },
    )
}

async fn create_directory(store: &Store, fd: Fd, path: String) -> FilesystemResult<()> {
    let at = resolve(store, &fd, path, LastLink::Keep).await?;
    let (files, path) = (files(store), at.path.clone());
    let done = WasiFilesystem::create_directory_at(&files, at.fd(), path).await;
    release(store, at)?;
    done
}

async fn set_times(
    store: &Store,
    fd: Fd,
    flags: PathFlags,
    path: String,
    [read, changed]: [NewTimestamp; 2],
) -> FilesystemResult<()> {
    let last = LastLink::of(plain(flags), &path);
    let at = resolve(store, &fd, path, last).await?;
    let (files, flags, path) = (files(store), kept(&at, flags), at.path.clone());
    let done = WasiFilesystem::set_times_at(&files, at.fd(), flags, path, read, changed).await;
    release(store, at)?;
    done
}

/// Resolves the path for reading too: an opened directory is the start of other paths.
async fn open(
    store: &Store,
    fd: Fd,
    follow: PathFlags,
    path: String,
    how: OpenFlags,
    flags: DescriptorFlags,
) -> FilesystemResult<Fd> {
    // A name that has to be new is no link to be followed.
    let follow = match how.contains(OpenFlags::CREATE | OpenFlags::EXCLUSIVE) {
        true => PathFlags::empty(),
        false => follow,
    };
    let last = LastLink::of(plain(follow), &path);
    let at = resolve(store, &fd, path, last).await?;
    let (files, follow, path) = (files(store), kept(&at, follow), at.path.clone());
    let done = WasiFilesystem::open_at(&files, at.fd(), follow, path, how, flags).await;
    release(store, at)?;
    done
}

async fn remove_directory(store: &Store, fd: Fd, path: String) -> FilesystemResult<()> {
    let at = resolve(store, &fd, path, LastLink::Keep).await?;
    let (files, path) = (files(store), at.path.clone());
    let done = WasiFilesystem::remove_directory_at(&files, at.fd(), path).await;
    release(store, at)?;
    done
}

async fn unlink(store: &Store, fd: Fd, path: String) -> FilesystemResult<()> {
    let at = resolve(store, &fd, path, LastLink::Keep).await?;
    let (files, path) = (files(store), at.path.clone());
    let done = WasiFilesystem::unlink_file_at(&files, at.fd(), path).await;
    release(store, at)?;
    done
}

async fn link(
    store: &Store,
    flags: PathFlags,
    (fd, from): (Fd, String),
    (other, to): (Fd, String),
) -> FilesystemResult<()> {
    let (old, new) = resolve_both(store, (&fd, from), (&other, to)).await?;
    let (files, from, to) = (files(store), old.path.clone(), new.path.clone());
    let done = WasiFilesystem::link_at(&files, old.fd(), flags, from, new.fd(), to).await;
    release(store, old)?;
    release(store, new)?;
    done
}

async fn rename(
    store: &Store,
    (fd, from): (Fd, String),
    (other, to): (Fd, String),
) -> FilesystemResult<()> {
    let (old, new) = resolve_both(store, (&fd, from), (&other, to)).await?;
    let (files, from, to) = (files(store), old.path.clone(), new.path.clone());
    let done = WasiFilesystem::rename_at(&files, old.fd(), from, new.fd(), to).await;
    release(store, old)?;
    release(store, new)?;
    done
}

async fn symlink(store: &Store, fd: Fd, target: String, path: String) -> FilesystemResult<()> {
    on(store, CallState::check_links_made)?;
    let beside = beside(&path, &target);
    let led = find(store, &fd, beside, LastLink::Follow).await;
    on(store, |state| state.check_led(led, &target))?;
    let at = resolve(store, &fd, path, LastLink::Keep).await?;
    let (files, path) = (files(store), at.path.clone());
    let done = WasiFilesystem::symlink_at(&files, at.fd(), target, path).await;
    release(store, at)?;
    done
}

/// Finds where `path` leads from `fd`. The result is given back by [`release`].
async fn resolve(
    store: &Store,
    fd: &Fd,
    path: String,
    last: LastLink,
) -> FilesystemResult<TargetPath> {
    find(store, fd, path, last).await.map_err(codes::error)
}

async fn find(store: &Store, fd: &Fd, path: String, last: LastLink) -> FsResult<TargetPath> {
    match store.with(|mut access| access.get().way(fd, path, last))? {
        Way::Known(target) => Ok(target),
        Way::Walk(walk) => {
            let led = walk.go().await;
            store.with(|mut access| access.get().arrive(fd, walk, led))
        }
    }
}

async fn resolve_both(
    store: &Store,
    (fd, path): (&Fd, String),
    (other, other_path): (&Fd, String),
) -> FilesystemResult<(TargetPath, TargetPath)> {
    let first = resolve(store, fd, path, LastLink::Keep).await?;
    match resolve(store, other, other_path, LastLink::Keep).await {
        Ok(second) => Ok((first, second)),
        Err(error) => {
            release(store, first)?;
            Err(error)
        }
    }
}

fn release(store: &Store, target: TargetPath) -> FilesystemResult<()> {
    Ok(store.with(|mut access| access.get().release(target))?)
}

fn on<T>(store: &Store, run: impl FnOnce(&mut CallState) -> FsResult<T>) -> FilesystemResult<T> {
    store
        .with(|mut access| run(access.get()))
        .map_err(codes::error)
}

fn files(store: &Store) -> Accessor<CallState, WasiFilesystem> {
    store.with_getter::<WasiFilesystem>(|state| state.filesystem())
}

/// The flags of WASI 0.2 that mean the same.
fn plain(flags: PathFlags) -> Flags {
    match flags.contains(PathFlags::SYMLINK_FOLLOW) {
        true => Flags::SYMLINK_FOLLOW,
        false => Flags::empty(),
    }
}

/// The flags that go with the path of `target`, where the guest asked for `flags`.
fn kept(target: &TargetPath, flags: PathFlags) -> PathFlags {
    match target.flags(plain(flags)).contains(Flags::SYMLINK_FOLLOW) {
        true => flags,
        false => PathFlags::empty(),
    }
}

fn answer<T>(done: FilesystemResult<T>) -> ImportResult<T> {
    match done {
        Ok(value) => Ok((Ok(value),)),
        Err(error) => Ok((Err(error.downcast()?),)),
    }
}
