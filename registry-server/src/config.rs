//! The registry server's configuration: places of its data, URL and hosts, proxies, LFS and limits.

mod address_error;
mod build_service;
mod database;
mod issuer;
mod storage;

use std::path::PathBuf;

use ipnet::IpNet;
use url::{Host, Url};

pub use address_error::AddressError;
pub use build_service::BuildService;
pub use database::{DatabaseAddress, PostgresUrl};
pub use issuer::{IssuerError, IssuerKeys, TrustedIssuer};
pub use storage::{Downloads, S3Storage, StorageAddress};

use crate::limits::Limits;

/// The places where a registry keeps its data, and the ways to reach it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct RegistryConfig {
    /// The directory for everything that has no other place: `registry.sqlite`, `content/`, and
    /// uploads while they arrive. It is made when it is not there, readable by its owner only. With
    /// the metadata in PostgreSQL and the content in a bucket it holds nothing that must be kept or
    /// shared.
    pub directory: PathBuf,
    /// The place of the metadata: accounts, tokens, repositories and their history.
    pub database: DatabaseAddress,
    /// The place of the bytes of files.
    pub storage: StorageAddress,
    /// The public URL with scheme, if it differs from the one in requests, as it does behind a TLS
    /// proxy. If it is not set, links are made from each request's `Host` header, which must be a
    /// name of the registry.
    pub public_url: Option<Url>,
    /// Further host names of the registry, beside that of the public URL, `localhost` and the
    /// addresses of this machine. A registry that listens on a loopback address takes the loopback
    /// addresses for those of this machine; any other registry accepts every address. Requests with
    /// another name in `Host` are refused, because they may come from a page in a browser whose
    /// domain resolves to this machine (DNS rebinding).
    pub hosts: Vec<Host>,
    /// True if a repository's `.gitattributes` selects the files that are sent over LFS, as on the
    /// Hub. Such files can only be uploaded by clients with basic LFS: the JavaScript and Rust
    /// ones, git, and the Python one with Xet disabled or not installed. The Python client's usual
    /// installation sends them by Xet only, so this is off in [`RegistryConfig::new`].
    pub lfs_by_attributes: bool,
    /// The size in bytes from which files are sent over LFS, whatever their names; `None` for no
    /// such size.
    pub lfs_from_bytes: Option<u64>,
    /// Proxies and load balancers whose `X-Forwarded-For` says whom a request comes from, for the
    /// bound on requests without a token. Nobody else's is read. They must append to the header, or
    /// set it.
    pub trusted_proxies: Vec<IpNet>,
    /// Build services whose identity tokens may be exchanged for tokens that publish. Empty for a
    /// registry without trusted publishing. The public URL is the audience that such a token has to
    /// name, so it has to be set.
    pub trusted_issuers: Vec<TrustedIssuer>,
    /// Files with the roots that vouch for publishers: certificates as PEM, or the JSON of a
    /// Sigstore. If there are any, an attestation has to be by a trusted publisher of its
    /// repository; otherwise nobody checks here who made it.
    pub attestation_roots: Vec<PathBuf>,
    /// Bounds on what clients may send.
    pub limits: Limits,
}

impl RegistryConfig {
    /// A registry wholly in `directory` with the [standard limits](Limits::standard), reached at
    /// the address it listens on.
    #[must_use]
    pub fn new(directory: impl Into<PathBuf>) -> Self {
        Self {
            directory: directory.into(),
            database: DatabaseAddress::Directory,
            storage: StorageAddress::Directory,
            public_url: None,
            hosts: Vec::new(),
            lfs_by_attributes: false,
            lfs_from_bytes: None,
            trusted_proxies: Vec::new(),
            trusted_issuers: Vec::new(),
            attestation_roots: Vec::new(),
            limits: Limits::standard(),
        }
    }
}
