//! Writes bytes to standard output, a file, pipe or device for `--output`; refuses settings files.
//! A file is replaced as a whole. Refuses files by which `tool` or other programs are configured.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use tool_hub_toolbox::sensitive;

use crate::files;
use crate::settings::config::Config;
use crate::terminal::printer::Printer;
use crate::terminal::problem::Problem;

/// A place for bytes, checked before there are any.
#[derive(Debug)]
pub(crate) enum Output {
    /// Standard output, which then carries nothing else.
    Standard,
    /// A regular file, there or not. Links were followed.
    File(PathBuf),
    /// A device or a named pipe, which is written to and never replaced.
    Special(PathBuf),
}

impl Output {
    /// The output that `path` stands for; `-` is standard output.
    ///
    /// # Errors
    /// When nothing can be written there: a directory, a link that leads nowhere, a file in a
    /// directory that does not exist, or one by which tools or other programs are set up.
    pub(crate) fn find(path: &Path, config: &Config) -> anyhow::Result<Self> {
        if path == Path::new("-") {
            return Ok(Self::Standard);
        }
        let path = config.settings.place(path);
        refuse_settings(&path, config)?;
        match fs::metadata(&path) {
            Ok(there) if there.is_dir() => {
                Err(Problem::user(format!("{} is a directory", path.display()))
                    .hint("name the file to write in it")
                    .into())
            }
            // The target of a link is what is replaced, in its own directory.
            Ok(there) if there.is_file() => Ok(Self::File(
                path.canonicalize().with_context(|| unwritable(&path))?,
            )),
            Ok(_) => Ok(Self::Special(path)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => absent(path),
            Err(error) => Err(error).with_context(|| unwritable(&path)),
        }
    }

    /// Writes `bytes`, all of them or, where a file is replaced, none.
    ///
    /// # Errors
    /// When they cannot be written.
    pub(crate) fn write(&self, bytes: &[u8], printer: &Printer) -> anyhow::Result<()> {
        match self {
            Self::Standard => printer.raw(bytes),
            Self::File(path) => files::replace(path, bytes).with_context(|| unwritable(path)),
            Self::Special(path) => OpenOptions::new()
                .write(true)
                .open(path)
                .and_then(|mut special| special.write_all(bytes))
                .with_context(|| unwritable(path)),
        }
    }
}

/// Refuses to write where tools or other programs are set up. Bytes that a tool chose would
/// otherwise decide what is approved, or what runs next.
///
/// # Errors
/// When `path` lies in a directory of `tool`'s own, or a part of it is a guarded name.
pub(crate) fn refuse_settings(path: &Path, config: &Config) -> anyhow::Result<()> {
    let real = files::real_path(path);
    let own = config.settings.own_directories();
    let is_own = own
        .iter()
        .any(|own| real.starts_with(files::real_path(own)));
    let guarded = sensitive::guarded_names();
    let is_guarded = real.components().any(|part| {
        let part = part.as_os_str();
        guarded.iter().any(|name| part.eq_ignore_ascii_case(name))
    });
    if !is_own && !is_guarded {
        return Ok(());
    }
    Err(Problem::refused(format!(
        "{} is not written: tools or other programs are set up there",
        path.display()
    ))
    .hint("name another file")
    .into())
}

fn unwritable(path: &Path) -> String {
    format!("{} cannot be written", path.display())
}

/// A file that is to be made.
fn absent(path: PathBuf) -> anyhow::Result<Output> {
    if path.is_symlink() {
        return Err(
            Problem::user(format!("{} is a broken link", path.display()))
                .hint("remove it, or create its target")
                .into(),
        );
    }
    match path.parent().filter(|parent| !parent.is_dir()) {
        Some(parent) => Err(Problem::user(format!(
            "there is no directory {} to write in",
            parent.display()
        ))
        .hint(format!("make it first: mkdir -p {}", parent.display()))
        .into()),
        None => Ok(Output::File(path)),
    }
}
