//! The flags with which files are opened and the modes they get, as far as the system has them.
//! Windows has no modes: files there have the rights of the directory that they are made in.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::Path;

/// Makes opening a pipe return at once, and keeps a terminal that is opened from becoming the
/// controlling one of the process.
pub(super) fn without_waiting(options: &mut OpenOptions) {
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        flag(options, OFlags::NONBLOCK | OFlags::NOCTTY);
    }
    #[cfg(not(unix))]
    let _ = options;
}

/// Opens a link as what it is, and so as no regular file, and does not wait either.
pub(super) fn without_links(options: &mut OpenOptions) {
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        flag(
            options,
            OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY,
        );
    }
    #[cfg(windows)]
    {
        use std::os::windows::fs::OpenOptionsExt as _;
        const OPEN_REPARSE_POINT: u32 = 0x0020_0000;
        options.custom_flags(OPEN_REPARSE_POINT);
    }
    #[cfg(not(any(unix, windows)))]
    compile_error!("how a link is opened as itself is not known on this system");
}

#[cfg(unix)]
fn flag(options: &mut OpenOptions, flags: rustix::fs::OFlags) {
    use std::os::unix::fs::OpenOptionsExt as _;
    options.custom_flags(flags.bits().cast_signed());
}

/// Makes temporary files with the mode of any file that the user makes.
pub(super) fn usual_temporary<'a>() -> tempfile::Builder<'a, 'a> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mut builder = tempfile::Builder::new();
        // The mode before the user's umask is applied.
        builder.permissions(std::fs::Permissions::from_mode(0o666));
        builder
    }
    #[cfg(not(unix))]
    tempfile::Builder::new()
}

/// Lets everybody read a file.
pub(super) fn make_readable(file: &File) -> io::Result<()> {
    set(file, 0o644)
}

/// True if others than its owner may read a file.
pub(super) fn is_open_to_others(file: &File) -> io::Result<bool> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        Ok(file.metadata()?.permissions().mode() & 0o077 != 0)
    }
    #[cfg(not(unix))]
    {
        let _ = file;
        Ok(false)
    }
}

/// Lets everybody into a directory.
pub(super) fn make_public(directory: &Path) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        std::fs::set_permissions(directory, std::fs::Permissions::from_mode(0o755))?;
    }
    #[cfg(not(unix))]
    let _ = directory;
    Ok(())
}

#[cfg(unix)]
fn set(file: &File, mode: u32) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    file.set_permissions(std::fs::Permissions::from_mode(mode))
}

#[cfg(not(unix))]
fn set(_: &File, _: u32) -> io::Result<()> {
    Ok(())
}
