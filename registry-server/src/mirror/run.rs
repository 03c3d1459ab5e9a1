//! One run of a mirror: what is new is found, copied, held against the log, and then shown.

use std::collections::BTreeMap;

use gix_hash::ObjectId;
use tool_hub_transparency::{Checkpoint, LogKey, LogRecord};

use super::copying::{LoggedContent, WantedVersions};
use super::log_copy::{LogTail, TailError, read_tail};
use super::report::{MirrorReport, Untaken};
use super::repository_copy::{CopiedRepository, copy_repository};
use super::source::MirrorSource;
use super::upstream::Upstream;
use crate::clock;
use crate::database::WriteTransaction;
use crate::database::mirror::{CopiedRecord, MirrorState};
use crate::database::references::Reference;
use crate::error::{RegistryError, UpstreamLogFault};
use crate::names::{RepositoryId, RepositoryKind};
use crate::registry::Registry;

/// A run of a mirror.
pub(super) struct Run<'a> {
    registry: &'a Registry,
    source: &'a MirrorSource,
    upstream: Upstream,
    state: MirrorState,
    report: MirrorReport,
}

impl<'a> Run<'a> {
    pub(super) fn new(
        registry: &'a Registry,
        source: &'a MirrorSource,
        state: MirrorState,
    ) -> Result<Self, RegistryError> {
        Ok(Self {
            registry,
            source,
            upstream: Upstream::new(&source.upstream)?,
            state,
            report: MirrorReport::default(),
        })
    }

    pub(super) async fn run(mut self) -> Result<MirrorReport, RegistryError> {
        let key = self.upstream.log_key().await?;
        let expects_a_log = self.state.log_key.is_some() || self.source.log_key.is_some();
        match key {
            Some(key) => self.follow_log(&key).await?,
            None if expects_a_log => return Err(self.fault(UpstreamLogFault::Vanished)),
            None => self.follow_tags().await?,
        }
        Ok(self.report)
    }

    async fn follow_log(&mut self, key: &str) -> Result<(), RegistryError> {
        let key = self.known_key(key).map_err(|fault| self.fault(fault))?;
        let (size, database) = (self.state.size.unsigned_abs(), self.registry.database());
        let text = self.upstream.checkpoint(size).await?;
        let opened = key.open(&text).map_err(UpstreamLogFault::from);
        let checkpoint = opened.map_err(|fault| self.fault(fault))?;
        let tail = read_tail(&self.upstream, database, size, &checkpoint).await;
        let tail = tail.map_err(|error| match error {
            TailError::Fault(fault) => self.fault(fault),
            TailError::Registry(error) => error,
        })?;
        let checked_ms = clock::now_ms();
        database
            .note_mirror_check(checkpoint.size(), checked_ms)
            .await?;
        let mut copied = Vec::new();
        for (repo, versions) in &self.wanted(&tail).await? {
            copied.extend(self.copy(repo, Some(versions)).await?);
        }
        self.report.records = Some(checkpoint.size());
        self.report.new_records = tail.records.len() as u64;
        let records = i64::try_from(checkpoint.size()).unwrap_or(i64::MAX);
        let after = MirrorState {
            log_key: Some(key.to_string()),
            checkpoint: Some(self.newer_checkpoint(&key, text, &checkpoint)),
            size: records,
            upstream_size: records,
            checked_ms,
            ..self.state.clone()
        };
        self.show(after, Some(tail), copied).await
    }

    /// Follows the tags of the repositories that are named, where there is no log.
    async fn follow_tags(&mut self) -> Result<(), RegistryError> {
        let named = self.source.only.iter().map(|it| it.repository());
        let named: Option<Vec<String>> = named.collect();
        let named = named.filter(|named| !named.is_empty());
        let named = named.ok_or_else(|| RegistryError::RepositoriesNotNamed {
            upstream: self.state.upstream.clone(),
        })?;
        let mut copied = Vec::new();
        for repo in named {
            copied.extend(self.copy(&repo, None).await?);
        }
        let after = MirrorState {
            checked_ms: clock::now_ms(),
            ..self.state.clone()
        };
        self.show(after, None, copied).await
    }

    async fn copy(
        &mut self,
        repo: &str,
        wanted: Option<&WantedVersions>,
    ) -> Result<Option<CopiedRepository>, RegistryError> {
        let (registry, report) = (self.registry, &mut self.report);
        match RepositoryId::parse(RepositoryKind::Model, repo) {
            Ok(repo) => copy_repository(registry, &self.upstream, &repo, wanted, report).await,
            Err(error) => {
                let (subject, reason) = (repo.to_owned(), error.to_string());
                report.refused.push(Untaken { subject, reason });
                Ok(None)
            }
        }
    }

    fn fault(&self, source: UpstreamLogFault) -> RegistryError {
        RegistryError::UpstreamLog {
            upstream: self.state.upstream.clone(),
            source,
        }
    }

    /// The key of the log, which is the one that was seen before.
    fn known_key(&self, key: &str) -> Result<LogKey, UpstreamLogFault> {
        let now: LogKey = key.parse()?;
        let named = self.source.log_key.as_ref().map(ToString::to_string);
        let mut known = self.state.log_key.iter().chain(&named);
        match known.find(|before| **before != now.to_string()) {
            None => Ok(now),
            Some(before) => Err(UpstreamLogFault::OtherKey {
                before: before.clone(),
                now: now.to_string(),
            }),
        }
    }

    /// The checkpoint to serve: of two for the same records the one that was signed later.
    fn newer_checkpoint(&self, key: &LogKey, text: String, checkpoint: &Checkpoint) -> String {
        let before = self.state.checkpoint.as_ref();
        let before = before.and_then(|text| Some((text, key.open(text).ok()?)));
        match before {
            Some((older, before))
                if before.size() == checkpoint.size()
                    && before.seconds() > checkpoint.seconds() =>
            {
                older.clone()
            }
            _ => text,
        }
    }

    /// The repositories of which the new records speak, or of which versions are missing here.
    async fn wanted(
        &self,
        tail: &LogTail,
    ) -> Result<BTreeMap<String, WantedVersions>, RegistryError> {
        let is_whole = self.state.missing == 0 && self.state.only_repos == self.source.patterns();
        let missing = match is_whole {
            true => Vec::new(),
            false => self.registry.database().records_without_version().await?,
        };
        let mut wanted: BTreeMap<String, WantedVersions> = BTreeMap::new();
        for repository in self.state.unfinished.split_whitespace() {
            wanted.entry(repository.to_owned()).or_default();
        }
        for copied in missing.iter().chain(&tail.records) {
            let CopiedRecord {
                repository, record, ..
            } = copied;
            let is_covered = repository
                .split_once('/')
                .is_some_and(|(owner, name)| self.source.covers(owner, name));
            let record = LogRecord::from_bytes(record.as_bytes());
            let (true, Ok(record)) = (is_covered, record) else {
                continue;
            };
            let versions = wanted.entry(repository.clone()).or_default();
            if let LogRecord::Version {
                version,
                commit,
                manifest,
                component,
                ..
            } = record
                && let Ok(commit) = ObjectId::from_hex(commit.as_str().as_bytes())
            {
                let content = LoggedContent {
                    commit,
                    manifest,
                    component,
                };
                versions.entry(version).or_default().push(content);
            }
        }
        Ok(wanted)
    }

    /// Shows what was copied, all at once, with the records that speak of it.
    async fn show(
        &mut self,
        after: MirrorState,
        tail: Option<LogTail>,
        copied: Vec<CopiedRepository>,
    ) -> Result<(), RegistryError> {
        let untaken = self.report.missing.len() + self.report.refused.len();
        let unfinished = copied.iter().filter(|it| !it.has_head);
        let unfinished: Vec<String> = unfinished.map(|it| it.here.full_name()).collect();
        let after = MirrorState {
            unfinished: unfinished.join(" ").to_ascii_lowercase(),
            only_repos: self.source.patterns(),
            missing: i64::try_from(untaken).unwrap_or(i64::MAX),
            ..after
        };
        let mut writing = self.registry.database().write().await?;
        if !writing.advance_mirror(&self.state, &after).await? {
            return Err(RegistryError::MirroredTwice);
        }
        if let Some(tail) = tail {
            let LogTail {
                size,
                records,
                hashes,
            } = tail;
            writing
                .insert_copied_records(size, records, &hashes)
                .await?;
        }
        for repository in copied {
            self.report.versions += repository.tags.len() as u64;
            show_repository(&mut writing, repository).await?;
        }
        writing.commit().await
    }
}

async fn show_repository(
    writing: &mut WriteTransaction,
    copied: CopiedRepository,
) -> Result<(), RegistryError> {
    let CopiedRepository {
        here, tags, head, ..
    } = copied;
    // Nothing of it could be copied yet, so nobody is to see that it is there.
    if here.private && tags.is_empty() && head.is_none() {
        return Ok(());
    }
    let now_ms = clock::now_ms();
    for (tag, publication, manifest) in tags {
        let reference = Reference {
            name: tag.tag(),
            commit: publication.commit,
        };
        let (inserted, publication) = (
            writing
                .insert_reference(&here.id, &reference, None, now_ms)
                .await?,
            writing.publish(&here.id, &publication, now_ms).await?,
        );
        if !inserted || publication.is_some() {
            return Err(RegistryError::MirroredTwice);
        }
        writing.insert_manifest(&here.id, &manifest).await?;
    }
    if let Some((commit, listing)) = head {
        writing
            .set_branch(&here.id, "refs/heads/main", &commit.oid, now_ms)
            .await?;
        writing.set_listing(&here.id, &listing).await?;
        writing
            .touch_repository(&here.id, commit.written_ms)
            .await?;
    }
    writing.list_newest_release(&here.id).await?;
    writing.show_mirrored(&here.id).await
}
