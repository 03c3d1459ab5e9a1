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

use std::path::{Path, PathBuf};

use tool_hub_manifest::Digest;

use super::StoreError;
use super::directories::make_private;

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
