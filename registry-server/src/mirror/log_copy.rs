//! Reads what is new in the upstream's log, and checks that it goes on from what is here.

use std::collections::HashMap;

use tool_hub_transparency::{
    Checkpoint, Hash, HashQuery, LogRecord, TILE_WIDTH, TilePath, first_hash, read_bundle,
    record_hash,
};

use super::upstream::Upstream;
use crate::database::Database;
use crate::database::mirror::CopiedRecord;
use crate::error::{RegistryError, UpstreamLogFault};

/// Most bytes of new records that are held at once, until their root was checked.
const RECORDS_BYTES_MAX: usize = 512 << 20;

/// The new records of a log, whose root is that of its checkpoint.
pub(super) struct LogTail {
    /// The number of records before them.
    pub(super) size: u64,
    pub(super) records: Vec<CopiedRecord>,
    /// The hashes that are stored with them.
    pub(super) hashes: Vec<Hash>,
}

/// Why the new records were not read.
pub(super) enum TailError {
    /// They do not go on from those that are here, or are no log.
    Fault(UpstreamLogFault),
    Registry(RegistryError),
}

impl From<RegistryError> for TailError {
    fn from(error: RegistryError) -> Self {
        Self::Registry(error)
    }
}

impl From<UpstreamLogFault> for TailError {
    fn from(fault: UpstreamLogFault) -> Self {
        Self::Fault(fault)
    }
}

/// The records after the first `size`, up to the checkpoint. The root of both together has to be
/// the one that was signed: so the log begins with what was taken before, and no tile is a lie.
pub(super) async fn read_tail(
    upstream: &Upstream,
    database: &Database,
    size: u64,
    checkpoint: &Checkpoint,
) -> Result<LogTail, TailError> {
    let newer = checkpoint.size();
    if newer < size {
        return Err(UpstreamLogFault::RolledBack { older: size, newer }.into());
    }
    let mut tree = GrowingTree {
        database,
        size,
        known: HashMap::new(),
    };
    let (mut records, mut hashes, mut bytes) = (Vec::new(), Vec::new(), 0);
    for number in size / TILE_WIDTH..newer.div_ceil(TILE_WIDTH) {
        let bundle = TilePath::bundle(number, newer);
        let content = upstream.bundle(bundle).await?;
        let unreadable = |index| UpstreamLogFault::Unreadable { index };
        let first = bundle.range().start;
        let all = read_bundle(&content).ok_or_else(|| unreadable(first))?;
        if all.len() as u64 != bundle.range().end - first {
            return Err(unreadable(first).into());
        }
        bytes += content.len();
        if bytes > RECORDS_BYTES_MAX {
            let bytes_max = RECORDS_BYTES_MAX;
            return Err(UpstreamLogFault::TooLong { bytes_max }.into());
        }
        for (index, record) in (first..).zip(all) {
            if index >= size {
                hashes.extend(tree.append(record).await?);
                records.push(copied(record).ok_or_else(|| unreadable(index))?);
            }
        }
    }
    if newer > 0 && tree.root().await? != checkpoint.root() {
        return Err(UpstreamLogFault::Forked { older: size, newer }.into());
    }
    Ok(LogTail {
        size,
        records,
        hashes,
    })
}

fn copied(record: &[u8]) -> Option<CopiedRecord> {
    let read = LogRecord::from_bytes(record).ok()?;
    let repo = read.repo().map(ToString::to_string).unwrap_or_default();
    Some(CopiedRecord {
        repository: repo.to_ascii_lowercase(),
        version: read.version().map(ToString::to_string).unwrap_or_default(),
        record: str::from_utf8(record).ok()?.to_owned(),
    })
}

/// The log that is here, with what is appended to it in memory.
struct GrowingTree<'a> {
    database: &'a Database,
    size: u64,
    known: HashMap<u64, Hash>,
}

impl GrowingTree<'_> {
    /// Appends a record, and gives the hashes to store.
    async fn append(&mut self, record: &[u8]) -> Result<Vec<Hash>, RegistryError> {
        let query = HashQuery::Append {
            size: self.size,
            record: record_hash(record),
        };
        let hashes = self.answer(query).await?;
        let numbered = (first_hash(self.size)..).zip(hashes.iter().copied());
        self.known.extend(numbered);
        self.size += 1;
        Ok(hashes)
    }

    async fn root(&mut self) -> Result<Hash, RegistryError> {
        let root = self.answer(HashQuery::Root { size: self.size }).await?;
        let none = || RegistryError::Damaged("the log has no root".to_owned());
        root.first().copied().ok_or_else(none)
    }

    async fn answer(&mut self, query: HashQuery) -> Result<Vec<Hash>, RegistryError> {
        let damaged = |error: tool_hub_transparency::QueryError| {
            RegistryError::Damaged(format!("the log: {error}"))
        };
        let mut needed = query.needs().map_err(damaged)?;
        needed.retain(|number| !self.known.contains_key(number));
        if !needed.is_empty() {
            self.known.extend(self.database.log_hashes(&needed).await?);
        }
        query.answer(&self.known).map_err(damaged)
    }
}
