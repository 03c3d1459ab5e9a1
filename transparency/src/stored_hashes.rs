//! A `HashQuery`: what is asked of a tree whose hashes lie in a database.
//!
//! It says first which stored hashes it needs, and answers once it has them, so that a database can
//! be asked once and asynchronously. Hashes are numbered as [`tlog_tiles::stored_hash_index`] does.

use std::cell::RefCell;
use std::collections::HashMap;

use tlog_tiles::{
    Error, Hash, HashReader, prove_record, prove_tree, stored_hash_index,
    stored_hashes_for_record_hash, tree_hash,
};

use crate::tile_path::TilePath;

/// Something that is computed from stored hashes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum HashQuery {
    /// The hashes to store when a record is appended to a tree of `size` records.
    Append {
        /// The size before.
        size: u64,
        /// The hash of the record.
        record: Hash,
    },
    /// The root of the tree of `size` records.
    Root {
        /// The size.
        size: u64,
    },
    /// The proof that the tree of `size` records has the one at `index`.
    Inclusion {
        /// The size.
        size: u64,
        /// The place, counted from 0.
        index: u64,
    },
    /// The proof that the tree of `size` records begins with that of `older` records.
    Consistency {
        /// The size.
        size: u64,
        /// The size of the older one, at least 1.
        older: u64,
    },
    /// The hashes of a tile.
    Tile(TilePath),
}

/// The number of the first hash that is stored for the record at `index`.
pub fn first_hash(index: u64) -> u64 {
    stored_hash_index(0, index)
}

/// A query is about records that the tree does not have, or a hash is missing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the log cannot answer: {0}")]
pub struct QueryError(String);

impl From<Error> for QueryError {
    fn from(error: Error) -> Self {
        Self(error.to_string())
    }
}

impl HashQuery {
    /// The numbers of the stored hashes that it needs.
    ///
    /// # Errors
    /// If it is about records that the tree does not have.
    pub fn needs(&self) -> Result<Vec<u64>, QueryError> {
        let reader = Recorder::default();
        let outcome = self.run(&reader);
        match reader.asked.into_inner() {
            Some(indexes) => Ok(indexes),
            None => outcome.map(|_| Vec::new()),
        }
    }

    /// The answer: what it is computed from is in `stored`, by number.
    ///
    /// # Errors
    /// If a hash is missing.
    pub fn answer(&self, stored: &HashMap<u64, Hash>) -> Result<Vec<Hash>, QueryError> {
        self.run(&Stored(stored))
    }

    fn run<R: HashReader>(&self, reader: &R) -> Result<Vec<Hash>, QueryError> {
        let outside = |what: &str| Err(QueryError(what.to_owned()));
        Ok(match *self {
            Self::Append { size, record } => stored_hashes_for_record_hash(size, record, reader)?,
            Self::Root { size } => vec![tree_hash(size, reader)?],
            Self::Inclusion { size, index } if index < size => prove_record(size, index, reader)?,
            Self::Inclusion { .. } => return outside("there is no such record"),
            Self::Consistency { size, older } if (1..=size).contains(&older) => {
                prove_tree(size, older, reader)?
            }
            Self::Consistency { .. } => return outside("there is no such older tree"),
            Self::Tile(path) => path.hashes(reader)?,
        })
    }
}

/// Notes what is asked, and answers nothing.
#[derive(Default)]
struct Recorder {
    asked: RefCell<Option<Vec<u64>>>,
}

impl HashReader for Recorder {
    fn read_hashes(&self, indexes: &[u64]) -> Result<Vec<Hash>, Error> {
        *self.asked.borrow_mut() = Some(indexes.to_vec());
        // Nothing is computed where nothing is needed.
        match indexes {
            [] => Ok(Vec::new()),
            _ => Err(Error::IndexesNotInTree),
        }
    }
}

struct Stored<'a>(&'a HashMap<u64, Hash>);

impl HashReader for Stored<'_> {
    fn read_hashes(&self, indexes: &[u64]) -> Result<Vec<Hash>, Error> {
        let found = indexes.iter().map(|index| self.0.get(index).copied());
        found.collect::<Option<_>>().ok_or(Error::IndexesNotInTree)
    }
}
