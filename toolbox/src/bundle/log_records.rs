//! Holds the log's records in a bundle against what this machine knows of the log, without asking.
//! Nothing of the log that a bundle shows is remembered: a stranger may have made the bundle, and
//! another log than the registry's in it, which would lock its user out of the true one.

use time::OffsetDateTime;
use tool_hub_manifest::{RepoId, Version};
use tool_hub_registry_client::VersionRecords;
use tool_hub_transparency::{Checkpoint, Proof, WitnessPolicy};

use super::origin::Doubt;
use crate::known_logs::KnownLog;
use crate::log_state::check_witnesses;
use crate::log_times::{CHECKPOINT_AGE_MAX, time_of};
use crate::logged_version::LoggedVersion;
use crate::logged_version::error::LogError;

/// The version as the log has it, and what cannot be proved of that. Where there are `witnesses`,
/// enough of them have to have cosigned the log's state when the bundle was made.
pub(crate) fn check(
    records: &VersionRecords,
    (repo, version): (&RepoId, &Version),
    known: Option<&KnownLog>,
    witnesses: Option<&WitnessPolicy>,
    now: OffsetDateTime,
) -> Result<(LoggedVersion, Vec<Doubt>), LogError> {
    let seen = known.map(|log| log.seen(now)).transpose()?;
    if let Some(known) = known
        && known.key != records.key
    {
        return Err(LogError::OtherKey {
            before: Box::new(known.key.clone()),
            now: Box::new(records.key.clone()),
        });
    }
    let checkpoint = records.key.open(&records.checkpoint)?;
    let mut doubts = vec![Doubt::RecordsLeftOut];
    match &seen {
        Some(seen) => doubts.extend(compared(&checkpoint, &seen.newest)?),
        None => doubts.push(Doubt::UnknownLog {
            key: Box::new(records.key.clone()),
        }),
    }
    let at = time_of(checkpoint.seconds());
    check_witnesses(witnesses, &records.checkpoint, at)?;
    if now - at > CHECKPOINT_AGE_MAX {
        doubts.push(Doubt::StaleState { at });
    }
    let states = seen.as_ref().map_or(&[][..], |seen| &seen.states);
    let found = LoggedVersion::of_answer(records, repo, version, &checkpoint, states)?;
    Ok((found, doubts))
}

/// Compares two states of one log, without the proof that one begins with the other.
fn compared(checkpoint: &Checkpoint, seen: &Checkpoint) -> Result<Option<Doubt>, LogError> {
    let (records, seen_records) = (checkpoint.size(), seen.size());
    if records == seen_records {
        checkpoint.check_extends(seen, &Proof::default())?;
    }
    Ok(match records.cmp(&seen_records) {
        std::cmp::Ordering::Equal => None,
        std::cmp::Ordering::Less => Some(Doubt::OlderState {
            records,
            seen: seen_records,
        }),
        std::cmp::Ordering::Greater => Some(Doubt::NewerState {
            records,
            seen: seen_records,
        }),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tool_hub_manifest::Digest;
    use tool_hub_transparency::{LogRecord, LogSigner, ProofError, Tree};

    use super::*;

    const NOW: u64 = 1_800_000_000;
    const WEEK: u64 = 7 * 24 * 3600;

    /// A log of `ada/x` 1.0.0 and of `more` records after it.
    fn log(more: &str) -> Tree {
        let mut tree = Tree::default();
        tree.append(&record());
        more.bytes().for_each(|byte| tree.append(&[byte]));
        tree
    }

    fn record() -> Vec<u8> {
        let record = LogRecord::Version {
            repo: "ada/x".parse().unwrap(),
            version: Version::new(1, 0, 0),
            commit: "0".repeat(40).parse().unwrap(),
            manifest: Digest::of(b"manifest"),
            component: Some(Digest::of(b"component")),
            publisher: None,
            at: time_of(NOW - 2 * WEEK),
        };
        record.to_bytes()
    }

    fn signed(tree: &Tree, signer: &LogSigner, seconds: u64) -> String {
        signer.sign(tree.size(), tree.root(), seconds).unwrap()
    }

    /// The doubts about a bundle with the log `tree`, on a machine that has seen `seen`, without
    /// the one that there always is.
    fn doubts(tree: &Tree, seconds: u64, seen: Option<&Tree>) -> Result<Vec<Doubt>, LogError> {
        let signer = LogSigner::from_seed("tools.example", &[7; 32]).unwrap();
        let records = json!({
            "key": signer.key(),
            "checkpoint": signed(tree, &signer, seconds),
            "consistency": [],
            "records": [{
                "index": 0,
                "record": String::from_utf8(record()).unwrap(),
                "proof": tree.inclusion_proof(tree.size(), 0),
            }],
        });
        let seen = seen.map(|seen| KnownLog::new(signer.key(), signed(seen, &signer, NOW)));
        let records = serde_json::from_value(records).unwrap();
        let (repo, version) = ("ada/x".parse().unwrap(), Version::new(1, 0, 0));
        let now = time_of(NOW);
        let checked = check(&records, (&repo, &version), seen.as_ref(), None, now);
        checked.map(|(_, doubts)| match &doubts[..] {
            [Doubt::RecordsLeftOut, others @ ..] => others.to_vec(),
            _ => panic!("{doubts:?}"),
        })
    }

    #[test]
    fn what_cannot_be_proved_is_a_doubt() {
        let (one, two) = (log(""), log("a"));
        assert_eq!(doubts(&two, NOW, Some(&two)), Ok(Vec::new()));
        let unknown = doubts(&two, NOW, None).unwrap();
        assert!(matches!(unknown[..], [Doubt::UnknownLog { .. }]));
        let (records, seen) = (1, 2);
        let older = Doubt::OlderState { records, seen };
        assert_eq!(doubts(&one, NOW, Some(&two)), Ok(vec![older]));
        let (records, seen) = (2, 1);
        let newer = Doubt::NewerState { records, seen };
        assert_eq!(doubts(&two, NOW, Some(&one)), Ok(vec![newer]));
        let at = time_of(NOW - WEEK - 1);
        let stale = Doubt::StaleState { at };
        assert_eq!(doubts(&two, NOW - WEEK - 1, Some(&two)), Ok(vec![stale]));
        assert_eq!(doubts(&two, NOW - WEEK, Some(&two)), Ok(Vec::new()));
        let (older, newer) = (2, 2);
        let forked = Err(LogError::Proof(ProofError::Forked { older, newer }));
        assert_eq!(doubts(&log("b"), NOW, Some(&two)), forked);
    }
}
