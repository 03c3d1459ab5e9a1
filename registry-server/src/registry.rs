//! An open registry: opens, holds and closes its database, content store, caches and limits.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use ipnet::IpNet;
use tool_hub_signing::{TRUSTED_ROOT_BYTES_MAX, TrustedRoot};
use url::{Host, Url};

use crate::config::{DatabaseAddress, RegistryConfig, StorageAddress};
use crate::content::ContentStore;
use crate::database::Database;
use crate::error::RegistryError;
use crate::http::Share;
use crate::limits::Limits;
use crate::metrics::Metrics;
use crate::private_directory::create_private_directory;
use crate::query_cache::QueryCache;
use crate::quota::uploads_in_progress::UploadsInProgress;
use crate::rates::Rates;
use crate::trusted_publishing::IdentityVerifier;

/// The file with the metadata, in the registry's directory.
const DATABASE_FILE: &str = "registry.sqlite";
/// The directory with the content of files, in the registry's directory.
const CONTENT_DIRECTORY: &str = "content";

/// An open registry. Cloning gives another handle to the same one. Its state is in its database and
/// its storage; a process has only caches and counts of its own.
///
/// Several processes may have one directory open, so users and tokens can be managed while a server
/// runs on it. Servers on several machines may have one PostgreSQL database and one bucket open.
#[derive(Clone)]
pub struct Registry(Arc<Inner>);

struct Inner {
    database: Database,
    query_cache: QueryCache,
    content: ContentStore,
    public_url: Option<Url>,
    hosts: Vec<Host>,
    lfs_by_attributes: bool,
    lfs_from_bytes: Option<u64>,
    trusted_proxies: Vec<IpNet>,
    identities: Option<IdentityVerifier>,
    attestation_roots: Vec<Arc<TrustedRoot>>,
    rates: Rates,
    known: Share,
    strangers: Share,
    arriving: UploadsInProgress,
    /// The number of listeners that are under pressure: new connections may have to wait.
    pressed_listeners: Arc<AtomicUsize>,
    limits: Limits,
    metrics: Arc<Metrics>,
}

impl Registry {
    /// Opens a registry, making it when there is none and bringing an older one up to date.
    ///
    /// # Errors
    ///
    /// [`RegistryError::OpenDirectory`], [`RegistryError::OpenDatabase`],
    /// [`RegistryError::OpenStorage`] or [`RegistryError::Migrate`] when the directory, the
    /// database or the bucket cannot be used, or holds a registry of a newer version;
    /// [`RegistryError::NoPublicUrl`] when issuers are trusted without one;
    /// [`RegistryError::AttestationRoot`] when a file holds no root.
    pub async fn open(config: RegistryConfig) -> Result<Self, RegistryError> {
        let identities = match (config.trusted_issuers.is_empty(), &config.public_url) {
            (true, _) => None,
            (false, Some(url)) => Some(IdentityVerifier::new(config.trusted_issuers, url)),
            (false, None) => return Err(RegistryError::NoPublicUrl),
        };
        let roots = config.attestation_roots.iter().map(|path| read_root(path));
        let attestation_roots = roots.collect::<Result<_, _>>()?;
        create_private_directory(&config.directory)?;
        let directory = std::path::absolute(&config.directory).map_err(|source| {
            RegistryError::OpenDirectory {
                path: config.directory.clone(),
                source,
            }
        })?;
        let database = match &config.database {
            DatabaseAddress::Directory => {
                Database::open_sqlite(&directory.join(DATABASE_FILE)).await?
            }
            DatabaseAddress::Postgres(url) => Database::open_postgres(url).await?,
        };
        let known = Share::of_known(&config.limits);
        let content = match &config.storage {
            StorageAddress::Directory => {
                let content_directory = directory.join(CONTENT_DIRECTORY);
                create_private_directory(&content_directory)?;
                ContentStore::open_local(&content_directory)?.within(&known)
            }
            StorageAddress::S3(storage) => ContentStore::open_s3(storage, &directory)
                .await?
                .within(&known),
        };
        Ok(Self(Arc::new(Inner {
            query_cache: QueryCache::new(database.clone()),
            database,
            content,
            public_url: config.public_url,
            hosts: config.hosts,
            lfs_by_attributes: config.lfs_by_attributes,
            lfs_from_bytes: config.lfs_from_bytes,
            trusted_proxies: config.trusted_proxies,
            identities,
            attestation_roots,
            rates: Rates::new(&config.limits),
            known,
            strangers: Share::of_strangers(&config.limits),
            arriving: UploadsInProgress::default(),
            pressed_listeners: Arc::default(),
            limits: config.limits,
            metrics: Arc::new(Metrics::new()),
        })))
    }

    /// Closes the database in order. Other handles to this registry stop working.
    pub async fn close(&self) {
        self.0.database.close().await;
    }

    pub(crate) fn database(&self) -> &Database {
        &self.0.database
    }

    pub(crate) fn query_cache(&self) -> &QueryCache {
        &self.0.query_cache
    }

    pub(crate) fn content(&self) -> &ContentStore {
        &self.0.content
    }

    pub(crate) fn public_url(&self) -> Option<&Url> {
        self.0.public_url.as_ref()
    }

    /// The host names that the operator configured.
    pub(crate) fn hosts(&self) -> Vec<Host> {
        let public = self.0.public_url.as_ref().and_then(Url::host);
        let public = public.map(|host| host.to_owned());
        self.0.hosts.iter().cloned().chain(public).collect()
    }

    pub(crate) fn lfs_by_attributes(&self) -> bool {
        self.0.lfs_by_attributes
    }

    pub(crate) fn lfs_from_bytes(&self) -> Option<u64> {
        self.0.lfs_from_bytes
    }

    pub(crate) fn trusted_proxies(&self) -> &[IpNet] {
        &self.0.trusted_proxies
    }

    /// Verifies the identity tokens of build services, where the operator trusts any.
    pub(crate) fn identities(&self) -> Option<&IdentityVerifier> {
        self.0.identities.as_ref()
    }

    /// The roots that vouch for publishers, where the operator named any.
    pub(crate) fn attestation_roots(&self) -> Vec<Arc<TrustedRoot>> {
        self.0.attestation_roots.clone()
    }

    pub(crate) fn rates(&self) -> &Rates {
        &self.0.rates
    }

    /// Resources that callers with a token share.
    pub(crate) fn known(&self) -> &Share {
        &self.0.known
    }

    /// Resources that callers without a token share.
    pub(crate) fn strangers(&self) -> &Share {
        &self.0.strangers
    }

    /// The bodies that count against quotas while they arrive.
    pub(crate) fn arriving(&self) -> &UploadsInProgress {
        &self.0.arriving
    }

    /// True if slow clients make others wait, for memory or for a connection.
    pub(crate) fn is_under_pressure(&self) -> bool {
        let is_low = self.0.known.is_low() || self.0.strangers.is_low();
        is_low || self.0.pressed_listeners.load(Ordering::Relaxed) > 0
    }

    /// The handle with which a listener reports that it is under pressure.
    pub(crate) fn pressure(&self) -> PressureReporter {
        PressureReporter {
            pressed_listeners: Arc::clone(&self.0.pressed_listeners),
            is_under_pressure: false,
        }
    }

    pub(crate) fn metrics(&self) -> &Arc<Metrics> {
        &self.0.metrics
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.0.limits
    }
}

/// The pressure on one listener.
pub(crate) struct PressureReporter {
    pressed_listeners: Arc<AtomicUsize>,
    is_under_pressure: bool,
}

impl PressureReporter {
    pub(crate) fn report(&mut self, is_under_pressure: bool) {
        match (self.is_under_pressure, is_under_pressure) {
            (false, true) => self.pressed_listeners.fetch_add(1, Ordering::Relaxed),
            (true, false) => self.pressed_listeners.fetch_sub(1, Ordering::Relaxed),
            _ => return,
        };
        self.is_under_pressure = is_under_pressure;
    }
}

impl Drop for PressureReporter {
    fn drop(&mut self) {
        self.report(false);
    }
}

impl std::fmt::Debug for Registry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Registry").finish_non_exhaustive()
    }
}

fn read_root(path: &Path) -> Result<Arc<TrustedRoot>, RegistryError> {
    let refused = |reason: String| RegistryError::AttestationRoot {
        path: path.to_owned(),
        reason,
    };
    let file = File::open(path).map_err(|error| refused(error.to_string()))?;
    let mut text = Vec::new();
    let read = file
        .take(TRUSTED_ROOT_BYTES_MAX as u64 + 1)
        .read_to_end(&mut text);
    read.map_err(|error| refused(error.to_string()))?;
    let root = TrustedRoot::read(&text).map_err(|error| refused(error.to_string()))?;
    Ok(Arc::new(root))
}
