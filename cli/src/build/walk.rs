//! Lists and reads a directory tree that may be hostile, within limits on depth, entries and bytes.
//! So links that lead back, endless trees and sparse files come to an end.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::Context as _;

use crate::files;
use crate::terminal::problem::Problem;

/// Limits of a walk.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bounds {
    /// The most directories on top of each other.
    pub(crate) depth_max: usize,
    /// The most entries of all directories together.
    pub(crate) entries_max: usize,
    /// The most that is read of one file.
    pub(crate) file_bytes_max: u64,
    /// The most that is read of all files together.
    pub(crate) bytes_max: u64,
}

/// A walk that is under way.
#[derive(Debug)]
pub(crate) struct Walk<'a> {
    root: &'a Path,
    bounds: Bounds,
    entries: usize,
    bytes: u64,
}

impl<'a> Walk<'a> {
    pub(crate) fn new(root: &'a Path, bounds: Bounds) -> Self {
        Self {
            root,
            bounds,
            entries: 0,
            bytes: 0,
        }
    }

    /// Lists `directory`, which is the root or below it.
    ///
    /// # Errors
    /// When it cannot be read, is too deep, or one entry too many is in it.
    pub(crate) fn entries(&mut self, directory: &Path) -> anyhow::Result<Vec<PathBuf>> {
        let below = directory.strip_prefix(self.root).unwrap_or(directory);
        let depth_max = self.bounds.depth_max;
        if below.components().count() > depth_max {
            let says = format!("directories are more than {depth_max} deep");
            return Err(self.refused(&says));
        }
        let failed = || format!("{} cannot be read", directory.display());
        let mut found = Vec::new();
        for entry in std::fs::read_dir(directory).with_context(failed)? {
            self.entries += 1;
            let entries_max = self.bounds.entries_max;
            if self.entries > entries_max {
                let says = format!("there are more than {entries_max} files and directories");
                return Err(self.refused(&says));
            }
            found.push(entry.with_context(failed)?.path());
        }
        Ok(found)
    }

    /// The files below `directory`, by their paths there. `is_wanted` is asked about each file, and
    /// about each directory before it is entered.
    ///
    /// # Errors
    /// As [`Walk::entries`].
    pub(crate) fn files(
        &mut self,
        directory: &Path,
        is_wanted: &dyn Fn(&str, &Path) -> bool,
    ) -> anyhow::Result<BTreeMap<String, PathBuf>> {
        let mut found = BTreeMap::new();
        let mut waiting = vec![(String::new(), directory.to_owned())];
        while let Some((below, directory)) = waiting.pop() {
            for place in self.entries(&directory)? {
                let name = place.file_name().unwrap_or_default().to_string_lossy();
                let path = format!("{below}{name}");
                if !is_wanted(&path, &place) {
                    continue;
                }
                if place.is_dir() {
                    waiting.push((format!("{path}/"), place));
                } else if place.is_file() {
                    found.insert(path, place);
                }
            }
        }
        Ok(found)
    }

    /// The contents of the regular file at `path`.
    ///
    /// # Errors
    /// When it cannot be read, or is too long by itself or with all that were read before.
    pub(crate) fn read(&mut self, path: &Path) -> anyhow::Result<Vec<u8>> {
        let bytes = files::read_regular(path, self.bounds.file_bytes_max)
            .with_context(|| format!("{} cannot be read", path.display()))?;
        self.bytes += bytes.len() as u64;
        let bytes_max = self.bounds.bytes_max;
        if self.bytes > bytes_max {
            let says = format!("all files together have more than {bytes_max} bytes");
            return Err(self.refused(&says));
        }
        Ok(bytes)
    }

    fn refused(&self, says: &str) -> anyhow::Error {
        let root = self.root.display();
        Problem::refused(format!("{root} is too large to be read: {says}"))
            .hint("look for what does not belong there, such as links that lead back to where they are")
            .into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOUNDS: Bounds = Bounds {
        depth_max: 2,
        entries_max: 4,
        file_bytes_max: 6,
        bytes_max: 10,
    };

    /// Reads everything there is.
    fn walk(walk: &mut Walk<'_>, directory: &Path) -> anyhow::Result<()> {
        for path in walk.entries(directory)? {
            match path.is_dir() {
                true => self::walk(walk, &path)?,
                false => drop(walk.read(&path)?),
            }
        }
        Ok(())
    }

    #[track_caller]
    fn check(made: &[(&str, usize)], expect: Option<&str>) {
        let root = tempfile::tempdir().unwrap();
        for (path, length) in made {
            files::write(&root.path().join(path), &vec![0; *length]).unwrap();
        }
        let walked = walk(&mut Walk::new(root.path(), BOUNDS), root.path());
        let said = walked.err().map(|error| format!("{error:#}"));
        match (said, expect) {
            (None, None) => {}
            (Some(said), Some(expect)) => assert!(said.contains(expect), "{said}"),
            (said, expect) => panic!("{said:?}, expected {expect:?}"),
        }
    }

    #[test]
    fn every_bound_holds_to_the_last() {
        check(&[("a/b/c", 6), ("d", 4)], None);
        check(&[("a/b/c/d", 1)], Some("more than 2 deep"));
        check(
            &[("a/b/c", 1), ("d", 1), ("e", 1)],
            Some("more than 4 files"),
        );
        check(&[("a", 7)], Some("more than 6 bytes"));
        check(
            &[("a", 6), ("b", 5)],
            Some("together have more than 10 bytes"),
        );
    }

    #[test]
    #[cfg(unix)]
    fn links_that_lead_back_come_to_an_end() {
        use std::os::unix::fs::symlink;
        let root = tempfile::tempdir().unwrap();
        for name in ["a", "b"] {
            symlink(".", root.path().join(name)).unwrap();
        }
        let walked = walk(&mut Walk::new(root.path(), BOUNDS), root.path());
        let said = walked.unwrap_err().to_string();
        assert!(said.contains("too large to be read"), "{said}");
    }
}
