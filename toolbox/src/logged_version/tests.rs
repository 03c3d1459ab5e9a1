//! Tests of what is believed of a log: each way in which a registry may lie has its error.

use serde_json::json;
use tool_hub_manifest::{ClaimedSigner, KeyFingerprint};
use tool_hub_transparency::{LogSigner, Tree};

use super::*;
use crate::log_times::time_of;

const NOW: u64 = 1_800_000_000;

fn now() -> OffsetDateTime {
    time_of(NOW)
}

fn signer(seed: u8) -> LogSigner {
    LogSigner::from_seed("tools.example", &[seed; 32]).unwrap()
}

fn digest(text: &str) -> Digest {
    Digest::of(text.as_bytes())
}

/// The record of a version that was published `at` this second.
fn published(version: &str, at: u64) -> LogRecord {
    LogRecord::Version {
        repo: "ada/x".parse().unwrap(),
        version: version.parse().unwrap(),
        commit: "0".repeat(40).parse().unwrap(),
        manifest: digest("manifest"),
        component: Some(digest("component")),
        publisher: None,
        at: time_of(at),
    }
}

fn yanked(version: &str) -> LogRecord {
    LogRecord::Yank {
        repo: "ada/x".parse().unwrap(),
        version: version.parse().unwrap(),
        severity: Severity::Malicious,
        at: time_of(NOW),
    }
}

/// A log, and what its registry answers.
struct Log {
    tree: Tree,
    records: Vec<LogRecord>,
    signer: LogSigner,
    seconds: u64,
}

impl Log {
    fn of(records: &[LogRecord]) -> Self {
        let mut tree = Tree::default();
        for record in records {
            tree.append(&record.to_bytes());
        }
        Self {
            tree,
            records: records.to_vec(),
            signer: signer(7),
            seconds: NOW,
        }
    }

    /// The answer about the records at these places, to whoever has seen `older` records.
    fn answer(&self, places: &[u64], older: u64) -> VersionRecords {
        let size = self.tree.size();
        let records: Vec<_> = places
            .iter()
            .map(|&index| {
                let record = &self.records[usize::try_from(index).unwrap()];
                json!({
                    "index": index,
                    "record": String::from_utf8(record.to_bytes()).unwrap(),
                    "proof": self.tree.inclusion_proof(size, index),
                })
            })
            .collect();
        let consistency = match older {
            1.. if older <= size => self.tree.consistency_proof(size, older),
            _ => tool_hub_transparency::Proof::default(),
        };
        let answer = json!({
            "key": self.signer.key(),
            "checkpoint": self.note(),
            "consistency": consistency,
            "records": records,
        });
        serde_json::from_value(answer).unwrap()
    }

    /// Its checkpoint.
    fn note(&self) -> String {
        let (size, root) = (self.tree.size(), self.tree.root());
        self.signer.sign(size, root, self.seconds).unwrap()
    }
}

/// What a client believes of an answer about `ada/x` 1.0.0, that has seen `before`.
fn believed(answer: &VersionRecords, before: Option<&Log>) -> Result<LoggedVersion, LogError> {
    let seen = before.map(|log| KnownLog::new(log.signer.key(), log.note()));
    let seen = seen.map(|log| log.seen(now())).transpose()?;
    let checkpoint = state(answer, seen.as_ref(), now())?;
    let (repo, version) = ("ada/x".parse().unwrap(), Version::new(1, 0, 0));
    let subject = Subject {
        repo: &repo,
        version: &version,
    };
    let records = opened(&answer.records, &checkpoint, subject)?;
    let states = seen.map_or_else(Vec::new, |seen| seen.states);
    of_records(records, subject, &states)
}

#[track_caller]
fn refused(answer: &VersionRecords, before: Option<&Log>, expect: &str) {
    let error = believed(answer, before).unwrap_err().to_string();
    assert!(error.contains(expect), "{error}");
}

#[test]
fn an_honest_log_is_believed() {
    let early = Log::of(&[published("0.9.0", NOW - 500), published("1.0.0", NOW - 400)]);
    let late = Log::of(&[
        published("0.9.0", NOW - 500),
        published("1.0.0", NOW - 400),
        published("1.1.0", NOW - 10),
    ]);
    let first = believed(&early.answer(&[1], 0), None).unwrap();
    assert_eq!(first.entry(false).index, 1);
    assert_eq!(first.entry(false).at, "2027-01-15T07:53:20Z");
    let again = believed(&late.answer(&[1], 2), Some(&early)).unwrap();
    assert_eq!(again, first);
    // The same state twice, and records of a kind that a later registry writes.
    believed(&early.answer(&[1], 2), Some(&early)).unwrap();
    let unknown = [published("1.0.0", NOW - 400), LogRecord::Unknown];
    believed(&Log::of(&unknown).answer(&[0, 1], 0), None).unwrap();
}

#[test]
fn another_history_is_refused() {
    let seen = Log::of(&[published("1.0.0", NOW - 400), published("1.1.0", NOW - 300)]);
    let shorter = Log::of(&[published("1.0.0", NOW - 400)]);
    let rolled_back = "the log has 1 records, and had 2 before";
    refused(&shorter.answer(&[0], 2), Some(&seen), rolled_back);
    let forked = Log::of(&[
        published("1.0.0", NOW - 400),
        published("1.2.0", NOW - 300),
        published("1.3.0", NOW - 200),
    ]);
    let expect = "the log of 3 records does not begin with the 2 records that were seen before";
    refused(&forked.answer(&[0], 2), Some(&seen), expect);
    let mut other_key = Log::of(&seen.records);
    other_key.signer = signer(8);
    let expect = "another key signs it than before: tools.example+";
    refused(&other_key.answer(&[0], 2), Some(&seen), expect);
    let mut frozen = Log::of(&seen.records);
    frozen.seconds = NOW - 8 * 24 * 60 * 60;
    let expect =
        "its newest state is of 2027-01-07 8:00:00.0 +00:00:00, and one of the last 7 days";
    refused(&frozen.answer(&[0], 2), None, expect);
}

#[test]
fn a_key_that_did_not_sign_is_refused() {
    let log = Log::of(&[published("1.0.0", NOW)]);
    let mut answer = log.answer(&[0], 0);
    answer.key = signer(8).key();
    refused(&answer, None, "not signed by the key of the log");
}

#[test]
fn only_proved_records_count() {
    let log = Log::of(&[published("1.0.0", NOW), published("2.0.0", NOW)]);
    let mut answer = log.answer(&[0], 0);
    answer.records[0].record = answer.records[0].record.replace("manifest", "manifesT");
    refused(&answer, None, "does not have this record in place 0");
    let mut answer = log.answer(&[0], 0);
    answer.records[0].index = 1;
    refused(&answer, None, "does not have this record in place 1");
    refused(&log.answer(&[], 0), None, "it has no record of ada/x 1.0.0");
    refused(
        &log.answer(&[1], 0),
        None,
        "its record 1 is about another version",
    );
    let other_content = |record| match record {
        LogRecord::Version {
            repo,
            version,
            commit,
            component,
            at,
            publisher,
            ..
        } => LogRecord::Version {
            repo,
            version,
            commit,
            manifest: digest("another"),
            component,
            at,
            publisher,
        },
        other => other,
    };
    let second = other_content(published("1.0.0", NOW));
    let twice = Log::of(&[published("1.0.0", NOW), second]);
    refused(
        &twice.answer(&[0, 1], 0),
        None,
        "two records of ada/x 1.0.0",
    );
    // The same record sent twice is one.
    believed(&log.answer(&[0, 0], 0), None).unwrap();
    let (hidden, _) = published("1.0.0", NOW).hide("salt");
    let expect = "its record 0: a record of the log is hidden";
    refused(&Log::of(&[hidden]).answer(&[0], 0), None, expect);
}

#[test]
fn a_version_cannot_be_older_than_its_place() {
    let seen = Log::of(&[published("0.9.0", NOW - 90_000)]);
    let late = Log::of(&[
        published("0.9.0", NOW - 90_000),
        published("1.0.0", NOW - 80_000),
    ]);
    let expect =
        "its record 1 claims to be of 2027-01-14 9:46:40.0 +00:00:00, but was not there yet";
    refused(&late.answer(&[1], 1), Some(&seen), expect);
}

#[test]
fn what_was_sent_has_to_be_what_was_published() {
    let log = Log::of(&[published("1.0.0", NOW)]);
    let logged = believed(&log.answer(&[0], 0), None).unwrap();
    let commit: CommitId = "0".repeat(40).parse().unwrap();
    let pin = Pin {
        manifest: digest("manifest"),
        component: digest("component"),
    };
    assert_eq!(logged.check(&commit, &pin), Ok(()));
    let other: CommitId = "1".repeat(40).parse().unwrap();
    let check = |commit, pin: &Pin, what: &str| {
        let error = logged.check(commit, pin).unwrap_err().to_string();
        assert!(error.contains(&format!("as the {what}")), "{error}");
    };
    check(&other, &pin, "commit");
    let manifest = digest("another");
    check(&commit, &Pin { manifest, ..pin }, "manifest");
    let component = digest("another");
    check(&commit, &Pin { component, ..pin }, "component");
}

#[test]
fn a_yank_in_the_log_has_to_be_said() {
    let log = Log::of(&[published("1.0.0", NOW), yanked("1.0.0")]);
    let logged = believed(&log.answer(&[0, 1], 0), None).unwrap();
    let (repo, version) = ("ada/x".parse().unwrap(), Version::new(1, 0, 0));
    let check = |said| logged.check_yank(&repo, &version, said);
    assert_eq!(check(Some(Severity::Malicious)), Ok(()));
    for said in [None, Some(Severity::Broken)] {
        let error = check(said).unwrap_err().to_string();
        assert!(error.contains("was yanked as malicious, and the registry does not"));
    }
    let back = LogRecord::Unyank {
        repo: repo.clone(),
        version: version.clone(),
        at: now(),
    };
    let log = Log::of(&[published("1.0.0", NOW), yanked("1.0.0"), back]);
    let logged = believed(&log.answer(&[0, 1, 2], 0), None).unwrap();
    assert_eq!(logged.check_yank(&repo, &version, None), Ok(()));
}

#[test]
fn a_signer_in_the_log_has_to_be_that_of_the_package() {
    let by = |signer| published("1.0.0", NOW).of_signer(signer).unwrap();
    let key = ClaimedSigner::Key(KeyFingerprint::of(b"key"));
    let commit: CommitId = "0".repeat(40).parse().unwrap();
    let check = |log: &[LogRecord]| {
        let places: Vec<u64> = (0..).take(log.len()).collect();
        let logged = believed(&Log::of(log).answer(&places, 0), None).unwrap();
        let checked = logged.check_signer(&commit, &PackageSignature::none());
        checked.map_err(|error| error.to_string())
    };
    let said = "by its record 1 the version is signed by ";
    // Nothing is claimed where the signer did not change, as in logs from before.
    assert_eq!(check(&[published("1.0.0", NOW)]), Ok(()));
    assert_eq!(check(&[published("1.0.0", NOW), by(None)]), Ok(()));
    for signer in [key.clone(), ClaimedSigner::Unknown] {
        let error = check(&[published("1.0.0", NOW), by(Some(signer))]).unwrap_err();
        assert!(
            error.starts_with(said) && error.ends_with("the package is not signed"),
            "{error}"
        );
    }
    // The last record counts, and one without a version is of none.
    let twice = [published("1.0.0", NOW), by(Some(key.clone())), by(None)];
    assert_eq!(check(&twice), Ok(()));
    assert_eq!(check(&[by(Some(key)), published("1.0.0", NOW)]), Ok(()));
}
