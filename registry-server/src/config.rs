//! What an operator decides.

use std::path::PathBuf;

use url::Url;

use crate::limits::Limits;

/// Where a registry keeps its files and how it is reached.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct RegistryConfig {
    /// The directory for everything: `registry.sqlite` and `content/`. It is made when it is not there, readable by its owner only.
    pub directory: PathBuf,
    /// The address clients use, with scheme, when it differs from what their requests say, as it does behind a proxy with TLS.
    /// Without it links are made from each request's `Host` header.
    pub public_url: Option<Url>,
    /// Bounds on what clients may send.
    pub limits: Limits,
}

impl RegistryConfig {
    /// A registry in `directory` with the [standard limits](Limits::standard), reached at the address it listens on.
    #[must_use]
    pub fn new(directory: impl Into<PathBuf>) -> Self {
        Self {
            directory: directory.into(),
            public_url: None,
            limits: Limits::standard(),
        }
    }
}
