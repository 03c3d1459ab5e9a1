//! The client: one registry, one identity.

use std::fmt;

use hf_hub::repository::RepoTypeAny;
use url::Url;

use crate::hub::Hub;
use crate::wire::Wire;
use crate::{Act, ClientConfig, ClientError};

/// Speaks to one registry as one user, or anonymously. Connections are kept and reused.
///
/// All methods are cancel safe: when their future is dropped, nothing half-done stays in the
/// store. A push that is dropped may have committed; pushing again finds out.
pub struct Client {
    wire: Wire,
    hub: Hub,
}

impl Client {
    /// Builds a client. No connection is made yet.
    ///
    /// # Errors
    /// [`ClientError::Endpoint`] when the endpoint is no plain http or https URL,
    /// [`ClientError::Setup`] when the proxy, the user agent or the TLS set-up is unusable.
    pub fn new(config: ClientConfig) -> Result<Self, ClientError> {
        config.check()?;
        Ok(Self {
            wire: Wire::new(&config)?,
            hub: Hub::new(&config)?,
        })
    }

    /// The same for another kind of repos than those of tools.
    pub(crate) fn of(kind: RepoTypeAny, config: ClientConfig) -> Result<Self, ClientError> {
        config.check()?;
        Ok(Self {
            wire: Wire::of(kind, &config)?,
            hub: Hub::new(&config)?,
        })
    }

    /// The registry's URL.
    pub fn endpoint(&self) -> &Url {
        self.wire.endpoint()
    }

    pub(crate) fn wire(&self) -> &Wire {
        &self.wire
    }

    pub(crate) fn hub(&self) -> &Hub {
        &self.hub
    }

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

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client")
            .field("endpoint", &self.endpoint().as_str())
            .field("signed_in", &self.wire.signed_in())
            .finish_non_exhaustive()
    }
}
