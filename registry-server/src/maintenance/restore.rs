//! Restores a registry from a backup.

use std::path::{Path, PathBuf};

use futures::{StreamExt as _, TryStreamExt as _};

use super::archive::{
    HashedLines, Line, METADATA, NOTE, SUMS, not_a_backup, object_path, parse_sum, read_note,
};
use super::log_check::require_sound_log;
use crate::config::RegistryConfig;
use crate::content::Sha256Digest;
use crate::database::WriteTransaction;
use crate::database::export::{Row, schema_version};
use crate::database::tables::{Kind, Table};
use crate::error::RegistryError;
use crate::registry::Registry;

/// Rows added at once.
const ROWS_MAX: usize = 200;
/// Length of the lines of rows added at once.
const ROWS_BYTES_MAX: usize = 8 << 20;
/// Objects listed at once.
const PAGE: usize = 500;
/// Objects copied at the same time.
const COPIES_IN_FLIGHT_MAX: usize = 8;

/// The results of a restore.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RestoreReport {
    /// The time at which the backup was made, as RFC 3339.
    pub made: String,
    /// Rows of the database.
    pub rows: u64,
    /// Objects that were copied and hashed.
    pub objects: u64,
}

impl Registry {
    /// Brings a backup into the place of `config`, which must be an empty registry or none at all,
    /// hashing every byte on the way. The backup is only read. It need not come from the same kind
    /// of database and storage.
    ///
    /// The rows come last and all at once: a restore that fails or is cut off leaves an empty
    /// registry, with objects in its storage that the next attempt or a garbage collection finds.
    ///
    /// # Errors
    ///
    /// [`RegistryError::NotEmpty`] when the registry is in use, [`RegistryError::NotABackup`] when
    /// a file of the backup is missing or not the one that was written, or comes from a newer
    /// version, [`RegistryError::ContentAltered`] when an object is damaged,
    /// [`RegistryError::LogDamaged`] when the log in it is, and what [`Registry::open`] says.
    pub async fn restore(
        backup: &Path,
        config: RegistryConfig,
    ) -> Result<RestoreReport, RegistryError> {
        let note = read_note(backup).await?;
        if note.schema > schema_version() {
            let reason = format!(
                "{NOTE} says schema {}, this version knows {}; restore it with a newer one",
                note.schema,
                schema_version()
            );
            return Err(not_a_backup(backup, reason));
        }
        let registry = Self::open(config).await?;
        let mut restore = Restore {
            backup,
            registry: &registry,
            report: RestoreReport {
                made: note.made,
                ..RestoreReport::default()
            },
        };
        let restored = restore.run(&note.sums_sha256).await;
        let report = restore.report;
        registry.close().await;
        restored.map(|()| report)
    }
}

struct Restore<'a> {
    backup: &'a Path,
    registry: &'a Registry,
    report: RestoreReport,
}

impl Restore<'_> {
    async fn run(&mut self, sums_sha256: &str) -> Result<(), RegistryError> {
        // Asked twice: before the long work, and when nobody else can write any more.
        drop(self.begin().await?);
        let metadata_sha256 = self.restore_objects(sums_sha256).await?;
        let mut writing = self.begin().await?;
        self.restore_rows(&mut writing, &metadata_sha256).await?;
        require_sound_log(writing.log_rows()).await?;
        writing.publish_tags().await?;
        writing.index_all_documents().await?;
        writing.commit().await
    }

    async fn begin(&self) -> Result<WriteTransaction, RegistryError> {
        let mut writing = self.registry.database().write().await?;
        match writing.begin_import().await? {
            Some(table) => Err(RegistryError::NotEmpty { table }),
            None => Ok(writing),
        }
    }

    /// Copies all objects that are listed, and tells what the rows' file should hash to.
    async fn restore_objects(&mut self, sums_sha256: &str) -> Result<String, RegistryError> {
        let mut lines = HashedLines::open(self.backup.join(SUMS)).await?;
        let mut metadata = None;
        loop {
            let mut page = Vec::new();
            while page.len() < PAGE {
                let Some(line) = lines.next().await? else {
                    break;
                };
                match parse_sum(line) {
                    Some((sha256, METADATA)) => metadata = Some(sha256.to_string()),
                    Some((sha256, path)) if path == object_path(&sha256) => page.push(sha256),
                    _ => return Err(lines.fault("it names no file of a backup")),
                }
            }
            if page.is_empty() {
                break;
            }
            self.report.objects += page.len() as u64;
            let copying =
                futures::stream::iter(page).map(async |it| self.restore_object(&it).await);
            let copied = copying.buffer_unordered(COPIES_IN_FLIGHT_MAX);
            copied.try_collect::<()>().await?;
        }
        lines.check(sums_sha256)?;
        metadata.ok_or_else(|| not_a_backup(self.backup, format!("{SUMS} has no {METADATA}")))
    }

    async fn restore_object(&self, sha256: &Sha256Digest) -> Result<(), RegistryError> {
        let path: PathBuf = self.backup.join(object_path(sha256));
        match self.registry.content().copy_in(sha256, &path).await {
            Err(RegistryError::Spool(error)) if error.kind() == std::io::ErrorKind::NotFound => {
                let reason = format!("{} is missing", object_path(sha256));
                Err(not_a_backup(self.backup, reason))
            }
            other => other,
        }
    }

    async fn restore_rows(
        &mut self,
        writing: &mut WriteTransaction,
        metadata_sha256: &str,
    ) -> Result<(), RegistryError> {
        let mut lines = HashedLines::open(self.backup.join(METADATA)).await?;
        let mut batch: Option<Batch> = None;
        while let Some(text) = lines.next().await? {
            let length = text.len();
            let line = serde_json::from_str::<Line>(text);
            match line.map_err(|error| lines.fault(error))? {
                Line::Table { table, columns } => {
                    if let Some(batch) = &mut batch {
                        batch.flush(writing).await?;
                    }
                    let known = Batch::of(&table, &columns);
                    let fault = || {
                        lines.fault(format!(
                            "the table {table:?} or a column of it is not known"
                        ))
                    };
                    batch = Some(known.ok_or_else(fault)?);
                }
                Line::Row(row) => {
                    let fault = || lines.fault("the row belongs to no table or has other columns");
                    let batch = batch.as_mut().ok_or_else(fault)?;
                    if row.len() != batch.columns.len() {
                        return Err(fault());
                    }
                    self.report.rows += 1;
                    batch.add(row, length, writing).await?;
                }
            }
        }
        if let Some(batch) = &mut batch {
            batch.flush(writing).await?;
        }
        lines.check(metadata_sha256)
    }
}

/// Rows of a table that are not added yet.
struct Batch {
    table: &'static Table,
    columns: Vec<(&'static str, Kind)>,
    rows: Vec<Row>,
    bytes: usize,
}

impl Batch {
    fn of(table: &str, columns: &[String]) -> Option<Self> {
        let table = Table::named(table)?;
        let columns: Option<Vec<_>> = columns.iter().map(|name| table.column(name)).collect();
        Some(Self {
            table,
            columns: columns?,
            rows: Vec::new(),
            bytes: 0,
        })
    }

    async fn add(
        &mut self,
        row: Row,
        bytes: usize,
        writing: &mut WriteTransaction,
    ) -> Result<(), RegistryError> {
        self.rows.push(row);
        self.bytes += bytes;
        if self.rows.len() >= ROWS_MAX || self.bytes >= ROWS_BYTES_MAX {
            self.flush(writing).await?;
        }
        Ok(())
    }

    async fn flush(&mut self, writing: &mut WriteTransaction) -> Result<(), RegistryError> {
        if !self.rows.is_empty() {
            writing
                .import(self.table, &self.columns, &self.rows)
                .await?;
            self.rows.clear();
            self.bytes = 0;
        }
        Ok(())
    }
}
