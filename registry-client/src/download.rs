//! Downloads single files of a commit, with a bound on their length, and anew where one breaks off.

use std::borrow::Cow;

use reqwest::header::CONTENT_LENGTH;
use tool_hub_manifest::CommitId;

use crate::error::{Act, ClientError};
use crate::files::{self, ListedFile};
use crate::limits::DOWNLOAD_ATTEMPTS_MAX;
use crate::progress::{Progress, Silent};
use crate::refusal;
use crate::registry::Registry;
use crate::resolved::Resolved;

/// Those of `names` that are there at a commit, each with its text. Bytes that are not UTF-8 are
/// replaced.
pub(crate) async fn texts(
    registry: &Registry,
    at: &Resolved,
    names: &[&'static str],
    bytes_max: u64,
) -> Result<Vec<(&'static str, String)>, ClientError> {
    let mut texts = Vec::new();
    for listed in files::list(registry, at, names).await? {
        let content = file(registry, at, &listed, bytes_max, &Silent).await?;
        let text = String::from_utf8_lossy(&content).into_owned();
        texts.push((listed.name, text));
    }
    Ok(texts)
}

/// Downloads one file whole. A download that breaks off begins anew, from its beginning:
/// the file may have changed meanwhile.
pub(crate) async fn file(
    registry: &Registry,
    at: &Resolved,
    file: &ListedFile,
    bytes_max: u64,
    progress: &dyn Progress,
) -> Result<Vec<u8>, ClientError> {
    let act = Act::Download(at.repo.clone(), Cow::Borrowed(file.name));
    if file.bytes > bytes_max {
        return Err(ClientError::TooLarge { act, bytes_max });
    }
    let mut attempt = 1;
    loop {
        progress.started(file.name, file.bytes);
        match once(registry, &act, at, file, progress).await {
            Ok(content) => {
                progress.finished(file.name);
                return Ok(content);
            }
            Err(error @ ClientError::Broken { .. }) if attempt < DOWNLOAD_ATTEMPTS_MAX => {
                tracing::debug!(%error, attempt, "starting the download again");
                attempt += 1;
            }
            Err(error) => return Err(error),
        }
    }
}

async fn once(
    registry: &Registry,
    act: &Act,
    at: &Resolved,
    file: &ListedFile,
    progress: &dyn Progress,
) -> Result<Vec<u8>, ClientError> {
    let wrong_size = |actual| ClientError::SizeMismatch {
        act: act.clone(),
        expected: file.bytes,
        actual,
    };
    let place = ["resolve", at.commit.as_str(), file.name];
    let url = registry.wire.page_of(&at.repo, &place);
    let response = registry.wire.download(act, url).await?;
    let headers = response.headers();
    // The ETag is not looked at: here a file's name is the digest of its bytes.
    if let Some(told) = headers.get("x-repo-commit") {
        let told = refusal::commit(act, &String::from_utf8_lossy(told.as_bytes()))?;
        of_the_commit(act, &at.commit, &told)?;
    }
    let announced = headers.get(CONTENT_LENGTH).and_then(|it| it.to_str().ok());
    if let Some(announced) = announced.and_then(|text| text.parse().ok())
        && announced != file.bytes
    {
        return Err(wrong_size(announced));
    }
    let content = registry
        .wire
        .body(act, response, file.bytes, |bytes| {
            progress.advanced(file.name, bytes);
        })
        .await;
    match content {
        Ok(content) if content.len() as u64 == file.bytes => Ok(content),
        Ok(content) => Err(wrong_size(content.len() as u64)),
        Err(ClientError::TooLarge { .. }) => Err(wrong_size(file.bytes + 1)),
        Err(error) => Err(error),
    }
}

fn of_the_commit(act: &Act, asked: &CommitId, told: &CommitId) -> Result<(), ClientError> {
    if asked == told {
        return Ok(());
    }
    Err(refusal::nonsense(act, &format!("it is of commit {told}")))
}
