//! Writing files so that no reader ever sees half of one.

use std::fs::{self, File, Metadata};
use std::io::{self, Read, Write as _};
use std::path::Path;

use anyhow::Context as _;
use serde_json::Value;
use tempfile::NamedTempFile;

use crate::diagnosis::Problem;

/// Replaces the file at `path` by `contents`: a temporary file beside it, made durable, then
/// renamed. The directory is made when it is missing.
pub(crate) fn write(path: &Path, contents: &[u8]) -> anyhow::Result<()> {
    let temporary = temporary(path, contents)?;
    temporary
        .persist(path)
        .with_context(|| format!("{} cannot be written", path.display()))?;
    Ok(())
}

/// As [`write()`], but fails when the file exists.
pub(crate) fn write_new(path: &Path, contents: &[u8]) -> anyhow::Result<()> {
    let temporary = temporary(path, contents)?;
    temporary
        .persist_noclobber(path)
        .with_context(|| format!("{} cannot be written", path.display()))?;
    Ok(())
}

/// As [`write()`], readable by nobody but the user. Temporary files are made so, and the
/// rename keeps it.
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
        // What the user's mask leaves of it.
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

/// The text of a file, or nothing when there is no such file.
pub(crate) fn read_if_present(path: &Path) -> anyhow::Result<Option<String>> {
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| format!("{} cannot be read", path.display())),
    }
}

/// The name that stands for standard input.
const STANDARD_INPUT: &str = "-";

/// What the user called a file that may be standard input.
pub(crate) fn shown(file: &Path) -> String {
    match file.to_str() {
        Some(STANDARD_INPUT) => "standard input".to_owned(),
        _ => file.display().to_string(),
    }
}

/// How much of a file is read.
#[derive(Debug)]
pub(crate) struct Limit {
    /// What the limit is called where a file is refused.
    pub(crate) name: &'static str,
    /// The longest that is read, in bytes.
    pub(crate) bytes_max: usize,
    /// What to do with a longer one.
    pub(crate) hint: &'static str,
}

/// The bytes of a file, or of standard input for `-`.
///
/// # Errors
/// When it cannot be read, or is longer than `limit` says.
pub(crate) fn read_or_input(file: &Path, working: &Path, limit: &Limit) -> anyhow::Result<Vec<u8>> {
    match file.to_str() {
        Some(STANDARD_INPUT) => bounded(Ok(io::stdin().lock()), &shown(file), limit),
        _ => read(&working.join(file), &shown(file), limit),
    }
}

/// The bytes of the file at `path`, which errors call `shown`.
///
/// # Errors
/// As [`read_or_input`].
pub(crate) fn read(path: &Path, shown: &str, limit: &Limit) -> anyhow::Result<Vec<u8>> {
    bounded(File::open(path), shown, limit)
}

fn bounded(opened: io::Result<impl Read>, shown: &str, limit: &Limit) -> anyhow::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    // A byte more than there may be, so that what is too long is seen to be.
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

/// What was read of a file that errors call `shown`, as text.
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
            let file = File::options()
                .create(true)
                .truncate(false)
                .write(true)
                .open(&path)?;
            file.lock()?;
            Ok(file)
        };
        take()
            .map(Self)
            .with_context(|| format!("{} cannot be locked", path.display()))
    }
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
}
