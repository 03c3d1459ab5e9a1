//! The `LogError`: the ways in which a registry's log may contradict itself or the registry.

use time::OffsetDateTime;
use tool_hub_manifest::{RepoId, Severity, Version};
use tool_hub_transparency::{CheckpointError, LogKey, OpeningError, ProofError, TooFewWitnesses};

/// The log of a registry contradicts itself, what was seen before, or what the registry sent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LogError {
    /// The registry kept a log, and shows none now.
    #[error("it kept a log before, and shows none now")]
    Vanished,
    /// The registry shows no log, and the user named witnesses of it.
    #[error("it shows none, and you named witnesses of it")]
    Absent,
    /// Too few witnesses cosigned its state.
    #[error(transparent)]
    Witnesses(#[from] TooFewWitnesses),
    /// Another key signs the log.
    #[error("another key signs it than before: {now} instead of {before}")]
    OtherKey {
        /// The key that was seen first.
        before: Box<LogKey>,
        /// The key that the registry names now.
        now: Box<LogKey>,
    },
    /// The state that the registry shows is none of its log.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// A proof does not hold.
    #[error(transparent)]
    Proof(#[from] ProofError),
    /// The state of the log is old, as if it had stopped.
    #[error("its newest state is of {at}, and one of the last 7 days is expected")]
    Stale {
        /// The time by the registry's clock.
        at: OffsetDateTime,
    },
    /// The state of the log is of the future, or the clock here is wrong.
    #[error("its newest state claims to be of {at}, which is to come by the clock of this machine")]
    Ahead {
        /// The time by the registry's clock.
        at: OffsetDateTime,
    },
    /// A state of the log has a time at which the log was seen with fewer records.
    #[error(
        "its state of {records} records claims to be of {at}, and it had {seen_records} on {seen}"
    )]
    StateBackdated {
        /// The number of its records.
        records: u64,
        /// The time that it claims.
        at: OffsetDateTime,
        /// The number of records that were seen.
        seen_records: u64,
        /// The time at which they were.
        seen: OffsetDateTime,
    },
    /// Other processes noted other states each time that the log was asked.
    #[error("other commands note other states of it all the time")]
    Contended,
    /// A record cannot be read.
    #[error("its record {index} cannot be read")]
    Unreadable {
        /// Its place.
        index: u64,
    },
    /// The records do not hash to the root that was signed.
    #[error("its {records} records do not hash to the root that it signed")]
    OtherRoot {
        /// Their number.
        records: u64,
    },
    /// The log claims more records than are read in one go.
    #[error("it claims {records} new records, and at most {records_max} are read in one go")]
    TooLong {
        /// The number that it claims.
        records: u64,
        /// The most that are read.
        records_max: u64,
    },
    /// A record is longer than any that a registry writes.
    #[error("its record {index} has {bytes} bytes, and at most {bytes_max} are read")]
    RecordTooLong {
        /// Its place.
        index: u64,
        /// Its length.
        bytes: usize,
        /// The most that are read.
        bytes_max: usize,
    },
    /// The records of the repos of toolboxes are longer than what is kept.
    #[error("its records of the repos of your toolboxes have more than {bytes_max} bytes")]
    TooMuch {
        /// The most that are kept.
        bytes_max: usize,
    },
    /// The log has more records of the repos of toolboxes than are kept.
    #[error("it has more than {records_max} records of the repos of your toolboxes")]
    TooMany {
        /// The most that are kept.
        records_max: usize,
    },
    /// A record of a private repo is hidden.
    #[error("its record {index}: {source}")]
    Hidden {
        /// Its place.
        index: u64,
        /// The reason.
        source: OpeningError,
    },
    /// A record is about something else than what was asked for.
    #[error("its record {index} is about another version")]
    OtherVersion {
        /// Its place.
        index: u64,
    },
    /// The log does not have the version.
    #[error("it has no record of {repo} {version}, which the registry offers")]
    NotLogged {
        /// The repo.
        repo: RepoId,
        /// The version.
        version: Version,
    },
    /// The log is a data set, which does not have the version yet.
    #[error("the data set {dataset} has no record of {repo} {version} yet")]
    NotLoggedYet {
        /// The data set.
        dataset: RepoId,
        /// The repo.
        repo: RepoId,
        /// The version.
        version: Version,
    },
    /// The log has the version twice, with other content.
    #[error("it has two records of {repo} {version}, of other content")]
    LoggedTwice {
        /// The repo.
        repo: RepoId,
        /// The version.
        version: Version,
    },
    /// The registry sent something else than it published.
    #[error("its record {index} names {logged} as the {what}, and the registry sent {sent}")]
    OtherContent {
        /// The place of the record.
        index: u64,
        /// What differs.
        what: &'static str,
        /// The record's.
        logged: String,
        /// The one that was sent.
        sent: String,
    },
    /// A package is signed by somebody else than the log says, or by nobody.
    #[error("by its record {index} the version is {logged}, and the package is {sent}")]
    OtherSigner {
        /// The place of the record.
        index: u64,
        /// The signer that the log names, in words.
        logged: String,
        /// The signer of the package, in words.
        sent: String,
    },
    /// A version was yanked, and the registry does not say so.
    #[error("it says that {repo} {version} was yanked as {severity}, and the registry does not")]
    YankHidden {
        /// The repo.
        repo: RepoId,
        /// The version.
        version: Version,
        /// The severity in the log.
        severity: Severity,
    },
    /// A yank is gone that the registry had told of, and nothing says that it was taken back.
    #[error("the yank of {repo} {version} is gone, and no record says that it was taken back")]
    YankGone {
        /// The repo.
        repo: RepoId,
        /// The version.
        version: Version,
    },
    /// A yank is milder than the one that the registry had told of, and nothing says that it was
    /// changed.
    #[error(
        "{repo} {version} was yanked as {before}, is said to be {now} now, and no record says that it was changed"
    )]
    YankEased {
        /// The repo.
        repo: RepoId,
        /// The version.
        version: Version,
        /// The severity that was told.
        before: Severity,
        /// The severity that the registry says now.
        now: Severity,
    },
    /// The record of a version is not where it was when the version was approved.
    #[error("its record of {repo} {version} is record {now} today, and was record {before}")]
    Moved {
        /// The repo.
        repo: RepoId,
        /// The version.
        version: Version,
        /// The place when the version was approved.
        before: u64,
        /// The place today.
        now: u64,
    },
    /// A record has a time from before the log had come to its place.
    #[error("its record {index} claims to be of {at}, but was not there yet on {seen}")]
    Backdated {
        /// Its place.
        index: u64,
        /// The time that it claims.
        at: OffsetDateTime,
        /// The time at which the log was seen without it.
        seen: OffsetDateTime,
    },
}

impl LogError {
    /// True if a registry that was set up anew, or from an older backup, shows this as well: then
    /// whoever forgets what was seen of its log can go on. Whatever else is wrong stays so.
    pub fn is_of_another_log(&self) -> bool {
        matches!(
            self,
            Self::OtherKey { .. } | Self::Proof(ProofError::RolledBack { .. })
        )
    }
}
