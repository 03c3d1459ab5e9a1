//! A directory that is filled under a temporary name, and gets its own when it is complete.

use std::io;
use std::path::{Path, PathBuf};

use crate::error::RegistryError;
use crate::private_directory::create_private_directory;

/// A directory under a temporary name: renamed when it is complete, removed when it is dropped
/// before that.
pub(super) struct UnfinishedDirectory {
    directory: tempfile::TempDir,
    final_path: PathBuf,
}

impl UnfinishedDirectory {
    pub(super) fn beside(path: &Path) -> Result<Self, RegistryError> {
        let failed = |source| RegistryError::OpenDirectory {
            path: path.to_owned(),
            source,
        };
        let final_path = std::path::absolute(path).map_err(failed)?;
        if final_path.symlink_metadata().is_ok() {
            return Err(RegistryError::InTheWay { path: final_path });
        }
        let parent = final_path.parent().unwrap_or(&final_path);
        create_private_directory(parent)?;
        let directory = tempfile::Builder::new()
            .prefix(".unfinished-")
            .tempdir_in(parent)
            .map_err(failed)?;
        Ok(Self {
            directory,
            final_path,
        })
    }

    pub(super) fn path(&self) -> &Path {
        self.directory.path()
    }

    /// Makes everything durable and gives the directory its name.
    ///
    /// # Errors
    ///
    /// [`RegistryError::InTheWay`] when somebody else has taken the name meanwhile.
    pub(super) async fn finish(self) -> Result<(), RegistryError> {
        let finishing = tokio::task::spawn_blocking(move || {
            sync_directories(self.directory.path())?;
            std::fs::rename(self.directory.path(), &self.final_path).map_err(
                |error| match error.kind() {
                    io::ErrorKind::DirectoryNotEmpty
                    | io::ErrorKind::AlreadyExists
                    | io::ErrorKind::NotADirectory => RegistryError::InTheWay {
                        path: self.final_path.clone(),
                    },
                    _ => error.into(),
                },
            )?;
            // Its old name is free again; nothing is left to remove.
            let parent = self.final_path.parent().unwrap_or(&self.final_path);
            let _ = self.directory.keep();
            Ok(sync_directory(parent)?)
        });
        finishing
            .await
            .map_err(|_| RegistryError::Damaged("finishing a copy panicked".to_owned()))?
    }
}

/// Syncs all directories. Recursion is safe: the tree is only as deep as the content store.
fn sync_directories(directory: &Path) -> io::Result<()> {
    for entry in std::fs::read_dir(directory)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            sync_directories(&entry.path())?;
        }
    }
    sync_directory(directory)
}

#[cfg(unix)]
fn sync_directory(directory: &Path) -> io::Result<()> {
    std::fs::File::open(directory)?.sync_all()
}

/// Elsewhere directories cannot be opened as files, and the system orders their writes itself.
#[cfg(not(unix))]
fn sync_directory(_: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn of_two_with_one_name_the_first_to_end_has_it() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("backup");
        let both = [(); 2].map(|()| UnfinishedDirectory::beside(&path).unwrap());
        for unfinished in &both {
            std::fs::create_dir(unfinished.path().join("objects")).unwrap();
        }
        let [first, second] = both;
        first.finish().await.unwrap();
        let refused = second.finish().await.unwrap_err();
        assert!(
            matches!(refused, RegistryError::InTheWay { .. }),
            "{refused:?}"
        );
        let names = std::fs::read_dir(scratch.path()).unwrap();
        let names: Vec<_> = names.map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(names, ["backup"], "something half was left");
    }
}
