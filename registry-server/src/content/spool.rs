//! Collects the bytes of one file while they arrive: hashed, in memory or a temporary file.
//! The file is for long ones.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};

use gix_hash::ObjectId;
use gix_object::Kind;
use sha2::{Digest as _, Sha256};
use tempfile::TempPath;

use super::digest::Sha256Digest;
use crate::error::RegistryError;
use crate::git;
use crate::http::{Memory, Reservation};

/// Bytes hashed between two reads of a temporary file.
const HASH_BYTES: usize = 256 << 10;

/// The bytes of a file that may be in memory even when the budget is used up.
const FREE_BYTES: usize = 16 << 10;

/// A file that is still arriving.
pub(crate) struct Spool {
    directory: PathBuf,
    memory_bytes_max: usize,
    memory: Vec<u8>,
    budget: Option<Memory>,
    held: Reservation,
    file: Option<(File, TempPath)>,
    sha256: Sha256,
    size_bytes: u64,
}

/// A file that has arrived, with its SHA-256 and git's id.
#[derive(Debug)]
pub(crate) struct SpooledFile {
    pub(crate) sha256: Sha256Digest,
    pub(crate) oid: ObjectId,
    pub(crate) size_bytes: u64,
    pub(super) bytes: SpooledBytes,
}

#[derive(Debug)]
pub(super) enum SpooledBytes {
    Memory(Vec<u8>, Reservation),
    /// Written to a temporary file, not synced, and deleted on drop.
    File(StagedFile),
}

/// A temporary file that disappears unless it was moved away.
#[derive(Debug)]
pub(super) struct StagedFile(TempPath);

impl StagedFile {
    pub(super) fn file_name(&self) -> Option<&std::ffi::OsStr> {
        self.0.file_name()
    }

    pub(super) fn path(&self) -> &std::path::Path {
        &self.0
    }

    /// Call when the file is no longer at its temporary place.
    pub(super) fn disable_cleanup(mut self) {
        self.0.disable_cleanup(true);
    }
}

impl SpooledFile {
    /// The whole file, when it is in memory, as all short ones are.
    pub(crate) fn in_memory(&self) -> Option<&[u8]> {
        match &self.bytes {
            SpooledBytes::Memory(bytes, _) => Some(bytes),
            SpooledBytes::File(_) => None,
        }
    }

    /// Moves the bytes to a temporary file, unless they are in one.
    pub(super) fn staged_in(self, directory: &Path) -> std::io::Result<Self> {
        let SpooledBytes::Memory(bytes, _) = &self.bytes else {
            return Ok(self);
        };
        let (mut file, path) = temporary(directory)?.into_parts();
        file.write_all(bytes)?;
        let bytes = SpooledBytes::File(StagedFile(path));
        Ok(Self { bytes, ..self })
    }
}

fn temporary(directory: &Path) -> std::io::Result<tempfile::NamedTempFile> {
    tempfile::Builder::new()
        .prefix("file-")
        .tempfile_in(directory)
}

impl Spool {
    pub(super) fn new(directory: PathBuf, memory_bytes_max: usize, budget: Option<Memory>) -> Self {
        Self {
            directory,
            memory_bytes_max,
            memory: Vec::new(),
            budget,
            held: Reservation::default(),
            file: None,
            sha256: Sha256::new(),
            size_bytes: 0,
        }
    }

    /// Bytes written so far.
    pub(crate) fn size_bytes(&self) -> u64 {
        self.size_bytes
    }

    /// Takes the next bytes.
    pub(crate) async fn write(&mut self, bytes: &[u8]) -> Result<(), RegistryError> {
        self.sha256.update(bytes);
        self.size_bytes += bytes.len() as u64;
        self.memory.extend_from_slice(bytes);
        if self.memory.len() > self.memory_bytes_max || !self.may_hold() {
            self.flush().await?;
        }
        Ok(())
    }

    /// True if the buffer may stay in memory. The first bytes are free; beyond them, a file is
    /// written to disk at once while memory is short.
    fn may_hold(&mut self) -> bool {
        let Some(budget) = &self.budget else {
            return true;
        };
        if self.memory.len() > FREE_BYTES && self.held.bytes() == 0 {
            match budget.try_hold(self.memory_bytes_max) {
                Some(held) => self.held = held,
                None => return false,
            }
        }
        true
    }

    /// Writes what is in memory to the temporary file. Nothing of it stays in memory: who sends a
    /// piece and falls silent must not hold a buffer.
    async fn flush(&mut self) -> Result<(), RegistryError> {
        let bytes = std::mem::take(&mut self.memory);
        let (file, directory) = (self.file.take(), self.directory.clone());
        let writing = tokio::task::spawn_blocking(move || {
            let (mut file, path) = match file {
                Some(file) => file,
                None => temporary(&directory)?.into_parts(),
            };
            file.write_all(&bytes)?;
            Ok::<_, std::io::Error>((file, path))
        });
        let written = writing.await;
        let written =
            written.map_err(|_| RegistryError::Damaged("writing a file was cut off".to_owned()))?;
        self.file = Some(written?);
        self.held = Reservation::default();
        Ok(())
    }

    /// Ends the file: computes its ids and, if it is long, writes the rest to its temporary file.
    ///
    /// A git blob id covers the length before the bytes, so a file whose length was not known is
    /// read once more, from the page cache.
    pub(crate) async fn finish(mut self) -> Result<SpooledFile, RegistryError> {
        let (oid, bytes) = if self.file.is_none() {
            let oid = git::object_id(Kind::Blob, &self.memory)?;
            (oid, SpooledBytes::Memory(self.memory, self.held))
        } else {
            self.flush().await?;
            let Some((_, path)) = self.file else {
                return Err(RegistryError::Damaged(
                    "a temporary file is gone".to_owned(),
                ));
            };
            let (size_bytes, staged) = (self.size_bytes, StagedFile(path));
            let hashing = tokio::task::spawn_blocking(move || hash_file(staged, size_bytes)).await;
            let (oid, staged) = hashing
                .map_err(|_| RegistryError::Damaged("hashing a file panicked".to_owned()))??;
            (oid, SpooledBytes::File(staged))
        };
        let sha256 = Sha256Digest::new(self.sha256.finalize().into());
        Ok(SpooledFile {
            sha256,
            oid,
            size_bytes: self.size_bytes,
            bytes,
        })
    }
}

fn hash_file(staged: StagedFile, size_bytes: u64) -> Result<(ObjectId, StagedFile), RegistryError> {
    let mut hasher = git::blob_hasher(size_bytes);
    let mut file = File::open(&staged.0)?;
    let mut buffer = vec![0; HASH_BYTES];
    loop {
        let count = file.read(&mut buffer)?;
        if count == 0 {
            return Ok((git::finish(hasher)?, staged));
        }
        hasher.update(&buffer[..count]);
    }
}
