//! Hashes a directory of packages: names, contents, links and the right to be executed.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use tool_hub_manifest::{Digest, Hasher};

/// The most files and directories of one tree.
const ENTRIES_MAX: usize = 100_000;
/// The most bytes of all files of one tree.
const BYTES_MAX: u64 = 4 << 30;

/// A directory cannot be hashed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TreeError {
    /// Something in it cannot be read.
    #[error("{} cannot be read", path.display())]
    Read {
        /// The file or directory.
        path: PathBuf,
        /// The reason.
        #[source]
        source: io::Error,
    },
    /// It holds too much, or something that is neither file, directory nor link.
    #[error("{} cannot be hashed: it holds {what}", path.display())]
    Unfit {
        /// The directory.
        path: PathBuf,
        /// The content that does not fit.
        what: &'static str,
    },
}

/// The digest of everything below `directory`. Owners and times do not count. A link counts as the
/// path that it holds, and is not followed.
///
/// # Errors
/// When it cannot be read, or is too large.
pub fn tree_digest(directory: &Path) -> Result<Digest, TreeError> {
    let mut tree = Tree {
        root: directory,
        hasher: Hasher::new(),
        entries: 0,
        bytes: 0,
    };
    tree.hasher.update(b"tool-hub tree v1\0");
    tree.add_directory(directory)?;
    Ok(tree.hasher.finish())
}

/// The digest of the file at `path`.
///
/// # Errors
/// When it cannot be read.
pub(crate) fn file_digest(path: &Path) -> Result<Digest, TreeError> {
    let mut hasher = Hasher::new();
    copy(path, &mut hasher, BYTES_MAX).map_err(|source| TreeError::Read {
        path: path.to_owned(),
        source,
    })?;
    Ok(hasher.finish())
}

struct Tree<'a> {
    root: &'a Path,
    hasher: Hasher,
    entries: usize,
    bytes: u64,
}

impl Tree<'_> {
    fn add_directory(&mut self, directory: &Path) -> Result<(), TreeError> {
        let unreadable = |path: &Path, source| TreeError::Read {
            path: path.to_owned(),
            source,
        };
        let entries = fs::read_dir(directory).and_then(|entries| entries.collect());
        let mut entries: Vec<fs::DirEntry> =
            entries.map_err(|source| unreadable(directory, source))?;
        entries.sort_by_key(fs::DirEntry::file_name);
        for entry in entries {
            let path = entry.path();
            self.entries += 1;
            if self.entries > ENTRIES_MAX {
                return Err(self.unfit("more than 100,000 files"));
            }
            let kind = entry.file_type();
            let kind = kind.map_err(|source| unreadable(&path, source))?;
            let below = path.strip_prefix(self.root).unwrap_or(&path);
            let name = below.as_os_str().as_encoded_bytes().to_owned();
            if kind.is_dir() {
                self.part(b"directory", &name);
                self.add_directory(&path)?;
            } else if kind.is_symlink() {
                let target = fs::read_link(&path);
                let target = target.map_err(|source| unreadable(&path, source))?;
                self.part(b"link", &name);
                self.part(b"to", target.as_os_str().as_encoded_bytes());
            } else if kind.is_file() {
                let metadata = entry.metadata();
                let metadata = metadata.map_err(|source| unreadable(&path, source))?;
                self.bytes = self.bytes.saturating_add(metadata.len());
                if self.bytes > BYTES_MAX {
                    return Err(self.unfit("more than 4 GiB"));
                }
                let digest = file_digest(&path)?;
                self.part(
                    if may_run(&metadata) {
                        b"program"
                    } else {
                        b"file"
                    },
                    &name,
                );
                self.part(b"digest", digest.as_bytes());
            } else {
                return Err(self.unfit("something that is no file"));
            }
        }
        Ok(())
    }

    /// Adds a part with its length, so that no two trees have the same bytes.
    fn part(&mut self, kind: &[u8], bytes: &[u8]) {
        self.hasher.update(kind);
        self.hasher.update(b"\0");
        self.hasher.update(&(bytes.len() as u64).to_le_bytes());
        self.hasher.update(bytes);
    }

    fn unfit(&self, what: &'static str) -> TreeError {
        TreeError::Unfit {
            path: self.root.to_owned(),
            what,
        }
    }
}

fn copy(path: &Path, hasher: &mut Hasher, bytes_max: u64) -> io::Result<()> {
    let mut file = File::open(path)?.take(bytes_max);
    let mut buffer = vec![0; 64 << 10];
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(()),
            read => hasher.update(&buffer[..read]),
        }
    }
}

#[cfg(unix)]
fn may_run(metadata: &fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    metadata.permissions().mode() & 0o100 != 0
}

#[cfg(not(unix))]
fn may_run(_: &fs::Metadata) -> bool {
    false
}

#[cfg(test)]
#[allow(
    clippy::disallowed_methods,
    reason = "tests make and change files as anybody may"
)]
mod tests {
    use super::*;

    #[test]
    fn whatever_is_in_a_tree_changes_its_digest() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path();
        let digest = || tree_digest(root).unwrap();
        let mut seen = vec![digest()];
        fs::create_dir(root.join("a")).unwrap();
        seen.push(digest());
        fs::write(root.join("a/b"), "c").unwrap();
        seen.push(digest());
        fs::write(root.join("a/b"), "d").unwrap();
        seen.push(digest());
        fs::rename(root.join("a/b"), root.join("ab")).unwrap();
        seen.push(digest());
        fs::write(root.join("a/b"), "c").unwrap();
        fs::remove_file(root.join("ab")).unwrap();
        assert_eq!(digest(), seen[2], "the same tree has the same digest");
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), 5);
    }

    #[cfg(unix)]
    #[test]
    fn links_and_programs_count() {
        use std::os::unix::fs::{PermissionsExt as _, symlink};
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path();
        fs::write(root.join("a"), "b").unwrap();
        let before = tree_digest(root).unwrap();
        fs::set_permissions(root.join("a"), fs::Permissions::from_mode(0o755)).unwrap();
        let program = tree_digest(root).unwrap();
        fs::remove_file(root.join("a")).unwrap();
        symlink("b", root.join("a")).unwrap();
        let link = tree_digest(root).unwrap();
        assert!(before != program && program != link && link != before);
    }
}
