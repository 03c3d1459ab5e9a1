//! The `Upstream`: the registry that is mirrored, as it answers to anybody.
//! Nothing that it says is believed here; what it sends is bounded.

use std::time::Duration;

use futures::StreamExt as _;
use gix_hash::ObjectId;
use reqwest::header::{ACCEPT_ENCODING, HeaderValue, LINK};
use reqwest::redirect::{Attempt, Policy};
use reqwest::{Client, Response, StatusCode};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use time::OffsetDateTime;
use tool_hub_transparency::TilePath;
use url::{Url, form_urlencoded};

use crate::content::{Spool, SpooledFile};
use crate::error::{RegistryError, UpstreamError};
use crate::history::CopiedCommit;
use crate::{clock, names::RepositoryId};

/// The time for a connection.
const CONNECT_MAX: Duration = Duration::from_secs(10);
/// The time in which the next bytes of an answer have to come.
const STALL_MAX: Duration = Duration::from_secs(30);
/// The longest answer but for a file.
const ANSWER_BYTES_MAX: usize = 32 << 20;
/// The most redirects of one request.
const REDIRECTS_MAX: usize = 5;
/// Entries of a page of a tree.
const TREE_PAGE: usize = 1_000;
/// The longest title or author of a commit that is kept, and the longest message.
const TITLE_BYTES_MAX: usize = 1 << 10;
const MESSAGE_BYTES_MAX: usize = 64 << 10;

/// A registry of ours, or one that speaks the Hub's protocol.
pub(super) struct Upstream {
    http: Client,
    base: Url,
}

/// A branch or tag, and its commit.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct UpstreamRef {
    pub(super) name: String,
    #[serde(deserialize_with = "object_id")]
    pub(super) target_commit: ObjectId,
}

/// The branches and tags of a repository.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct UpstreamRefs {
    pub(super) branches: Vec<UpstreamRef>,
    pub(super) tags: Vec<UpstreamRef>,
}

/// A file of a commit, or a directory.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct UpstreamEntry {
    #[serde(rename = "type")]
    pub(super) kind: String,
    #[serde(deserialize_with = "object_id")]
    pub(super) oid: ObjectId,
    pub(super) size: u64,
    pub(super) path: String,
    /// The file that an LFS pointer stands for.
    #[serde(default)]
    pub(super) lfs: Option<UpstreamLfs>,
}

/// The target of an LFS pointer.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct UpstreamLfs {
    /// Its SHA-256 in hexadecimal.
    pub(super) oid: String,
    pub(super) size: u64,
}

#[derive(Deserialize)]
struct CommitRow {
    title: String,
    #[serde(default)]
    message: String,
    #[serde(with = "time::serde::rfc3339")]
    date: OffsetDateTime,
    #[serde(default)]
    authors: Vec<Author>,
}

#[derive(Deserialize)]
struct Author {
    user: String,
}

impl Upstream {
    /// Makes no connection yet.
    pub(super) fn new(base: &Url) -> Result<Self, RegistryError> {
        let origin = base.clone();
        let http = Client::builder()
            .user_agent(concat!("tool-hub-registry/", env!("CARGO_PKG_VERSION")))
            .redirect(Policy::custom(move |attempt| follow(&origin, attempt)))
            .connect_timeout(CONNECT_MAX)
            .read_timeout(STALL_MAX)
            .no_proxy()
            .build();
        Ok(Self {
            http: http.map_err(|error| failed(base, error.into()))?,
            base: base.clone(),
        })
    }

    /// The text of the log's public key; none from a registry without a log.
    pub(super) async fn log_key(&self) -> Result<Option<String>, RegistryError> {
        let url = self.url(&["api", "log", "key"]);
        let answer = self.get(&url).await?;
        let text = answer.map(|it| text(&url, it)).transpose()?;
        Ok(text.map(|text| text.trim().to_owned()))
    }

    /// A new checkpoint of the log, of which `older` records were seen before.
    pub(super) async fn checkpoint(&self, older: u64) -> Result<String, RegistryError> {
        let mut url = self.url(&["api", "log", "checkpoint"]);
        url.query_pairs_mut()
            .append_pair("older", &older.to_string());
        text(&url, there(&url, self.get(&url).await?)?)
    }

    /// A bundle of the log's records.
    pub(super) async fn bundle(&self, path: TilePath) -> Result<Vec<u8>, RegistryError> {
        let path = path.to_string();
        let segments = ["api", "log"].into_iter().chain(path.split('/'));
        let url = self.url(&segments.collect::<Vec<_>>());
        there(&url, self.get(&url).await?)
    }

    /// The branches and tags of a repository; none where it is not shown to everybody.
    pub(super) async fn refs(
        &self,
        repo: &RepositoryId,
    ) -> Result<Option<UpstreamRefs>, RegistryError> {
        self.json(&self.about(repo, &["refs"])).await
    }

    /// Every file of a commit, at most `files_max`; none where it is not shown.
    pub(super) async fn files(
        &self,
        repo: &RepositoryId,
        commit: &ObjectId,
        files_max: usize,
    ) -> Result<Option<Vec<UpstreamEntry>>, RegistryError> {
        let mut url = self.about(repo, &["tree", &commit.to_string()]);
        let (mut files, mut cursor) = (Vec::new(), None);
        loop {
            let limit = TREE_PAGE.to_string();
            let mut query = url.query_pairs_mut();
            query.clear();
            query.extend_pairs([("recursive", "true"), ("limit", &limit)]);
            query.extend_pairs(cursor.iter().map(|it: &String| ("cursor", it)));
            drop(query);
            let Some(response) = self.ask(&url).await? else {
                return Ok(None);
            };
            let next = next_cursor(&response);
            let page: Vec<UpstreamEntry> = parse(&url, &body(&url, response).await?)?;
            // A page without an entry would be followed by others without end.
            let is_last = page.is_empty() || next.is_none();
            files.extend(page.into_iter().filter(|it| it.kind == "file"));
            if files.len() > files_max {
                let what = format!("the commit has more than {files_max} files");
                return Err(failed(&url, UpstreamError::Answer(what)));
            }
            if is_last {
                return Ok(Some(files));
            }
            cursor = next;
        }
    }

    /// A commit's message, author and times; none where the upstream does not show it.
    pub(super) async fn commit(
        &self,
        repo: &RepositoryId,
        oid: ObjectId,
    ) -> Result<Option<CopiedCommit>, RegistryError> {
        let mut url = self.about(repo, &["commits", &oid.to_string()]);
        url.query_pairs_mut().append_pair("limit", "1");
        let rows: Option<Vec<CommitRow>> = self.json(&url).await?;
        let row = rows.and_then(|rows| rows.into_iter().next());
        Ok(row.map(|row| CopiedCommit {
            oid,
            title: cut(&row.title, TITLE_BYTES_MAX),
            message: cut(&row.message, MESSAGE_BYTES_MAX),
            author: row
                .authors
                .first()
                .map_or_else(String::new, |it| cut(&it.user, TITLE_BYTES_MAX)),
            written_ms: clock::to_ms(row.date),
        }))
    }

    /// Downloads a file of `size` bytes at a commit into `spool`; none where it is not shown.
    pub(super) async fn file(
        &self,
        repo: &RepositoryId,
        commit: &ObjectId,
        path: &str,
        size: u64,
        mut spool: Spool,
    ) -> Result<Option<SpooledFile>, RegistryError> {
        let commit = commit.to_string();
        let (owner, name) = (repo.owner.as_str(), repo.name.as_str());
        let segments = [owner, name, "resolve", &commit].into_iter();
        let url = self.url(&segments.chain(path.split('/')).collect::<Vec<_>>());
        let Some(response) = self.ask(&url).await? else {
            return Ok(None);
        };
        let mut pieces = response.bytes_stream();
        while let Some(piece) = pieces.next().await {
            let piece = piece.map_err(|error| failed(&url, error.into()))?;
            if spool.size_bytes() + piece.len() as u64 > size {
                let what = format!("the file has more than the {size} bytes that were announced");
                return Err(failed(&url, UpstreamError::Answer(what)));
            }
            spool.write(&piece).await?;
        }
        Ok(Some(spool.finish().await?))
    }

    fn about(&self, repo: &RepositoryId, rest: &[&str]) -> Url {
        let (owner, name) = (repo.owner.as_str(), repo.name.as_str());
        self.url(&[&["api", "models", owner, name], rest].concat())
    }

    fn url(&self, segments: &[&str]) -> Url {
        let mut url = self.base.clone();
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().extend(segments);
        }
        url
    }

    async fn json<T: DeserializeOwned>(&self, url: &Url) -> Result<Option<T>, RegistryError> {
        let answer = self.get(url).await?;
        answer.map(|answer| parse(url, &answer)).transpose()
    }

    async fn get(&self, url: &Url) -> Result<Option<Vec<u8>>, RegistryError> {
        match self.ask(url).await? {
            Some(response) => body(url, response).await.map(Some),
            None => Ok(None),
        }
    }

    /// The answer; none where the upstream does not show it to everybody, or does not have it.
    async fn ask(&self, url: &Url) -> Result<Option<Response>, RegistryError> {
        // A compressed answer could be a thousand times larger than what is counted here.
        let request = self.http.get(url.clone());
        let request = request.header(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
        let response = request.send().await;
        let response = response.map_err(|error| failed(url, error.into()))?;
        match response.status() {
            StatusCode::OK => Ok(Some(response)),
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN | StatusCode::NOT_FOUND => Ok(None),
            status => Err(failed(url, UpstreamError::Status(status.as_u16()))),
        }
    }
}

/// Files may lie on another host, where their bytes are hashed all the same.
fn follow(origin: &Url, attempt: Attempt<'_>) -> reqwest::redirect::Action {
    let target = attempt.url();
    let is_safe = target.scheme() == "https" || target.origin() == origin.origin();
    match is_safe && attempt.previous().len() <= REDIRECTS_MAX {
        true => attempt.follow(),
        false => attempt.stop(),
    }
}

async fn body(url: &Url, response: Response) -> Result<Vec<u8>, RegistryError> {
    let mut pieces = response.bytes_stream();
    let mut body = Vec::new();
    while let Some(piece) = pieces.next().await {
        let piece = piece.map_err(|error| failed(url, error.into()))?;
        if body.len() + piece.len() > ANSWER_BYTES_MAX {
            let what = format!("it is longer than {ANSWER_BYTES_MAX} bytes");
            return Err(failed(url, UpstreamError::Answer(what)));
        }
        body.extend_from_slice(&piece);
    }
    Ok(body)
}

fn parse<T: DeserializeOwned>(url: &Url, answer: &[u8]) -> Result<T, RegistryError> {
    serde_json::from_slice(answer)
        .map_err(|error| failed(url, UpstreamError::Answer(error.to_string())))
}

fn text(url: &Url, answer: Vec<u8>) -> Result<String, RegistryError> {
    String::from_utf8(answer)
        .map_err(|_| failed(url, UpstreamError::Answer("it is not UTF-8".to_owned())))
}

fn there(url: &Url, answer: Option<Vec<u8>>) -> Result<Vec<u8>, RegistryError> {
    answer.ok_or_else(|| failed(url, UpstreamError::Status(StatusCode::NOT_FOUND.as_u16())))
}

pub(super) fn failed(url: &Url, source: UpstreamError) -> RegistryError {
    RegistryError::Upstream {
        url: url.to_string(),
        source,
    }
}

/// The cursor of the next page. Of its address nothing else is used, so it leads nowhere else.
fn next_cursor(response: &Response) -> Option<String> {
    let link = response.headers().get(LINK)?.to_str().ok()?;
    let (address, rest) = link.strip_prefix('<')?.split_once('>')?;
    let (_, query) = address.split_once('?')?;
    let mut pairs = form_urlencoded::parse(query.as_bytes());
    let cursor = pairs.find(|(name, _)| name == "cursor");
    rest.contains("next")
        .then_some(cursor)?
        .map(|(_, value)| value.into_owned())
}

/// The beginning of a text, without zero bytes, which PostgreSQL does not store.
fn cut(text: &str, bytes_max: usize) -> String {
    text[..text.floor_char_boundary(bytes_max)].replace('\0', "")
}

fn object_id<'de, D: Deserializer<'de>>(deserializer: D) -> Result<ObjectId, D::Error> {
    let text = String::deserialize(deserializer)?;
    let oid = ObjectId::from_hex(text.as_bytes());
    oid.map_err(serde::de::Error::custom)
}
