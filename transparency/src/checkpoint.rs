//! A `Checkpoint`: size and root of a log at a time, whose signature was checked.
//! A `LogKey` checks them, and a `LogSigner` makes them.

use std::fmt;
use std::str::FromStr;

use ed25519_dalek::{SigningKey, VerifyingKey};
use serde::{Deserialize, Serialize};
use signed_note::{Note, VerifierList, is_key_name_valid};
use tlog_tiles::{Hash, check_record, check_tree, record_hash};

use crate::cosignature::{
    ED25519, PlainSigner, PlainVerifier, TimedSigner, TimedVerifier, plain_id, read_key, time_of,
    timed_id, written_key,
};
use crate::proof::{Proof, ProofError};

/// The longest checkpoint that is read.
const NOTE_BYTES_MAX: usize = 16 << 10;

/// The state of a log, as its key signed it. It is made only by [`LogKey::open`].
#[derive(Debug, Clone, PartialEq)]
pub struct Checkpoint {
    size: u64,
    root: Hash,
    seconds: u64,
}

/// The public key of a log, with the log's name: `name+number+key`, as C2SP `signed-note` writes
/// it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct LogKey {
    name: String,
    key: VerifyingKey,
}

/// The private key of a log, with the log's name.
pub struct LogSigner {
    name: String,
    key: SigningKey,
}

/// A text is no key of a log, or a name is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "a log's key is name+number+key, with the number of the key in 8 hexadecimal digits and an Ed25519 key in base64"
)]
pub struct KeyError;

/// A text is no checkpoint of a log.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CheckpointError {
    /// It is no signed note with a size and a root in it.
    #[error("this is no checkpoint of a log")]
    Malformed,
    /// It is of a log of another name.
    #[error("this is a checkpoint of another log")]
    OtherLog,
    /// The key did not sign it, or not with a time.
    #[error("the checkpoint is not signed by the key of the log")]
    NotSigned,
}

impl LogKey {
    /// The name of the log.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Reads a checkpoint, and checks that this key signed it, with a time.
    ///
    /// # Errors
    /// [`CheckpointError`].
    pub fn open(&self, text: &str) -> Result<Checkpoint, CheckpointError> {
        if text.len() > NOTE_BYTES_MAX {
            return Err(CheckpointError::Malformed);
        }
        let note = Note::from_bytes(text.as_bytes()).map_err(|_| CheckpointError::Malformed)?;
        let (name, key) = (self.name.clone(), self.key);
        let verifiers = VerifierList::new(vec![
            Box::new(PlainVerifier { name, key }),
            Box::new(TimedVerifier {
                name: self.name.clone(),
                key,
            }),
        ]);
        let (signed, _) = note
            .verify(&verifiers)
            .map_err(|_| CheckpointError::NotSigned)?;
        let is_plain = |id| id == plain_id(&self.name, &key);
        let timed = signed
            .iter()
            .find(|signature| signature.id() == timed_id(&self.name, &key));
        let seconds = timed.and_then(|timed| time_of(timed.signature()));
        let (true, Some(seconds)) = (signed.iter().any(|it| is_plain(it.id())), seconds) else {
            return Err(CheckpointError::NotSigned);
        };
        let body = tlog_tiles::Checkpoint::from_bytes(note.text());
        let body = body.map_err(|_| CheckpointError::Malformed)?;
        if body.origin() != self.name {
            return Err(CheckpointError::OtherLog);
        }
        Ok(Checkpoint {
            size: body.size(),
            root: *body.hash(),
            seconds,
        })
    }
}

impl FromStr for LogKey {
    type Err = KeyError;

    fn from_str(text: &str) -> Result<Self, KeyError> {
        let (name, key) = read_key(text, ED25519).ok_or(KeyError)?;
        Ok(Self { name, key })
    }
}

impl fmt::Display for LogKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&written_key(&self.name, ED25519, &self.key))
    }
}

impl TryFrom<String> for LogKey {
    type Error = KeyError;

    fn try_from(text: String) -> Result<Self, KeyError> {
        text.parse()
    }
}

impl From<LogKey> for String {
    fn from(key: LogKey) -> Self {
        key.to_string()
    }
}

impl LogSigner {
    /// The key that the 32 random bytes of `seed` make, for the log `name`.
    ///
    /// # Errors
    /// If `name` is empty, or has a space or a plus.
    pub fn from_seed(name: &str, seed: &[u8; 32]) -> Result<Self, KeyError> {
        if !is_key_name_valid(name) {
            return Err(KeyError);
        }
        Ok(Self {
            name: name.to_owned(),
            key: SigningKey::from_bytes(seed),
        })
    }

    /// The public key.
    pub fn key(&self) -> LogKey {
        LogKey {
            name: self.name.clone(),
            key: self.key.verifying_key(),
        }
    }

    /// Signs size and root of the log, as it is `seconds` after the beginning of 1970.
    ///
    /// # Errors
    /// If the name is none for a checkpoint.
    pub fn sign(&self, size: u64, root: Hash, seconds: u64) -> Result<String, KeyError> {
        let body = tlog_tiles::Checkpoint::new(&self.name, size, root, "");
        let body = body.map_err(|_| KeyError)?;
        let mut note = Note::new(&body.to_bytes(), &[]).map_err(|_| KeyError)?;
        let (name, key) = (self.name.as_str(), &self.key);
        let plain = PlainSigner { name, key };
        let timed = TimedSigner { name, key, seconds };
        note.add_sigs(&[&plain, &timed]).map_err(|_| KeyError)?;
        String::from_utf8(note.to_bytes()).map_err(|_| KeyError)
    }
}

impl fmt::Debug for LogSigner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LogSigner")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

impl Checkpoint {
    /// The number of records.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// The root of the tree over its records.
    pub fn root(&self) -> Hash {
        self.root
    }

    /// The time at which the log was so, in seconds since 1970.
    pub fn seconds(&self) -> u64 {
        self.seconds
    }

    /// Checks that the log has `record` at `index`.
    ///
    /// # Errors
    /// [`ProofError::NoRecord`].
    pub fn check_record(&self, index: u64, record: &[u8], proof: &Proof) -> Result<(), ProofError> {
        check_record(&proof.0, self.size, self.root, index, record_hash(record))
            .map_err(|_| ProofError::NoRecord { index })
    }

    /// Checks that the log begins with all that it had at `older`. Nothing need be proved of an
    /// empty one, nor of one of the same size.
    ///
    /// # Errors
    /// [`ProofError::RolledBack`], [`ProofError::Forked`].
    pub fn check_extends(&self, older: &Self, proof: &Proof) -> Result<(), ProofError> {
        let (older_size, newer) = (older.size, self.size);
        let forked = ProofError::Forked {
            older: older_size,
            newer,
        };
        if newer < older_size {
            return Err(ProofError::RolledBack {
                older: older_size,
                newer,
            });
        }
        let holds = match older_size {
            0 => true,
            same if same == newer => self.root == older.root,
            _ => check_tree(&proof.0, newer, self.root, older_size, older.root).is_ok(),
        };
        holds.then_some(()).ok_or(forked)
    }
}

#[cfg(test)]
mod tests {
    use data_encoding::BASE64;

    use super::*;
    use crate::tree::Tree;

    fn signer() -> LogSigner {
        LogSigner::from_seed("tools.example", &[7; 32]).unwrap()
    }

    fn tree(records: u64) -> Tree {
        let mut tree = Tree::default();
        for n in 0..records {
            tree.append(&n.to_be_bytes());
        }
        tree
    }

    #[test]
    fn a_key_is_read_as_it_was_written() {
        let key = signer().key();
        let text = key.to_string();
        assert!(text.starts_with("tools.example+"), "{text}");
        assert_eq!(text.parse(), Ok(key));
        // The library reads it, too.
        assert!(signed_note::StandardVerifier::new(&text).is_ok());
        for wrong in [
            "",
            "x",
            "x+00000000+AA==",
            &text.replace("example", "sample"),
        ] {
            assert_eq!(wrong.parse::<LogKey>(), Err(KeyError), "{wrong}");
        }
        assert!(LogSigner::from_seed("a b", &[7; 32]).is_err());
    }

    #[test]
    fn only_what_the_key_signed_is_a_checkpoint() {
        let (signer, tree) = (signer(), tree(5));
        let key = signer.key();
        let text = signer
            .sign(tree.size(), tree.root(), 1_800_000_000)
            .unwrap();
        let checkpoint = key.open(&text).unwrap();
        assert_eq!(
            (checkpoint.size(), checkpoint.seconds()),
            (5, 1_800_000_000)
        );

        let (body, signatures) = text.split_once("\n\n").unwrap();
        let lines: Vec<&str> = signatures.lines().collect();
        let check = |text: String, expect| assert_eq!(key.open(&text), Err(expect), "{text}");
        check(
            text.replacen("\n5\n", "\n6\n", 1),
            CheckpointError::NotSigned,
        );
        for line in &lines {
            check(format!("{body}\n\n{line}\n"), CheckpointError::NotSigned);
        }
        check(body.to_owned(), CheckpointError::Malformed);
        check(String::new(), CheckpointError::Malformed);
        check("\0".repeat(NOTE_BYTES_MAX + 1), CheckpointError::Malformed);
        let other = LogSigner::from_seed("tools.example", &[8; 32]).unwrap();
        check(
            other.sign(5, tree.root(), 0).unwrap(),
            CheckpointError::NotSigned,
        );
        // A signature with another time is none.
        let late = signer
            .sign(tree.size(), tree.root(), 1_800_000_001)
            .unwrap();
        let late = late.lines().last().unwrap().rsplit_once(' ').unwrap().1;
        let early = lines[1].rsplit_once(' ').unwrap().1;
        let (mut late, early) = (
            BASE64.decode(late.as_bytes()).unwrap(),
            BASE64.decode(early.as_bytes()).unwrap(),
        );
        late.truncate(12);
        late.extend(&early[12..]);
        let mixed = text.replace(&BASE64.encode(&early), &BASE64.encode(&late));
        check(mixed, CheckpointError::NotSigned);
    }

    #[test]
    fn a_fork_and_a_rollback_are_seen() {
        let signer = signer();
        let key = signer.key();
        let open = |tree: &Tree| {
            let text = signer.sign(tree.size(), tree.root(), 0).unwrap();
            key.open(&text).unwrap()
        };
        let (small, large) = (tree(5), tree(9));
        let mut forked = tree(4);
        for _ in 4..9 {
            forked.append(b"another");
        }
        let (older, newer) = (open(&small), open(&large));
        let nothing = Proof(Vec::new());
        assert_eq!(
            newer.check_extends(&older, &large.consistency_proof(9, 5)),
            Ok(())
        );
        assert_eq!(newer.check_extends(&newer, &nothing), Ok(()));
        assert_eq!(newer.check_extends(&open(&tree(0)), &nothing), Ok(()));
        let rolled = ProofError::RolledBack { older: 9, newer: 5 };
        assert_eq!(older.check_extends(&newer, &nothing), Err(rolled));
        let fork = ProofError::Forked { older: 5, newer: 9 };
        let other = open(&forked);
        assert_eq!(
            other.check_extends(&older, &forked.consistency_proof(9, 5)),
            Err(fork.clone())
        );
        assert_eq!(newer.check_extends(&older, &nothing), Err(fork));
        let fork = ProofError::Forked { older: 9, newer: 9 };
        assert_eq!(other.check_extends(&newer, &nothing), Err(fork));
    }
}
