//! An open registry: its database, its content store and its configuration.

use std::path::Path;
use std::sync::Arc;

use ipnet::IpNet;
use url::Url;

use crate::config::{DatabaseAddress, RegistryConfig, StorageAddress};
use crate::content::ContentStore;
use crate::database::Database;
use crate::error::RegistryError;
use crate::limits::Limits;
use crate::metrics::Metrics;
use crate::rates::Rates;

/// The file with the metadata, in the registry's directory.
const DATABASE_FILE: &str = "registry.sqlite";
/// The directory with the content of files, in the registry's directory.
const CONTENT_DIRECTORY: &str = "content";

/// An open registry. Cloning gives another handle to the same one; all state is in its database and its storage, none in the process.
///
/// Several processes may have one directory open, so users and tokens can be managed while a server runs on it. Servers on several
/// machines may have one PostgreSQL database and one bucket open.
#[derive(Clone)]
pub struct Registry(Arc<Inner>);

struct Inner {
    database: Database,
    content: ContentStore,
    public_url: Option<Url>,
    lfs_from_bytes: Option<u64>,
    trusted_proxies: Vec<IpNet>,
    rates: Rates,
    limits: Limits,
    metrics: Arc<Metrics>,
}

impl Registry {
    /// Opens a registry, making it when there is none and bringing an older one up to date.
    ///
    /// # Errors
    ///
    /// [`RegistryError::OpenDirectory`], [`RegistryError::OpenDatabase`], [`RegistryError::OpenStorage`] or [`RegistryError::Migrate`]
    /// when the directory, the database or the bucket cannot be used, or holds a registry of a newer version.
    pub async fn open(config: RegistryConfig) -> Result<Self, RegistryError> {
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
        let content = match &config.storage {
            StorageAddress::Directory => {
                let content_directory = directory.join(CONTENT_DIRECTORY);
                create_private_directory(&content_directory)?;
                ContentStore::open_local(&content_directory)?
            }
            StorageAddress::S3(storage) => ContentStore::open_s3(storage, &directory).await?,
        };
        Ok(Self(Arc::new(Inner {
            database,
            content,
            public_url: config.public_url,
            lfs_from_bytes: config.lfs_from_bytes,
            trusted_proxies: config.trusted_proxies,
            rates: Rates::new(&config.limits),
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

    pub(crate) fn content(&self) -> &ContentStore {
        &self.0.content
    }

    pub(crate) fn public_url(&self) -> Option<&Url> {
        self.0.public_url.as_ref()
    }

    pub(crate) fn lfs_from_bytes(&self) -> Option<u64> {
        self.0.lfs_from_bytes
    }

    pub(crate) fn trusted_proxies(&self) -> &[IpNet] {
        &self.0.trusted_proxies
    }

    pub(crate) fn rates(&self) -> &Rates {
        &self.0.rates
    }

    pub(crate) fn metrics(&self) -> &Arc<Metrics> {
        &self.0.metrics
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.0.limits
    }
}

impl std::fmt::Debug for Registry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Registry").finish_non_exhaustive()
    }
}

/// Private repositories and token hashes lie below, so other users of the machine are kept out.
pub(crate) fn create_private_directory(path: &Path) -> Result<(), RegistryError> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder
        .create(path)
        .map_err(|source| RegistryError::OpenDirectory {
            path: path.to_owned(),
            source,
        })
}
