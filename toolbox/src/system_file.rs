//! Reads the files by which the administrator of a machine rules over its users' tools.
//!
//! They lie in one directory, which no variable changes, and count only if nobody but root could
//! have written them: programs that run as the user can neither change nor remove them.

use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::files;

/// The directory of these files.
pub(crate) const SYSTEM_DIRECTORY: &str = "/etc/tool-hub";
/// The owner of these files.
pub(crate) const ROOT: u32 = 0;

/// Reads the file `name` in `directory`, if there is one. Both have to belong to `owner`, and
/// nobody else may write them.
///
/// # Errors
/// [`Error::Read`], and [`Error::NotRoots`] where somebody else could have written it.
pub(crate) fn read(
    directory: &Path,
    name: &str,
    owner: u32,
) -> Result<Option<(PathBuf, String)>, Error> {
    let place = directory.join(name);
    let Some(text) = files::read_if_present(&place)? else {
        return Ok(None);
    };
    for path in [directory, &place] {
        if !belongs_to(path, owner)? {
            return Err(Error::NotRoots {
                path: path.to_owned(),
            });
        }
    }
    Ok(Some((place, text)))
}

#[cfg(unix)]
fn belongs_to(path: &Path, owner: u32) -> Result<bool, Error> {
    use std::os::unix::fs::MetadataExt as _;
    const OTHERS_WRITE: u32 = 0o022;
    let found = path.symlink_metadata().map_err(files::unreadable(path))?;
    Ok(found.uid() == owner && found.mode() & OTHERS_WRITE == 0)
}

/// Systems without Unix owners have no machine-wide file.
#[cfg(not(unix))]
fn belongs_to(_: &Path, _: u32) -> Result<bool, Error> {
    Ok(false)
}
