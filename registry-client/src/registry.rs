//! The connections to a registry for one user or none: our own for reading, `hf-hub` for changes.

use std::fmt;

use hf_hub::repository::RepoTypeAny;
use url::Url;

use crate::config::ClientConfig;
use crate::error::{Act, ClientError};
use crate::hub::Hub;
use crate::wire::Wire;

/// The connections to a registry for repos of one kind.
pub(crate) struct Registry {
    /// For what is read.
    pub(crate) wire: Wire,
    /// For what is changed.
    pub(crate) hub: Hub,
    /// The registry that is meant: the one that is asked, or the one that it mirrors.
    meant: Url,
}

impl Registry {
    /// Makes no connection yet.
    pub(crate) fn new(kind: RepoTypeAny, config: &ClientConfig) -> Result<Self, ClientError> {
        config.check()?;
        Ok(Self {
            wire: Wire::new(kind, config)?,
            hub: Hub::new(config)?,
            meant: config
                .mirrored
                .clone()
                .unwrap_or_else(|| config.endpoint.clone()),
        })
    }

    pub(crate) fn endpoint(&self) -> &Url {
        &self.meant
    }

    /// Refuses what takes a token where there is none.
    pub(crate) fn need_token(&self, act: &Act) -> Result<(), ClientError> {
        if self.wire.signed_in() {
            return Ok(());
        }
        Err(ClientError::TokenMissing {
            act: act.clone(),
            endpoint: Box::new(self.endpoint().clone()),
        })
    }
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Registry")
            .field("endpoint", &self.endpoint().as_str())
            .field("signed_in", &self.wire.signed_in())
            .finish_non_exhaustive()
    }
}
