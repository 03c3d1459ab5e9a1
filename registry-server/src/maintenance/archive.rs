//! Reads and writes the files of a backup: `backup.json`, `SHA256SUMS` and rows as JSON lines.
//!
//! A backup is a directory with
//!
//! - `backup.json`: its form, its time, and what the next file hashes to;
//! - `SHA256SUMS`: the files below, one a line, as `sha256sum --check` reads them;
//! - `metadata.jsonl`: the rows of all tables, whichever engine they came from: `{"table": …,
//!   "columns": […]}`, then an array a row;
//! - `content/sha256/ab/cd/abcd…`: the bytes of each file.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use tokio::fs::File;
use tokio::io::{
    AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader, BufWriter,
};

use crate::content::Sha256Digest;
use crate::database::export::Row;
use crate::error::RegistryError;

pub(super) const NOTE: &str = "backup.json";
pub(super) const SUMS: &str = "SHA256SUMS";
pub(super) const METADATA: &str = "metadata.jsonl";
/// The only form of backups there is.
pub(super) const FORMAT: u32 = 1;

/// Longest note that is read.
const NOTE_BYTES_MAX: u64 = 64 << 10;
/// Longest line that is read. The longest rows are trees, some 50 bytes for each file of a
/// directory.
const LINE_BYTES_MAX: u64 = 1 << 30;
/// Bytes between two reads or writes.
const BUFFER_BYTES: usize = 256 << 10;

/// The content of `backup.json`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Note {
    pub(super) format: u32,
    /// `2026-11-20T23:00:00.000Z`
    pub(super) made: String,
    /// The number of the newest change of the schema.
    pub(super) schema: i64,
    /// The SHA-256 of `SHA256SUMS`.
    pub(super) sums_sha256: String,
}

/// A line of `metadata.jsonl`.
#[derive(Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub(super) enum Line {
    Table { table: String, columns: Vec<String> },
    Row(Row),
}

/// The path of an object, below a backup.
pub(super) fn object_path(sha256: &Sha256Digest) -> String {
    let hex = sha256.to_string();
    format!("content/sha256/{}/{}/{hex}", &hex[..2], &hex[2..4])
}

/// A line of `SHA256SUMS`.
pub(super) fn sum_line(sha256: &Sha256Digest, path: &str) -> String {
    format!("{sha256}  {path}\n")
}

/// The digest and the path in a line of `SHA256SUMS`.
pub(super) fn parse_sum(line: &str) -> Option<(Sha256Digest, &str)> {
    let (hex, path) = line.split_once("  ")?;
    Some((Sha256Digest::from_hex(hex)?, path))
}

pub(super) async fn read_note(backup: &Path) -> Result<Note, RegistryError> {
    let unread = |error: &dyn std::fmt::Display| {
        not_a_backup(backup, format!("{NOTE} cannot be read: {error}"))
    };
    let file = File::open(backup.join(NOTE)).await;
    let file = file.map_err(|error| unread(&error))?;
    let mut text = String::new();
    let mut bounded = file.take(NOTE_BYTES_MAX);
    let read = bounded.read_to_string(&mut text).await;
    read.map_err(|error| unread(&error))?;
    let note: Note = serde_json::from_str(&text).map_err(|error| unread(&error))?;
    if note.format != FORMAT {
        let reason = format!("its format is {}, this version reads {FORMAT}", note.format);
        return Err(not_a_backup(backup, reason));
    }
    Ok(note)
}

pub(super) fn not_a_backup(backup: &Path, reason: String) -> RegistryError {
    RegistryError::NotABackup {
        path: backup.to_owned(),
        reason,
    }
}

/// A new file, hashed while it is written.
pub(super) struct HashedWriter {
    file: BufWriter<File>,
    hasher: Sha256,
}

impl HashedWriter {
    pub(super) async fn create(path: PathBuf) -> Result<Self, RegistryError> {
        let file = File::create_new(path).await?;
        Ok(Self {
            file: BufWriter::with_capacity(BUFFER_BYTES, file),
            hasher: Sha256::new(),
        })
    }

    pub(super) async fn write(&mut self, text: &str) -> Result<(), RegistryError> {
        self.hasher.update(text);
        Ok(self.file.write_all(text.as_bytes()).await?)
    }

    /// Makes the file durable and tells its SHA-256.
    pub(super) async fn finish(mut self) -> Result<Sha256Digest, RegistryError> {
        self.file.flush().await?;
        self.file.get_ref().sync_all().await?;
        Ok(Sha256Digest::new(self.hasher.finalize().into()))
    }
}

/// The lines of a file, hashed while they are read.
pub(super) struct HashedLines {
    path: PathBuf,
    file: BufReader<File>,
    hasher: Sha256,
    line: Vec<u8>,
}

impl HashedLines {
    pub(super) async fn open(path: PathBuf) -> Result<Self, RegistryError> {
        let opened = File::open(&path).await;
        let file = opened.map_err(|error| not_a_backup(&path, error.to_string()))?;
        Ok(Self {
            path,
            file: BufReader::with_capacity(BUFFER_BYTES, file),
            hasher: Sha256::new(),
            line: Vec::new(),
        })
    }

    /// The next line without its end; `None` when there is none.
    pub(super) async fn next(&mut self) -> Result<Option<&str>, RegistryError> {
        self.line.clear();
        let mut bounded = (&mut self.file).take(LINE_BYTES_MAX);
        bounded.read_until(b'\n', &mut self.line).await?;
        self.hasher.update(&self.line);
        if self.line.is_empty() {
            return Ok(None);
        }
        let line = self.line.strip_suffix(b"\n").unwrap_or(&self.line);
        let text = std::str::from_utf8(line);
        text.map(Some)
            .map_err(|_| not_a_backup(&self.path, "it is not UTF-8".to_owned()))
    }

    /// A fault of the line that was read last.
    pub(super) fn fault(&self, reason: impl std::fmt::Display) -> RegistryError {
        not_a_backup(&self.path, format!("a line is not understood: {reason}"))
    }

    /// Makes sure that the file, which was read to its end, is the one that was written.
    pub(super) fn check(self, expected: &str) -> Result<(), RegistryError> {
        let found = Sha256Digest::new(self.hasher.finalize().into()).to_string();
        if found == expected {
            return Ok(());
        }
        let reason = format!("it hashes to {found}, not to {expected}");
        Err(not_a_backup(&self.path, reason))
    }
}
