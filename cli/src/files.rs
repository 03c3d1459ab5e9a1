//! Reads files and standard input up to a `Limit`, and passes on the toolbox's functions for files.
//!
//! Files are otherwise read and written by the toolbox's functions, which this module passes on.

pub(crate) mod others;

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use anyhow::Context as _;
use serde_json::Value;
use tool_hub_toolbox::files::open_to_read;
pub(crate) use tool_hub_toolbox::files::{
    DOCUMENT_BYTES_MAX, Guard, make_public, read_if_present, read_regular, read_text, read_value,
    real_path, refuse_outside, replace, write, write_new, write_private,
};

use crate::terminal::problem::Problem;

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
    bounded(open_to_read(path), shown, limit)
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
