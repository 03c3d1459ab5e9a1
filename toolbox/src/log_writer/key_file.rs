//! The `KeyFile`: the private key of a log, and beside it the last states that it signed.
//!
//! A state is noted before anybody sees it. So whoever was interrupted, or was told that nothing
//! was committed, signs the same records in the same places again, and never two logs.

use std::path::{Path, PathBuf};

use aws_lc_rs::rand;
use serde::{Deserialize, Serialize};
use tool_hub_manifest::RepoId;
use tool_hub_transparency::{Checkpoint, LogSigner, Proof, Tree};

use super::error::LogWriterError;
use super::published_log::PublishedLog;
use crate::error::Error;
use crate::files::{self, Guard};
use crate::signing_keys::error::SigningKeyError;

/// The most bytes of a private key.
const KEY_BYTES_MAX: u64 = 4 << 10;

/// A log's private key, and what it signed. No other process uses it meanwhile.
pub(super) struct KeyFile {
    signer: LogSigner,
    signed_file: PathBuf,
    signed: Signed,
    _guard: Guard,
}

/// The last states that were signed.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Signed {
    /// The checkpoint that the data set is known to have, or to have had.
    committed: Option<String>,
    /// One that came after it, which the data set may not have.
    pending: Option<Pending>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Pending {
    checkpoint: String,
    /// The records that it has and the committed one has not.
    records: Vec<String>,
}

impl KeyFile {
    /// Opens the file, which nobody but its owner may read.
    pub(super) fn open(path: &Path) -> Result<Self, Error> {
        if !path.exists() {
            let path = path.to_owned();
            return Err(LogWriterError::NoKey { path }.into());
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let directory = path.parent().unwrap_or(Path::new("."));
        let guard = Guard::take(directory, &format!(".{name}.guard"))?;
        let file = files::open_to_read(path).map_err(files::unreadable(path))?;
        if files::is_open_to_others(&file).map_err(files::unreadable(path))? {
            let path = path.to_owned();
            return Err(SigningKeyError::OpenToOthers { path }.into());
        }
        let text = files::read_all(file, KEY_BYTES_MAX).map_err(files::unreadable(path))?;
        let signer = LogSigner::from_private_key(&String::from_utf8_lossy(&text));
        let signed_file = path.with_file_name(format!("{name}.signed.toml"));
        Ok(Self {
            signer: signer.map_err(|source| LogWriterError::NotAKey {
                path: path.to_owned(),
                source,
            })?,
            signed: files::read_toml(&signed_file)?.unwrap_or_default(),
            signed_file,
            _guard: guard,
        })
    }

    /// Does the same, and makes a key for the log `name` where there is no file.
    pub(super) fn open_or_make(path: &Path, name: &str) -> Result<Self, Error> {
        if !path.exists() {
            let not_a_key = |source| LogWriterError::NotAKey {
                path: path.to_owned(),
                source,
            };
            let mut seed = [0; 32];
            rand::fill(&mut seed).map_err(|_| LogWriterError::NoRandomness)?;
            let key = LogSigner::private_key(name, &seed).map_err(not_a_key)?;
            files::write_private_new(path, format!("{key}\n").as_bytes())?;
        }
        Self::open(path)
    }

    pub(super) fn signer(&self) -> &LogSigner {
        &self.signer
    }

    /// The error where the data set has no log, and this key signed one.
    pub(super) fn no_log(&self, dataset: &RepoId) -> LogWriterError {
        let (dataset, key) = (dataset.clone(), self.signer.key());
        match key.name().ends_with(&format!("/datasets/{dataset}")) {
            true => LogWriterError::Vanished { dataset },
            false => LogWriterError::OtherLog {
                dataset,
                log: key.name().to_owned(),
            },
        }
    }

    /// True if the data set has had a log of this key.
    pub(super) fn has_signed(&self) -> bool {
        self.signed.committed.is_some()
    }

    /// Holds `log` against what was signed. Gives the records to append before any others: those
    /// that were signed and did not come to the data set.
    pub(super) fn resumed(
        &self,
        log: &PublishedLog,
        dataset: &RepoId,
    ) -> Result<Vec<Vec<u8>>, LogWriterError> {
        let open = |text: &String| {
            let dataset = dataset.clone();
            let opened = self.signer.key().open(text);
            opened.map_err(|source| LogWriterError::Checkpoint { dataset, source })
        };
        if let Some(committed) = &self.signed.committed {
            let Some(now) = &log.checkpoint else {
                return Err(self.no_log(dataset));
            };
            let before = open(committed)?;
            let proof = match before.size() {
                1.. if before.size() <= log.size() => {
                    log.tree.consistency_proof(log.size(), before.size())
                }
                _ => Proof::default(),
            };
            now.check_extends(&before, &proof)
                .map_err(|source| LogWriterError::NotContinued {
                    dataset: dataset.clone(),
                    source,
                })?;
        }
        let Some(pending) = &self.signed.pending else {
            return Ok(Vec::new());
        };
        let signed = open(&pending.checkpoint)?;
        let mut tree = log.tree.clone();
        for record in &pending.records {
            tree.append(record.as_bytes());
        }
        // The records of a writer that has committed meanwhile come first.
        let records = pending.records.iter().map(|it| it.clone().into_bytes());
        Ok(match is_state(&tree, &signed) {
            true => records.collect(),
            false => Vec::new(),
        })
    }

    /// Notes a state that is about to be committed.
    pub(super) fn note_pending(
        &mut self,
        checkpoint: &str,
        records: &[Vec<u8>],
    ) -> Result<(), Error> {
        let text = |record: &Vec<u8>| String::from_utf8_lossy(record).into_owned();
        self.signed.pending = Some(Pending {
            checkpoint: checkpoint.to_owned(),
            records: records.iter().map(text).collect(),
        });
        self.write()
    }

    /// Notes that the data set has a state.
    pub(super) fn note_committed(&mut self, checkpoint: &str) -> Result<(), Error> {
        self.signed = Signed {
            committed: Some(checkpoint.to_owned()),
            pending: None,
        };
        self.write()
    }

    fn write(&self) -> Result<(), Error> {
        let text = files::toml_text(&self.signed_file, &self.signed)?;
        files::write_private(&self.signed_file, text.as_bytes())
    }
}

fn is_state(tree: &Tree, signed: &Checkpoint) -> bool {
    tree.size() == signed.size() && tree.root() == signed.root()
}

#[cfg(test)]
mod tests {
    use tool_hub_transparency::ProofError;

    use super::*;

    /// A log of these records, as a data set shows it.
    fn log(key_file: &KeyFile, records: &[&str]) -> PublishedLog {
        let mut log = PublishedLog {
            head: None,
            checkpoint: None,
            records: Vec::new(),
            tree: Tree::default(),
        };
        for record in records {
            log.append(record.as_bytes().to_vec());
        }
        let text = checkpoint(key_file, &log);
        log.checkpoint = Some(key_file.signer().key().open(&text).unwrap());
        log
    }

    fn checkpoint(key_file: &KeyFile, log: &PublishedLog) -> String {
        let signed = key_file.signer().sign(log.size(), log.tree.root(), 0);
        signed.unwrap()
    }

    /// The records that are appended first if the data set shows `shown`, after `committed` came to
    /// it and `pending` was signed.
    #[track_caller]
    fn check(
        committed: &[&str],
        pending: &[&str],
        shown: &[&str],
        expect: Result<&[&str], ProofError>,
    ) {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("log.key");
        let mut key_file = KeyFile::open_or_make(&path, "hub.example/datasets/a/b").unwrap();
        let before = log(&key_file, committed);
        let signed = log(&key_file, &[committed, pending].concat());
        let (before, signed) = (
            checkpoint(&key_file, &before),
            checkpoint(&key_file, &signed),
        );
        key_file.note_committed(&before).unwrap();
        let records: Vec<Vec<u8>> = pending.iter().map(|it| it.as_bytes().to_vec()).collect();
        key_file.note_pending(&signed, &records).unwrap();
        // Another process goes on.
        drop(key_file);
        let key_file = KeyFile::open(&path).unwrap();
        let dataset: RepoId = "a/b".parse().unwrap();
        let found = key_file.resumed(&log(&key_file, shown), &dataset);
        let expect = match expect {
            Ok(records) => Ok(records.iter().map(|it| it.as_bytes().to_vec()).collect()),
            Err(source) => Err(LogWriterError::NotContinued { dataset, source }),
        };
        assert_eq!(found, expect);
    }

    #[test]
    fn what_was_signed_is_signed_again_or_nothing() {
        // It did not come to the data set, it did, and another writer's came in its place.
        check(&["a"], &["b", "c"], &["a"], Ok(&["b", "c"]));
        check(&["a"], &["b", "c"], &["a", "b", "c"], Ok(&[]));
        check(&["a"], &["b", "c"], &["a", "b", "c", "d"], Ok(&[]));
        check(&["a"], &["b"], &["a", "x"], Ok(&[]));
        check(&["a"], &[], &["a"], Ok(&[]));
        let (older, newer) = (2, 1);
        let rolled_back = ProofError::RolledBack { older, newer };
        check(&["a", "b"], &["c"], &["a"], Err(rolled_back));
        let (older, newer) = (2, 3);
        let forked = ProofError::Forked { older, newer };
        check(&["a", "b"], &["c"], &["a", "x", "c"], Err(forked));
    }

    #[test]
    fn a_data_set_that_lost_its_log_is_not_begun_anew() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("log.key");
        let mut key_file = KeyFile::open_or_make(&path, "hub.example/datasets/a/b").unwrap();
        let empty = PublishedLog {
            checkpoint: None,
            ..log(&key_file, &[])
        };
        let dataset: RepoId = "a/b".parse().unwrap();
        assert_eq!(key_file.resumed(&empty, &dataset), Ok(Vec::new()));
        let begun = checkpoint(&key_file, &log(&key_file, &["a"]));
        key_file.note_committed(&begun).unwrap();
        let vanished = LogWriterError::Vanished {
            dataset: dataset.clone(),
        };
        assert_eq!(key_file.resumed(&empty, &dataset), Err(vanished));
        let dataset: RepoId = "a/c".parse().unwrap();
        let other = LogWriterError::OtherLog {
            dataset: dataset.clone(),
            log: "hub.example/datasets/a/b".to_owned(),
        };
        assert_eq!(key_file.resumed(&empty, &dataset), Err(other));
    }
}
