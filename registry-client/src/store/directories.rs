//! Makes directories for their owner alone, makes renames in them durable, and lists their entries.

use std::fs;
use std::io;
use std::path::Path;

use super::StoreError;

/// Makes a directory and its parents, for their owner alone.
pub(crate) fn make_private(path: &Path) -> Result<(), StoreError> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path).map_err(StoreError::io("make", path))
}

/// Makes a rename in `directory` survive a power failure.
pub(crate) fn sync_directory(directory: &Path) -> Result<(), StoreError> {
    // Other systems cannot open a directory as a file, and order renames by themselves.
    if cfg!(unix) {
        fs::File::open(directory)
            .and_then(|opened| opened.sync_all())
            .map_err(StoreError::io("sync", directory))?;
    }
    Ok(())
}

/// The entries of `directory`; none when it is gone.
pub(crate) fn entries(directory: &Path) -> Result<Vec<fs::DirEntry>, StoreError> {
    match fs::read_dir(directory) {
        Ok(entries) => entries
            .collect::<io::Result<_>>()
            .map_err(StoreError::io("list", directory)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(StoreError::io("list", directory)(error)),
    }
}
