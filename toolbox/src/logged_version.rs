//! The `LoggedVersion`: what a registry's log says of one version, after it was checked.

pub mod error;
pub(crate) mod signer_claims;

use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;
use tool_hub_manifest::{
    CommitId, Digest, LockedTool, LogEntry, Pin, Releases, RepoId, Severity, Source, Version,
};
use tool_hub_registry_client::{Client, ProvedRecord, VersionRecords};
use tool_hub_transparency::{Checkpoint, LogRecord};

use self::error::LogError;
use self::signer_claims::SignerClaims;
use crate::error::Error;
use crate::known_logs::{KnownLog, KnownLogs, SeenLog};
use crate::log_state::{QUESTIONS_MAX, check_witnesses, no_log, not_trusted, opened_state};
use crate::log_times::{SeenState, check_record, check_state};
use crate::package_signature::PackageSignature;
use crate::settings::Settings;

/// The record of one version. It is made only of records that were proved to be in the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoggedVersion {
    index: u64,
    at: OffsetDateTime,
    /// The commits that had it: a tag may have been deleted, and made again for the same content.
    commits: Vec<CommitId>,
    manifest: Digest,
    component: Option<Digest>,
    yanked: Option<Severity>,
    /// The place of the record by which it was yanked last, or given back.
    yank_changed: Option<u64>,
    /// The repository that a job of a build service published it from.
    built_from: Option<String>,
    signers: SignerClaims,
}

/// One version of a repo.
#[derive(Debug, Clone, Copy)]
struct Subject<'a> {
    repo: &'a RepoId,
    version: &'a Version,
}

impl LoggedVersion {
    /// Asks the registry of `client` for its log's record of a version, and checks it. What is
    /// seen of the log is remembered. None where the registry never showed a log.
    ///
    /// # Errors
    /// [`Error::Log`], and if the registry cannot be asked.
    pub async fn read(
        repo: &RepoId,
        version: &Version,
        client: &Client,
        settings: &Settings,
    ) -> Result<Option<Self>, Error> {
        let read = Self::read_with_records(repo, version, client, settings);
        Ok(read.await?.map(|(found, _)| found))
    }

    /// Does the same as [`read`](Self::read), and hands on what the registry answered. A state is
    /// remembered once the records hold, too: a lie leaves nothing behind. Of a known log it is
    /// also remembered where the version has no record yet: it goes on from what was seen.
    async fn read_with_records(
        repo: &RepoId,
        version: &Version,
        client: &Client,
        settings: &Settings,
    ) -> Result<Option<(Self, VersionRecords)>, Error> {
        let endpoint = client.endpoint();
        let failed = |source| not_trusted(endpoint, settings, source);
        for _ in 0..QUESTIONS_MAX {
            let known = KnownLogs::read(settings)?;
            let known = known.of(endpoint);
            let now = OffsetDateTime::now_utc();
            let seen = known.map(|log| log.seen(now)).transpose();
            let seen = seen.map_err(|it| failed(it.into()))?;
            let size = seen.as_ref().map_or(0, |seen| seen.newest.size());
            let Some(answer) = client.log_records(repo, version, size).await? else {
                return no_log(endpoint, known, settings).map(|()| None);
            };
            let now = OffsetDateTime::now_utc();
            let checkpoint = state(&answer, seen.as_ref(), now).map_err(failed)?;
            check_witnesses(settings.witnesses_of(endpoint), &answer.checkpoint, now)
                .map_err(failed)?;
            let states = seen.as_ref().map_or(&[][..], |seen| &seen.states);
            let found = Self::of_answer(&answer, repo, version, &checkpoint, states);
            let is_missing = matches!(found, Err(LogError::NotLogged { .. })) && seen.is_some();
            let found = match found {
                Err(error) if !is_missing => return Err(failed(error)),
                found => found,
            };
            let next = KnownLog::new(answer.key.clone(), answer.checkpoint.clone());
            if KnownLogs::note(settings, endpoint, next, seen.as_ref())? {
                return Ok(Some((found.map_err(failed)?, answer)));
            }
        }
        Err(failed(LogError::Contended))
    }

    /// The version that the records of `answer` are of, which have to be in the log with the state
    /// `checkpoint`. `seen` are the states in which the log was seen before.
    ///
    /// # Errors
    /// The first contradiction.
    pub(crate) fn of_answer(
        answer: &VersionRecords,
        repo: &RepoId,
        version: &Version,
        checkpoint: &Checkpoint,
        seen: &[SeenState],
    ) -> Result<Self, LogError> {
        let subject = Subject { repo, version };
        let records = opened(&answer.records, checkpoint, subject)?;
        of_records(records, subject, seen)
    }

    /// The entry of a tool of the toolbox, whose repo says `releases`, in the log of its registry,
    /// after that was asked and checked again, with what it answered. None for a tool that is of no
    /// registry or of none with a log, or that was loaded from a branch.
    ///
    /// # Errors
    /// The errors of [`read`](Self::read), and [`Error::Log`] where the log has another version
    /// than the one that was approved.
    pub(crate) async fn of_locked_with_records(
        locked: &LockedTool,
        client: &Client,
        releases: &Releases,
        settings: &Settings,
    ) -> Result<Option<(LogEntry, VersionRecords)>, Error> {
        let Source::Registry {
            endpoint,
            repo,
            commit,
        } = &locked.source
        else {
            return Ok(None);
        };
        let version = &locked.version;
        let found = match Self::read_with_records(repo, version, client, settings).await {
            Err(Error::Log { source, .. })
                if locked.logged.is_none() && matches!(*source, LogError::NotLogged { .. }) =>
            {
                return Ok(None);
            }
            found => found?,
        };
        let Some((found, records)) = found else {
            return Ok(None);
        };
        if !found.is_of(locked.logged.as_ref(), commit) {
            return Ok(None);
        }
        let failed = |source| not_trusted(endpoint, settings, source);
        let said = releases.yanked.get(version).map(|yank| yank.severity);
        found.check(commit, &locked.pin()).map_err(failed)?;
        let signers = &found.signers;
        signers.check_pinned(commit, locked).map_err(failed)?;
        found.check_yank(repo, version, said).map_err(failed)?;
        let before = locked.logged.as_ref();
        found.check_place(repo, version, before).map_err(failed)?;
        let taken_new = before.is_some_and(|it| it.taken_new);
        Ok(Some((found.entry(taken_new), records)))
    }

    /// The version of a tool of the toolbox, of which `records` are all that the log has, with
    /// their places. None where there is none, as of a private repo, whose records are hidden, and
    /// where the tool is of no registry or from a branch.
    ///
    /// # Errors
    /// The first contradiction between the records, or to what was approved.
    pub(crate) fn of_all_records(
        records: Vec<(u64, LogRecord)>,
        locked: &LockedTool,
    ) -> Result<Option<Self>, LogError> {
        let Source::Registry { repo, commit, .. } = &locked.source else {
            return Ok(None);
        };
        let version = &locked.version;
        let found = match of_records(records, Subject { repo, version }, &[]) {
            Err(LogError::NotLogged { .. }) => return Ok(None),
            found => found?,
        };
        let before = locked.logged.as_ref();
        if !found.is_of(before, commit) {
            return Ok(None);
        }
        found.check(commit, &locked.pin())?;
        found.check_place(repo, version, before)?;
        Ok(Some(found))
    }

    /// The place in the log and the time, for a lock. `taken_new` if it was too new and taken
    /// nevertheless.
    pub(crate) fn entry(&self, taken_new: bool) -> LogEntry {
        LogEntry {
            index: self.index,
            at: self.at.format(&Rfc3339).unwrap_or_default(),
            taken_new,
            built_from: self.built_from.clone(),
        }
    }

    /// The place of its record, counted from 0.
    pub fn index(&self) -> u64 {
        self.index
    }

    /// The severity with which it is yanked, if it is.
    pub fn yanked(&self) -> Option<Severity> {
        self.yanked
    }

    /// The place of the record by which it was yanked last, or given back.
    pub(crate) fn yank_changed(&self) -> Option<u64> {
        self.yank_changed
    }

    /// False for a version that was loaded from a branch, in `commit`, which the log does not know.
    fn is_of(&self, logged: Option<&LogEntry>, commit: &CommitId) -> bool {
        logged.is_some() || self.commits.contains(commit)
    }

    /// Checks that the record is where it was when the version was approved.
    fn check_place(
        &self,
        repo: &RepoId,
        version: &Version,
        logged: Option<&LogEntry>,
    ) -> Result<(), LogError> {
        match logged.filter(|before| before.index != self.index) {
            None => Ok(()),
            Some(before) => Err(LogError::Moved {
                repo: repo.clone(),
                version: version.clone(),
                before: before.index,
                now: self.index,
            }),
        }
    }

    /// The time at which it was published, by the registry's clock.
    pub(crate) fn published(&self) -> OffsetDateTime {
        self.at
    }

    /// Checks that `commit` and the bytes of `pin` are those that were published.
    ///
    /// # Errors
    /// [`LogError::OtherContent`].
    pub(crate) fn check(&self, commit: &CommitId, pin: &Pin) -> Result<(), LogError> {
        let component = match self.component {
            Some(component) => component.to_string(),
            None => "none".to_owned(),
        };
        let known = self.commits.iter().find(|known| *known == commit);
        let known = known.or(self.commits.last());
        let known = known.map_or_else(String::new, CommitId::to_string);
        let parts = [
            ("commit", known, commit.to_string()),
            (
                "manifest",
                self.manifest.to_string(),
                pin.manifest.to_string(),
            ),
            ("component", component, pin.component.to_string()),
        ];
        let differing = parts.into_iter().find(|(_, logged, sent)| logged != sent);
        match differing {
            None => Ok(()),
            Some((what, logged, sent)) => Err(LogError::OtherContent {
                index: self.index,
                what,
                logged,
                sent,
            }),
        }
    }

    /// Checks that the package in `commit` has no other `signature` than the log claims.
    ///
    /// # Errors
    /// [`LogError::OtherSigner`].
    pub(crate) fn check_signer(
        &self,
        commit: &CommitId,
        signature: &PackageSignature,
    ) -> Result<(), LogError> {
        self.signers.check(commit, signature)
    }

    /// Checks that a yank that is in the log is also `said` by the repo, or a worse one: a log that
    /// is a data set has that later.
    ///
    /// # Errors
    /// [`LogError::YankHidden`].
    pub(crate) fn check_yank(
        &self,
        repo: &RepoId,
        version: &Version,
        said: Option<Severity>,
    ) -> Result<(), LogError> {
        match self.yanked {
            Some(severity) if said < Some(severity) => Err(LogError::YankHidden {
                repo: repo.clone(),
                version: version.clone(),
                severity,
            }),
            _ => Ok(()),
        }
    }
}

/// The state of the log that `answer` shows, which extends what was `seen` before.
fn state(
    answer: &VersionRecords,
    seen: Option<&SeenLog>,
    now: OffsetDateTime,
) -> Result<Checkpoint, LogError> {
    let known = seen.map(|seen| &seen.key);
    let checkpoint = opened_state(&answer.key, &answer.checkpoint, known)?;
    if let Some(seen) = seen {
        checkpoint.check_extends(&seen.newest, &answer.consistency)?;
    }
    let states = seen.map_or(&[][..], |seen| &seen.states);
    check_state(&checkpoint, states, now)?;
    Ok(checkpoint)
}

/// The records with their places, each proved to be in the log and to be about `subject`.
fn opened(
    records: &[ProvedRecord],
    checkpoint: &Checkpoint,
    subject: Subject<'_>,
) -> Result<Vec<(u64, LogRecord)>, LogError> {
    let open = |proved: &ProvedRecord| {
        let index = proved.index;
        let bytes = proved.record.as_bytes();
        checkpoint.check_record(index, bytes, &proved.proof)?;
        let record = LogRecord::from_bytes(bytes).map_err(|_| LogError::Unreadable { index })?;
        let record = record.opened(proved.opening.as_deref());
        let record = record.map_err(|source| LogError::Hidden { index, source })?;
        let is_asked_for = match (record.repo(), record.version()) {
            (Some(repo), Some(version)) => {
                let (found, asked) = (repo.to_string(), subject.repo.to_string());
                found.eq_ignore_ascii_case(&asked) && version == subject.version
            }
            // A record of a kind that a later registry writes.
            _ => true,
        };
        is_asked_for
            .then_some((index, record))
            .ok_or(LogError::OtherVersion { index })
    };
    records.iter().map(open).collect()
}

/// Puts the records of one version together. `seen` are the states of the log before.
fn of_records(
    mut records: Vec<(u64, LogRecord)>,
    subject: Subject<'_>,
    seen: &[SeenState],
) -> Result<LoggedVersion, LogError> {
    let Subject { repo, version } = subject;
    let (repo, version) = (repo.clone(), version.clone());
    records.sort_by_key(|(index, _)| *index);
    records.dedup_by_key(|(index, _)| *index);
    let (mut found, mut yanked, mut yank_changed) = (None::<LoggedVersion>, None, None);
    for (index, record) in records {
        check_record(index, &record, seen)?;
        match record {
            LogRecord::Version {
                commit,
                manifest,
                component,
                at,
                publisher,
                ..
            } => {
                let before = found.get_or_insert_with(|| LoggedVersion {
                    index,
                    at,
                    commits: Vec::new(),
                    manifest,
                    component,
                    yanked: None,
                    yank_changed: None,
                    built_from: publisher.map(|job| job.source()),
                    signers: SignerClaims::default(),
                });
                if (before.manifest, before.component) != (manifest, component) {
                    return Err(LogError::LoggedTwice { repo, version });
                }
                before.commits.push(commit);
            }
            LogRecord::Signer { signer, .. } => {
                if let Some(found) = &mut found
                    && let Some(commit) = found.commits.last()
                {
                    found.signers.note(index, commit, signer);
                }
            }
            LogRecord::Yank { severity, .. } => {
                (yanked, yank_changed) = (Some(severity), Some(index));
            }
            LogRecord::Unyank { .. } => (yanked, yank_changed) = (None, Some(index)),
            LogRecord::Hidden { .. } | LogRecord::Unknown => {}
        }
    }
    match found {
        Some(found) => Ok(LoggedVersion {
            yanked,
            yank_changed,
            ..found
        }),
        None => Err(LogError::NotLogged { repo, version }),
    }
}

#[cfg(test)]
mod tests;
