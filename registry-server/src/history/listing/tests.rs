//! Tests that finding paths and listing pages in a commit reads few git trees, in order of paths.

use super::*;
use crate::git::encode_tree;

/// Directories one in another, with a file in the last, and the id of the first.
fn nested(depth: usize) -> (HashMap<ObjectId, Vec<u8>>, ObjectId) {
    let file = ObjectId::from_hex(&[b'7'; 40]).unwrap();
    let mut trees = HashMap::new();
    let mut entry = ("f", TreeEntry::File(file));
    for _ in 0..=depth {
        let entries = BTreeMap::from([(entry.0.to_owned(), entry.1)]);
        let (oid, bytes) = encode_tree(&entries).unwrap();
        trees.insert(oid, bytes);
        entry = ("d", TreeEntry::Directory(oid));
    }
    let TreeEntry::Directory(root) = entry.1 else {
        unreachable!()
    };
    (trees, root)
}

#[test]
fn a_directory_is_read_once_however_many_paths_lead_through_it() {
    let (trees, root) = nested(62);
    let deepest = format!("{}f", "d/".repeat(62));
    let mut reads = Vec::new();
    for count in [1, 10, 4_000] {
        let mut paths = vec![deepest.clone(); count];
        paths.extend((0..count).map(|at| format!("{}x{at}", "d/".repeat(62))));
        let mut search = PathLookup::new(root, &paths);
        let mut read = 0;
        while !search.level.is_empty() {
            read += search.level.len();
            search.descend(&trees).unwrap();
        }
        assert_eq!(search.found.iter().flatten().count(), count);
        reads.push(read);
    }
    assert_eq!(reads, [63; 3]);
}

/// A hundred directories with ten files each, and the id of what holds them.
fn wide() -> (HashMap<ObjectId, Vec<u8>>, ObjectId) {
    let file = TreeEntry::File(ObjectId::from_hex(&[b'7'; 40]).unwrap());
    let mut trees = HashMap::new();
    let mut root = BTreeMap::new();
    for at in 0..100 {
        // Each differs from the others.
        let names = (0..10).map(|file| format!("{at}-{file}"));
        let entries = names.map(|name| (name, file)).collect();
        let (oid, bytes) = encode_tree(&entries).unwrap();
        trees.insert(oid, bytes);
        root.insert(format!("d{at}"), TreeEntry::Directory(oid));
    }
    let (root, bytes) = encode_tree(&root).unwrap();
    trees.insert(root, bytes);
    (trees, root)
}

/// A page, and how many trees it took.
fn page(
    (trees, root): &(HashMap<ObjectId, Vec<u8>>, ObjectId),
    after: Option<&str>,
    limit: usize,
) -> (Vec<String>, usize) {
    let range = ListingRange {
        depth: Depth::All,
        after,
        limit,
        blobs: Blobs::LeftOut,
    };
    let mut listing = Listing::new("", *root, range);
    let mut read = 0;
    while !listing.level.is_empty() {
        read += listing.level.len();
        listing.descend(trees).unwrap();
    }
    let entries = listing.finish().into_iter();
    (entries.map(|entry| entry.path).collect(), read)
}

#[test]
fn a_short_page_reads_few_trees() {
    let tree = wide();
    let (whole, read) = page(&tree, None, usize::MAX);
    assert_eq!((whole.len(), read), (1_100, 101));
    let (mut paths, mut most) = (Vec::new(), 0);
    while paths.len() < whole.len() {
        let after = paths.last().map(String::as_str);
        let (next, read) = page(&tree, after, 1);
        assert_eq!(next.len(), 1);
        paths.extend(next);
        most = most.max(read);
    }
    assert_eq!(paths, whole);
    // The root, the directory where the last page ended, and the next one.
    assert_eq!(most, 3);
}

#[track_caller]
fn check(directory: &str, path: &str, expect: (bool, bool)) {
    let found = (begins_before(directory, path), ends_before(directory, path));
    assert_eq!(found, expect, "{directory}/ {path}");
}

#[test]
fn directories_beside_a_path() {
    check("a", "a", (false, false));
    check("a", "a-b", (false, false));
    check("a", "a.txt", (false, false));
    check("a", "a/b", (true, false));
    check("a", "a/", (false, false));
    check("a", "a0", (true, true));
    check("a", "b", (true, true));
    check("b", "a/z", (false, false));
    check("a/b", "a/b/c/d", (true, false));
    check("a/b", "a/c", (true, true));
}
