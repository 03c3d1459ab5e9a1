//! Reads a source of advisories whole: a data set at its newest commit, a URL, or a path.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use tool_hub_manifest::{RepoId, Revision, ToolRef};
use tool_hub_registry_client::JsonFileLimits;

use super::archive::{ADVISORY_BYTES_MAX, Collected, FILE_BYTES_MAX, FILES_MAX, SOURCE_BYTES_MAX};
use super::download::{self, Download};
use super::error::AdvisoryError;
use super::source::AdvisorySource;
use crate::bundle::carried_advisories;
use crate::bundle::origin::EXTENSION;
use crate::error::Error;
use crate::files;
use crate::notices::Notices;
use crate::settings::Settings;

/// The most directories below each other.
const DEPTH_MAX: usize = 8;

/// A source as it is.
pub(crate) enum Reading {
    /// All its advisories of tools, and the revision: a commit, or the tag of an answer.
    Whole(Collected, Option<String>),
    /// It is as it was at the revision that the caller named.
    Unchanged,
}

/// Reads `source`, unless it is as it was at the revision `known`.
pub(crate) async fn read(
    source: &AdvisorySource,
    known: Option<&str>,
    settings: &Settings,
    notices: &dyn Notices,
) -> Result<Reading, Error> {
    let mut collected = Collected::default();
    match source {
        AdvisorySource::Dataset(repo) => dataset(repo, known, settings, notices).await,
        AdvisorySource::Url(url) => {
            let Download::File(bytes, tag) = download::download(url, known).await? else {
                return Ok(Reading::Unchanged);
            };
            collected.add_file(url.as_str(), &bytes)?;
            Ok(Reading::Whole(collected, tag))
        }
        AdvisorySource::Path(path) => {
            let path = settings.place(path);
            if path.to_string_lossy().ends_with(EXTENSION) && !path.is_dir() {
                let carried = carried_advisories::of_file(&path)?;
                let collected = Collected::of_read(&path.display().to_string(), carried)?;
                return Ok(Reading::Whole(collected, None));
            }
            for file in files_at(&path).map_err(unreadable(&path))? {
                let bytes =
                    files::read_regular(&file, FILE_BYTES_MAX).map_err(unreadable(&file))?;
                collected.add_file(&file.display().to_string(), &bytes)?;
            }
            Ok(Reading::Whole(collected, None))
        }
    }
}

async fn dataset(
    repo: &RepoId,
    known: Option<&str>,
    settings: &Settings,
    notices: &dyn Notices,
) -> Result<Reading, Error> {
    let datasets = settings.datasets(notices)?;
    let reference = ToolRef {
        repo: repo.clone(),
        revision: Revision::Newest,
    };
    let at = datasets.resolve(&reference).await?;
    if known == Some(at.commit.as_str()) {
        return Ok(Reading::Unchanged);
    }
    let limits = JsonFileLimits {
        files_max: FILES_MAX,
        file_bytes_max: ADVISORY_BYTES_MAX,
        bytes_max: SOURCE_BYTES_MAX,
    };
    let mut collected = Collected::default();
    for file in datasets.json_files(&at, limits).await? {
        collected.add_file(&format!("{repo}/{}", file.path), &file.content)?;
    }
    Ok(Reading::Whole(collected, Some(at.commit.to_string())))
}

/// The file at `path`, or the JSON files in the directory there, in order. Links are not followed
/// below it, and hidden names are passed over.
fn files_at(path: &Path) -> io::Result<Vec<PathBuf>> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let mut found = Vec::new();
    let mut directories = vec![(path.to_owned(), 0)];
    while let Some((directory, depth)) = directories.pop() {
        for entry in fs::read_dir(&directory)? {
            let entry = entry?;
            let (kind, below) = (entry.file_type()?, entry.path());
            let name = entry.file_name();
            if name.to_string_lossy().starts_with('.') {
                continue;
            }
            if kind.is_dir() && depth < DEPTH_MAX {
                directories.push((below, depth + 1));
            } else if kind.is_file() && below.extension().is_some_and(|it| it == "json") {
                found.push(below);
            }
            if found.len() + directories.len() > FILES_MAX {
                let says = format!("it has more than {FILES_MAX} files, the limit");
                return Err(io::Error::new(io::ErrorKind::FileTooLarge, says));
            }
        }
    }
    found.sort();
    Ok(found)
}

fn unreadable(path: &Path) -> impl FnOnce(io::Error) -> AdvisoryError + use<> {
    let path = path.to_owned();
    move |source| AdvisoryError::Unreadable { path, source }
}
