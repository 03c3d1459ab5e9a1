//! Reads files that may be untrusted, writes files atomically, and locks them against other
//! processes.

pub(crate) mod others;

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Read, Write as _};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use serde_json::Value;
use tempfile::NamedTempFile;

use crate::terminal::problem::Problem;

/// Replaces the file at `path` by `contents`: a temporary file beside it, made durable, then
/// renamed. The directory is made when it is missing.
pub(crate) fn write(path: &Path, contents: &[u8]) -> anyhow::Result<()> {
    let temporary = temporary(path, contents)?;
    temporary
        .persist(path)
        .with_context(|| format!("{} cannot be written", path.display()))?;
    Ok(())
}

/// Like [`write()`], but fails when the file exists.
pub(crate) fn write_new(path: &Path, contents: &[u8]) -> anyhow::Result<()> {
    let temporary = temporary(path, contents)?;
    temporary
        .persist_noclobber(path)
        .with_context(|| format!("{} cannot be written", path.display()))?;
    Ok(())
}

/// Like [`write()`], readable by nobody but the user. Temporary files are made so, and the rename
/// keeps it.
pub(crate) fn write_private(path: &Path, contents: &[u8]) -> anyhow::Result<()> {
    let temporary = private_temporary(path, contents)?;
    temporary
        .persist(path)
        .with_context(|| format!("{} cannot be written", path.display()))?;
    Ok(())
}

/// Replaces the file at `path`, which may be somebody else's, by `contents`, in a directory
/// that is there. What was there keeps its permissions; a new file gets those of any file that
/// the user makes.
pub(crate) fn replace(path: &Path, contents: &[u8]) -> io::Result<()> {
    let directory = path.parent().unwrap_or(Path::new("/"));
    let before = fs::metadata(path).ok();
    let mut file = temporary_like(directory, before.as_ref())?;
    file.write_all(contents)?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    Ok(())
}

fn temporary_like(directory: &Path, before: Option<&Metadata>) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        // The mode before the user's umask is applied.
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    let file = builder.tempfile_in(directory)?;
    if let Some(before) = before {
        file.as_file().set_permissions(before.permissions())?;
    }
    Ok(file)
}

/// A temporary directory is for its user alone; a project is like any other directory.
pub(crate) fn make_public(directory: &Path) -> std::io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        std::fs::set_permissions(directory, std::fs::Permissions::from_mode(0o755))?;
    }
    #[cfg(not(unix))]
    let _ = directory;
    Ok(())
}

/// The longest document that is read: a toolbox, a lock, a manifest, a model card.
pub(crate) const DOCUMENT_BYTES_MAX: u64 = 4 << 20;

/// The text of a document; `None` if there is no such file.
pub(crate) fn read_if_present(path: &Path) -> anyhow::Result<Option<String>> {
    match read_text(path, DOCUMENT_BYTES_MAX) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| format!("{} cannot be read", path.display())),
    }
}

/// Reads the regular file at `path` as text; see [`read_regular`].
pub(crate) fn read_text(path: &Path, bytes_max: u64) -> io::Result<String> {
    let bytes = read_regular(path, bytes_max)?;
    let text = String::from_utf8(bytes);
    text.map_err(|_| io::Error::new(ErrorKind::InvalidData, "it is not UTF-8"))
}

/// Reads the regular file at `path`.
///
/// A checkout or a package may hold anything under an expected name: a link to a device that never
/// ends, a pipe that nobody writes to, a file larger than memory.
///
/// # Errors
/// If it is no regular file, has more than `bytes_max` bytes, or cannot be read.
pub(crate) fn read_regular(path: &Path, bytes_max: u64) -> io::Result<Vec<u8>> {
    let file = open_regular(File::options().read(true), path)?;
    let mut bytes = Vec::new();
    // Reads one byte more than allowed, to detect a file that is too long.
    file.take(bytes_max + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > bytes_max {
        let says = format!("it has more than {bytes_max} bytes");
        return Err(io::Error::new(ErrorKind::FileTooLarge, says));
    }
    Ok(bytes)
}

/// Opens the regular file at `path` without blocking, and refuses anything else there.
fn open_regular(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        // Opening a pipe would block, and a terminal could become the controlling one.
        flag(options, OFlags::NONBLOCK | OFlags::NOCTTY);
    }
    regular(options.open(path)?)
}

fn regular(file: File) -> io::Result<File> {
    if file.metadata()?.is_file() {
        return Ok(file);
    }
    let says = "it is not a regular file";
    Err(io::Error::new(ErrorKind::InvalidInput, says))
}

#[cfg(unix)]
fn flag(options: &mut OpenOptions, flags: rustix::fs::OFlags) {
    use std::os::unix::fs::OpenOptionsExt as _;
    options.custom_flags(flags.bits().cast_signed());
}

/// The real path of `path`, which need not exist: the part that exists is resolved.
pub(crate) fn real_path(path: &Path) -> PathBuf {
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
/// If `path`, or its nearest existing ancestor, is outside of `root`.
pub(crate) fn refuse_outside(root: &Path, path: &Path) -> anyhow::Result<()> {
    let failed = || format!("{} cannot be written", path.display());
    let root = root.canonicalize().with_context(failed)?;
    let is_there = |place: &&Path| place.symlink_metadata().is_ok();
    let nearest = path.ancestors().find(is_there).unwrap_or(path);
    let real = nearest.canonicalize().with_context(failed)?;
    if real.starts_with(&root) {
        return Ok(());
    }
    Err(Problem::refused(format!(
        "{} leads out of {} through a link, to {}",
        path.display(),
        root.display(),
        real.display()
    ))
    .hint("remove the link, or edit its target yourself")
    .into())
}

/// The name that stands for standard input.
const STANDARD_INPUT: &str = "-";

/// The user's name for a file that may be standard input.
pub(crate) fn shown(file: &Path) -> String {
    match file.to_str() {
        Some(STANDARD_INPUT) => "standard input".to_owned(),
        _ => file.display().to_string(),
    }
}

/// A bound on the size of a file that is read.
#[derive(Debug)]
pub(crate) struct Limit {
    /// The limit's name in the refusal of a file.
    pub(crate) name: &'static str,
    /// The longest that is read, in bytes.
    pub(crate) bytes_max: usize,
    /// Advice for a longer file.
    pub(crate) hint: &'static str,
}

/// The bytes of a file, or of standard input for `-`.
///
/// # Errors
/// When it cannot be read, or is longer than `limit` says.
pub(crate) fn read_or_input(file: &Path, working: &Path, limit: &Limit) -> anyhow::Result<Vec<u8>> {
    match file.to_str() {
        Some(STANDARD_INPUT) => bounded(Ok(io::stdin().lock()), &shown(file), limit),
        // A path from the command line may be a pipe, such as a shell's process substitution.
        _ => bounded(File::open(working.join(file)), &shown(file), limit),
    }
}

/// Reads the regular file at `path`. Errors name it as `shown`.
///
/// # Errors
/// As [`read_or_input`].
pub(crate) fn read(path: &Path, shown: &str, limit: &Limit) -> anyhow::Result<Vec<u8>> {
    let opened = open_regular(File::options().read(true), path);
    bounded(opened, shown, limit)
}

fn bounded(opened: io::Result<impl Read>, shown: &str, limit: &Limit) -> anyhow::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    // Reads one byte more than allowed, to detect what is too long.
    let at_most = limit.bytes_max as u64 + 1;
    opened
        .and_then(|input| input.take(at_most).read_to_end(&mut bytes))
        .with_context(|| format!("{shown} cannot be read"))?;
    match bytes.len() > limit.bytes_max {
        true => Err(Problem::refused(format!(
            "{shown} is too long ({} = {})",
            limit.name, limit.bytes_max
        ))
        .hint(limit.hint)
        .into()),
        false => Ok(bytes),
    }
}

/// The text of a file, or of standard input for `-`.
///
/// # Errors
/// As [`read_or_input`], and when it is not UTF-8.
pub(crate) fn text_or_input(file: &Path, working: &Path, limit: &Limit) -> anyhow::Result<String> {
    text(read_or_input(file, working, limit)?, &shown(file))
}

/// The text of a file that errors call `shown`.
pub(crate) fn text(bytes: Vec<u8>, shown: &str) -> anyhow::Result<String> {
    String::from_utf8(bytes).map_err(|_| {
        Problem::user(format!("{shown} is not UTF-8"))
            .hint("save it as UTF-8 and try again")
            .into()
    })
}

/// The JSON in a file, or in standard input for `-`.
///
/// # Errors
/// As [`read_or_input`], and when it is no JSON.
pub(crate) fn json_or_input(file: &Path, working: &Path, limit: &Limit) -> anyhow::Result<Value> {
    let bytes = read_or_input(file, working, limit)?;
    serde_json::from_slice(&bytes).map_err(|error| {
        Problem::user(format!("{} is not JSON", shown(file)))
            .caused_by(error)
            .into()
    })
}

/// Keeps other processes from changing the same files at the same time, as long as it lives.
pub(crate) struct Guard(#[expect(dead_code, reason = "closing the file gives the lock back")] File);

impl Guard {
    /// Waits until no other process holds `name` in `directory`. What is changed under a
    /// guard takes milliseconds.
    pub(crate) fn take(directory: &Path, name: &str) -> anyhow::Result<Self> {
        let path = directory.join(name);
        let take = || -> std::io::Result<File> {
            std::fs::create_dir_all(directory)?;
            let file = open_own(&path)?;
            file.lock()?;
            Ok(file)
        };
        take()
            .map(Self)
            .with_context(|| format!("{} cannot be locked", path.display()))
    }
}

/// Opens an empty file for locking, creating it if needed. It does not follow a link, which a
/// checkout may have put there to open or create another file.
fn open_own(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.create(true).truncate(false).write(true);
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        flag(
            &mut options,
            OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY,
        );
    }
    #[cfg(windows)]
    {
        use std::os::windows::fs::OpenOptionsExt as _;
        const OPEN_REPARSE_POINT: u32 = 0x0020_0000;
        options.custom_flags(OPEN_REPARSE_POINT);
    }
    regular(options.open(path)?)
}

fn temporary(path: &Path, contents: &[u8]) -> anyhow::Result<NamedTempFile> {
    let file = private_temporary(path, contents)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let readable = std::fs::Permissions::from_mode(0o644);
        file.as_file()
            .set_permissions(readable)
            .with_context(|| format!("{} cannot be written", path.display()))?;
    }
    Ok(file)
}

fn private_temporary(path: &Path, contents: &[u8]) -> anyhow::Result<NamedTempFile> {
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
    write().with_context(|| format!("{} cannot be written", path.display()))
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
