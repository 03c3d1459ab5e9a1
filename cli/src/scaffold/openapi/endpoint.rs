//! A function of an API, and the server at which it is called.

use tool_hub_agent::definition::openapi::ApiFunction;
use url::Url;

/// The address of a server of an API.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ApiServer(Url);

impl ApiServer {
    /// The server at `url`, or nothing where no request goes to such an address.
    pub(crate) fn of(mut url: Url) -> Option<Self> {
        let is_reached = matches!(url.scheme(), "http" | "https")
            && url.host().is_some()
            && url.username().is_empty()
            && url.password().is_none()
            && !url.as_str().contains(['{', '}'])
            && !url.as_str().contains("%7B");
        url.set_query(None);
        url.set_fragment(None);
        is_reached.then_some(Self(url))
    }

    /// The address without `/` at its end, for paths that begin with one.
    pub(super) fn base(&self) -> &str {
        self.0.as_str().trim_end_matches('/')
    }

    pub(super) fn origin(&self) -> String {
        self.0.origin().ascii_serialization()
    }
}

/// A function of an API, and its server.
pub(crate) struct Endpoint {
    pub(super) function: ApiFunction,
    pub(super) server: ApiServer,
}
