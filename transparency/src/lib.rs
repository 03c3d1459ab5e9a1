//! A registry's transparency log: what it published and yanked, in an order that cannot be changed.
//!
//! Each [`LogRecord`] is a leaf of a Merkle tree as in RFC 6962. The registry signs the size and
//! the root of the tree as a checkpoint (C2SP `tlog-checkpoint`, with the time as
//! `tlog-cosignature`). Whoever has seen one can tell, by proofs of a few hashes, whether a later
//! one has the same records in the same places, and whether a record is among them. The tree can
//! be fetched as static files (C2SP `tlog-tiles`), so that anybody can check or mirror all of it.
//!
//! This crate is pure: it opens no file and no socket. The hashing of trees and the form of notes
//! are those of the crates `tlog_tiles` and `signed_note`.
//!
//! ```
//! use tool_hub_transparency::{LogSigner, Tree};
//!
//! let mut tree = Tree::default();
//! tree.append(b"one");
//! let signer = LogSigner::from_seed("tools.example", &[7; 32])?;
//! let early = signer.sign(tree.size(), tree.root(), 1_800_000_000)?;
//! tree.append(b"two");
//! let late = signer.sign(tree.size(), tree.root(), 1_800_000_060)?;
//!
//! let key = signer.key();
//! let (early, late) = (key.open(&early)?, key.open(&late)?);
//! late.check_record(1, b"two", &tree.inclusion_proof(2, 1))?;
//! late.check_extends(&early, &tree.consistency_proof(2, 1))?;
//! assert!(late.check_record(0, b"two", &tree.inclusion_proof(2, 0)).is_err());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod checkpoint;
mod cosignature;
mod growing_tree;
mod log_tiles;
mod private_key;
mod proof;
mod record;
mod stored_hashes;
mod tile_path;
mod tree;
mod witness;

pub use checkpoint::{Checkpoint, CheckpointError, KeyError, LogKey, LogSigner};
pub use growing_tree::{EdgeError, GrowingTree};
pub use log_tiles::{LogTiles, TILED_RECORDS_MAX};
pub use proof::{Proof, ProofError};
pub use record::{JobIdentity, LogRecord, OpeningError};
pub use stored_hashes::{HashQuery, QueryError, first_hash};
pub use tile_path::{BUNDLE_BYTES_MAX, TILE_WIDTH, TilePath, TilePathError, entry_bundle};
pub use tlog_tiles::{Hash, record_hash};
pub use tree::Tree;
pub use witness::{
    Cosignature, PolicyError, TooFewWitnesses, WitnessKey, WitnessKeyError, WitnessPolicy,
};
