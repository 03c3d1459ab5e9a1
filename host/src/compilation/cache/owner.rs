//! Keeps the cache's files private, read-only and durable, and checks that an entry is the user's.
//! Its directory is closed to other users, and entries to everybody who would write. Systems other
//! than Unix are asked for neither: there the directory has the rights of the one that it lies in,
//! which in a user's profile are the user's.

use std::fs::{self, File};
use std::io;
use std::path::Path;

/// Makes `directory` and closes it to everybody else.
pub(super) fn make_private(directory: &Path) -> io::Result<()> {
    fs::create_dir_all(directory)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = fs::metadata(directory)?.permissions().mode();
        if mode & 0o077 != 0 {
            fs::set_permissions(directory, fs::Permissions::from_mode(0o700))?;
        }
    }
    Ok(())
}

/// Takes the right to write from the owner too: what runs is mapped from here.
pub(super) fn close(file: &File) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        file.set_permissions(fs::Permissions::from_mode(0o400))?;
    }
    file.sync_all()
}

/// True if nobody but this user, who has the key as well, can have the file open for writing.
pub(super) fn is_own(metadata: &fs::Metadata) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        let user = rustix::process::geteuid().as_raw();
        metadata.uid() == user && metadata.mode() & 0o022 == 0
    }
    #[cfg(not(unix))]
    {
        metadata.is_file()
    }
}

/// Makes a rename in `directory` survive a power failure.
pub(super) fn sync_directory(directory: &Path) -> io::Result<()> {
    // Other systems cannot open a directory as a file, and order renames by themselves.
    if cfg!(unix) {
        File::open(directory)?.sync_all()?;
    }
    Ok(())
}
