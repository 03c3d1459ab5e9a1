//! Tells whether users other than the one who runs `tool` can read or change a file.
//!
//! Some systems keep no owner and mode with a file. There a file counts as the
//! user's alone if it lies in their home directory, which such systems close to others.

use std::io;
use std::path::Path;

/// True if somebody else owns the file at `path`, or can write to it.
#[cfg(unix)]
pub(crate) fn can_write(path: &Path, _home: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt as _;
    let metadata = path.metadata()?;
    let is_own = metadata.uid() == rustix::process::geteuid().as_raw();
    Ok(!is_own || metadata.mode() & 0o022 != 0)
}

/// True if somebody else can read the file at `path`, or write to it.
#[cfg(unix)]
pub(crate) fn can_read(path: &Path, _home: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt as _;
    Ok(path.metadata()?.mode() & 0o077 != 0)
}

/// True unless the file at `path` lies in `home`.
#[cfg(not(unix))]
pub(crate) fn can_write(path: &Path, home: &Path) -> io::Result<bool> {
    lies_outside(path, home)
}

/// True unless the file at `path` lies in `home`.
#[cfg(not(unix))]
pub(crate) fn can_read(path: &Path, home: &Path) -> io::Result<bool> {
    lies_outside(path, home)
}

#[cfg(any(not(unix), test))]
fn lies_outside(path: &Path, home: &Path) -> io::Result<bool> {
    Ok(!path.canonicalize()?.starts_with(home.canonicalize()?))
}

/// Advice on how `path` becomes the user's alone.
pub(crate) fn advice(path: &Path) -> String {
    match cfg!(unix) {
        true => format!("chmod 600 {}", path.display()),
        false => format!("move {} %USERPROFILE%", path.display()),
    }
}

#[cfg(test)]
#[expect(
    clippy::disallowed_methods,
    reason = "a test writes files as strangers leave them"
)]
mod tests {
    use super::*;

    #[test]
    fn without_owners_only_the_home_directory_is_private() {
        let base = tempfile::tempdir().unwrap();
        let home = base.path().join("ada");
        std::fs::create_dir_all(home.join("deep")).unwrap();
        for (name, expect) in [("ada/deep/token", false), ("adam", true), ("token", true)] {
            let path = base.path().join(name);
            std::fs::write(&path, "").unwrap();
            assert_eq!(lies_outside(&path, &home).unwrap(), expect, "{name}");
        }
        assert!(lies_outside(&home.join("absent"), &home).is_err());
    }
}
