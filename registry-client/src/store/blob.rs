//! A file of the store, by its digest: bounded reads, atomic writes; set aside when it is damaged.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use tool_hub_manifest::{Digest, Hasher};

use crate::limits::COMPONENT_BYTES_MAX;

use super::StoreError;
use super::directories::{make_private, sync_directory};
use super::layout::Layout;

/// The bytes of a file that are hashed at a time when it is not needed in memory.
const CHUNK_BYTES: usize = 1 << 20;

/// From this size on, large pages are asked for.
#[cfg(target_os = "linux")]
const LARGE_BYTES_MIN: usize = 4 << 20;

/// Reads a file without hashing it: the caller must.
pub(crate) fn read(layout: &Layout, digest: Digest, bytes_max: u64) -> Result<Vec<u8>, StoreError> {
    let path = layout.blob(digest);
    let file = match File::open(&path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Err(StoreError::Missing { digest });
        }
        Err(error) => return Err(StoreError::io("open", path)(error)),
    };
    let bytes = file
        .metadata()
        .map_err(StoreError::io("look at", &path))?
        .len();
    if bytes > bytes_max {
        return Err(StoreError::TooLarge {
            digest,
            bytes,
            bytes_max,
            moved_to: move_away(layout, digest)?,
        });
    }
    let mut content = room(usize::try_from(bytes).unwrap_or(0));
    // One byte more than the bound, so that a file that grows meanwhile fails its hash
    // instead of filling the memory.
    file.take(bytes_max + 1)
        .read_to_end(&mut content)
        .map_err(StoreError::io("read", &path))?;
    Ok(content)
}

/// Room for `bytes`, in large pages where the system has them: to get a component of many
/// megabytes in small ones takes longer than to read it.
fn room(bytes: usize) -> Vec<u8> {
    let room = Vec::with_capacity(bytes);
    #[cfg(target_os = "linux")]
    if bytes >= LARGE_BYTES_MIN {
        prefer_large_pages(&room);
    }
    room
}

#[cfg(target_os = "linux")]
#[expect(
    unsafe_code,
    reason = "advice about memory does not change what is in it"
)]
fn prefer_large_pages(room: &Vec<u8>) {
    let skipped = room.as_ptr().align_offset(rustix::param::page_size());
    let length = room.capacity().saturating_sub(skipped);
    let start = room.as_ptr().wrapping_add(skipped).cast_mut().cast();
    // SAFETY: the range is of this vector, and the advice does not change its content. A system
    // that has no large pages goes on with small ones.
    let _ = unsafe { rustix::mm::madvise(start, length, rustix::mm::Advice::LinuxHugepage) };
}

/// Writes a file that the caller has hashed. Nothing happens when it is there and intact.
pub(crate) fn write(layout: &Layout, digest: Digest, content: &[u8]) -> Result<(), StoreError> {
    let path = layout.blob(digest);
    if holds(&path, digest, content.len() as u64) {
        touch(layout, digest);
        return Ok(());
    }
    let parent = path.parent().unwrap_or(layout.blobs());
    if !parent.is_dir() {
        make_private(parent)?;
        sync_directory(layout.blobs())?;
    }
    let incoming = layout.incoming();
    let mut file = tempfile::Builder::new()
        .prefix("write-")
        .tempfile_in(incoming)
        .map_err(StoreError::io("make a file in", incoming))?;
    file.write_all(content)
        .and_then(|()| file.as_file().sync_all())
        .map_err(StoreError::io("write", file.path()))?;
    file.persist(&path)
        .map_err(|error| StoreError::io("rename a file to", &path)(error.error))?;
    sync_directory(parent)
}

/// Takes note that a file is in use, for the collector. A file system that cannot do that
/// only makes the collector more eager.
pub(crate) fn touch(layout: &Layout, digest: Digest) {
    if let Ok(file) = File::options().write(true).open(layout.blob(digest)) {
        let _ = file.set_modified(SystemTime::now());
    }
}

/// Moves a file whose bytes have digest `actual` out of the way and gives the error that
/// says so.
pub(crate) fn set_aside(
    layout: &Layout,
    digest: Digest,
    actual: Digest,
) -> Result<StoreError, StoreError> {
    Ok(StoreError::Damaged {
        digest,
        actual,
        moved_to: move_away(layout, digest)?,
    })
}

/// The digest of a file, read piece by piece, and its size in bytes. A file that is larger
/// than any that the store keeps is not read and has no digest: nothing of ours is like that.
pub(crate) fn digest_of(path: &Path) -> Result<(Option<Digest>, u64), StoreError> {
    let failed = || StoreError::io("read", path);
    let mut file = File::open(path).map_err(failed())?;
    let size = file.metadata().map_err(failed())?.len();
    if size > COMPONENT_BYTES_MAX {
        return Ok((None, size));
    }
    let mut hasher = Hasher::new();
    let mut chunk = vec![0; CHUNK_BYTES];
    let mut bytes = 0;
    loop {
        let count = file.read(&mut chunk).map_err(failed())?;
        if count == 0 {
            return Ok((Some(hasher.finish()), bytes));
        }
        hasher.update(&chunk[..count]);
        bytes += count as u64;
        // It grew meanwhile, so somebody else writes to it.
        if bytes > COMPONENT_BYTES_MAX {
            return Ok((None, bytes));
        }
    }
}

fn holds(path: &Path, digest: Digest, bytes: u64) -> bool {
    fs::metadata(path).is_ok_and(|found| found.len() == bytes)
        && digest_of(path).is_ok_and(|(actual, _)| actual == Some(digest))
}

pub(crate) fn move_away(layout: &Layout, digest: Digest) -> Result<PathBuf, StoreError> {
    let path = layout.blob(digest);
    let target = layout.damaged().join(digest.hex());
    match fs::rename(&path, &target) {
        // Somebody else has set it aside already.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(target),
        moved => moved.map_err(StoreError::io("set aside", &path))?,
    }
    // Between the reading and the moving a writer may have put the right bytes there.
    if digest_of(&target).is_ok_and(|(actual, _)| actual == Some(digest)) {
        fs::rename(&target, &path).map_err(StoreError::io("put back", &path))?;
    }
    Ok(target)
}
