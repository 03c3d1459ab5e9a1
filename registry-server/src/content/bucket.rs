//! Opens an S3 bucket as the content storage, sends files to it, and signs download URLs.

use std::sync::Arc;
use std::time::Duration;

use futures::TryStreamExt as _;
use http::Method;
use object_store::aws::{AmazonS3, AmazonS3Builder, AmazonS3ConfigKey};
use object_store::path::Path as Key;
use object_store::prefix::PrefixStore;
use object_store::signer::{SignedUrlOptions, Signer as _};
use object_store::{ClientOptions, ObjectStore, RetryConfig};
use tokio::sync::Semaphore;
use url::Url;

use super::bucket_upload::{PARTS_IN_FLIGHT_MAX, upload};
use super::spool::StagedFile;
use crate::config::{Downloads, S3Storage};
use crate::error::RegistryError;

/// The time in which a signed address can be used to begin a download.
const SIGNED_URL_LIFETIME: Duration = Duration::from_secs(15 * 60);
/// Longest wait for a connection to the storage.
const CONNECT_MAX: Duration = Duration::from_secs(5);
/// Longest silence of the storage in the middle of an answer. A whole answer may take as long as
/// its client does.
const SILENCE_MAX: Duration = Duration::from_secs(30);
/// The time after which a failed request is not tried again.
const RETRY_MAX: Duration = Duration::from_secs(20);
/// Further attempts at a request that failed, with growing pauses.
const RETRIES_MAX: usize = 4;
/// The prefix that is listed to see if a bucket can be used; few objects have it.
const PROBE: &str = "sha256/00/00";

/// A bucket, beside the plain operations that all stores have.
#[derive(Debug)]
pub(super) struct Bucket {
    signer: AmazonS3,
    prefix: Key,
    downloads: Downloads,
    /// Room in memory for parts of files on their way to the bucket.
    parts: Arc<Semaphore>,
}

/// The headers that the storage is to send with a file, whose name and type it does not know.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FileHeaders<'a> {
    pub(crate) content_type: &'a str,
    pub(crate) disposition: &'a str,
}

/// Opens a bucket and makes sure that it can be used.
pub(super) async fn open(
    storage: &S3Storage,
) -> Result<(PrefixStore<AmazonS3>, Bucket), RegistryError> {
    let failed = |source| RegistryError::OpenStorage {
        address: storage.to_string(),
        source,
    };
    let signer = build(storage).map_err(failed)?;
    let prefix =
        Key::parse(&storage.prefix).map_err(|error| failed(object_store::Error::from(error)))?;
    let store = PrefixStore::new(signer.clone(), prefix.clone());
    let mut probe = store.list(Some(&Key::from(PROBE)));
    probe.try_next().await.map_err(failed)?;
    drop(probe);
    let bucket = Bucket {
        signer,
        prefix,
        downloads: storage.downloads,
        parts: Arc::new(Semaphore::new(PARTS_IN_FLIGHT_MAX)),
    };
    Ok((store, bucket))
}

fn build(storage: &S3Storage) -> Result<AmazonS3, object_store::Error> {
    let options: Vec<(AmazonS3ConfigKey, &String)> = storage
        .options
        .iter()
        .filter_map(|(name, value)| Some((name.to_ascii_lowercase().parse().ok()?, value)))
        .collect();
    // Whoever writes an endpoint without TLS means it.
    let in_clear = options.iter().any(|(key, value)| {
        matches!(
            key,
            AmazonS3ConfigKey::Endpoint | AmazonS3ConfigKey::S3Endpoint
        ) && value.starts_with("http://")
    });
    let client = ClientOptions::new()
        .with_connect_timeout(CONNECT_MAX)
        .with_timeout_disabled()
        .with_read_timeout(SILENCE_MAX)
        .with_allow_http(in_clear);
    let retry = RetryConfig {
        max_retries: RETRIES_MAX,
        retry_timeout: RETRY_MAX,
        ..RetryConfig::default()
    };
    let builder = AmazonS3Builder::new()
        .with_client_options(client)
        .with_retry(retry);
    options
        .into_iter()
        .fold(builder, |builder, (key, value)| {
            builder.with_config(key, value)
        })
        .with_bucket_name(&storage.bucket)
        .build()
}

impl Bucket {
    /// An address that gives the object to whoever knows it, for a while; `None` when downloads go
    /// through the registry.
    pub(super) async fn signed_url(
        &self,
        key: &Key,
        shown: FileHeaders<'_>,
    ) -> Result<Option<Url>, RegistryError> {
        if self.downloads == Downloads::Proxy {
            return Ok(None);
        }
        let options = SignedUrlOptions::new().with_query([
            ("response-content-type", shown.content_type),
            ("response-content-disposition", shown.disposition),
        ]);
        let key = self.prefix.parts().chain(key.parts()).collect();
        let url = self
            .signer
            .signed_url_opts(Method::GET, &key, SIGNED_URL_LIFETIME, &options)
            .await?;
        Ok(Some(url))
    }

    /// Stores a file. When this returns the object is durable.
    ///
    /// The upload goes on when nobody waits for it any more: one that is dropped half-way would
    /// leave parts in the bucket that cost money and that no listing shows.
    pub(super) async fn send(
        &self,
        store: Arc<dyn ObjectStore>,
        key: Key,
        file: StagedFile,
        size_bytes: u64,
    ) -> Result<(), RegistryError> {
        let parts = Arc::clone(&self.parts);
        let sending =
            tokio::spawn(
                async move { upload(store.as_ref(), &key, &file, size_bytes, &parts).await },
            );
        sending
            .await
            .map_err(|_| RegistryError::Damaged("storing a file panicked".to_owned()))?
    }
}
