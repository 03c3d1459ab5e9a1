//! A `WitnessKey` tells if a witness cosigned a checkpoint, a `WitnessPolicy` how many have to.
//! Witnesses are those of C2SP `tlog-witness`.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use ed25519_dalek::VerifyingKey;
use serde::{Deserialize, Serialize};
use signed_note::{Note, VerifierList};

use crate::cosignature::{COSIGNATURE, TimedVerifier, read_key, time_of, written_key};

/// The longest name: the signatures of all witnesses have to fit into a checkpoint.
const NAME_BYTES_MAX: usize = 200;
/// The most witnesses of a policy.
const WITNESSES_MAX: usize = 32;

/// The public key of a witness, with its name: `name+number+key`, where the key begins with the
/// byte 4, of Ed25519 signatures with a time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct WitnessKey {
    name: String,
    key: VerifyingKey,
}

/// A text is no key of a witness.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "a witness's key is name+number+key, with a name of at most {NAME_BYTES_MAX} bytes, the number of the key in 8 hexadecimal digits and an Ed25519 key of the type 4, of signatures with a time, in base64"
)]
pub struct WitnessKeyError;

/// A signature by a witness: as of this time it has seen no other history of the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cosignature {
    /// The time, in seconds since 1970.
    pub seconds: u64,
    /// The line of the note.
    pub line: String,
}

/// The witnesses of a log that somebody trusts, and how many of them have to cosign.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "WrittenPolicy")]
pub struct WitnessPolicy {
    threshold: usize,
    keys: Vec<WitnessKey>,
}

/// The form in which a policy is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenPolicy {
    threshold: usize,
    keys: Vec<WitnessKey>,
}

/// Witnesses cannot be asked for like this.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "expected 1 to {WITNESSES_MAX} witnesses with a name and a key each, and a threshold from 1 to their number; found {keys} with the threshold {threshold}"
)]
pub struct PolicyError {
    keys: usize,
    threshold: usize,
}

/// Too few witnesses cosigned a checkpoint.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "its newest state is cosigned by {found} of your witnesses, and {threshold} are asked for; missing: {}",
    missing.join(", ")
)]
pub struct TooFewWitnesses {
    /// The number of those who did.
    pub found: usize,
    /// The number of those who have to.
    pub threshold: usize,
    /// The names of the others.
    pub missing: Vec<String>,
}

impl WitnessKey {
    /// The name of the witness.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The signature by this witness among those of `checkpoint`, if there is one that holds.
    pub fn cosignature(&self, checkpoint: &str) -> Option<Cosignature> {
        let note = Note::from_bytes(checkpoint.as_bytes()).ok()?;
        let (name, key) = (self.name.clone(), self.key);
        let known = VerifierList::new(vec![Box::new(TimedVerifier { name, key })]);
        let (signed, _) = note.verify(&known).ok()?;
        let signature = signed.first()?;
        Some(Cosignature {
            seconds: time_of(signature.signature())?,
            line: String::from_utf8(signature.to_bytes()).ok()?,
        })
    }
}

impl FromStr for WitnessKey {
    type Err = WitnessKeyError;

    fn from_str(text: &str) -> Result<Self, WitnessKeyError> {
        let read = read_key(text, COSIGNATURE);
        let read = read.filter(|(name, _)| name.len() <= NAME_BYTES_MAX);
        let (name, key) = read.ok_or(WitnessKeyError)?;
        Ok(Self { name, key })
    }
}

impl fmt::Display for WitnessKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&written_key(&self.name, COSIGNATURE, &self.key))
    }
}

impl TryFrom<String> for WitnessKey {
    type Error = WitnessKeyError;

    fn try_from(text: String) -> Result<Self, WitnessKeyError> {
        text.parse()
    }
}

impl From<WitnessKey> for String {
    fn from(key: WitnessKey) -> Self {
        key.to_string()
    }
}

impl WitnessPolicy {
    /// Asks for `threshold` of the witnesses with these keys.
    ///
    /// # Errors
    /// If they cannot be so many, or two of them have one name or one key.
    pub fn new(threshold: usize, keys: Vec<WitnessKey>) -> Result<Self, PolicyError> {
        let names: BTreeSet<&str> = keys.iter().map(WitnessKey::name).collect();
        let each: BTreeSet<_> = keys.iter().map(|it| it.key.as_bytes()).collect();
        let is_right = names.len() == keys.len()
            && each.len() == keys.len()
            && keys.len() <= WITNESSES_MAX
            && (1..=keys.len()).contains(&threshold);
        match is_right {
            true => Ok(Self { threshold, keys }),
            false => Err(PolicyError {
                keys: keys.len(),
                threshold,
            }),
        }
    }

    /// Checks that enough witnesses cosigned `checkpoint` at a time, in seconds since 1970, that
    /// `counts`.
    ///
    /// # Errors
    /// If they are too few.
    pub fn check(
        &self,
        checkpoint: &str,
        counts: impl Fn(u64) -> bool,
    ) -> Result<(), TooFewWitnesses> {
        let mut missing = Vec::new();
        for key in &self.keys {
            match key.cosignature(checkpoint) {
                Some(cosignature) if counts(cosignature.seconds) => {}
                Some(_) => missing.push(format!("{} (of another time)", key.name)),
                None => missing.push(key.name.clone()),
            }
        }
        let found = self.keys.len() - missing.len();
        match found >= self.threshold {
            true => Ok(()),
            false => Err(TooFewWitnesses {
                found,
                threshold: self.threshold,
                missing,
            }),
        }
    }
}

impl TryFrom<WrittenPolicy> for WitnessPolicy {
    type Error = PolicyError;

    fn try_from(written: WrittenPolicy) -> Result<Self, PolicyError> {
        Self::new(written.threshold, written.keys)
    }
}

#[cfg(test)]
mod tests {
    use data_encoding::BASE64;
    use ed25519_dalek::SigningKey;

    use super::*;
    use crate::checkpoint::LogSigner;
    use crate::cosignature::TimedSigner;
    use crate::tree::Tree;

    const NOW: u64 = 1_800_000_000;

    fn secret(number: u8) -> SigningKey {
        SigningKey::from_bytes(&[number; 32])
    }

    fn key(number: u8) -> WitnessKey {
        let name = format!("witness.example/w{number}");
        let key = secret(number).verifying_key();
        written_key(&name, COSIGNATURE, &key).parse().unwrap()
    }

    fn checkpoint(name: &str, records: u64) -> String {
        let mut tree = Tree::default();
        (0..records).for_each(|n| tree.append(&n.to_be_bytes()));
        let signer = LogSigner::from_seed(name, &[200; 32]).unwrap();
        signer.sign(tree.size(), tree.root(), NOW).unwrap()
    }

    /// The line by which a witness cosigns a checkpoint.
    fn line(number: u8, checkpoint: &str, seconds: u64) -> String {
        let (key, name) = (secret(number), format!("witness.example/w{number}"));
        let signer = TimedSigner {
            name: &name,
            key: &key,
            seconds,
        };
        let note = Note::from_bytes(checkpoint.as_bytes()).unwrap();
        let mut cosigned = Note::new(note.text(), &[]).unwrap();
        cosigned.add_sigs(&[&signer]).unwrap();
        let cosigned = String::from_utf8(cosigned.to_bytes()).unwrap();
        cosigned.split_once("\n\n").unwrap().1.to_owned()
    }

    #[test]
    fn a_witness_s_key_is_read_as_it_was_written() {
        let text = key(1).to_string();
        assert!(text.starts_with("witness.example/w1+"), "{text}");
        assert_eq!(text.parse(), Ok(key(1)));
        let long = "w".repeat(NAME_BYTES_MAX + 1);
        let long = written_key(&long, COSIGNATURE, &secret(1).verifying_key());
        let plain = written_key("w", crate::cosignature::ED25519, &secret(1).verifying_key());
        for wrong in [
            "",
            "w",
            "w+00000000+AA==",
            &long,
            &plain,
            &text.replace("w1", "w2"),
        ] {
            assert_eq!(wrong.parse::<WitnessKey>(), Err(WitnessKeyError), "{wrong}");
        }
    }

    #[test]
    fn only_cosignatures_of_this_checkpoint_count() {
        let here = checkpoint("tools.example", 5);
        let policy = |threshold| WitnessPolicy::new(threshold, vec![key(1), key(2)]).unwrap();
        let check = |threshold, lines: &[String], expect: Result<(), [&str; 2]>| {
            let note = format!("{here}{}", lines.concat());
            let counts = |seconds| (NOW - 7..=NOW).contains(&seconds);
            let found = policy(threshold).check(&note, counts);
            let expect = expect.map_err(|missing| TooFewWitnesses {
                found: missing.iter().filter(|it| it.is_empty()).count(),
                threshold,
                missing: missing
                    .map(str::to_owned)
                    .into_iter()
                    .filter(|it| !it.is_empty())
                    .collect(),
            });
            assert_eq!(found, expect, "{note}");
        };
        let (one, two) = (line(1, &here, NOW), line(2, &here, NOW - 7));
        let [w1, w2] = ["witness.example/w1", "witness.example/w2"];
        check(2, &[one.clone(), two.clone()], Ok(()));
        check(1, std::slice::from_ref(&two), Ok(()));
        check(2, std::slice::from_ref(&one), Err(["", w2]));
        check(1, &[], Err([w1, w2]));
        // By somebody else, of another log, of another state, at another time.
        check(1, &[line(3, &here, NOW)], Err([w1, w2]));
        check(
            1,
            &[line(1, &checkpoint("other.example", 5), NOW)],
            Err([w1, w2]),
        );
        check(
            1,
            &[line(1, &checkpoint("tools.example", 4), NOW)],
            Err([w1, w2]),
        );
        let old = "witness.example/w1 (of another time)";
        check(1, &[line(1, &here, NOW - 8)], Err([old, w2]));
        check(1, &[line(1, &here, NOW + 1)], Err([old, w2]));
        // A signature with another name is none, nor is one that was edited.
        check(1, &[one.replace("w1", "w2")], Err([w1, w2]));
        let bytes = one.trim_end().rsplit_once(' ').unwrap().1;
        let mut edited = BASE64.decode(bytes.as_bytes()).unwrap();
        edited[11] ^= 1;
        check(
            1,
            &[one.replace(bytes, &BASE64.encode(&edited))],
            Err([w1, w2]),
        );
        check(1, &["nonsense".to_owned()], Err([w1, w2]));
        let found = key(1).cosignature(&format!("{here}{two}{one}")).unwrap();
        assert_eq!((found.seconds, found.line), (NOW, one));
    }

    #[test]
    fn a_threshold_can_be_met() {
        for (threshold, numbers) in [(0, &[1][..]), (2, &[1]), (1, &[]), (1, &[1, 1])] {
            let keys: Vec<WitnessKey> = numbers.iter().map(|it| key(*it)).collect();
            assert!(WitnessPolicy::new(threshold, keys).is_err(), "{threshold}");
        }
        let many: Vec<WitnessKey> = (0..=32).map(key).collect();
        assert!(WitnessPolicy::new(1, many[..32].to_vec()).is_ok());
        assert!(WitnessPolicy::new(1, many).is_err());
    }
}
