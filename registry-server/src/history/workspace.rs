//! Applies a commit's changes to a tree in memory, of which only touched directories are read.

use std::collections::{BTreeMap, BTreeSet};

use gix_hash::ObjectId;

use crate::database::Database;
use crate::database::keys::RepositoryKey;
use crate::error::RegistryError;
use crate::git::{TreeEntry, decode_tree, encode_tree};
use crate::names::RepositoryPath;

/// The most files and directories that one commit may touch. Each directory takes a tree and a row,
/// and a path names up to 63 of them, so without a bound a commit could write forty times what was
/// sent.
const TOUCHED_MAX: usize = 50_000;

/// The tree of a commit with changes on top.
pub(super) struct Workspace {
    root: Directory,
    touched: BTreeSet<String>,
}

/// The result of a finished workspace.
pub(super) struct Snapshot {
    pub(super) root: ObjectId,
    /// The trees that were made, by id.
    pub(super) trees: BTreeMap<ObjectId, Vec<u8>>,
    /// Files and directories whose content changed.
    pub(super) touched: BTreeSet<String>,
}

/// The reason why a change was not made to the tree.
#[derive(Debug)]
pub(super) enum ChangeError {
    /// Nothing is there to remove.
    Missing,
    /// A file is in the way of a directory, or a directory in the way of a file.
    InTheWay,
    /// The commit touches more files and directories than [`TOUCHED_MAX`].
    TooManyDirectories,
    Registry(RegistryError),
}

impl From<RegistryError> for ChangeError {
    fn from(error: RegistryError) -> Self {
        Self::Registry(error)
    }
}

enum Directory {
    /// Not read yet.
    Stored(ObjectId),
    /// Read, and perhaps changed.
    Open(BTreeMap<String, Node>),
}

enum Node {
    File(ObjectId),
    Directory(Directory),
}

impl Workspace {
    /// A workspace on a stored tree, or on an empty one.
    pub(super) fn new(tree: Option<ObjectId>) -> Self {
        let root = tree.map_or_else(|| Directory::Open(BTreeMap::new()), Directory::Stored);
        Self {
            root,
            touched: BTreeSet::new(),
        }
    }

    /// Puts a file at `path`.
    pub(super) async fn put(
        &mut self,
        database: &Database,
        repository: &RepositoryKey,
        path: &RepositoryPath,
        oid: ObjectId,
    ) -> Result<(), ChangeError> {
        let mut directory = &mut self.root;
        let mut components = path.components().peekable();
        while let Some(component) = components.next() {
            let entries = directory.open(database, repository).await?;
            if components.peek().is_none() {
                let unchanged = match entries.get(component) {
                    Some(Node::Directory(_)) => return Err(ChangeError::InTheWay),
                    Some(Node::File(known)) => *known == oid,
                    None => false,
                };
                if !unchanged {
                    entries.insert(component.to_owned(), Node::File(oid));
                    return self.touch(path);
                }
                return Ok(());
            }
            let node = entries
                .entry(component.to_owned())
                .or_insert_with(|| Node::Directory(Directory::Open(BTreeMap::new())));
            match node {
                Node::Directory(below) => directory = below,
                Node::File(_) => return Err(ChangeError::InTheWay),
            }
        }
        Ok(())
    }

    /// Removes the file or the whole directory at `path`.
    pub(super) async fn remove(
        &mut self,
        database: &Database,
        repository: &RepositoryKey,
        path: &RepositoryPath,
    ) -> Result<(), ChangeError> {
        let mut directory = &mut self.root;
        let mut components = path.components().peekable();
        while let Some(component) = components.next() {
            let entries = directory.open(database, repository).await?;
            if components.peek().is_none() {
                if entries.remove(component).is_none() {
                    return Err(ChangeError::Missing);
                }
                return self.touch(path);
            }
            match entries.get_mut(component) {
                Some(Node::Directory(below)) => directory = below,
                _ => return Err(ChangeError::Missing),
            }
        }
        Ok(())
    }

    /// Turns the workspace into git trees. Directories without files do not exist in git and
    /// disappear.
    pub(super) fn finish(self) -> Result<Snapshot, RegistryError> {
        let mut trees = BTreeMap::new();
        let root = match write(self.root, &mut trees)? {
            Some(root) => root,
            None => {
                let (oid, bytes) = encode_tree(&BTreeMap::new())?;
                trees.insert(oid, bytes);
                oid
            }
        };
        Ok(Snapshot {
            root,
            trees,
            touched: self.touched,
        })
    }

    fn touch(&mut self, path: &RepositoryPath) -> Result<(), ChangeError> {
        self.touched.insert(path.as_str().to_owned());
        for ancestor in path.ancestors() {
            if !self.touched.contains(ancestor) {
                self.touched.insert(ancestor.to_owned());
            }
        }
        match self.touched.len() > TOUCHED_MAX {
            true => Err(ChangeError::TooManyDirectories),
            false => Ok(()),
        }
    }
}

impl Directory {
    async fn open(
        &mut self,
        database: &Database,
        repository: &RepositoryKey,
    ) -> Result<&mut BTreeMap<String, Node>, RegistryError> {
        if let Self::Stored(oid) = *self {
            let trees = database.trees(repository, &[oid]).await?;
            let bytes = trees
                .get(&oid)
                .ok_or_else(|| RegistryError::Damaged(format!("tree {oid} is missing")))?;
            let entries = decode_tree(bytes)?
                .into_iter()
                .map(|(name, entry)| match entry {
                    TreeEntry::File(oid) => (name, Node::File(oid)),
                    TreeEntry::Directory(oid) => (name, Node::Directory(Directory::Stored(oid))),
                })
                .collect();
            *self = Self::Open(entries);
        }
        match self {
            Self::Open(entries) => Ok(entries),
            Self::Stored(oid) => Err(RegistryError::Damaged(format!(
                "tree {oid} cannot be opened"
            ))),
        }
    }
}

/// Writes a directory and what is below it; the depth is bounded by that of a [`RepositoryPath`].
fn write(
    directory: Directory,
    trees: &mut BTreeMap<ObjectId, Vec<u8>>,
) -> Result<Option<ObjectId>, RegistryError> {
    let nodes = match directory {
        Directory::Stored(oid) => return Ok(Some(oid)),
        Directory::Open(nodes) => nodes,
    };
    let mut entries = BTreeMap::new();
    for (name, node) in nodes {
        match node {
            Node::File(oid) => {
                entries.insert(name, TreeEntry::File(oid));
            }
            Node::Directory(below) => {
                if let Some(oid) = write(below, trees)? {
                    entries.insert(name, TreeEntry::Directory(oid));
                }
            }
        }
    }
    if entries.is_empty() {
        return Ok(None);
    }
    let (oid, bytes) = encode_tree(&entries)?;
    trees.insert(oid, bytes);
    Ok(Some(oid))
}
