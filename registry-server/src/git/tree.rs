//! Encodes and decodes git trees: the entries of one directory each.

use std::collections::BTreeMap;

use gix_hash::{Kind as HashKind, ObjectId};
use gix_object::tree::{Entry, EntryKind};
use gix_object::{Kind, Tree, TreeRefIter, WriteTo as _};

use crate::error::RegistryError;

/// The object that a name in a directory stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TreeEntry {
    Directory(ObjectId),
    File(ObjectId),
}

/// The bytes and the id of a directory.
pub(crate) fn encode_tree(
    entries: &BTreeMap<String, TreeEntry>,
) -> Result<(ObjectId, Vec<u8>), RegistryError> {
    let mut tree = Tree {
        entries: entries
            .iter()
            .map(|(name, entry)| {
                let (kind, oid) = match entry {
                    TreeEntry::Directory(oid) => (EntryKind::Tree, *oid),
                    TreeEntry::File(oid) => (EntryKind::Blob, *oid),
                };
                Entry {
                    mode: kind.into(),
                    filename: name.as_str().into(),
                    oid,
                }
            })
            .collect(),
    };
    // Git sorts a directory as if its name ended in a slash, which differs from the order of the
    // names.
    tree.entries.sort();
    let mut bytes = Vec::new();
    tree.write_to(&mut bytes)?;
    Ok((super::id::object_id(Kind::Tree, &bytes)?, bytes))
}

/// Reads the bytes of a directory.
pub(crate) fn decode_tree(bytes: &[u8]) -> Result<BTreeMap<String, TreeEntry>, RegistryError> {
    let damaged = || RegistryError::Damaged("a tree object cannot be read".to_owned());
    TreeRefIter::from_bytes(bytes, HashKind::Sha1)
        .map(|entry| {
            let entry = entry.map_err(|_| damaged())?;
            let name = std::str::from_utf8(entry.filename)
                .map_err(|_| damaged())?
                .to_owned();
            let oid = entry.oid.to_owned();
            Ok((
                name,
                if entry.mode.is_tree() {
                    TreeEntry::Directory(oid)
                } else {
                    TreeEntry::File(oid)
                },
            ))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_empty_tree_has_gits_well_known_id() {
        let (oid, bytes) = encode_tree(&BTreeMap::new()).unwrap();
        assert_eq!(oid.to_string(), "4b825dc642cb6eb9a060e54bf8d69288fbee4904");
        assert!(bytes.is_empty());
    }

    #[test]
    fn what_is_written_is_read_back() {
        let blob = super::super::id::object_id(Kind::Blob, b"hello\n").unwrap();
        assert_eq!(blob.to_string(), "ce013625030ba8dba906f756967f9e9ca394464a");
        let entries = BTreeMap::from([
            ("a".to_owned(), TreeEntry::Directory(blob)),
            ("a.txt".to_owned(), TreeEntry::File(blob)),
            ("a0".to_owned(), TreeEntry::File(blob)),
        ]);
        let (_, bytes) = encode_tree(&entries).unwrap();
        assert_eq!(decode_tree(&bytes).unwrap(), entries);
    }
}
