//! Writes a backup of a whole registry, taken while it is in use.

use std::path::Path;

use futures::{StreamExt as _, TryStreamExt as _};
use object_store::Error as StoreError;

use super::archive::{
    FORMAT, HashedLines, HashedWriter, Line, METADATA, NOTE, Note, SUMS, object_path, parse_sum,
    sum_line,
};
use super::log_check::require_sound_log;
use super::unfinished::UnfinishedDirectory;
use crate::clock;
use crate::content::Sha256Digest;
use crate::database::export::{Snapshot, schema_version};
use crate::database::tables::TABLES;
use crate::error::RegistryError;
use crate::private_directory::create_private_directory;
use crate::registry::Registry;

/// Contents asked for at once.
const PAGE: i64 = 500;
/// Objects copied at the same time.
const COPIES_IN_FLIGHT_MAX: usize = 8;

/// The contents of a backup.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct BackupReport {
    /// Rows of the database.
    pub rows: u64,
    /// Objects, each copied and its digest checked.
    pub objects: u64,
    /// Their bytes.
    pub bytes: u64,
}

impl Registry {
    /// Copies the registry into `directory`, which must not exist yet, while others go on reading
    /// and writing.
    ///
    /// The copy is that of one moment. Its form is the same for every engine and storage, so it can
    /// be [restored](Registry::restore) to another kind of place than it came from. `sha256sum
    /// --check SHA256SUMS` checks it without this program. It holds the hashes of tokens and
    /// everything that is private, and only its owner can read it.
    ///
    /// # Errors
    ///
    /// [`RegistryError::InTheWay`] when something is at `directory`,
    /// [`RegistryError::ContentAltered`] when an object is damaged, [`RegistryError::LogDamaged`]
    /// when the log is, [`RegistryError::Content`] also
    /// when a garbage collection whose grace is shorter than a backup takes has removed an object
    /// meanwhile, and what the disk and the database say. After an error nothing is at `directory`;
    /// a process that is killed leaves a directory `.unfinished-…` beside it, which no restore
    /// takes.
    pub async fn backup(&self, directory: &Path) -> Result<BackupReport, RegistryError> {
        let unfinished = UnfinishedDirectory::beside(directory)?;
        let mut backup = Backup {
            registry: self,
            directory: unfinished.path(),
            report: BackupReport::default(),
        };
        let report = backup.fill().await?;
        unfinished.finish().await?;
        Ok(report)
    }
}

struct Backup<'a> {
    registry: &'a Registry,
    directory: &'a Path,
    report: BackupReport,
}

impl Backup<'_> {
    async fn fill(&mut self) -> Result<BackupReport, RegistryError> {
        // Copies most objects first, before a garbage collection can remove those of a repository
        // that is deleted while the backup runs. Objects that come later are too young for one.
        self.copy_ahead().await?;
        let mut reading = self.registry.database().snapshot().await?;
        require_sound_log(reading.log_rows()).await?;
        let made = clock::date(clock::now_ms());
        let metadata = self.write_rows(&mut reading).await?;
        let mut sums = HashedWriter::create(self.directory.join(SUMS)).await?;
        sums.write(&sum_line(&metadata, METADATA)).await?;
        let mut contents = reading.contents();
        while let Some(sha256) = contents.try_next().await? {
            sums.write(&sum_line(&sha256, &object_path(&sha256)))
                .await?;
        }
        drop(contents);
        drop(reading);
        let sums_sha256 = sums.finish().await?;
        self.copy_listed().await?;
        let note = Note {
            format: FORMAT,
            made,
            schema: schema_version(),
            sums_sha256: sums_sha256.to_string(),
        };
        let text = serde_json::to_string_pretty(&note).map_err(std::io::Error::from)?;
        let mut file = HashedWriter::create(self.directory.join(NOTE)).await?;
        file.write(&(text + "\n")).await?;
        file.finish().await?;
        Ok(self.report)
    }

    /// Writes the rows of all tables and tells what the file hashes to.
    async fn write_rows(&mut self, reading: &mut Snapshot) -> Result<Sha256Digest, RegistryError> {
        let mut file = HashedWriter::create(self.directory.join(METADATA)).await?;
        for table in TABLES {
            let columns = table.columns.iter().map(|(name, _)| (*name).to_owned());
            let head = Line::Table {
                table: table.name.to_owned(),
                columns: columns.collect(),
            };
            file.write(&json_line(&head)?).await?;
            let mut rows = reading.rows(table);
            while let Some(row) = rows.try_next().await? {
                file.write(&json_line(&row)?).await?;
                self.report.rows += 1;
            }
        }
        file.finish().await
    }

    /// Copies what repositories refer to at this moment, but for what a garbage collection removes
    /// in the meantime.
    async fn copy_ahead(&self) -> Result<(), RegistryError> {
        let mut after = None;
        loop {
            let database = self.registry.database();
            let page = database.contents_after(after.as_ref(), PAGE).await?;
            let Some(last) = page.last() else {
                return Ok(());
            };
            after = Some(*last);
            let copying =
                futures::stream::iter(page).map(async |sha256| match self.copy(&sha256).await {
                    Ok(_) | Err(RegistryError::Content(StoreError::NotFound { .. })) => Ok(()),
                    Err(error) => Err(error),
                });
            let copied = copying.buffer_unordered(COPIES_IN_FLIGHT_MAX);
            copied.try_collect::<()>().await?;
        }
    }

    /// Copies what is listed and not copied.
    async fn copy_listed(&mut self) -> Result<(), RegistryError> {
        let mut lines = HashedLines::open(self.directory.join(SUMS)).await?;
        loop {
            let mut page = Vec::new();
            while page.len() < PAGE as usize
                && let Some(line) = lines.next().await?
            {
                page.extend(
                    parse_sum(line)
                        .filter(|(_, path)| *path != METADATA)
                        .map(|it| it.0),
                );
            }
            if page.is_empty() {
                return Ok(());
            }
            self.report.objects += page.len() as u64;
            self.report.bytes += self.copy_page(page).await?;
        }
    }

    /// Copies objects and tells their length.
    async fn copy_page(&self, page: Vec<Sha256Digest>) -> Result<u64, RegistryError> {
        let copying = futures::stream::iter(page).map(async |sha256| self.copy(&sha256).await);
        let copied = copying.buffer_unordered(COPIES_IN_FLIGHT_MAX);
        copied
            .try_fold(0, async |sum, size_bytes| Ok(sum + size_bytes))
            .await
    }

    /// Copies an object, if it is not copied yet, and tells its length.
    async fn copy(&self, sha256: &Sha256Digest) -> Result<u64, RegistryError> {
        let path = self.directory.join(object_path(sha256));
        if let Ok(metadata) = tokio::fs::metadata(&path).await {
            return Ok(metadata.len());
        }
        create_private_directory(path.parent().unwrap_or(&path))?;
        self.registry.content().copy_out(sha256, &path).await
    }
}

fn json_line(value: &impl serde::Serialize) -> Result<String, RegistryError> {
    let text = serde_json::to_string(value).map_err(std::io::Error::from)?;
    Ok(text + "\n")
}
