//! The `LogWriter` keeps the log of a registry that keeps none, as the Hub, in a data set.
//!
//! It looks at repos as anybody does, without a token, and appends what is new in them: versions
//! that verify, their signers, yanks, and their taking back. All that the data set has is read and
//! hashed before; what does not go on from the last state that was signed here is not signed.

mod commit;
pub mod error;
mod key_file;
mod logged_repo;
mod new_records;
mod published_log;

use std::path::PathBuf;

use time::OffsetDateTime;
use tool_hub_manifest::{CommitId, RepoId};
use tool_hub_registry_client::{Client, ClientError, Datasets};
use tool_hub_transparency::LogKey;

use self::commit::Successor;
use self::error::LogWriterError;
use self::key_file::KeyFile;
use self::logged_repo::LoggedRepo;
use self::new_records::NewRecords;
use self::published_log::PublishedLog;
use crate::error::Error;
use crate::notices::Notices;
use crate::settings::Settings;
use crate::signing_keys::SigningKeys;

/// Writes the log of the user's registry.
#[derive(Debug)]
pub struct LogWriter {
    /// The data set, on the same registry.
    pub dataset: RepoId,
    /// The file with the log's private key. What was signed with it is noted beside it.
    pub key_file: PathBuf,
    /// The state in which the log is expected.
    pub start: LogStart,
}

/// The state in which a log is expected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogStart {
    /// It is there, and is gone on with.
    Continued,
    /// It is not there. The data set and the key are made where they are missing.
    New,
}

/// The results of a run.
#[derive(Debug)]
#[non_exhaustive]
pub struct LogReport {
    /// The key that signs the log.
    pub key: LogKey,
    /// The records of the log.
    pub records: u64,
    /// Those of them that are new.
    pub new_records: u64,
    /// The commit; none if nothing was new, and the checkpoint neither.
    pub commit: Option<CommitId>,
    /// Versions that contradict their manifest or the log, and were not taken.
    pub refused: Vec<String>,
    /// Repos that could not be looked at.
    pub missing: Vec<String>,
}

impl LogWriter {
    /// Looks at `repos` and appends what is new. A checkpoint that is a day old is signed anew.
    ///
    /// # Errors
    /// [`LogWriterError`]; [`ClientError::Conflict`] when another writer committed meanwhile, and
    /// the errors of every question.
    pub async fn write(
        &self,
        repos: &[RepoId],
        settings: &Settings,
        notices: &dyn Notices,
    ) -> Result<LogReport, Error> {
        let datasets = settings.datasets(notices)?;
        // Whatever only its owners see is not for a log that anybody reads.
        let client = settings.client_with(&settings.endpoint, None, notices)?;
        let mut key_file = match self.start {
            LogStart::Continued => KeyFile::open(&self.key_file)?,
            LogStart::New => KeyFile::open_or_make(&self.key_file, &self.log_name(settings))?,
        };
        let mut log = self.read(&key_file, &datasets).await?;
        let resumed = key_file.resumed(&log, &self.dataset)?;
        let signed_size = log.size();
        resumed.into_iter().for_each(|record| log.append(record));
        let mut report = LogReport {
            key: key_file.signer().key(),
            records: 0,
            new_records: 0,
            commit: None,
            refused: Vec::new(),
            missing: Vec::new(),
        };
        self.look(repos, &mut log, &client, settings, &mut report)
            .await?;
        report.records = log.size();
        report.new_records = log.size() - signed_size;
        let successor = Successor::sign(&log, signed_size, key_file.signer())?;
        if let Some(successor) = successor {
            key_file.note_pending(&successor.checkpoint, log.since(signed_size))?;
            let commit = successor.commit(&log, &self.dataset, &settings.endpoint);
            report.commit = Some(datasets.commit(commit).await?);
            key_file.note_committed(&successor.checkpoint)?;
        }
        Ok(report)
    }

    /// The name of a new log: the address of its data set.
    fn log_name(&self, settings: &Settings) -> String {
        let place = settings.endpoint.as_str().trim_end_matches('/');
        let place = place.split_once("://").map_or(place, |(_, place)| place);
        format!("{place}/datasets/{}", self.dataset)
    }

    async fn read(&self, key_file: &KeyFile, datasets: &Datasets) -> Result<PublishedLog, Error> {
        let key = key_file.signer().key();
        if self.start == LogStart::New {
            datasets.ensure(&self.dataset).await?;
        }
        let log = PublishedLog::read(datasets, &self.dataset, &key).await?;
        let dataset = self.dataset.clone();
        match (self.start, log.checkpoint.is_some()) {
            (LogStart::Continued, false) if key_file.has_signed() => {
                Err(key_file.no_log(&dataset).into())
            }
            (LogStart::Continued, false) => Err(LogWriterError::NoLog { dataset }.into()),
            (LogStart::New, true) => Err(LogWriterError::Exists { dataset }.into()),
            _ => Ok(log),
        }
    }

    /// Appends what is new in the repos. One that cannot be looked at keeps no other back.
    async fn look(
        &self,
        repos: &[RepoId],
        log: &mut PublishedLog,
        client: &Client,
        settings: &Settings,
        report: &mut LogReport,
    ) -> Result<(), Error> {
        let mut known = LoggedRepo::all(&log.records);
        let keys = SigningKeys::read(settings)?;
        for repo in repos {
            let known = known.entry(repo.as_str().to_ascii_lowercase()).or_default();
            let now = OffsetDateTime::now_utc();
            let now = now.replace_nanosecond(0).unwrap_or(now);
            match new_records::look(repo, known, client, &keys, now).await {
                Ok(NewRecords {
                    records, refused, ..
                }) => {
                    records.iter().for_each(|record| {
                        known.note(log.size(), record);
                        log.append(record.to_bytes());
                    });
                    report.refused.extend(refused);
                }
                Err(Error::Client(error @ ClientError::Unreachable { .. })) => {
                    return Err(error.into());
                }
                Err(Error::Client(error)) => report.missing.push(format!("{repo}: {error}")),
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}
