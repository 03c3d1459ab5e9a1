//! A `WitFile` of a project, and the packages that such files define, by their first words.

use std::collections::BTreeSet;
use std::path::PathBuf;

/// A WIT file: its path below `wit`, and its text.
pub(crate) type WitFile = (PathBuf, String);

/// True if one of `files` is of the package whose name begins with `package`.
pub(crate) fn defines(files: &[WitFile], package: &str) -> bool {
    let beginning = format!("package {package}");
    let mut lines = files.iter().flat_map(|(_, text)| text.lines());
    lines.any(|line| line.trim_start().starts_with(&beginning))
}

/// The names of the packages of `files`, such as `ada:units`.
pub(crate) fn package_names(files: &[WitFile]) -> BTreeSet<&str> {
    let lines = files.iter().flat_map(|(_, text)| text.lines());
    let names = lines.filter_map(|line| line.trim_start().strip_prefix("package "));
    let ends = |c: char| "@;{".contains(c) || c.is_whitespace();
    names
        .filter_map(|it| it.trim_start().split(ends).next())
        .collect()
}

/// The packages of `files` with their versions, such as `ada:units@1.0.0`.
pub(super) fn package_ids<'a>(files: impl Iterator<Item = &'a WitFile>) -> BTreeSet<&'a str> {
    let lines = files.flat_map(|(_, text)| text.lines());
    let ids = lines.filter_map(|line| line.trim_start().strip_prefix("package "));
    let ends = |c: char| ";{/".contains(c) || c.is_whitespace();
    ids.filter_map(|it| it.trim_start().split(ends).next())
        .collect()
}
