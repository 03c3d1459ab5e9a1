//! Lists and downloads the JSON files of a data set at a commit, with bounds on number and length.

use std::borrow::Cow;

use futures::{StreamExt as _, TryStreamExt as _, stream};
use serde::Deserialize;

use crate::error::{Act, ClientError, excerpt};
use crate::refusal;
use crate::registry::Registry;
use crate::resolved::Resolved;

/// The downloads that are under way at a time.
const AT_ONCE_MAX: usize = 8;
/// The most entries of a listing for each file that may be had: directories and other files count.
const ENTRIES_FOR_A_FILE: usize = 2;
const EXTENSION: &str = ".json";

/// Bounds on the JSON files of a data set. A data set that exceeds one is refused whole.
#[derive(Debug, Clone, Copy)]
pub struct JsonFileLimits {
    /// The most files.
    pub files_max: usize,
    /// The most bytes of one file.
    pub file_bytes_max: u64,
    /// The most bytes of all files.
    pub bytes_max: u64,
}

/// A file of a data set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonFile {
    /// The path in the repo. It is a stranger's text.
    pub path: String,
    /// The bytes.
    pub content: Vec<u8>,
}

#[derive(Deserialize)]
struct Entry {
    r#type: String,
    path: String,
    #[serde(default)]
    size: u64,
}

/// The files at a commit whose names end in `.json`, in the order of their paths.
pub(crate) async fn read(
    registry: &Registry,
    at: &Resolved,
    limits: JsonFileLimits,
) -> Result<Vec<JsonFile>, ClientError> {
    let listed = list(registry, at, limits).await?;
    let files = listed
        .into_iter()
        .map(|entry| download(registry, at, entry));
    let files = stream::iter(files).buffered(AT_ONCE_MAX).try_collect();
    let mut files: Vec<JsonFile> = files.await?;
    files.sort_by(|one, other| one.path.cmp(&other.path));
    Ok(files)
}

async fn list(
    registry: &Registry,
    at: &Resolved,
    limits: JsonFileLimits,
) -> Result<Vec<Entry>, ClientError> {
    let act = Act::ListFiles(at.repo.clone());
    let mut url = registry.wire.about(&at.repo, &["tree", at.commit.as_str()]);
    url.set_query(Some("recursive=true"));
    let mut next = Some(url);
    let (mut files, mut seen, mut bytes) = (Vec::new(), 0, 0_u64);
    while let Some(url) = next {
        let (entries, after): (Vec<Entry>, _) = registry.wire.page(&act, url).await?;
        seen += entries.len();
        // A registry that sends empty pages for ever is refused too.
        if entries.is_empty() && after.is_some() || seen > ENTRIES_FOR_A_FILE * limits.files_max {
            return Err(too_many(act, limits));
        }
        let is_ours = |entry: &Entry| entry.r#type == "file" && entry.path.ends_with(EXTENSION);
        for entry in entries.into_iter().filter(is_ours) {
            if entry.size > limits.file_bytes_max {
                return Err(ClientError::TooLarge {
                    act: download_of(at, &entry.path),
                    bytes_max: limits.file_bytes_max,
                });
            }
            bytes = bytes.saturating_add(entry.size);
            files.push(entry);
        }
        if bytes > limits.bytes_max {
            return Err(ClientError::TooLarge {
                act,
                bytes_max: limits.bytes_max,
            });
        }
        if files.len() > limits.files_max {
            return Err(too_many(act, limits));
        }
        next = after;
    }
    Ok(files)
}

fn download_of(at: &Resolved, path: &str) -> Act {
    Act::Download(at.repo.clone(), Cow::Owned(excerpt(path)))
}

fn too_many(act: Act, limits: JsonFileLimits) -> ClientError {
    let files_max = limits.files_max;
    refusal::nonsense(&act, &format!("it lists more than {files_max} files"))
}

async fn download(
    registry: &Registry,
    at: &Resolved,
    entry: Entry,
) -> Result<JsonFile, ClientError> {
    let act = download_of(at, &entry.path);
    let place = ["resolve", at.commit.as_str()];
    let place: Vec<&str> = place.into_iter().chain(entry.path.split('/')).collect();
    let url = registry.wire.page_of(&at.repo, &place);
    let response = registry.wire.download(&act, url).await?;
    let content = registry.wire.body(&act, response, entry.size, |_| ());
    let content = content.await?;
    if content.len() as u64 != entry.size {
        return Err(ClientError::SizeMismatch {
            act,
            expected: entry.size,
            actual: content.len() as u64,
        });
    }
    Ok(JsonFile {
        path: entry.path,
        content,
    })
}
