//! The tiles of a log of a known size: which files it has, and what is computed from them.

use std::collections::HashMap;

use tlog_tiles::{Hash, Tile};

use crate::stored_hashes::{HashQuery, QueryError};
use crate::tile_path::{HEIGHT, LEVEL_MAX, TILE_WIDTH, TilePath};

/// The most records of a log that is kept as tiles.
pub const TILED_RECORDS_MAX: u64 = 1 << 40;

/// The tiles of hashes of a log, as files that somebody else keeps. What is computed from them is
/// as right as they are: proofs are checked by whoever uses them.
#[derive(Debug, Default)]
pub struct LogTiles(HashMap<Tile, Vec<u8>>);

impl LogTiles {
    /// The tiles from which `query` is answered in a log of `size` records.
    ///
    /// # Errors
    /// If it is about records that the log does not have.
    pub fn needed(query: &HashQuery, size: u64) -> Result<Vec<TilePath>, QueryError> {
        let mut tiles: Vec<TilePath> = Vec::new();
        for index in query.needs()? {
            let tile = TilePath(tile_of(index, size));
            if !tiles.contains(&tile) {
                tiles.push(tile);
            }
        }
        Ok(tiles)
    }

    /// Takes the content of a tile.
    pub fn insert(&mut self, path: TilePath, content: Vec<u8>) {
        self.0.insert(path.0, content);
    }

    /// The answer, for a log of `size` records.
    ///
    /// # Errors
    /// If a tile is missing or too short.
    pub fn answer(&self, query: &HashQuery, size: u64) -> Result<Vec<Hash>, QueryError> {
        let mut stored = HashMap::new();
        for index in query.needs()? {
            let tile = tile_of(index, size);
            if let Some(content) = self.0.get(&tile) {
                stored.insert(index, tile.hash_at_index(content, index)?);
            }
        }
        query.answer(&stored)
    }
}

/// The tile that has the stored hash `index`, as wide as it is in a log of `size` records.
fn tile_of(index: u64, size: u64) -> Tile {
    let narrow = Tile::from_index(HEIGHT, index);
    let (level, number) = (narrow.level(), narrow.level_index());
    let hashes = size >> (HEIGHT * level);
    let width = hashes
        .saturating_sub(number * TILE_WIDTH)
        .clamp(1, TILE_WIDTH);
    let width = u32::try_from(width).expect("a tile is narrow");
    Tile::new(HEIGHT, level, number, width, false)
}

impl TilePath {
    /// The bundles of records and the tiles of hashes that a log of `new` records has and one of
    /// `old` did not have.
    pub fn added(old: u64, new: u64) -> Vec<Self> {
        let bundles = (old / TILE_WIDTH..new.div_ceil(TILE_WIDTH))
            .filter(|_| old < new)
            .map(|number| Self::bundle(number, new));
        let hashes = Tile::new_tiles(HEIGHT, old, new);
        bundles.chain(hashes.into_iter().map(Self)).collect()
    }

    /// The bundle and the tiles of a log of `size` records that are not full.
    pub fn partial(size: u64) -> Vec<Self> {
        let partial = |level: u8, is_data| {
            let hashes = size >> (HEIGHT * level);
            let width = u32::try_from(hashes % TILE_WIDTH).expect("a tile is narrow");
            let tile = || Tile::new(HEIGHT, level, hashes / TILE_WIDTH, width, is_data);
            (width > 0).then(|| Self(tile()))
        };
        let hashes = (0..=LEVEL_MAX).map(|level| partial(level, false));
        std::iter::once(partial(0, true))
            .chain(hashes)
            .flatten()
            .collect()
    }

    /// The bytes of a tile of hashes.
    pub fn hash_bytes(&self) -> u64 {
        u64::from(self.0.width()) * size_of::<Hash>() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proof::Proof;
    use crate::tree::Tree;

    fn tree(size: u64) -> Tree {
        let mut tree = Tree::default();
        for n in 0..size {
            tree.append(&n.to_be_bytes());
        }
        tree
    }

    /// Answers from tiles alone, as whoever keeps `tree` published them.
    fn answer(tree: &Tree, query: HashQuery) -> Result<Vec<Hash>, QueryError> {
        let size = tree.size();
        let published = TilePath::added(0, size);
        let mut tiles = LogTiles::default();
        for path in LogTiles::needed(&query, size)? {
            assert!(published.contains(&path), "{path} of {size}");
            tiles.insert(path, tree.tile(path));
        }
        tiles.answer(&query, size)
    }

    #[test]
    fn tiles_prove_what_the_tree_does() {
        for size in [1, 2, 255, 256, 257, 300, 70_000] {
            let tree = tree(size);
            let root = answer(&tree, HashQuery::Root { size }).unwrap();
            assert_eq!(root, [tree.root()], "{size}");
            for place in [0, size / 2, size - 1] {
                let query = HashQuery::Inclusion { size, index: place };
                let proof = Proof::from(answer(&tree, query).unwrap());
                assert_eq!(
                    proof,
                    tree.inclusion_proof(size, place),
                    "{place} of {size}"
                );
                let older = place + 1;
                let query = HashQuery::Consistency { size, older };
                let proof = Proof::from(answer(&tree, query).unwrap());
                assert_eq!(
                    proof,
                    tree.consistency_proof(size, older),
                    "{older} of {size}"
                );
            }
            let outside = HashQuery::Inclusion { size, index: size };
            assert!(answer(&tree, outside).is_err());
        }
    }

    #[test]
    fn a_missing_or_short_tile_proves_nothing() {
        let (tree, size) = (tree(300), 300);
        let query = HashQuery::Inclusion { size, index: 7 };
        let mut tiles = LogTiles::default();
        assert!(tiles.answer(&query, size).is_err());
        for path in LogTiles::needed(&query, size).unwrap() {
            let mut content = tree.tile(path);
            assert_eq!(content.len() as u64, path.hash_bytes());
            content.pop();
            tiles.insert(path, content);
        }
        assert!(tiles.answer(&query, size).is_err());
    }

    #[track_caller]
    fn check(paths: Vec<TilePath>, expect: &[&str]) {
        let paths: Vec<String> = paths.iter().map(TilePath::to_string).collect();
        assert_eq!(paths, expect);
    }

    #[test]
    fn a_log_that_grows_adds_tiles() {
        check(TilePath::added(0, 0), &[]);
        check(TilePath::added(3, 3), &[]);
        check(
            TilePath::added(3, 257),
            &[
                "tile/entries/000",
                "tile/entries/001.p/1",
                "tile/0/000",
                "tile/0/001.p/1",
                "tile/1/000.p/1",
            ],
        );
        check(TilePath::partial(0), &[]);
        check(TilePath::partial(256), &["tile/1/000.p/1"]);
        check(
            TilePath::partial(257),
            &["tile/entries/001.p/1", "tile/0/001.p/1", "tile/1/000.p/1"],
        );
    }
}
