//! A `GrowingTree`: the right edge of a tree, which is all that appending and the root need.
//! So a log can be read to its end without being held.

use serde::{Deserialize, Serialize};
use tlog_tiles::{EMPTY_HASH, Hash, node_hash, record_hash};

use crate::proof::Proof;
use crate::stored_hashes::HashQuery;

/// A tree of which nothing is kept but the roots of its full subtrees, from left to right: as many
/// as its size has binary digits that are one.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "WrittenTree", into = "WrittenTree")]
pub struct GrowingTree {
    size: u64,
    edge: Vec<Hash>,
}

/// The form in which a tree is kept: its hashes as texts in base64.
#[derive(Serialize, Deserialize)]
struct WrittenTree {
    size: u64,
    edge: Proof,
}

/// The hashes are not the edge of a tree of that size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a tree of {size} records has an edge of {} hashes, not of {found}", size.count_ones())]
pub struct EdgeError {
    /// The size.
    pub size: u64,
    /// The number of hashes.
    pub found: usize,
}

impl GrowingTree {
    /// The tree of `size` records whose [`edge`](Self::edge) is `edge`.
    ///
    /// # Errors
    /// If these are not as many hashes as such a tree has.
    pub fn from_edge(size: u64, edge: Vec<Hash>) -> Result<Self, EdgeError> {
        let found = edge.len();
        match found == size.count_ones() as usize {
            true => Ok(Self { size, edge }),
            false => Err(EdgeError { size, found }),
        }
    }

    /// The numbers of the stored hashes that are the edge of a tree of `size` records, in order.
    pub fn edge_numbers(size: u64) -> Vec<u64> {
        let needed = HashQuery::Root { size }.needs();
        needed.expect("every size has a root")
    }

    /// The number of records.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// The hashes that are kept, from left to right.
    pub fn edge(&self) -> &[Hash] {
        &self.edge
    }

    /// Appends a record, and gives the hashes that a database stores with it.
    pub fn append(&mut self, record: &[u8]) -> Vec<Hash> {
        let mut hash = record_hash(record);
        let mut stored = vec![hash];
        // Each digit that is carried joins two subtrees of one size.
        for _ in 0..self.size.trailing_ones() {
            let left = self.edge.pop().expect("a subtree for each digit");
            hash = node_hash(left, hash);
            stored.push(hash);
        }
        self.edge.push(hash);
        self.size += 1;
        stored
    }

    /// The root.
    pub fn root(&self) -> Hash {
        let mut subtrees = self.edge.iter().rev().copied();
        let Some(last) = subtrees.next() else {
            return EMPTY_HASH;
        };
        subtrees.fold(last, |right, left| node_hash(left, right))
    }
}

impl TryFrom<WrittenTree> for GrowingTree {
    type Error = EdgeError;

    fn try_from(written: WrittenTree) -> Result<Self, EdgeError> {
        Self::from_edge(written.size, written.edge.0)
    }
}

impl From<GrowingTree> for WrittenTree {
    fn from(tree: GrowingTree) -> Self {
        Self {
            size: tree.size,
            edge: Proof(tree.edge),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::stored_hashes::first_hash;
    use crate::tree::Tree;

    #[test]
    fn it_grows_as_a_tree_that_is_held() {
        let (mut grown, mut held) = (GrowingTree::default(), Tree::default());
        let mut stored = HashMap::new();
        assert_eq!(grown.root(), EMPTY_HASH);
        for n in 0..600_u64 {
            let hashes = grown.append(&n.to_be_bytes());
            held.append(&n.to_be_bytes());
            stored.extend((first_hash(n)..).zip(hashes));
            assert_eq!((grown.size(), grown.root()), (held.size(), held.root()));
            let edge: Vec<Hash> = GrowingTree::edge_numbers(n + 1)
                .iter()
                .map(|number| stored[number])
                .collect();
            assert_eq!(grown.edge(), edge);
            assert_eq!(GrowingTree::from_edge(n + 1, edge), Ok(grown.clone()));
        }
        let written = serde_json::to_string(&grown).unwrap();
        assert_eq!(
            serde_json::from_str::<GrowingTree>(&written).unwrap(),
            grown
        );
        let longer = written.replace("600", "601");
        assert!(serde_json::from_str::<GrowingTree>(&longer).is_err());
        let found = grown.edge().len();
        let wrong = GrowingTree::from_edge(601, grown.edge().to_vec());
        assert_eq!(wrong, Err(EdgeError { size: 601, found }));
        assert_eq!(GrowingTree::edge_numbers(0), Vec::<u64>::new());
    }
}
