//! Errors of the registry itself and of operator commands; client mistakes are refusals instead.

use std::path::PathBuf;

use tool_hub_transparency::{CheckpointError, KeyError};

/// A failure of the registry itself or of an administrator's command.
///
/// What a client does wrong is answered over HTTP and never becomes one of these.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RegistryError {
    /// The registry's directory could not be made or written.
    #[error("cannot use the registry directory {}", path.display())]
    OpenDirectory {
        /// The directory or the file in it.
        path: PathBuf,
        /// The error of the operating system.
        #[source]
        source: std::io::Error,
    },
    /// The metadata database could not be opened or brought to this version's schema.
    #[error("cannot open the metadata database {url}")]
    OpenDatabase {
        /// The address of the database; it holds no password.
        url: String,
        /// The error of the database.
        #[source]
        source: sqlx::Error,
    },
    /// The schema could not be brought to this version.
    #[error("cannot migrate the metadata database")]
    Migrate(#[source] sqlx::migrate::MigrateError),
    /// A query to the metadata database failed.
    #[error("the metadata database failed")]
    Query(#[from] sqlx::Error),
    /// The repository was deleted while something was being read from it or written to it.
    #[error("the repository was deleted meanwhile")]
    RepositoryGone,
    /// Whoever writes lost the right to that while the request was under way.
    #[error("the right to write to the repository ended meanwhile")]
    RightEnded,
    /// Issuers of identity tokens are trusted, and there is no name for which tokens are made.
    #[error("the registry has no public URL, which identity tokens have to name")]
    NoPublicUrl,
    /// A file holds no root that could vouch for attestations.
    #[error("{} holds no root for attestations: {reason}", path.display())]
    AttestationRoot {
        /// The file.
        path: PathBuf,
        /// The rule that it breaks.
        reason: String,
    },
    /// The bucket with the content could not be opened.
    #[error("cannot use the storage {address}")]
    OpenStorage {
        /// The address of the storage; it holds no key.
        address: String,
        /// The error of the storage.
        #[source]
        source: object_store::Error,
    },
    /// The content store failed to read or write.
    #[error("the content store failed")]
    Content(#[from] object_store::Error),
    /// A temporary file could not be written or read.
    #[error("cannot use temporary file space")]
    Spool(#[from] std::io::Error),
    /// Stored bytes are not those that their name promises.
    #[error("the content {expected} is damaged: its bytes hash to {found}")]
    ContentAltered {
        /// The sha256 by which it is stored.
        expected: String,
        /// The sha256 of what is there.
        found: String,
    },
    /// The log is not as it was written.
    #[error("the log is damaged: {fault}{}", and_more(*.count))]
    LogDamaged {
        /// The first fault.
        fault: LogFault,
        /// The number of faults.
        count: u64,
    },
    /// The garbage collection took a content away while a commit with it was on its way.
    #[error("the content {sha256} was collected while its commit was on its way")]
    ContentCollected {
        /// The sha256 of the content.
        sha256: String,
    },
    /// The content store took longer than this to remove objects. Commits with the same content are
    /// refused for two minutes.
    #[error("the content store took longer than {0:?} to remove a few objects")]
    RemovalSlow(std::time::Duration),
    /// A backup was asked for where something is.
    #[error("{} is in the way; name a directory that does not exist yet", path.display())]
    InTheWay {
        /// The file or directory in the way.
        path: PathBuf,
    },
    /// The directory to restore from is not a whole backup.
    #[error("{} is not a backup of a registry: {reason}", path.display())]
    NotABackup {
        /// The directory that was named.
        path: PathBuf,
        /// The part that is missing or different.
        reason: String,
    },
    /// A restore was asked for into a registry that is in use.
    #[error(
        "the registry to restore into has {table} already; a backup is restored into an empty one"
    )]
    NotEmpty {
        /// The first table that has rows.
        table: &'static str,
    },
    /// Bytes built to share their SHA-1 with other bytes; git ids would be ambiguous.
    #[error("the content is part of a known attack on sha-1 and is not accepted")]
    Sha1Collision,
    /// The operating system gave no randomness.
    #[error("the operating system gave no random bytes")]
    Randomness(#[source] getrandom::Error),
    /// The stored metadata does not fit together; the registry must be checked.
    #[error("the registry's metadata is damaged: {0}")]
    Damaged(String),
    /// A name breaks the naming rules.
    #[error(transparent)]
    Name(#[from] crate::names::NameError),
    /// The name belongs to another user or organisation.
    #[error("the name {name:?} is taken")]
    NameTaken {
        /// The name that was asked for.
        name: String,
    },
    /// No user or organisation has this name.
    #[error("there is no {kind} called {name:?}")]
    NoSuchAccount {
        /// `user`, `organisation` or both.
        kind: &'static str,
        /// The name that was asked for.
        name: String,
    },
    /// A token was to expire at a time that is not in the future.
    #[error("the token would be expired from the start: {expires} is not in the future")]
    ExpiryNotInFuture {
        /// The time that was given.
        expires: time::OffsetDateTime,
    },
    /// A token was to be limited to no repository at all, or to too many patterns.
    #[error("a token is limited to 1 to {max} patterns of repositories, not to {count}")]
    ScopeOutOfBounds {
        /// The number of patterns that was given.
        count: usize,
        /// Most patterns of a token.
        max: usize,
    },
    /// No token has this id.
    #[error("there is no token {id:?}")]
    NoSuchToken {
        /// The id that was asked for.
        id: String,
    },
    /// The registry has accounts or a log of its own, so it cannot become a mirror.
    #[error("this registry has accounts or a log of its own, and a mirror begins empty")]
    NotAMirror,
    /// The registry mirrors another one.
    #[error("this registry is a mirror of {mirrored}, not of {asked}")]
    MirrorOfAnother {
        /// The registry that it mirrors.
        mirrored: String,
        /// The registry that was asked for.
        asked: String,
    },
    /// There is a witness of this name, or there are as many as there may be.
    #[error(
        "there is a witness called {name:?} already, or there are {max}, the most that there may be"
    )]
    WitnessNotAdded {
        /// The name of the witness.
        name: String,
        /// The most witnesses.
        max: i64,
    },
    /// The address of a witness is none that can be asked.
    #[error("{url} is no address of a witness: http or https is expected, without a query")]
    WitnessAddress {
        /// The address.
        url: String,
    },
    /// No witness has this name.
    #[error("there is no witness called {name:?}")]
    NoSuchWitness {
        /// The name that was asked for.
        name: String,
    },
    /// A mirror signs no checkpoints, so there is nothing to cosign.
    #[error("this registry is a mirror: its log is cosigned where it is written")]
    WitnessOfMirror,
    /// The upstream keeps no log, so its repositories have to be named.
    #[error("{upstream} keeps no log that could be followed, so each repository has to be named")]
    RepositoriesNotNamed {
        /// The registry to mirror.
        upstream: String,
    },
    /// Another process moved the mirror on meanwhile.
    #[error("another process mirrors into this registry")]
    MirroredTwice,
    /// The registry that is mirrored could not be asked, or sent what cannot be used.
    #[error("cannot read {url}")]
    Upstream {
        /// The address that was asked.
        url: String,
        /// The reason.
        #[source]
        source: UpstreamError,
    },
    /// The log of the registry that is mirrored is not the one that was followed before.
    #[error("the log of {upstream} is not followed any more")]
    UpstreamLog {
        /// The registry that is mirrored.
        upstream: String,
        /// The reason.
        #[source]
        source: UpstreamLogFault,
    },
}

/// The reason why an answer of the registry that is mirrored could not be had or used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum UpstreamError {
    /// There was no whole answer.
    #[error("the request failed")]
    Request(#[from] reqwest::Error),
    /// The answer has this status.
    #[error("it answers with status {0}")]
    Status(u16),
    /// The answer is not what was asked for.
    #[error("its answer cannot be used: {0}")]
    Answer(String),
}

/// The reason why a log is not followed: it contradicts itself or what was taken of it before.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UpstreamLogFault {
    /// There is no log any more.
    #[error("it keeps no log any more")]
    Vanished,
    /// The key is none.
    #[error("its key cannot be read")]
    Key(#[from] KeyError),
    /// Another key signs it than before, or than the one that was named.
    #[error("its key is {now}, and was {before}")]
    OtherKey {
        /// The key that is known.
        before: String,
        /// The key that signs it now.
        now: String,
    },
    /// The checkpoint is none, or the key did not sign it.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// It has fewer records than before.
    #[error("it has {newer} records, and had {older} before")]
    RolledBack {
        /// The number that was taken.
        older: u64,
        /// The number that it has now.
        newer: u64,
    },
    /// The records that are here and the new ones do not make the tree that was signed.
    #[error(
        "its {newer} records do not begin with the {older} that were taken before, or are not those that it signed"
    )]
    Forked {
        /// The number that was taken.
        older: u64,
        /// The number that it has now.
        newer: u64,
    },
    /// A record or a bundle of records cannot be read.
    #[error("its record {index} cannot be read")]
    Unreadable {
        /// The place in the log.
        index: u64,
    },
    /// More is new than is taken at once.
    #[error(
        "its new records have more than {bytes_max} bytes, which is the most that is taken at once"
    )]
    TooLong {
        /// The bound.
        bytes_max: usize,
    },
}

/// A fault of the transparency log as it is stored. `{}` says it in a line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LogFault {
    /// A record does not hash to what is stored with it.
    #[error("record {position} of the log does not hash to what is stored with it")]
    Altered {
        /// The place of the record, counted from 0.
        position: u64,
    },
    /// Records are not there.
    #[error("{}", missing(*.first, *.last))]
    Missing {
        /// The place of the first one.
        first: u64,
        /// The place of the last one, where it is known.
        last: Option<u64>,
    },
    /// A record is not found by what it is about, or is shown with another opening or signer.
    #[error("record {position} of the log is about something else than is stored beside it")]
    Misfiled {
        /// The place of the record.
        position: u64,
    },
    /// The records are not those that were signed.
    #[error("the first {size} records of the log are not those that {signer} signed")]
    NotAsSigned {
        /// The number of records.
        size: u64,
        /// The name of the key.
        signer: String,
    },
    /// Records of a mirror are not of the checkpoint that it serves.
    #[error("the records of the log from {first} on are signed by nobody")]
    NotSigned {
        /// The place of the first one.
        first: u64,
    },
    /// Nothing can be signed with the log's key, or a mirror's checkpoint is not signed by it.
    #[error("the key of the log, or the checkpoint that it signed, is missing or damaged")]
    Key,
}

fn missing(first: u64, last: Option<u64>) -> String {
    match last {
        Some(last) if last == first => format!("record {first} of the log is missing"),
        Some(last) => format!("the records {first} to {last} of the log are missing"),
        None => format!("the records of the log from {first} on are missing"),
    }
}

fn and_more(count: u64) -> String {
    match count {
        0 | 1 => String::new(),
        more => format!(", and {} more faults", more - 1),
    }
}
