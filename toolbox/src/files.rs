//! Reads regular files up to a limit, writes atomically, locks, and refuses links out of a root.

mod modes;

use std::fs::{self, File, Metadata};
use std::io::{self, ErrorKind, Read, Write as _};
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;
use tempfile::NamedTempFile;

use crate::error::Error;

/// Replaces the file at `path` by `contents`: a temporary file beside it, made durable, then
/// renamed. The directory is made when it is missing.
///
/// # Errors
/// [`Error::Write`].
pub fn write(path: &Path, contents: &[u8]) -> Result<(), Error> {
    let temporary = temporary(path, contents)?;
    match temporary.persist(path) {
        Ok(_) => Ok(()),
        Err(failed) => Err(unwritable(path)(failed.error)),
    }
}

/// Like [`write()`], but fails when the file exists.
///
/// # Errors
/// [`Error::Write`].
pub fn write_new(path: &Path, contents: &[u8]) -> Result<(), Error> {
    let temporary = temporary(path, contents)?;
    match temporary.persist_noclobber(path) {
        Ok(_) => Ok(()),
        Err(failed) => Err(unwritable(path)(failed.error)),
    }
}

/// Like [`write()`], readable by nobody but the user. Temporary files are made so, and the rename
/// keeps it.
///
/// # Errors
/// [`Error::Write`].
pub fn write_private(path: &Path, contents: &[u8]) -> Result<(), Error> {
    let temporary = private_temporary(path, contents)?;
    match temporary.persist(path) {
        Ok(_) => Ok(()),
        Err(failed) => Err(unwritable(path)(failed.error)),
    }
}

/// Like [`write_private()`], but fails when the file exists.
///
/// # Errors
/// [`Error::Write`].
pub(crate) fn write_private_new(path: &Path, contents: &[u8]) -> Result<(), Error> {
    let temporary = private_temporary(path, contents)?;
    match temporary.persist_noclobber(path) {
        Ok(_) => Ok(()),
        Err(failed) => Err(unwritable(path)(failed.error)),
    }
}

/// Replaces the file at `path`, which may be somebody else's, by `contents`, in a directory
/// that is there. What was there keeps its permissions; a new file gets those of any file that
/// the user makes.
///
/// # Errors
/// If it cannot be written.
pub fn replace(path: &Path, contents: &[u8]) -> io::Result<()> {
    let directory = path.parent().unwrap_or(Path::new("/"));
    let before = fs::metadata(path).ok();
    let mut file = temporary_like(directory, before.as_ref())?;
    file.write_all(contents)?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    Ok(())
}

fn temporary_like(directory: &Path, before: Option<&Metadata>) -> io::Result<NamedTempFile> {
    let file = modes::usual_temporary().tempfile_in(directory)?;
    if let Some(before) = before {
        file.as_file().set_permissions(before.permissions())?;
    }
    Ok(file)
}

/// A temporary directory is for its user alone; a project is like any other directory.
///
/// # Errors
/// If its permissions cannot be changed.
pub fn make_public(directory: &Path) -> std::io::Result<()> {
    modes::make_public(directory)
}

/// The largest file that holds a single value.
const VALUE_BYTES_MAX: u64 = 64 << 10;

/// The longest document that is read: a toolbox, a lock, a manifest, a model card.
pub const DOCUMENT_BYTES_MAX: u64 = 4 << 20;

/// The text of a document; `None` if there is no such file.
///
/// # Errors
/// [`Error::Read`], also of a link to nothing: the file was meant to be there.
pub fn read_if_present(path: &Path) -> Result<Option<String>, Error> {
    match read_text(path, DOCUMENT_BYTES_MAX) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == ErrorKind::NotFound && !path.is_symlink() => Ok(None),
        Err(error) => Err(unreadable(path)(error)),
    }
}

/// The values of a TOML file; `None` if there is no such file.
pub(crate) fn read_toml<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, Error> {
    let Some(text) = read_if_present(path)? else {
        return Ok(None);
    };
    parse_toml(path, &text).map(Some)
}

/// The values of `text`, which was read from the TOML file at `path`.
pub(crate) fn parse_toml<T: DeserializeOwned>(path: &Path, text: &str) -> Result<T, Error> {
    toml_edit::de::from_str(text).map_err(|source| Error::Settings {
        path: path.to_owned(),
        source: Box::new(source),
    })
}

/// Writes `values` as a TOML file that is readable by nobody but the user.
pub(crate) fn write_private_toml(path: &Path, values: &impl Serialize) -> Result<(), Error> {
    write_private(path, toml_text(path, values)?.as_bytes())
}

/// Writes `values` as a TOML file.
pub(crate) fn write_toml(path: &Path, values: &impl Serialize) -> Result<(), Error> {
    write(path, toml_text(path, values)?.as_bytes())
}

/// `values` as TOML, for the file at `path`, unless it is too long to be read again.
pub(crate) fn toml_text(path: &Path, values: &impl Serialize) -> Result<String, Error> {
    let text = toml_edit::ser::to_string_pretty(values).map_err(|source| Error::Serialize {
        path: path.to_owned(),
        source: Box::new(source),
    })?;
    check_length(path, text.len(), DOCUMENT_BYTES_MAX)?;
    Ok(text)
}

/// Refuses to write more to the file at `path` than is read of it: whoever reads it would fail.
pub(crate) fn check_length(path: &Path, length: usize, bytes_max: u64) -> Result<(), Error> {
    match length as u64 > bytes_max {
        true => Err(too_long(
            path,
            format!(
                "it would have more than {bytes_max} bytes, and could not be read again; take out \
                 of it what you do not need"
            ),
        )),
        false => Ok(()),
    }
}

/// The error of a file that would become longer than it may.
pub(crate) fn too_long(path: &Path, reason: String) -> Error {
    unwritable(path)(io::Error::new(ErrorKind::FileTooLarge, reason))
}

/// True if a file was left as it is because of [`too_long`].
pub(crate) fn is_too_long(error: &Error) -> bool {
    matches!(error, Error::Write { source, .. } if source.kind() == ErrorKind::FileTooLarge)
}

/// Reads the regular file at `path` as text; see [`read_regular`].
///
/// # Errors
/// As [`read_regular`], and if it is not UTF-8.
pub fn read_text(path: &Path, bytes_max: u64) -> io::Result<String> {
    let bytes = read_regular(path, bytes_max)?;
    let text = String::from_utf8(bytes);
    text.map_err(|_| io::Error::new(ErrorKind::InvalidData, "it is not UTF-8"))
}

/// Reads a short file that holds a value, such as a secret, a key or tokens.
///
/// # Errors
/// As [`read_text`].
pub fn read_value(path: &Path) -> io::Result<String> {
    read_text(path, VALUE_BYTES_MAX)
}

/// Reads the regular file at `path`.
///
/// A checkout or a package may hold anything under an expected name: a link to a device that never
/// ends, a pipe that nobody writes to, a file larger than memory.
///
/// # Errors
/// If it is no regular file, has more than `bytes_max` bytes, or cannot be read.
pub fn read_regular(path: &Path, bytes_max: u64) -> io::Result<Vec<u8>> {
    read_all(open_to_read(path)?, bytes_max)
}

/// Reads an open file to its end.
pub(crate) fn read_all(file: File, bytes_max: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    // Reads one byte more than allowed, to detect a file that is too long.
    file.take(bytes_max + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > bytes_max {
        let says = format!("it has more than {bytes_max} bytes");
        return Err(io::Error::new(ErrorKind::FileTooLarge, says));
    }
    Ok(bytes)
}

/// Opens the regular file at `path` to be read, without blocking, and refuses anything else there.
///
/// # Errors
/// If it is no regular file or cannot be opened.
pub fn open_to_read(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.read(true);
    modes::without_waiting(&mut options);
    regular(options.open(path)?)
}

/// True if others than its owner may read an open file.
pub(crate) fn is_open_to_others(file: &File) -> io::Result<bool> {
    modes::is_open_to_others(file)
}

fn regular(file: File) -> io::Result<File> {
    if file.metadata()?.is_file() {
        return Ok(file);
    }
    let says = "it is not a regular file";
    Err(io::Error::new(ErrorKind::InvalidInput, says))
}

/// The real path of `path`, which need not exist: the part that exists is resolved.
pub fn real_path(path: &Path) -> PathBuf {
    for ancestor in path.ancestors() {
        if let (Ok(real), Ok(rest)) = (ancestor.canonicalize(), path.strip_prefix(ancestor)) {
            // `join` with an empty path would add a slash at the end.
            return real.components().chain(rest.components()).collect();
        }
    }
    path.to_owned()
}

/// Refuses to write at `path` if a link on the way leads out of `root`.
///
/// # Errors
/// [`Error::LeadsOut`] if `path`, or its nearest existing ancestor, is outside of `root`.
pub fn refuse_outside(root: &Path, path: &Path) -> Result<(), Error> {
    let root = root.canonicalize().map_err(unwritable(path))?;
    let is_there = |place: &&Path| place.symlink_metadata().is_ok();
    let nearest = path.ancestors().find(is_there).unwrap_or(path);
    let real = nearest.canonicalize().map_err(unwritable(path))?;
    if real.starts_with(&root) {
        return Ok(());
    }
    Err(Error::LeadsOut {
        path: path.to_owned(),
        root,
        target: real,
    })
}

/// Keeps other processes from changing the same files at the same time, as long as it lives.
#[derive(Debug)]
pub struct Guard(#[expect(dead_code, reason = "closing the file gives the lock back")] File);

impl Guard {
    /// Waits until no other process holds `name` in `directory`. What is changed under a
    /// guard takes milliseconds.
    ///
    /// # Errors
    /// [`Error::Lock`].
    pub fn take(directory: &Path, name: &str) -> Result<Self, Error> {
        let path = directory.join(name);
        let take = || -> io::Result<File> {
            std::fs::create_dir_all(directory)?;
            let file = open_own(&path)?;
            file.lock()?;
            Ok(file)
        };
        take()
            .map(Self)
            .map_err(|source| Error::Lock { path, source })
    }
}

pub(crate) fn unreadable(path: &Path) -> impl FnOnce(io::Error) -> Error + use<> {
    let path = path.to_owned();
    |source| Error::Read { path, source }
}

fn unwritable(path: &Path) -> impl FnOnce(io::Error) -> Error + use<> {
    let path = path.to_owned();
    |source| Error::Write { path, source }
}

/// Opens an empty file for locking, creating it if needed. It does not follow a link, which a
/// checkout may have put there to open or create another file.
fn open_own(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.create(true).truncate(false).write(true);
    modes::without_links(&mut options);
    regular(options.open(path)?)
}

fn temporary(path: &Path, contents: &[u8]) -> Result<NamedTempFile, Error> {
    let file = private_temporary(path, contents)?;
    modes::make_readable(file.as_file()).map_err(unwritable(path))?;
    Ok(file)
}

fn private_temporary(path: &Path, contents: &[u8]) -> Result<NamedTempFile, Error> {
    let directory = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let write = || -> std::io::Result<NamedTempFile> {
        std::fs::create_dir_all(directory)?;
        let mut file = NamedTempFile::new_in(directory)?;
        file.write_all(contents)?;
        file.as_file().sync_all()?;
        Ok(file)
    };
    write().map_err(unwritable(path))
}

#[cfg(test)]
#[expect(
    clippy::disallowed_methods,
    reason = "a test writes files as strangers leave them"
)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_whole_and_nothing_is_left_beside_it() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("deep/er/file");
        write(&path, b"one").unwrap();
        write(&path, b"two").unwrap();
        assert!(write_new(&path, b"three").is_err());
        assert_eq!(std::fs::read(&path).unwrap(), b"two");
        assert_eq!(
            std::fs::read_dir(path.parent().unwrap()).unwrap().count(),
            1
        );
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn what_is_no_regular_file_is_not_read_and_not_waited_for() {
        use std::os::unix::fs::symlink;
        let directory = tempfile::tempdir().unwrap();
        let place = |name: &str| directory.path().join(name);
        let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
        rustix::fs::mknodat(
            rustix::fs::CWD,
            place("pipe"),
            rustix::fs::FileType::Fifo,
            mode,
            0,
        )
        .unwrap();
        symlink("/dev/zero", place("endless")).unwrap();
        symlink("pipe", place("to-pipe")).unwrap();
        std::fs::create_dir(place("directory")).unwrap();
        for name in ["pipe", "endless", "to-pipe", "directory"] {
            let error = read_regular(&place(name), 10).unwrap_err().to_string();
            assert_eq!(error, "it is not a regular file", "{name}");
            assert!(read_if_present(&place(name)).is_err(), "{name}");
        }
        std::fs::write(place("file"), "0123456789").unwrap();
        symlink("file", place("link")).unwrap();
        assert_eq!(read_text(&place("link"), 10).unwrap(), "0123456789");
        let error = read_regular(&place("file"), 9).unwrap_err().to_string();
        assert_eq!(error, "it has more than 9 bytes");
        assert_eq!(read_if_present(&place("absent")).unwrap(), None);
        symlink("absent", place("to-nothing")).unwrap();
        assert!(read_if_present(&place("to-nothing")).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn a_guard_makes_nothing_elsewhere() {
        use std::os::unix::fs::symlink;
        let directory = tempfile::tempdir().unwrap();
        let place = |name: &str| directory.path().join(name);
        std::fs::write(place("file"), "kept").unwrap();
        symlink(place("planted"), place("dangling")).unwrap();
        symlink(place("file"), place("leading")).unwrap();
        for name in ["dangling", "leading"] {
            assert!(Guard::take(directory.path(), name).is_err(), "{name}");
        }
        assert!(!place("planted").exists());
        assert!(Guard::take(directory.path(), "guard").is_ok());
    }

    #[cfg(unix)]
    #[test]
    fn nothing_is_written_through_a_link_that_leads_out() {
        use std::os::unix::fs::symlink;
        let directory = tempfile::tempdir().unwrap();
        let (root, outside) = (directory.path().join("root"), directory.path().join("out"));
        for made in [&root, &outside] {
            std::fs::create_dir(made).unwrap();
        }
        std::fs::write(outside.join("file"), "").unwrap();
        std::fs::create_dir(root.join("within")).unwrap();
        symlink(&outside, root.join("link")).unwrap();
        symlink("within", root.join("inner")).unwrap();
        symlink("../out/file", root.join("file")).unwrap();
        for place in ["within/x", "inner/x", "absent/x", "x"] {
            assert!(refuse_outside(&root, &root.join(place)).is_ok(), "{place}");
        }
        for place in ["link/x", "link/deep/x", "file"] {
            assert!(refuse_outside(&root, &root.join(place)).is_err(), "{place}");
        }
    }
}
