//! Asks a registry for the user that a token belongs to.

use serde::Deserialize;

use crate::error::{Act, ClientError, excerpt};
use crate::registry::Registry;

/// The user that a registry takes the client for. Names are escaped and bounded for display.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Identity {
    /// The user or organisation.
    pub name: String,
    /// The name for people.
    pub full_name: Option<String>,
    /// The organisations that the user belongs to.
    pub organisations: Vec<String>,
    /// The rights of the token, such as `read` or `write`, where the registry says so.
    pub token_role: Option<String>,
}

#[derive(Deserialize)]
struct Whoami {
    name: String,
    fullname: Option<String>,
    #[serde(default)]
    orgs: Vec<Organisation>,
    auth: Option<Auth>,
}

#[derive(Deserialize)]
struct Organisation {
    name: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Auth {
    access_token: Option<AccessToken>,
}

#[derive(Deserialize)]
struct AccessToken {
    role: Option<String>,
}

/// Asks who the token belongs to.
pub(crate) async fn whoami(registry: &Registry) -> Result<Identity, ClientError> {
    let act = Act::Identify;
    registry.need_token(&act)?;
    let url = registry.wire.url(&["api", "whoami-v2"]);
    let whoami: Whoami = registry.wire.get(&act, url).await?;
    Ok(Identity {
        name: excerpt(&whoami.name),
        full_name: whoami.fullname.as_deref().map(excerpt),
        organisations: whoami.orgs.iter().map(|org| excerpt(&org.name)).collect(),
        token_role: whoami
            .auth
            .and_then(|auth| auth.access_token?.role)
            .as_deref()
            .map(excerpt),
    })
}
