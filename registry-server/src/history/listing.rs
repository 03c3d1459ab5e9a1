//! Reads the tree of a commit: finds entries by path, and lists directories in pages.

use std::collections::{BTreeMap, HashMap};

use gix_hash::ObjectId;

use crate::database::Database;
use crate::database::commits::Commit;
use crate::database::git_objects::Blob;
use crate::database::keys::RepositoryKey;
use crate::error::RegistryError;
use crate::git::{TreeEntry, decode_tree};

/// A file or directory of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ListedEntry {
    pub(crate) path: String,
    pub(crate) oid: ObjectId,
    pub(crate) kind: ListedKind,
}

/// The kind of an entry; the content of a file is known only where it was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ListedKind {
    Directory,
    File(Option<Blob>),
}

/// The entry at `path`, with its content when it is a file.
pub(crate) async fn find_entry(
    database: &Database,
    repository: &RepositoryKey,
    commit: &Commit,
    path: &str,
) -> Result<Option<ListedEntry>, RegistryError> {
    let mut directory = commit.tree;
    let mut components = path.split('/').peekable();
    while let Some(component) = components.next() {
        let entries = directory_entries(database, repository, directory).await?;
        match (entries.get(component), components.peek()) {
            (Some(TreeEntry::Directory(oid)), Some(_)) => directory = *oid,
            (Some(TreeEntry::Directory(oid)), None) => {
                return Ok(Some(ListedEntry {
                    path: path.to_owned(),
                    oid: *oid,
                    kind: ListedKind::Directory,
                }));
            }
            (Some(TreeEntry::File(oid)), None) => {
                let mut entries = [ListedEntry {
                    path: path.to_owned(),
                    oid: *oid,
                    kind: ListedKind::File(None),
                }];
                add_blobs(database, repository, &mut entries).await?;
                let [entry] = entries;
                return Ok(Some(entry));
            }
            _ => return Ok(None),
        }
    }
    Ok(None)
}

/// The entries at these paths; a path without one is left out.
pub(crate) async fn list_entries(
    database: &Database,
    repository: &RepositoryKey,
    commit: &Commit,
    paths: &[String],
) -> Result<Vec<ListedEntry>, RegistryError> {
    let mut search = PathLookup::new(commit.tree, paths);
    while !search.level.is_empty() {
        let oids: Vec<ObjectId> = search.level.keys().copied().collect();
        search.descend(&database.trees(repository, &oids).await?)?;
    }
    let mut found: Vec<ListedEntry> = paths
        .iter()
        .zip(search.found)
        .filter_map(|(path, entry)| Some(listed(path.trim_end_matches('/').to_owned(), &entry?)))
        .collect();
    add_blobs(database, repository, &mut found).await?;
    Ok(found)
}

/// Looks up many paths at once, level by level, so that each directory is read only once.
struct PathLookup<'a> {
    found: Vec<Option<TreeEntry>>,
    /// The directories to read next, each with the paths that lead through it: their index and the
    /// remaining part.
    level: HashMap<ObjectId, Vec<(usize, &'a str)>>,
}

impl<'a> PathLookup<'a> {
    fn new(root: ObjectId, paths: &'a [String]) -> Self {
        let whole = paths.iter().map(|path| path.trim_end_matches('/'));
        Self {
            found: vec![None; paths.len()],
            level: HashMap::from([(root, whole.enumerate().collect())]),
        }
    }

    /// Descends one level, into the directories that were read.
    fn descend(&mut self, trees: &HashMap<ObjectId, Vec<u8>>) -> Result<(), RegistryError> {
        for (oid, asked) in std::mem::take(&mut self.level) {
            let entries = decode(trees, oid)?;
            for (number, path) in asked {
                let (name, rest) = match path.split_once('/') {
                    Some((name, rest)) => (name, Some(rest)),
                    None => (path, None),
                };
                match (entries.get(name), rest) {
                    (Some(entry), None) => self.found[number] = Some(*entry),
                    (Some(TreeEntry::Directory(oid)), Some(rest)) => {
                        self.level.entry(*oid).or_default().push((number, rest));
                    }
                    _ => {}
                }
            }
        }
        Ok(())
    }
}

/// The depth, the start and the length of a listing.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ListingRange<'a> {
    pub(crate) depth: Depth,
    /// Leave out everything up to this path.
    pub(crate) after: Option<&'a str>,
    pub(crate) limit: usize,
    pub(crate) blobs: Blobs,
}

/// The choice between content of files, which costs more, and names alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Blobs {
    Wanted,
    LeftOut,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Depth {
    /// The directory's own entries.
    One,
    /// Everything below it, directories included.
    All,
}

/// A part of what is below a directory, ordered by path. `None` when there is no such directory;
/// the empty path is the root.
pub(crate) async fn list_directory(
    database: &Database,
    repository: &RepositoryKey,
    commit: &Commit,
    path: &str,
    range: ListingRange<'_>,
) -> Result<Option<Vec<ListedEntry>>, RegistryError> {
    let directory = if path.is_empty() {
        commit.tree
    } else {
        match find_entry(database, repository, commit, path).await? {
            Some(ListedEntry {
                kind: ListedKind::Directory,
                oid,
                ..
            }) => oid,
            _ => return Ok(None),
        }
    };
    let mut listing = Listing::new(path, directory, range);
    while !listing.level.is_empty() {
        let oids: Vec<ObjectId> = listing.level.iter().map(|(_, oid)| *oid).collect();
        listing.descend(&database.trees(repository, &oids).await?)?;
    }
    let mut entries = listing.finish();
    if range.blobs == Blobs::Wanted {
        add_blobs(database, repository, &mut entries).await?;
    }
    Ok(Some(entries))
}

/// The entries below a directory, level by level: one query to the database for each level of
/// the tree, not for each directory, and none for directories whose entries would all be outside of
/// the range. So a short page of a large tree costs little.
struct Listing<'a> {
    range: ListingRange<'a>,
    entries: Vec<ListedEntry>,
    /// The directories to read next.
    level: Vec<(String, ObjectId)>,
}

impl<'a> Listing<'a> {
    fn new(path: &str, directory: ObjectId, range: ListingRange<'a>) -> Self {
        Self {
            range,
            entries: Vec::new(),
            level: vec![(path.to_owned(), directory)],
        }
    }

    /// Goes one level down through the directories that were read.
    fn descend(&mut self, trees: &HashMap<ObjectId, Vec<u8>>) -> Result<(), RegistryError> {
        let ListingRange {
            depth,
            after,
            limit,
            ..
        } = self.range;
        let mut below = Vec::new();
        for (parent, oid) in std::mem::take(&mut self.level) {
            for (name, entry) in decode(trees, oid)? {
                let path = match parent.as_str() {
                    "" => name,
                    parent => format!("{parent}/{name}"),
                };
                if let (TreeEntry::Directory(oid), Depth::All) = (entry, depth)
                    && after.is_none_or(|after| !ends_before(&path, after))
                {
                    below.push((path.clone(), oid));
                }
                if after.is_none_or(|after| path.as_str() > after) {
                    self.entries.push(listed(path, &entry));
                }
            }
        }
        if self.entries.len() > limit {
            let by_path = |a: &ListedEntry, b: &ListedEntry| a.path.cmp(&b.path);
            self.entries.select_nth_unstable_by(limit, by_path);
            let first_left_out = &self.entries[limit].path;
            below.retain(|(path, _)| begins_before(path, first_left_out));
            self.entries.truncate(limit);
        }
        self.level = below;
        Ok(())
    }

    fn finish(mut self) -> Vec<ListedEntry> {
        self.entries.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        self.entries
    }
}

/// True if something below the directory may sort before `path`.
fn begins_before(directory: &str, path: &str) -> bool {
    directory.bytes().chain([b'/']).lt(path.bytes())
}

/// True if everything below the directory sorts before `path` or is equal to it.
fn ends_before(directory: &str, path: &str) -> bool {
    let is_below = path
        .strip_prefix(directory)
        .is_some_and(|rest| rest.starts_with('/'));
    !is_below && begins_before(directory, path)
}

async fn directory_entries(
    database: &Database,
    repository: &RepositoryKey,
    oid: ObjectId,
) -> Result<BTreeMap<String, TreeEntry>, RegistryError> {
    decode(&database.trees(repository, &[oid]).await?, oid)
}

pub(super) fn decode(
    trees: &HashMap<ObjectId, Vec<u8>>,
    oid: ObjectId,
) -> Result<BTreeMap<String, TreeEntry>, RegistryError> {
    match trees.get(&oid) {
        Some(bytes) => decode_tree(bytes),
        None => Err(RegistryError::Damaged(format!("tree {oid} is missing"))),
    }
}

fn listed(path: String, entry: &TreeEntry) -> ListedEntry {
    match entry {
        TreeEntry::Directory(oid) => ListedEntry {
            path,
            oid: *oid,
            kind: ListedKind::Directory,
        },
        TreeEntry::File(oid) => ListedEntry {
            path,
            oid: *oid,
            kind: ListedKind::File(None),
        },
    }
}

async fn add_blobs(
    database: &Database,
    repository: &RepositoryKey,
    entries: &mut [ListedEntry],
) -> Result<(), RegistryError> {
    let oids: Vec<ObjectId> = entries
        .iter()
        .filter(|entry| entry.kind != ListedKind::Directory)
        .map(|entry| entry.oid)
        .collect();
    let blobs = database.blobs(repository, &oids).await?;
    for entry in entries {
        if let ListedKind::File(content) = &mut entry.kind {
            let blob = blobs
                .get(&entry.oid)
                .ok_or_else(|| RegistryError::Damaged(format!("blob {} is missing", entry.oid)))?;
            *content = Some(*blob);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
