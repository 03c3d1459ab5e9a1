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
use tool_hub_manifest::{LockedTool, RepoId, Source, Version};
use tool_hub_registry_client::{Client, LogState};
use tool_hub_transparency::{
    Checkpoint, GrowingTree, LogKey, LogRecord, ProofError, TILE_WIDTH, TilePath,
};

use self::placed_record::{PlacedRecord, RepoBefore};
use self::read_so_far::ReadSoFar;
use self::standing_signer::check_pinned;
use self::watched::{Watched, folded};
use crate::error::Error;
use crate::known_logs::{KnownLog, KnownLogs};
use crate::known_releases::KnownReleases;
use crate::log_state::{
    check_age, check_time, check_witnesses, no_log, not_trusted, opened_state, time_of,
};
use crate::logged_version::LoggedVersion;
use crate::logged_version::error::LogError;
use crate::settings::Settings;

/// Bundles that are fetched at a time.
const BUNDLES_AHEAD: usize = 4;
/// The most records that are read in one go.
const RECORDS_MAX: u64 = 10_000_000;
/// The most records of the repos of toolboxes that are kept.
const KEPT_MAX: usize = 100_000;
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
        let known = KnownLogs::read(settings)?;
        let known = known.of(endpoint);
        let state = match (client.log_state().await?, known) {
            (Some(state), _) => state,
            (None, known) => return no_log(endpoint, known, settings).map(|()| None),
        };
        let (key, text) = (state.key.clone(), &state.checkpoint);
        let opened = opened_state(&key, text, known.map(|log| &log.key));
        let checkpoint = opened.map_err(failed)?;
        let now = OffsetDateTime::now_utc();
        check_age(&checkpoint, now).map_err(failed)?;
        check_witnesses(settings.witnesses_of(endpoint), text, now).map_err(failed)?;
        let older = known.map(|log| log.key.open(&log.checkpoint)).transpose();
        let older = older.map_err(|it| failed(it.into()))?;
        let read = ReadSoFar::read(endpoint, settings);
        let before = read.iter().flat_map(|read| &read.repos);
        let reading = Reading {
            watched,
            repos: watched.toolbox.iter().chain(before).cloned().collect(),
            older: older.as_ref(),
            checkpoint: &checkpoint,
            first: 0,
            tree: GrowingTree::default(),
            kept: Vec::new(),
            shown: VecDeque::new(),
            left_out: 0,
        };
        let goes_on = |read: &ReadSoFar| read.is_of(&key, older.as_ref(), &reading.repos);
        let read = read.filter(|read| !again && goes_on(read));
        let reading = match read {
            None => reading.follow(client, &state, &failed).await?,
            Some(read) => match reading
                .clone()
                .after(read)
                .follow(client, &state, &failed)
                .await
            {
                // The kept state may be damaged: nobody is accused by that.
                Err(Error::Log { .. }) => reading.follow(client, &state, &failed).await?,
                reading => reading?,
            },
        };
        let seen = KnownLog {
            key: key.clone(),
            checkpoint: state.checkpoint,
        };
        KnownLogs::note(settings, endpoint, seen)?;
        let read = ReadSoFar {
            key,
            tree: reading.tree,
            repos: reading.repos,
            records: reading.kept,
        };
        read.write(endpoint, settings)?;
        Ok(Some(Self {
            key: read.key,
            records: checkpoint.size(),
            new_records: checkpoint.size() - reading.first,
            at: time_of(checkpoint.seconds()),
            shown: reading.shown,
            left_out: reading.left_out,
            kept: read.records,
        }))
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
        let Source::Registry { repo, .. } = &locked.source else {
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
        let repo = folded(repo);
        let kept = self.kept.iter();
        kept.filter(move |placed| placed.record.repo().map(folded).as_ref() == Some(&repo))
    }

    /// The state of `repo` before the record at `index`.
    pub fn before(&self, index: u64, repo: &RepoId) -> RepoBefore<'_> {
        let repo = folded(repo);
        let read = self.kept.iter().chain(&self.shown);
        let earlier = read.filter(|placed| {
            placed.index < index && placed.record.repo().map(folded).as_ref() == Some(&repo)
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
    older: Option<&'a Checkpoint>,
    checkpoint: &'a Checkpoint,
    /// The place at which the reading began.
    first: u64,
    tree: GrowingTree,
    kept: Vec<PlacedRecord>,
    shown: VecDeque<PlacedRecord>,
    left_out: u64,
}

impl Reading<'_> {
    /// The same, after what was `read` before.
    fn after(self, read: ReadSoFar) -> Self {
        Self {
            first: read.tree.size(),
            tree: read.tree,
            kept: read.records,
            ..self
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
        if let Some(older) = self.older.map(Checkpoint::size).filter(|it| *it > size) {
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
            self.tree.append(bytes);
            let record = LogRecord::from_bytes(bytes).map_err(|_| unreadable(index))?;
            check_time(index, &record, self.older)?;
            self.watch(PlacedRecord { index, record })?;
        }
        Ok(())
    }

    /// Checks the root of what was seen before, once the reading has come there.
    fn check_seen(&self) -> Result<(), LogError> {
        let here = self.older.filter(|older| older.size() == self.tree.size());
        match here.filter(|older| older.root() != self.tree.root()) {
            None => Ok(()),
            Some(older) => Err(LogError::Proof(ProofError::Forked {
                older: older.size(),
                newer: self.checkpoint.size(),
            })),
        }
    }

    fn watch(&mut self, placed: PlacedRecord) -> Result<(), LogError> {
        let Some(repo) = placed.record.repo().map(folded) else {
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
            self.kept.push(placed);
        }
        Ok(())
    }
}
