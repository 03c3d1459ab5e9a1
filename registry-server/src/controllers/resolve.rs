//! `GET …/resolve/{rev}/{path}`: serves a file or a range of it, or redirects to the bucket.
//! `…/raw/…` serves what git has, for an LFS file its pointer.

use std::ops::Range;

use axum::body::Body;
use axum::response::{IntoResponse as _, Response};
use http::header::{
    ACCEPT_RANGES, CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_LENGTH, CONTENT_RANGE,
    CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, IF_NONE_MATCH, IF_RANGE, LOCATION, RANGE,
    X_CONTENT_TYPE_OPTIONS,
};
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use url::Url;

use super::target;
use crate::access::{Call, ReadRepository};
use crate::content::FileHeaders;
use crate::database::git_objects::{Blob, BlobForm};
use crate::error::RegistryError;
use crate::git::pointer_text;
use crate::history::{ListedEntry, ListedKind};
use crate::http::{ErrorBody, Refusal, Reply};
use crate::names::{RepositoryPath, decode};
use crate::registry::Registry;

const X_REPO_COMMIT: HeaderName = HeaderName::from_static("x-repo-commit");
const X_LINKED_ETAG: HeaderName = HeaderName::from_static("x-linked-etag");
const X_LINKED_SIZE: HeaderName = HeaderName::from_static("x-linked-size");

/// The shortest part of a file for which a client is sent to the storage.
const REDIRECTED_BYTES_MIN: u64 = 1 << 20;

/// The bytes of a file.
///
/// `raw` gives what git has, `resolve` the file; they differ for LFS files only.
#[utoipa::path(
    get,
    path = "/{owner}/{name}/resolve/{revision}/{path}",
    responses(
        (status = 200, description = "The file", content_type = "*/*", body = Vec<u8>, headers(("ETag" = String), ("X-Repo-Commit" = String), ("X-Linked-ETag" = String), ("X-Linked-Size" = u64), ("Accept-Ranges" = String))),
        (status = 206, description = "A part of the file", content_type = "*/*", body = Vec<u8>),
        (status = 302, description = "The storage has the file"),
        (status = 304, description = "The client has the file"),
        (status = 307, description = "The repository has another name"),
        (status = 416, description = "The file is shorter than the range", body = ErrorBody),
    ),
)]
pub(crate) async fn download(call: Call<ReadRepository>) -> Reply {
    if call.admitted.moved {
        return moved(&call);
    }
    let target = target::find(&call.registry, &call.admitted).await?;
    let path = decode(&target.rest.join("/")).unwrap_or_default();
    let commit = HeaderValue::from_str(&target.commit.oid.to_string())
        .map_err(|_| RegistryError::Damaged(format!("commit id {}", target.commit.oid)))?;
    let repository = &call.admitted.repository.id;
    let found = call
        .registry
        .query_cache()
        .entry(call.admitted.version, repository, &target.commit, &path)
        .await?;
    let Some(ListedEntry {
        oid,
        kind: ListedKind::File(Some(blob)),
        ..
    }) = found
    else {
        // Clients remember that this commit has no such file.
        return Err(Refusal::entry_not_found(&path).header(X_REPO_COMMIT, commit));
    };
    let content = match blob.form {
        BlobForm::Pointer if is_raw(&call) => {
            FileContent::Pointer(pointer_text(&blob.sha256, blob.size_bytes))
        }
        _ => FileContent::File(blob),
    };
    // A version is known by what is sent: the pointer by git's id, the file behind it by its own
    // hash.
    let etag = match &content {
        FileContent::File(blob) if blob.form == BlobForm::Pointer => blob.sha256.to_string(),
        _ => oid.to_string(),
    };
    let etag = HeaderValue::from_str(&format!("\"{etag}\""))
        .map_err(|_| RegistryError::Damaged(format!("object id {oid}")))?;
    let private = call.admitted.repository.private;
    let mut headers = file_headers(&path, content.size_bytes(), &etag, private);
    headers.insert(X_REPO_COMMIT, commit);
    answer(&call, &content, &etag, headers).await
}

/// The bytes that are sent of a file.
enum FileContent {
    File(Blob),
    /// The text that stands in git for an LFS file.
    Pointer(String),
}

impl FileContent {
    fn size_bytes(&self) -> u64 {
        match self {
            Self::File(blob) => blob.size_bytes,
            Self::Pointer(text) => text.len() as u64,
        }
    }

    async fn read(&self, registry: &Registry, part: Range<u64>) -> Result<Body, RegistryError> {
        match self {
            Self::File(blob) => registry.content().read(&blob.sha256, part).await,
            Self::Pointer(text) => {
                let part = part.start as usize..part.end as usize;
                Ok(Body::from(text.get(part).unwrap_or_default().to_owned()))
            }
        }
    }
}

/// True if the file is asked for as git has it.
fn is_raw(call: &Call<ReadRepository>) -> bool {
    let prefix = call.admitted.repository.kind.web_prefix();
    let path = call.parts.uri.path().trim_start_matches('/');
    let path = path.strip_prefix(prefix).unwrap_or(path);
    path.split('/').nth(2) == Some("raw")
}

/// Redirects to the repository's present id. The address is relative, because the Rust client
/// follows no other into its cache.
fn moved(call: &Call<ReadRepository>) -> Reply {
    let repository = &call.admitted.repository;
    let verb = if is_raw(call) { "raw" } else { "resolve" };
    let query = call
        .parts
        .uri
        .query()
        .map(|query| format!("?{query}"))
        .unwrap_or_default();
    let rest = call.admitted.address.rest.join("/");
    let location = format!(
        "/{}{}/{verb}/{rest}{query}",
        repository.kind.web_prefix(),
        repository.full_name()
    );
    let location = HeaderValue::from_str(&location)
        .map_err(|_| Refusal::bad_request("the address cannot be redirected"))?;
    Ok((StatusCode::TEMPORARY_REDIRECT, [(LOCATION, location)]).into_response())
}

async fn answer(
    call: &Call<ReadRepository>,
    content: &FileContent,
    etag: &HeaderValue,
    mut headers: HeaderMap,
) -> Reply {
    let request = &call.parts.headers;
    if request
        .get_all(IF_NONE_MATCH)
        .iter()
        .any(|value| matches_etag(value, etag))
    {
        headers.remove(CONTENT_TYPE);
        return Ok((StatusCode::NOT_MODIFIED, headers).into_response());
    }
    let size = content.size_bytes();
    let range = match request.get(IF_RANGE) {
        Some(condition) if condition != etag => RequestedRange::Whole,
        _ => request.get(RANGE).map_or(RequestedRange::Whole, |value| {
            requested_range(value.to_str().unwrap_or_default(), size)
        }),
    };
    let (status, part) = match range {
        RequestedRange::Whole => (StatusCode::OK, 0..size),
        RequestedRange::Part(part) => {
            headers.insert(
                CONTENT_RANGE,
                content_range(&format!("{}-{}", part.start, part.end - 1), size),
            );
            (StatusCode::PARTIAL_CONTENT, part)
        }
        // The JavaScript client begins every download with the first byte and breaks on 416 for a
        // file that has none.
        RequestedRange::Outside if size == 0 => {
            headers.insert(CONTENT_RANGE, content_range("*", size));
            (StatusCode::OK, 0..0)
        }
        RequestedRange::Outside => {
            let refusal = Refusal::new(
                StatusCode::RANGE_NOT_SATISFIABLE,
                "the file is shorter than the range",
            );
            return Err(refusal.header(CONTENT_RANGE, content_range("*", size)));
        }
    };
    if call.parts.method == Method::GET
        && let FileContent::File(blob) = content
        && let Some(url) = elsewhere(call, blob, &part, &headers).await?
    {
        return redirect(headers, &url);
    }
    headers.insert(CONTENT_LENGTH, (part.end - part.start).into());
    let body = match call.parts.method {
        Method::HEAD => Body::empty(),
        _ => content.read(&call.registry, part).await?,
    };
    let mut response = Response::new(body);
    *response.status_mut() = status;
    *response.headers_mut() = headers;
    Ok(response)
}

/// The address in the storage that the client may get these bytes from by itself, repeating its
/// request there.
///
/// HEAD is never sent elsewhere: clients follow a redirect with another HEAD, which an address
/// signed for GET refuses. Short parts stay as well: they cost less to send than to sign, and the
/// JavaScript client reads our ETag with the first byte.
async fn elsewhere(
    call: &Call<ReadRepository>,
    blob: &Blob,
    part: &Range<u64>,
    headers: &HeaderMap,
) -> Result<Option<Url>, RegistryError> {
    let request = &call.parts.headers;
    // The storage may read a condition or an odd range in another way, and does not know our ETags.
    let plain = !request.contains_key(IF_RANGE)
        && request.contains_key(RANGE) == headers.contains_key(CONTENT_RANGE);
    if !plain || part.end - part.start < REDIRECTED_BYTES_MIN {
        return Ok(None);
    }
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
    let shown_headers = FileHeaders {
        content_type: text(CONTENT_TYPE).unwrap_or("application/octet-stream"),
        disposition: text(CONTENT_DISPOSITION).unwrap_or("inline"),
    };
    call.registry
        .content()
        .signed_url(&blob.sha256, shown_headers)
        .await
}

/// Redirects to the storage. For a while the address gives the file to whoever has it, so no cache
/// may keep it.
fn redirect(mut headers: HeaderMap, url: &Url) -> Reply {
    let location = HeaderValue::from_str(url.as_str())
        .map_err(|_| RegistryError::Damaged("a signed address is no header".to_owned()))?;
    for name in [CONTENT_TYPE, CONTENT_RANGE, CONTENT_DISPOSITION] {
        headers.remove(name);
    }
    headers.insert(LOCATION, location);
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    Ok((StatusCode::FOUND, headers).into_response())
}

fn file_headers(path: &str, size_bytes: u64, etag: &HeaderValue, private: bool) -> HeaderMap {
    let name = RepositoryPath::parse(path)
        .map(|path| path.file_name().to_owned())
        .unwrap_or_default();
    let mut headers = HeaderMap::new();
    headers.insert(ETAG, etag.clone());
    headers.insert(X_LINKED_ETAG, etag.clone());
    headers.insert(X_LINKED_SIZE, size_bytes.into());
    headers.insert(ACCEPT_RANGES, HeaderValue::from_static("bytes"));
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type(&name)));
    // A file of one user must not become a script in another's browser.
    headers.insert(
        CONTENT_SECURITY_POLICY,
        HeaderValue::from_static("default-src 'none'; sandbox"),
    );
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(
        CACHE_CONTROL,
        HeaderValue::from_static(if private {
            "private, no-cache"
        } else {
            "no-cache"
        }),
    );
    let disposition = format!(
        "inline; filename*=UTF-8''{}",
        utf8_percent_encode(&name, NON_ALPHANUMERIC)
    );
    if let Ok(disposition) = HeaderValue::from_str(&disposition) {
        headers.insert(CONTENT_DISPOSITION, disposition);
    }
    headers
}

fn content_type(name: &str) -> &'static str {
    match name.rsplit_once('.').map(|(_, extension)| extension) {
        Some(
            "md" | "txt" | "toml" | "yaml" | "yml" | "py" | "rs" | "js" | "wit" | "html" | "svg",
        ) => "text/plain; charset=utf-8",
        Some("json") => "application/json",
        Some("wasm") => "application/wasm",
        Some("png") => "image/png",
        Some("jpg" | "jpeg") => "image/jpeg",
        _ if name.starts_with(".git") => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

fn content_range(part: &str, size: u64) -> HeaderValue {
    HeaderValue::from_str(&format!("bytes {part}/{size}"))
        .unwrap_or(HeaderValue::from_static("bytes */*"))
}

fn matches_etag(value: &HeaderValue, etag: &HeaderValue) -> bool {
    let (Ok(value), Ok(etag)) = (value.to_str(), etag.to_str()) else {
        return false;
    };
    value
        .split(',')
        .map(str::trim)
        .any(|one| one == "*" || one.strip_prefix("W/").unwrap_or(one) == etag)
}

/// The range that a request asks for.
///
/// `Range` of the crate `headers` does not tell a range that it does not understand, which is
/// answered with the whole file, from one outside of the file, which is refused. It also has no
/// range for a suffix that is longer than the file. The crate's `ETag` alone would not be worth a
/// dependency.
#[derive(Debug, PartialEq, Eq)]
enum RequestedRange {
    /// No range, one that is not understood, or several: the whole file is a proper answer.
    Whole,
    Part(Range<u64>),
    Outside,
}

fn requested_range(value: &str, size: u64) -> RequestedRange {
    let Some((first, last)) = value
        .strip_prefix("bytes=")
        .and_then(|spec| spec.split_once('-'))
    else {
        return RequestedRange::Whole;
    };
    let part = match (first.trim().parse::<u64>(), last.trim().parse::<u64>()) {
        (Ok(first), Ok(last)) if first <= last => first..last.saturating_add(1).min(size),
        (Ok(first), Err(_)) if last.trim().is_empty() => first..size,
        (Err(_), Ok(last)) if first.trim().is_empty() => size.saturating_sub(last)..size,
        _ => return RequestedRange::Whole,
    };
    if part.start < part.end {
        RequestedRange::Part(part)
    } else {
        RequestedRange::Outside
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(value: &str, size: u64, expect: RequestedRange) {
        assert_eq!(requested_range(value, size), expect, "{value:?} of {size}");
    }

    #[test]
    fn ranges() {
        check("bytes=0-0", 10, RequestedRange::Part(0..1));
        check("bytes=2-", 10, RequestedRange::Part(2..10));
        check("bytes=-3", 10, RequestedRange::Part(7..10));
        check("bytes=-30", 10, RequestedRange::Part(0..10));
        check("bytes=5-100", 10, RequestedRange::Part(5..10));
        check("bytes=10-", 10, RequestedRange::Outside);
        check("bytes=-0", 10, RequestedRange::Outside);
        check("bytes=0-0", 0, RequestedRange::Outside);
        check("bytes=5-2", 10, RequestedRange::Whole);
        check("bytes=0-1,3-4", 10, RequestedRange::Whole);
        check("lines=1-2", 10, RequestedRange::Whole);
        check("bytes=a-b", 10, RequestedRange::Whole);
        check(
            "bytes=0-18446744073709551615",
            10,
            RequestedRange::Part(0..10),
        );
    }
}
