//! The `OAuthClient` by which a person signs in at a service, to get the value of a credential.

use std::fmt;

use serde::{Deserialize, Serialize};
use url::Url;

use crate::loopback::is_this_machine;
use crate::origin::Origin;

/// A public client of OAuth 2.0 (RFC 6749) with a device authorization endpoint (RFC 8628), as its
/// author registered it at a service.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Written", into = "Written")]
pub struct OAuthClient {
    endpoints: Endpoints,
    client_id: String,
    scopes: Vec<String>,
}

/// The endpoints of a service. They are of one origin, which is where the person signs in.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Endpoints {
    origin: Origin,
    device_authorization: Url,
    token: Url,
}

const CLIENT_ID_BYTES_MAX: usize = 256;
const SCOPE_BYTES_MAX: usize = 256;
const SCOPES_MAX: usize = 32;

impl OAuthClient {
    /// The origin of the service.
    pub fn origin(&self) -> &Origin {
        &self.endpoints.origin
    }

    /// The endpoint that gives out the code that the person enters.
    pub fn device_authorization_endpoint(&self) -> &Url {
        &self.endpoints.device_authorization
    }

    /// The endpoint that gives out access tokens.
    pub fn token_endpoint(&self) -> &Url {
        &self.endpoints.token
    }

    /// The identifier of the client at the service.
    pub fn client_id(&self) -> &str {
        &self.client_id
    }

    /// What the access token is to be good for.
    pub fn scopes(&self) -> &[String] {
        &self.scopes
    }
}

/// As a person reads it: `by a sign-in at https://a.example as client abc (scopes: read)`.
impl fmt::Display for OAuthClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (origin, client) = (self.origin(), &self.client_id);
        write!(f, "by a sign-in at {origin} as client {client}")?;
        match self.scopes.is_empty() {
            true => Ok(()),
            false => write!(f, " (scopes: {})", self.scopes.join(" ")),
        }
    }
}

/// A client as `tool.toml` has it, in the words of RFC 8414.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    device_authorization_endpoint: Url,
    token_endpoint: Url,
    client_id: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    scopes: Vec<String>,
}

impl TryFrom<Written> for OAuthClient {
    type Error = String;

    fn try_from(written: Written) -> Result<Self, String> {
        let Written {
            device_authorization_endpoint: device_authorization,
            token_endpoint: token,
            client_id,
            scopes,
        } = written;
        let origin = origin("device_authorization_endpoint", &device_authorization)?;
        let other = self::origin("token_endpoint", &token)?;
        if origin != other {
            return Err(format!(
                "the endpoints of `oauth` have to be of one origin, and are of {origin} and {other}"
            ));
        }
        let is_client = |byte: u8| (b'!'..=b'~').contains(&byte);
        if !(1..=CLIENT_ID_BYTES_MAX).contains(&client_id.len())
            || !client_id.bytes().all(is_client)
        {
            return Err(format!(
                "client_id `{}` is not 1 to {CLIENT_ID_BYTES_MAX} printable characters without a space",
                client_id.escape_debug()
            ));
        }
        // RFC 6749, section 3.3.
        let is_scope = |byte: u8| is_client(byte) && byte != b'"' && byte != b'\\';
        let is_valid = |scope: &&String| {
            (1..=SCOPE_BYTES_MAX).contains(&scope.len()) && scope.bytes().all(is_scope)
        };
        if let Some(scope) = scopes.iter().find(|scope| !is_valid(scope)) {
            return Err(format!(
                "scope `{}` is not 1 to {SCOPE_BYTES_MAX} printable characters without a space or quote",
                scope.escape_debug()
            ));
        }
        if scopes.len() > SCOPES_MAX {
            return Err(format!("`scopes` has more than {SCOPES_MAX} elements"));
        }
        Ok(Self {
            endpoints: Endpoints {
                origin,
                device_authorization,
                token,
            },
            client_id,
            scopes,
        })
    }
}

impl From<OAuthClient> for Written {
    fn from(client: OAuthClient) -> Self {
        Self {
            device_authorization_endpoint: client.endpoints.device_authorization,
            token_endpoint: client.endpoints.token,
            client_id: client.client_id,
            scopes: client.scopes,
        }
    }
}

/// The origin of the endpoint `name`. Tokens travel to it, so it speaks TLS or is this machine.
fn origin(name: &str, endpoint: &Url) -> Result<Origin, String> {
    let wrong = |what: &str| format!("{name} `{endpoint}` {what}");
    let is_local = is_this_machine(endpoint);
    if endpoint.scheme() != "https" && !is_local {
        return Err(wrong("does not begin with https://"));
    }
    if !endpoint.username().is_empty() || endpoint.password().is_some() {
        return Err(wrong("has a user or password in it"));
    }
    if endpoint.fragment().is_some() {
        return Err(wrong("has a fragment"));
    }
    let origin = endpoint.origin().ascii_serialization();
    origin.parse().map_err(|error| format!("{name}: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENDPOINTS: &str = "device_authorization_endpoint = 'https://a.example/device'\ntoken_endpoint = 'https://a.example/token'";

    fn client(text: &str) -> Result<OAuthClient, String> {
        toml::from_str(text).map_err(|error| error.message().to_owned())
    }

    #[test]
    fn a_client_reads_back_equal() {
        for (rest, shown) in [
            (
                "client_id = 'abc'",
                "by a sign-in at https://a.example as client abc",
            ),
            (
                "client_id = 'abc'\nscopes = ['repo', 'read:user']",
                "by a sign-in at https://a.example as client abc (scopes: repo read:user)",
            ),
        ] {
            let read = client(&format!("{ENDPOINTS}\n{rest}")).unwrap();
            assert_eq!(read.to_string(), shown);
            let again = client(&toml::to_string(&read).unwrap()).unwrap();
            assert_eq!(read, again);
        }
    }

    #[test]
    fn tokens_travel_to_one_protected_origin() {
        for (device, token, expect) in [
            ("http://a.example/d", "http://a.example/t", "https://"),
            ("https://a.example/d", "https://b.example/t", "one origin"),
            ("https://a.example/d", "https://a.example:1/t", "one origin"),
            ("https://u@a.example/d", "https://a.example/t", "a user"),
            ("https://a.example/d#x", "https://a.example/t", "a fragment"),
            ("ftp://localhost/d", "ftp://localhost/t", "not an origin"),
        ] {
            let text = format!(
                "device_authorization_endpoint = '{device}'\ntoken_endpoint = '{token}'\nclient_id = 'x'"
            );
            let error = client(&text).unwrap_err();
            assert!(error.contains(expect), "{device}: {error}");
        }
        let local = "device_authorization_endpoint = 'http://127.0.0.1:9/d'\ntoken_endpoint = 'http://127.0.0.1:9/t'\nclient_id = 'x'";
        assert!(client(local).is_ok());
    }

    #[test]
    fn names_are_what_a_form_can_carry() {
        for (rest, expect) in [
            ("client_id = ''", "client_id"),
            ("client_id = 'a b'", "client_id"),
            ("client_id = 'a'\nscopes = ['a b']", "scope `a b`"),
            ("client_id = 'a'\nscopes = ['']", "scope"),
            ("client_id = 'a'\nsecret = 'b'", "unknown field"),
        ] {
            let error = client(&format!("{ENDPOINTS}\n{rest}")).unwrap_err();
            assert!(error.contains(expect), "{rest}: {error}");
        }
    }
}
