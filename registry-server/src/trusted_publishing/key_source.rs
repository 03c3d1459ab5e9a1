//! Fetches the keys of an issuer, and keeps them for an hour.
//!
//! Nothing that a token says is ever fetched: the addresses are the one that the operator named and
//! the one that it names for its keys, which has to be on the same host. No redirect is followed.

use std::path::Path;
use std::time::Duration;

use futures::StreamExt as _;
use reqwest::{Client, StatusCode, redirect};
use serde::Deserialize;
use tokio::fs::File;
use tokio::io::AsyncReadExt as _;
use tokio::sync::Mutex;
use tokio::time::Instant;
use url::Url;

use super::fault::TokenFault;
use super::key_set::{IssuerKey, KeySet};
use crate::config::{IssuerKeys, TrustedIssuer};

/// The age up to which keys are used.
const AGE_MAX: Duration = Duration::from_secs(3600);
/// The time between two requests to an issuer, whatever tokens say.
const PAUSE_MIN: Duration = Duration::from_secs(30);
/// The time for a whole answer of an issuer.
const ANSWER_MAX: Duration = Duration::from_secs(10);
/// Longest document that is read.
const DOCUMENT_BYTES_MAX: usize = 256 << 10;
/// The place at which an issuer describes itself.
const DISCOVERY: &str = "/.well-known/openid-configuration";

/// The keys of one issuer.
pub(super) struct KeySource {
    issuer: TrustedIssuer,
    cached: Mutex<Cached>,
}

#[derive(Default)]
struct Cached {
    keys: KeySet,
    fetched: Option<Instant>,
    tried: Option<Instant>,
}

/// A reason why keys cannot be read. It is for the operator.
#[derive(Debug, thiserror::Error)]
enum Unread {
    #[error("the file cannot be read")]
    File(#[from] std::io::Error),
    #[error("the request failed")]
    Request(#[from] reqwest::Error),
    #[error("it answers with status {0}")]
    Status(StatusCode),
    #[error("it is longer than {DOCUMENT_BYTES_MAX} bytes")]
    TooLong,
    #[error("it is not the expected JSON")]
    Form(#[from] serde_json::Error),
    #[error("it says that it is the issuer `{0}`")]
    OtherIssuer(String),
    #[error("its keys are at `{0}`, which is on another host")]
    OtherHost(String),
}

#[derive(Deserialize)]
struct Discovery {
    issuer: String,
    jwks_uri: String,
}

impl KeySource {
    pub(super) fn new(issuer: TrustedIssuer) -> Self {
        Self {
            issuer,
            cached: Mutex::default(),
        }
    }

    pub(super) fn issuer(&self) -> &TrustedIssuer {
        &self.issuer
    }

    /// The key of this id.
    pub(super) async fn find(&self, id: &str) -> Result<IssuerKey, TokenFault> {
        match &self.issuer.keys {
            IssuerKeys::File(path) => {
                let keys = read_file(path).await.map_err(|it| self.unavailable(&it))?;
                keys.find(id).cloned().ok_or(TokenFault::UnknownKey)
            }
            IssuerKeys::Discovered => self.find_fetched(id).await,
        }
    }

    /// Fetches the keys where they are old, or where none has this id: an issuer may have a new
    /// one. Others wait meanwhile, so that one request is under way.
    async fn find_fetched(&self, id: &str) -> Result<IssuerKey, TokenFault> {
        let mut cached = self.cached.lock().await;
        let is_young = |at: Option<Instant>, age| at.is_some_and(|at| at.elapsed() < age);
        if is_young(cached.fetched, AGE_MAX)
            && let Some(key) = cached.keys.find(id)
        {
            return Ok(key.clone());
        }
        if is_young(cached.tried, PAUSE_MIN) {
            return Err(match is_young(cached.fetched, AGE_MAX) {
                true => TokenFault::UnknownKey,
                false => TokenFault::KeysUnavailable,
            });
        }
        cached.tried = Some(Instant::now());
        let keys = self.fetch().await.map_err(|it| self.unavailable(&it))?;
        let found = keys.find(id).cloned();
        cached.keys = keys;
        cached.fetched = Some(Instant::now());
        found.ok_or(TokenFault::UnknownKey)
    }

    fn unavailable(&self, error: &Unread) -> TokenFault {
        tracing::warn!(
            issuer = self.issuer.as_str(),
            error = error as &dyn std::error::Error,
            "the keys of a trusted issuer cannot be read"
        );
        TokenFault::KeysUnavailable
    }

    async fn fetch(&self) -> Result<KeySet, Unread> {
        let client = Client::builder()
            .redirect(redirect::Policy::none())
            .no_proxy()
            .timeout(ANSWER_MAX)
            .build()?;
        let issuer = self.issuer.as_str();
        let address = format!("{}{DISCOVERY}", issuer.trim_end_matches('/'));
        let discovery: Discovery = serde_json::from_slice(&get(&client, &address).await?)?;
        if discovery.issuer != issuer {
            return Err(Unread::OtherIssuer(discovery.issuer));
        }
        let keys = Url::parse(&discovery.jwks_uri).ok();
        if keys.is_none_or(|url| url.origin() != self.issuer.url().origin()) {
            return Err(Unread::OtherHost(discovery.jwks_uri));
        }
        Ok(KeySet::read(&get(&client, &discovery.jwks_uri).await?)?)
    }
}

async fn get(client: &Client, address: &str) -> Result<Vec<u8>, Unread> {
    let response = client.get(address).send().await?;
    if response.status() != StatusCode::OK {
        return Err(Unread::Status(response.status()));
    }
    let mut body = response.bytes_stream();
    let mut document = Vec::new();
    while let Some(piece) = body.next().await {
        let piece = piece?;
        if document.len() + piece.len() > DOCUMENT_BYTES_MAX {
            return Err(Unread::TooLong);
        }
        document.extend_from_slice(&piece);
    }
    Ok(document)
}

async fn read_file(path: &Path) -> Result<KeySet, Unread> {
    let mut document = Vec::new();
    let file = File::open(path).await?;
    let read = file.take(DOCUMENT_BYTES_MAX as u64 + 1);
    let mut read = std::pin::pin!(read);
    read.read_to_end(&mut document).await?;
    if document.len() > DOCUMENT_BYTES_MAX {
        return Err(Unread::TooLong);
    }
    Ok(KeySet::read(&document)?)
}
