//! Reads what is new in the upstream's log, and checks that it goes on from what is here.

use tool_hub_transparency::{Checkpoint, Hash, LogRecord, TILE_WIDTH, TilePath};

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
    let mut tree = database.log_edge(size).await?;
    let (mut records, mut hashes, mut bytes) = (Vec::new(), Vec::new(), 0);
    for number in size / TILE_WIDTH..newer.div_ceil(TILE_WIDTH) {
        let bundle = TilePath::bundle(number, newer);
        let content = upstream.bundle(bundle).await?;
        let unreadable = |index| UpstreamLogFault::Unreadable { index };
        let all = bundle.records_in(&content);
        let all = all.ok_or_else(|| unreadable(bundle.range().start))?;
        bytes += content.len();
        if bytes > RECORDS_BYTES_MAX {
            let bytes_max = RECORDS_BYTES_MAX;
            return Err(UpstreamLogFault::TooLong { bytes_max }.into());
        }
        for (index, record) in all {
            if index >= size {
                hashes.extend(tree.append(record));
                records.push(copied(record).ok_or_else(|| unreadable(index))?);
            }
        }
    }
    if newer > 0 && tree.root() != checkpoint.root() {
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
