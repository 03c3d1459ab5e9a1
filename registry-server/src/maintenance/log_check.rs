//! Checks the log: computes its tree again, and holds it against what is stored and was signed.
//!
//! Two trees grow together, each of a few hashes. One is made of the records alone. The other goes
//! on from the stored hash where that is another one. So an altered record is one fault, and so is
//! an altered hash, although every hash above it depends on it.

use std::collections::HashMap;

use tool_hub_manifest::ClaimedSigner;
use tool_hub_transparency::{
    GrowingTree, Hash, LogKey, LogRecord, LogSigner, WitnessKey, first_hash,
};

use super::scrub_report::{ScrubFault, ScrubReport};
use crate::database::log_rows::{LogRow, LogRows};
use crate::database::mirror::MirrorState;
use crate::database::witnesses::WitnessRow;
use crate::error::{LogFault, RegistryError};

/// The greatest place of a record, whose hashes have numbers of 63 bits.
const POSITION_MAX: u64 = 1 << 60;
/// Takes the place of a hash that is not there.
const NO_HASH: Hash = Hash([0; 32]);

/// Checks all of the log, a page at a time, and adds its faults to the report.
pub(super) async fn check_log(
    mut rows: LogRows<'_>,
    report: &mut ScrubReport,
) -> Result<(), RegistryError> {
    let signatures = Signatures::read(&mut rows, report).await?;
    let mut check = LogCheck {
        by_records: GrowingTree::default(),
        by_hashes: GrowingTree::default(),
        signatures,
        report,
    };
    check.hold_against_signatures();
    loop {
        let page = rows.records_from(check.by_records.size()).await?;
        if page.is_empty() {
            break;
        }
        // Where one is missing, the hashes of a page could be many.
        for run in page.chunk_by(|row, next| row.position.checked_add(1) == Some(next.position)) {
            let (Some(first), Some(last)) = (run.first(), run.last()) else {
                continue;
            };
            let (first, end) = (
                first.position.unsigned_abs(),
                last.position.unsigned_abs() + 1,
            );
            if end > POSITION_MAX {
                return Err(damaged(format!("a record in the place {end}")));
            }
            if first > check.by_records.size() {
                let edge = GrowingTree::edge_numbers(first);
                let stored = rows.hashes_of(&edge).await?;
                check.go_on_at(first, &edge, &stored)?;
            }
            let stored = rows.hashes(first_hash(first)..first_hash(end)).await?;
            for row in run {
                check.add(row, &stored)?;
                check.hold_against_signatures();
            }
        }
    }
    let last_hash = rows.last_hash().await?;
    check.end(last_hash);
    Ok(())
}

/// Fails if the log is damaged.
pub(super) async fn require_sound_log(rows: LogRows<'_>) -> Result<(), RegistryError> {
    let mut report = ScrubReport::default();
    check_log(rows, &mut report).await?;
    let count = report.fault_count;
    match report.faults.into_iter().next() {
        Some(ScrubFault::Log(fault)) => Err(RegistryError::LogDamaged { fault, count }),
        _ => Ok(()),
    }
}

/// The check of a log, as far as it has come.
struct LogCheck<'a> {
    by_records: GrowingTree,
    by_hashes: GrowingTree,
    signatures: Signatures,
    report: &'a mut ScrubReport,
}

impl LogCheck<'_> {
    fn fault(&mut self, fault: LogFault) {
        self.report.add(ScrubFault::Log(fault));
    }

    /// Takes the next record, of whose hashes `stored` are those that are there.
    fn add(&mut self, row: &LogRow, stored: &HashMap<u64, Hash>) -> Result<(), RegistryError> {
        let position = self.by_records.size();
        self.report.log_records += 1;
        let record = row.record.as_bytes();
        let (expected, kept) = (
            self.by_records.append(record),
            self.by_hashes.append(record),
        );
        let stored: Vec<Option<Hash>> = (first_hash(position)..)
            .take(expected.len())
            .map(|number| stored.get(&number).copied())
            .collect();
        let mut all = stored.iter().zip(expected.iter().zip(&kept));
        let is_sound = all.all(|(stored, (expected, kept))| {
            stored.is_some_and(|stored| stored == *expected || stored == *kept)
        });
        if let Some(Some(last)) = stored.last()
            && let Some((end, rest)) = self.by_hashes.edge().split_last()
            && end != last
        {
            self.by_hashes = tree(position + 1, [rest, &[*last]].concat())?;
        }
        if !is_sound {
            self.fault(LogFault::Altered { position });
        } else if !is_filed(row, self.signatures.mirrored.is_some()) {
            self.fault(LogFault::Misfiled { position });
        }
        Ok(())
    }

    /// Goes on after records that are missing, from the hashes that they left.
    fn go_on_at(
        &mut self,
        first: u64,
        edge: &[u64],
        stored: &HashMap<u64, Hash>,
    ) -> Result<(), RegistryError> {
        self.fault(LogFault::Missing {
            first: self.by_records.size(),
            last: Some(first - 1),
        });
        let edge = edge
            .iter()
            .map(|number| stored.get(number).unwrap_or(&NO_HASH));
        self.by_records = tree(first, edge.copied().collect())?;
        self.by_hashes = self.by_records.clone();
        Ok(())
    }

    /// Compares the root with those that were signed of as many records. One that neither the
    /// records nor the hashes have is a fault of both.
    fn hold_against_signatures(&mut self) {
        let size = self.by_records.size();
        let signed = self.signatures.states.iter().filter(|it| it.size == size);
        let wrong = signed.filter(|state| {
            let roots = [self.by_records.root(), self.by_hashes.root()];
            !roots
                .iter()
                .any(|root| self.signatures.are_of(state, *root))
        });
        let wrong: Vec<String> = wrong.map(|state| state.signer.clone()).collect();
        for signer in wrong {
            self.fault(LogFault::NotAsSigned { size, signer });
        }
    }

    /// Looks for what should come after the last record.
    fn end(&mut self, last_hash: Option<u64>) {
        let size = self.by_records.size();
        let signed = self.signatures.states.iter().map(|it| it.size).max();
        let signed = signed.filter(|signed| *signed > size);
        if signed.is_some() || last_hash.is_some_and(|last| last >= first_hash(size)) {
            let last = signed.map(|signed| signed - 1);
            self.fault(LogFault::Missing { first: size, last });
        }
        match self.signatures.mirrored {
            Some(first) if first < size => self.fault(LogFault::NotSigned { first }),
            None if size > 0 && self.signatures.key.is_none() => self.fault(LogFault::Key),
            _ => {}
        }
    }
}

fn tree(size: u64, edge: Vec<Hash>) -> Result<GrowingTree, RegistryError> {
    let tree = GrowingTree::from_edge(size, edge);
    tree.map_err(damaged)
}

fn damaged(what: impl std::fmt::Display) -> RegistryError {
    RegistryError::Damaged(format!("the log: {what}"))
}

/// True if what is stored beside a record is what it says. A mirror opens no hidden record, and
/// stores no signer.
fn is_filed(row: &LogRow, is_mirror: bool) -> bool {
    let Ok(record) = LogRecord::from_bytes(row.record.as_bytes()) else {
        return false;
    };
    let record = match record.clone().opened(row.opening.as_deref()) {
        Ok(opened) => opened,
        Err(_) if is_mirror && row.opening.is_none() => record,
        Err(_) => return false,
    };
    let repository = record.repo().map(ToString::to_string).unwrap_or_default();
    let version = record
        .version()
        .map(ToString::to_string)
        .unwrap_or_default();
    let signer = match record {
        LogRecord::Signer { signer, .. } if !is_mirror => Some(signer),
        _ => None,
    };
    let stored = row
        .signer
        .as_deref()
        .map(serde_json::from_str::<Option<ClaimedSigner>>);
    let is_by = match (signer, stored) {
        (None, None) => true,
        (Some(signer), Some(Ok(stored))) => signer == stored,
        _ => false,
    };
    is_by && row.repository == repository.to_ascii_lowercase() && row.version == version
}

/// All that was signed of the log.
struct Signatures {
    /// The log's own key, where it is here.
    key: Option<LogSigner>,
    states: Vec<SignedState>,
    /// The number of records that the upstream signed, on a mirror.
    mirrored: Option<u64>,
}

/// A state of the log that somebody signed.
struct SignedState {
    /// The name of who did.
    signer: String,
    size: u64,
    root: SignedRoot,
}

enum SignedRoot {
    Known(Hash),
    /// A witness signed it, by this line of a note.
    Cosigned {
        key: Box<WitnessKey>,
        line: String,
    },
    /// The signature is not here.
    Unknown,
}

impl Signatures {
    async fn read(rows: &mut LogRows<'_>, report: &mut ScrubReport) -> Result<Self, RegistryError> {
        if let Some(mirror) = rows.mirror().await? {
            let state = signed_upstream(&mirror);
            if state.is_none() && (mirror.log_key.is_some() || mirror.size > 0) {
                report.add(ScrubFault::Log(LogFault::Key));
            }
            return Ok(Self {
                key: None,
                states: state.into_iter().collect(),
                mirrored: Some(mirror.size.unsigned_abs()),
            });
        }
        let witnesses = rows.witnesses().await?.into_iter();
        Ok(Self {
            key: rows.signer().await?,
            states: witnesses.filter(|it| it.size > 0).map(cosigned).collect(),
            mirrored: None,
        })
    }

    /// True if the signature of `state` is one of this root, or cannot be checked.
    fn are_of(&self, state: &SignedState, root: Hash) -> bool {
        match (&state.root, &self.key) {
            (SignedRoot::Known(signed), _) => *signed == root,
            (SignedRoot::Cosigned { key, line }, Some(signer)) => {
                // A witness signs size and root, and neither the log's signature nor its time.
                let checkpoint = signer.sign(state.size, root, 0);
                checkpoint.is_ok_and(|text| key.cosignature(&(text + line)).is_some())
            }
            (SignedRoot::Cosigned { .. }, None) | (SignedRoot::Unknown, _) => true,
        }
    }
}

/// The state that the registry signed of which this one is a mirror.
fn signed_upstream(mirror: &MirrorState) -> Option<SignedState> {
    let key: LogKey = mirror.log_key.as_ref()?.parse().ok()?;
    let checkpoint = key.open(mirror.checkpoint.as_ref()?).ok()?;
    let size = checkpoint.size();
    (size == mirror.size.unsigned_abs()).then(|| SignedState {
        signer: key.name().to_owned(),
        size,
        root: SignedRoot::Known(checkpoint.root()),
    })
}

fn cosigned(witness: WitnessRow) -> SignedState {
    let root = match (witness.key.parse().map(Box::new), witness.cosignature) {
        (Ok(key), Some(line)) => SignedRoot::Cosigned { key, line },
        _ => SignedRoot::Unknown,
    };
    SignedState {
        signer: witness.name,
        size: witness.size.unsigned_abs(),
        root,
    }
}
