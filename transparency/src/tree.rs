//! A whole `Tree` in memory, for tests, monitors and mirrors.
//! A registry keeps its own in a database.

use std::collections::HashMap;

use tlog_tiles::{Hash, record_hash};

use crate::proof::Proof;
use crate::stored_hashes::HashQuery;
use crate::tile_path::TilePath;

/// A tree with all its hashes.
#[derive(Debug, Clone, Default)]
pub struct Tree {
    size: u64,
    stored: HashMap<u64, Hash>,
}

impl Tree {
    /// The number of records.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Appends a record.
    pub fn append(&mut self, record: &[u8]) {
        let hashes = self.ask(HashQuery::Append {
            size: self.size,
            record: record_hash(record),
        });
        let first = self.stored.len() as u64;
        self.stored.extend((first..).zip(hashes));
        self.size += 1;
    }

    /// The root.
    pub fn root(&self) -> Hash {
        self.root_of(self.size)
    }

    /// The root of the tree of the first `size` records.
    ///
    /// # Panics
    /// If there are not so many records.
    pub fn root_of(&self, size: u64) -> Hash {
        self.ask(HashQuery::Root { size })[0]
    }

    /// The proof that the tree of the first `size` records has the one at `index`.
    ///
    /// # Panics
    /// If there are not so many records.
    pub fn inclusion_proof(&self, size: u64, index: u64) -> Proof {
        Proof(self.ask(HashQuery::Inclusion { size, index }))
    }

    /// The proof that the tree of the first `size` records begins with that of the first `older`.
    ///
    /// # Panics
    /// If there are not so many records, or `older` is 0.
    pub fn consistency_proof(&self, size: u64, older: u64) -> Proof {
        Proof(self.ask(HashQuery::Consistency { size, older }))
    }

    /// The content of a tile of hashes.
    ///
    /// # Panics
    /// If there are not so many records.
    pub fn tile(&self, path: TilePath) -> Vec<u8> {
        let hashes = self.ask(HashQuery::Tile(path));
        hashes.iter().flat_map(|hash| hash.0).collect()
    }

    fn ask(&self, query: HashQuery) -> Vec<Hash> {
        query.answer(&self.stored).expect("all hashes are here")
    }
}
