//! A memory cache of short files and short byte ranges that were read from the content store.
//!
//! An object never changes, so what was read once need not be read again.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use bytes::Bytes;

use super::digest::Sha256Digest;

/// Longest part that is kept.
pub(super) const PART_BYTES_MAX: u64 = 64 << 10;
/// Bytes of all parts together; when they are reached all are forgotten.
const BYTES_MAX: usize = 8 << 20;

/// Parts of files, by digest and place.
#[derive(Debug, Default)]
pub(super) struct ReadCache(Mutex<Parts>);

#[derive(Debug, Default)]
struct Parts {
    bytes: usize,
    parts: HashMap<(Sha256Digest, Range<u64>), Bytes>,
}

impl ReadCache {
    pub(super) fn get(&self, sha256: &Sha256Digest, part: &Range<u64>) -> Option<Bytes> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.parts.get(&(*sha256, part.clone())).cloned()
    }

    pub(super) fn put(&self, sha256: &Sha256Digest, part: Range<u64>, bytes: Bytes) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.bytes + bytes.len() > BYTES_MAX {
            kept.parts.clear();
            kept.bytes = 0;
        }
        let length = bytes.len();
        if kept.parts.insert((*sha256, part), bytes).is_none() {
            kept.bytes += length;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_are_bounded_and_told_apart() {
        let kept = ReadCache::default();
        let digest = |byte| Sha256Digest::new([byte; 32]);
        let part = Bytes::from(vec![7; PART_BYTES_MAX as usize]);
        for byte in 0..=255 {
            kept.put(&digest(byte), 0..PART_BYTES_MAX, part.clone());
            assert!(kept.0.lock().unwrap().bytes <= BYTES_MAX);
            assert_eq!(
                kept.get(&digest(byte), &(0..PART_BYTES_MAX)),
                Some(part.clone())
            );
        }
        assert_eq!(kept.get(&digest(255), &(1..PART_BYTES_MAX)), None);
        assert_eq!(kept.get(&digest(0), &(0..PART_BYTES_MAX)), None);
    }
}
