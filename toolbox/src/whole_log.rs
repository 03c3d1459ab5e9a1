//! The `WholeLog`: all that a registry's log says, read from its static files and hashed again.
//!
//! A registry that leaves a record out of its answers cannot leave it out of its log. Records that
//! were read are not read again: `ReadSoFar` keeps the edge of the tree over them.

pub mod placed_record;
mod read_so_far;
mod standing_signer;
pub mod watched;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use futures::{StreamExt as _, stream};
use time::OffsetDateTime;
use tool_hub_manifest::{LockedTool, RepoId, Version};
use tool_hub_registry_client::{Client, LogState};
use tool_hub_transparency::{
    Checkpoint, GrowingTree, LogKey, LogRecord, ProofError, TILE_WIDTH, TilePath,
};
use url::Url;

use self::placed_record::{PlacedRecord, RepoBefore};
use self::read_so_far::ReadSoFar;
use self::standing_signer::check_pinned;
use self::watched::Watched;
use crate::error::Error;
use crate::known_logs::{KnownLog, KnownLogs, SeenLog};
use crate::known_releases::KnownReleases;
use crate::log_state::{QUESTIONS_MAX, check_witnesses, no_log, not_trusted, opened_state};
use crate::log_times::{SeenState, check_record, check_state, time_of};
use crate::logged_version::LoggedVersion;
use crate::logged_version::error::LogError;
use crate::settings::Settings;

/// Bundles that are fetched at a time.
const BUNDLES_AHEAD: usize = 4;
/// The most records that are read in one go.
const RECORDS_MAX: u64 = 10_000_000;
/// The longest record that is read. What a registry takes from strangers into one is shorter.
const RECORD_BYTES_MAX: usize = 8 << 10;
/// The most records of the repos of toolboxes that are kept.
const KEPT_MAX: usize = 100_000;
/// The most bytes of them that are taken in one go.
const KEPT_BYTES_MAX: usize = 64 << 20;
/// The most records that are handed on to be shown.
const SHOWN_MAX: usize = 10_000;

/// A log that was read to its end, as its key signed it.
#[derive(Debug)]
pub struct WholeLog {
    /// The key that signs it.
    pub key: LogKey,
    /// The number of its records.
    pub records: u64,
    /// The number of those that were read this time.
    pub new_records: u64,
    /// The time at which it was so, by the registry's clock.
    pub at: OffsetDateTime,
    /// The newest of the records that were read this time and are watched, in order.
    pub shown: VecDeque<PlacedRecord>,
    /// The number of those before them.
    pub left_out: u64,
    /// All records of the repos of the toolbox.
    kept: Vec<PlacedRecord>,
}

impl WholeLog {
    /// Reads what is new in the log of the registry of `client`, or all of it if `again`, and
    /// remembers how far it came. None where the registry never showed a log.
    ///
    /// # Errors
    /// [`Error::Log`] where the records do not hash to what was signed, or do not go on from what
    /// was seen before, and if the registry cannot be asked.
    pub async fn read(
        client: &Client,
        watched: &Watched,
        again: bool,
        settings: &Settings,
    ) -> Result<Option<Self>, Error> {
        let endpoint = client.endpoint();
        let failed = |source| not_trusted(endpoint, settings, source);
        for _ in 0..QUESTIONS_MAX {
            let known = KnownLogs::read(settings)?;
            let known = known.of(endpoint);
            let now = OffsetDateTime::now_utc();
            let seen = known.map(|log| log.seen(now)).transpose();
            let seen = seen.map_err(|it| failed(it.into()))?;
            let older = seen.as_ref().map_or(0, |seen| seen.newest.size());
            let Some(state) = client.log_state(older).await? else {
                return no_log(endpoint, known, settings).map(|()| None);
            };
            let (now, text) = (OffsetDateTime::now_utc(), &state.checkpoint);
            let opened = opened_state(&state.key, text, known.map(|log| &log.key));
            let checkpoint = opened.map_err(failed)?;
            let states = seen.as_ref().map_or(&[][..], |seen| &seen.states);
            check_state(&checkpoint, states, now).map_err(failed)?;
            check_witnesses(settings.witnesses_of(endpoint), text, now).map_err(failed)?;
            let reading = Reading::new(watched, seen.as_ref(), &checkpoint);
            let reading = reading.read(client, &state, again, settings).await?;
            let next = KnownLog::new(state.key.clone(), state.checkpoint);
            if KnownLogs::note(settings, endpoint, next, seen.as_ref())? {
                return reading.end(state.key, endpoint, settings).map(Some);
            }
        }
        Err(failed(LogError::Contended))
    }

    /// The version of a tool of the toolbox, as the whole log has it. None of a private repo, whose
    /// records are hidden, and of a tool that is of another registry or from a branch.
    ///
    /// A yank that the log has is noted, and asked for: the registry has to say it too.
    ///
    /// # Errors
    /// [`Error::Log`] where the log contradicts itself, what was approved, or what the registry
    /// says of yanks.
    pub async fn of_locked(
        &self,
        locked: &LockedTool,
        client: &Client,
        settings: &Settings,
    ) -> Result<Option<LoggedVersion>, Error> {
        let Some((_, repo)) = locked.source.repo() else {
            return Ok(None);
        };
        let failed = |source| not_trusted(client.endpoint(), settings, source);
        let records = self.records_of(repo, &locked.version);
        let found = LoggedVersion::of_all_records(records, locked).map_err(failed)?;
        if found.is_some() {
            check_pinned(self.records_of_repo(repo), locked).map_err(failed)?;
        }
        if let Some(logged) = &found
            && let Some(severity) = logged.yanked()
        {
            let releases = client.releases(repo).await?;
            let said = releases.yanked.get(&locked.version);
            let said = said.map(|yank| yank.severity);
            if let Err(hidden) = logged.check_yank(repo, &locked.version, said) {
                KnownReleases::note_logged(settings, locked, severity, self.records)?;
                return Err(failed(hidden));
            }
            KnownReleases::note(settings, client, repo, &releases).await?;
        }
        Ok(found)
    }

    fn records_of(&self, repo: &RepoId, version: &Version) -> Vec<(u64, LogRecord)> {
        let all = self.records_of_repo(repo);
        let kept = all.filter(|placed| placed.record.version() == Some(version));
        kept.map(|placed| (placed.index, placed.record.clone()))
            .collect()
    }

    fn records_of_repo(&self, repo: &RepoId) -> impl Iterator<Item = &PlacedRecord> {
        let repo = repo.folded();
        let kept = self.kept.iter();
        kept.filter(move |placed| placed.record.repo().map(RepoId::folded).as_ref() == Some(&repo))
    }

    /// The state of `repo` before the record at `index`.
    pub fn before(&self, index: u64, repo: &RepoId) -> RepoBefore<'_> {
        let repo = repo.folded();
        let read = self.kept.iter().chain(&self.shown);
        let earlier = read.filter(|placed| {
            placed.index < index && placed.record.repo().map(RepoId::folded).as_ref() == Some(&repo)
        });
        let (mut versions, mut signers) = (BTreeMap::new(), BTreeMap::new());
        for PlacedRecord { index, record } in earlier {
            match record {
                LogRecord::Version { publisher, .. } => drop(versions.insert(*index, publisher)),
                LogRecord::Signer { signer, .. } => drop(signers.insert(*index, signer)),
                _ => {}
            }
        }
        let version = versions.pop_last().map(|(_, publisher)| publisher);
        let signer = signers.pop_last().map(|(_, signer)| signer);
        RepoBefore {
            built_from: version.map(|job| job.as_ref().map(|job| job.source())),
            signer: signer.map(Option::as_ref),
        }
    }
}

/// A log that is being read.
#[derive(Clone)]
struct Reading<'a> {
    watched: &'a Watched,
    /// The repos of which records are kept: those of this toolbox, and of others before.
    repos: BTreeSet<RepoId>,
    /// The log as it was seen before.
    seen: Option<&'a SeenLog>,
    checkpoint: &'a Checkpoint,
    /// The state before the latest record: those after it are not older.
    latest: Option<SeenState>,
    /// The place at which the reading began.
    first: u64,
    tree: GrowingTree,
    kept: Vec<PlacedRecord>,
    /// The bytes of those that were read this time.
    kept_bytes: usize,
    shown: VecDeque<PlacedRecord>,
    left_out: u64,
}

impl<'a> Reading<'a> {
    fn new(watched: &'a Watched, seen: Option<&'a SeenLog>, checkpoint: &'a Checkpoint) -> Self {
        Self {
            watched,
            repos: watched.toolbox.iter().cloned().collect(),
            seen,
            checkpoint,
            latest: None,
            first: 0,
            tree: GrowingTree::default(),
            kept: Vec::new(),
            kept_bytes: 0,
            shown: VecDeque::new(),
            left_out: 0,
        }
    }

    /// The same, after what was `read` before.
    fn after(self, read: ReadSoFar) -> Self {
        Self {
            first: read.tree.size(),
            tree: read.tree,
            latest: read.latest,
            kept: read.records,
            ..self
        }
    }

    /// Reads to the end, from where the last reading came to, or from the beginning if `again`.
    async fn read(
        mut self,
        client: &Client,
        state: &LogState,
        again: bool,
        settings: &Settings,
    ) -> Result<Self, Error> {
        let failed = |source| not_trusted(client.endpoint(), settings, source);
        let read = ReadSoFar::read(client.endpoint(), settings);
        let before = read.iter().flat_map(|read| &read.repos);
        self.repos.extend(before.cloned());
        let newest = self.seen.map(|seen| &seen.newest);
        let goes_on = |read: &ReadSoFar| read.is_of(&state.key, newest, &self.repos);
        let Some(read) = read.filter(|read| !again && goes_on(read)) else {
            return self.follow(client, state, &failed).await;
        };
        let reading = self.clone().after(read);
        match reading.follow(client, state, &failed).await {
            // The kept state may be damaged: nobody is accused by that.
            Err(Error::Log { .. }) => self.follow(client, state, &failed).await,
            reading => reading,
        }
    }

    /// Reads to the end, and holds the root against the one that was signed.
    async fn follow(
        mut self,
        client: &Client,
        state: &LogState,
        failed: &impl Fn(LogError) -> Error,
    ) -> Result<Self, Error> {
        let size = self.checkpoint.size();
        let older = self.seen.map(|seen| seen.newest.size());
        if let Some(older) = older.filter(|it| *it > size) {
            let newer = size;
            return Err(failed(ProofError::RolledBack { older, newer }.into()));
        }
        let records = size.saturating_sub(self.first);
        if records > RECORDS_MAX {
            let records_max = RECORDS_MAX;
            return Err(failed(LogError::TooLong {
                records,
                records_max,
            }));
        }
        let bundles = self.first / TILE_WIDTH..size.div_ceil(TILE_WIDTH);
        let bundles = stream::iter(bundles)
            .map(|number| TilePath::bundle(number, size))
            .map(|path| async move { (path, client.log_bundle(state, path).await) })
            .buffered(BUNDLES_AHEAD);
        let mut bundles = std::pin::pin!(bundles);
        while let Some((path, content)) = bundles.next().await {
            self.take(path, &content?).map_err(failed)?;
        }
        self.check_seen().map_err(failed)?;
        match self.tree.root() == self.checkpoint.root() {
            true => Ok(self),
            false => Err(failed(LogError::OtherRoot { records: size })),
        }
    }

    fn take(&mut self, path: TilePath, content: &[u8]) -> Result<(), LogError> {
        let unreadable = |index| LogError::Unreadable { index };
        let records = path.records_in(content);
        let records = records.ok_or_else(|| unreadable(path.range().start))?;
        for (index, bytes) in records {
            if index < self.tree.size() {
                continue;
            }
            self.check_seen()?;
            if bytes.len() > RECORD_BYTES_MAX {
                return Err(LogError::RecordTooLong {
                    index,
                    bytes: bytes.len(),
                    bytes_max: RECORD_BYTES_MAX,
                });
            }
            self.tree.append(bytes);
            let record = LogRecord::from_bytes(bytes).map_err(|_| unreadable(index))?;
            self.check_record(index, &record)?;
            self.watch(PlacedRecord { index, record }, bytes.len())?;
        }
        Ok(())
    }

    /// Checks that a record is not older than what was seen before it, nor than those before it.
    fn check_record(&mut self, index: u64, record: &LogRecord) -> Result<(), LogError> {
        let states = self.seen.map_or(&[][..], |seen| &seen.states);
        check_record(index, record, states)?;
        check_record(index, record, self.latest.as_slice())?;
        let state = SeenState::before(index, record);
        let latest = self.latest.map_or(0, |latest| latest.seconds);
        self.latest = state.filter(|it| it.seconds >= latest).or(self.latest);
        Ok(())
    }

    /// Checks the root of what was seen before, once the reading has come there.
    fn check_seen(&self) -> Result<(), LogError> {
        let older = self.seen.map(|seen| &seen.newest);
        let here = older.filter(|older| older.size() == self.tree.size());
        match here.filter(|older| older.root() != self.tree.root()) {
            None => Ok(()),
            Some(older) => Err(LogError::Proof(ProofError::Forked {
                older: older.size(),
                newer: self.checkpoint.size(),
            })),
        }
    }

    fn watch(&mut self, placed: PlacedRecord, bytes: usize) -> Result<(), LogError> {
        let Some(repo) = placed.record.repo().map(RepoId::folded) else {
            return Ok(());
        };
        if self.watched.shows(&repo) {
            if self.shown.len() == SHOWN_MAX {
                self.shown.pop_front();
                self.left_out += 1;
            }
            self.shown.push_back(placed.clone());
        }
        if self.repos.contains(&repo) {
            if self.kept.len() == KEPT_MAX {
                let records_max = KEPT_MAX;
                return Err(LogError::TooMany { records_max });
            }
            self.kept_bytes += bytes;
            if self.kept_bytes > KEPT_BYTES_MAX {
                let bytes_max = KEPT_BYTES_MAX;
                return Err(LogError::TooMuch { bytes_max });
            }
            self.kept.push(placed);
        }
        Ok(())
    }

    /// Remembers how far it came.
    fn end(self, key: LogKey, endpoint: &Url, settings: &Settings) -> Result<WholeLog, Error> {
        let read = ReadSoFar {
            key,
            tree: self.tree,
            latest: self.latest,
            repos: self.repos,
            records: self.kept,
        };
        read.write(endpoint, settings)?;
        let records = self.checkpoint.size();
        Ok(WholeLog {
            key: read.key,
            records,
            new_records: records - self.first,
            at: time_of(self.checkpoint.seconds()),
            shown: self.shown,
            left_out: self.left_out,
            kept: read.records,
        })
    }
}

#[cfg(test)]
mod tests;
