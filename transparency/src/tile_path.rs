//! The paths of a log's static files: tiles of hashes and bundles of records, as C2SP `tlog-tiles`.

use std::fmt;
use std::str::FromStr;

use tlog_tiles::{Error, Hash, HashReader, Tile, stored_hash_index};

/// The height of a tile, in levels of the tree.
pub(crate) const HEIGHT: u8 = 8;
/// The number of hashes of a whole tile, and of records of a whole bundle.
pub const TILE_WIDTH: u64 = 1 << HEIGHT;
/// The most bytes of a bundle: its records, each with its length before it.
pub const BUNDLE_BYTES_MAX: u64 = TILE_WIDTH * (2 + u16::MAX as u64);
/// The highest level of tiles: a tree with tiles of level 5 has 2⁴⁰ records.
pub(crate) const LEVEL_MAX: u8 = 5;

/// `tile/<level>/<number>`, or `tile/entries/<number>` for records, with `.p/<width>` if it is not
/// full.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TilePath(pub(crate) Tile);

/// A path is none of a tile.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "a tile is tile/<level>/<number> with a level of at most {LEVEL_MAX}, or tile/entries/<number>, and .p/<width> if it is not full"
)]
pub struct TilePathError;

impl TilePath {
    /// The bundle of this number, counted from 0, as a log of `size` records has it.
    pub fn bundle(number: u64, size: u64) -> Self {
        let width = size
            .saturating_sub(number * TILE_WIDTH)
            .clamp(1, TILE_WIDTH);
        let width = u32::try_from(width).expect("a tile is narrow");
        Self(Tile::new(HEIGHT, 0, number, width, true))
    }

    /// True if it is a bundle of records.
    pub fn is_entries(&self) -> bool {
        self.0.is_data()
    }

    /// The places of its records, or of the hashes in its level.
    pub fn range(&self) -> std::ops::Range<u64> {
        let first = self.0.level_index() * TILE_WIDTH;
        first..first + u64::from(self.0.width())
    }

    /// The records in `content`, the bundle that this is the path of, each with its place. None if
    /// they are not as many as the path says, or the last is cut off.
    pub fn records_in<'a>(&self, content: &'a [u8]) -> Option<Vec<(u64, &'a [u8])>> {
        let (range, records) = (self.range(), read_bundle(content)?);
        let is_whole = records.len() as u64 == range.end - range.start;
        is_whole.then(|| range.zip(records).collect())
    }

    /// The number of records that a tree has at least if it has this tile.
    pub fn records(&self) -> u64 {
        let level = match self.is_entries() {
            true => 0,
            false => self.0.level(),
        };
        self.range().end << (HEIGHT * level)
    }

    pub(crate) fn hashes<R: HashReader>(&self, reader: &R) -> Result<Vec<Hash>, Error> {
        let level = HEIGHT * self.0.level();
        let indexes: Vec<u64> = self.range().map(|n| stored_hash_index(level, n)).collect();
        reader.read_hashes(&indexes)
    }
}

impl FromStr for TilePath {
    type Err = TilePathError;

    fn from_str(text: &str) -> Result<Self, TilePathError> {
        let rest = text.strip_prefix("tile/").ok_or(TilePathError)?;
        let (level, number) = rest.split_once('/').ok_or(TilePathError)?;
        // The library takes neither other levels nor other widths well.
        let level = match level {
            "entries" => "data",
            level if (0..=LEVEL_MAX).any(|it| level == it.to_string()) => level,
            _ => return Err(TilePathError),
        };
        if let Some((_, width)) = number.split_once(".p/")
            && !(1..TILE_WIDTH).any(|it| width == it.to_string())
        {
            return Err(TilePathError);
        }
        // The library's paths name the height too.
        let tile = Tile::from_path(&format!("tile/{HEIGHT}/{level}/{number}"));
        let tile = tile.map_err(|_| TilePathError)?;
        // No log has more than 2⁴⁸ records.
        let is_small = tile.level_index() < 1 << (40 - HEIGHT * tile.level());
        is_small.then_some(Self(tile)).ok_or(TilePathError)
    }
}

impl fmt::Display for TilePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.0.path();
        let rest = path.strip_prefix("tile/8/").unwrap_or(&path);
        match rest.strip_prefix("data/") {
            Some(number) => write!(f, "tile/entries/{number}"),
            None => write!(f, "tile/{rest}"),
        }
    }
}

/// The content of a bundle of records: each with its length before it, in two bytes.
pub fn entry_bundle<'a>(records: impl IntoIterator<Item = &'a [u8]>) -> Vec<u8> {
    let mut bundle = Vec::new();
    for record in records {
        let length = u16::try_from(record.len()).expect("records are short");
        bundle.extend(length.to_be_bytes());
        bundle.extend(record);
    }
    bundle
}

/// The records of a bundle; none if it is cut off.
fn read_bundle(mut bundle: &[u8]) -> Option<Vec<&[u8]>> {
    let mut records = Vec::new();
    while !bundle.is_empty() {
        let (length, rest) = bundle.split_first_chunk::<2>()?;
        let (record, rest) = rest.split_at_checked(u16::from_be_bytes(*length).into())?;
        records.push(record);
        bundle = rest;
    }
    Some(records)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, range: std::ops::Range<u64>, records: u64) {
        let path: TilePath = text.parse().unwrap();
        assert_eq!((path.range(), path.records()), (range, records));
        assert_eq!(path.to_string(), text);
    }

    #[test]
    fn paths_are_read_and_written() {
        check("tile/0/000", 0..256, 256);
        check("tile/0/001.p/3", 256..259, 259);
        check("tile/1/000.p/2", 0..2, 512);
        check("tile/entries/x001/234", 1234 * 256..1235 * 256, 1235 * 256);
        for text in [
            "",
            "tile",
            "tile/0",
            "tile/6/000",
            "tile/0/0",
            "tile/0/000.p/0",
            "tile/0/000.p/256",
            "tile/data/000",
            "tile/0/../000",
            "tile/-1/000",
            "tile/0/x999/x999/x999/x999/999",
            "tile/0/000/",
            "/tile/0/000",
            "tile/63/000",
            "tile/64/000",
            "tile/255/000",
            "tile/+0/000",
            "tile/0/000.p/00",
            "tile/0/000.p/+1",
            "tile/0/000.p/1.p/0",
            "tile/5/x999/x999/999",
            "tile/entries/000.p/257",
        ] {
            assert_eq!(text.parse::<TilePath>(), Err(TilePathError), "{text}");
        }
    }

    #[test]
    fn a_bundle_is_read_as_it_was_written() {
        let records: [&[u8]; 3] = [b"one", b"", b"three"];
        let bundle = entry_bundle(records);
        assert_eq!(read_bundle(&bundle), Some(records.to_vec()));
        assert_eq!(read_bundle(&[]), Some(Vec::new()));
        for cut in [1, 4, bundle.len() - 1] {
            assert_eq!(read_bundle(&bundle[..cut]), None, "{cut}");
        }
        let placed = [(256, records[0]), (257, records[1]), (258, records[2])];
        let read = TilePath::bundle(1, 259).records_in(&bundle);
        assert_eq!(read, Some(placed.to_vec()));
        assert_eq!(TilePath::bundle(1, 260).records_in(&bundle), None);
        assert_eq!(TilePath::bundle(1, 258).records_in(&bundle), None);
        for (number, size, path) in [
            (0, 256, "tile/entries/000"),
            (0, 3, "tile/entries/000.p/3"),
            (1, 300, "tile/entries/001.p/44"),
            (1234, 1_000_000, "tile/entries/x001/234"),
        ] {
            assert_eq!(TilePath::bundle(number, size).to_string(), path);
        }
    }
}
