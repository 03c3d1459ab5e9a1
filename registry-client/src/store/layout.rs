//! The directory layout of a store: the paths of its files, and the creation of its directories.
//!
//! ```text
//! v1/lock                  locked shared by writers, exclusively by the collector
//! v1/blobs/ab/abcd…        a file by the 64 hexadecimal digits of its SHA-256
//! v1/packages/ab/abcd…     a package that was pulled, by registry, repo and its digest
//! v1/incoming/             files being written, renamed into blobs/ when they are whole
//! v1/damaged/              files whose bytes were not what their name said
//! ```
//!
//! Another layout gets another version directory beside this one. `incoming` is one
//! directory of the same file system rather than the one of the finished file, so that what
//! crashes leave is found without walking through all blobs.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use tool_hub_manifest::Digest;

use super::StoreError;

const VERSION: &str = "v1";

#[derive(Debug)]
pub(crate) struct Layout {
    directory: PathBuf,
    lock: PathBuf,
    blobs: PathBuf,
    packages: PathBuf,
    incoming: PathBuf,
    damaged: PathBuf,
}

impl Layout {
    /// Makes what is not there yet.
    pub(crate) fn make(directory: &Path) -> Result<Self, StoreError> {
        let root = directory.join(VERSION);
        let layout = Self {
            directory: directory.to_owned(),
            lock: root.join("lock"),
            blobs: root.join("blobs"),
            packages: root.join("packages"),
            incoming: root.join("incoming"),
            damaged: root.join("damaged"),
        };
        for path in [&layout.blobs, &layout.incoming, &layout.damaged] {
            make_private(path)?;
        }
        Ok(layout)
    }

    pub(crate) fn directory(&self) -> &Path {
        &self.directory
    }

    pub(crate) fn lock(&self) -> &Path {
        &self.lock
    }

    pub(crate) fn blobs(&self) -> &Path {
        &self.blobs
    }

    pub(crate) fn packages(&self) -> &Path {
        &self.packages
    }

    pub(crate) fn incoming(&self) -> &Path {
        &self.incoming
    }

    pub(crate) fn damaged(&self) -> &Path {
        &self.damaged
    }

    /// The path of the file with `digest`, which may not exist.
    pub(crate) fn blob(&self, digest: Digest) -> PathBuf {
        fanned(&self.blobs, digest)
    }

    /// The path of the entry with this key, which may not exist.
    pub(crate) fn package(&self, key: Digest) -> PathBuf {
        fanned(&self.packages, key)
    }
}

/// The path of `digest` in `directory`, below the first two of its digits.
fn fanned(directory: &Path, digest: Digest) -> PathBuf {
    let hex = digest.hex();
    directory.join(&hex[..2]).join(hex)
}

/// Makes a directory and its parents, for their owner alone.
pub(crate) fn make_private(path: &Path) -> Result<(), StoreError> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path).map_err(StoreError::io("make", path))
}

/// Makes a rename in `directory` survive a power failure.
pub(crate) fn sync_directory(directory: &Path) -> Result<(), StoreError> {
    // Other systems cannot open a directory as a file, and order renames by themselves.
    if cfg!(unix) {
        fs::File::open(directory)
            .and_then(|opened| opened.sync_all())
            .map_err(StoreError::io("sync", directory))?;
    }
    Ok(())
}

/// The entries of `directory`; none when it is gone.
pub(crate) fn entries(directory: &Path) -> Result<Vec<fs::DirEntry>, StoreError> {
    match fs::read_dir(directory) {
        Ok(entries) => entries
            .collect::<io::Result<_>>()
            .map_err(StoreError::io("list", directory)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(StoreError::io("list", directory)(error)),
    }
}
