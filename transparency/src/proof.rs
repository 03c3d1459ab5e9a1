//! A `Proof`: the hashes by which a record or an older tree is shown to be part of a tree.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use tlog_tiles::Hash;

/// The most hashes of a proof: two for each level of a tree that has 2⁶⁴ records.
const HASHES_MAX: usize = 128;

/// The hashes of a proof. As JSON it is a list of texts in base64.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Proof(pub(crate) Vec<Hash>);

/// A proof does not hold.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ProofError {
    /// The tree does not have the record in that place.
    #[error("the log does not have this record in place {index}")]
    NoRecord {
        /// The place, counted from 0.
        index: u64,
    },
    /// The newer tree has other records, or in other places, than the older one.
    #[error(
        "the log of {newer} records does not begin with the {older} records that were seen before"
    )]
    Forked {
        /// The size of the older tree.
        older: u64,
        /// The size of the newer tree.
        newer: u64,
    },
    /// The newer tree is smaller than the older one.
    #[error("the log has {newer} records, and had {older} before")]
    RolledBack {
        /// The size of the older tree.
        older: u64,
        /// The size of the newer tree.
        newer: u64,
    },
}

impl Proof {
    /// The number of hashes.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The hashes in base64, each on a line, as a witness is sent them.
    pub fn lines(&self) -> String {
        self.0.iter().map(|hash| format!("{hash}\n")).collect()
    }

    /// True for a tree of one record, which needs no hash.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl From<Vec<Hash>> for Proof {
    fn from(hashes: Vec<Hash>) -> Self {
        Self(hashes)
    }
}

impl Serialize for Proof {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(Hash::to_string))
    }
}

impl<'de> Deserialize<'de> for Proof {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let hashes: Vec<Hash> = Vec::deserialize(deserializer)?;
        if hashes.len() > HASHES_MAX {
            let message = format!("a proof has at most {HASHES_MAX} hashes");
            return Err(serde::de::Error::custom(message));
        }
        Ok(Self(hashes))
    }
}
