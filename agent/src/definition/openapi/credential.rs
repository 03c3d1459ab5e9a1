//! The credentials that an operation's security requirements ask for.

use std::collections::BTreeSet;

use serde_json::{Map, Value};
use tool_hub_manifest::HeaderTemplate;

use super::document::{OpenApiDocument, shown};
use super::operation::ApiOperation;
use super::text;

/// The longest explanation of a credential, and the most scopes that it names.
const WHY_CHARACTERS_MAX: usize = 160;
const SCOPES_MAX: usize = 8;

/// A secret that goes into each request, which the tool itself never sees.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiCredential {
    /// The place in the request.
    pub place: CredentialPlace,
    /// A description of the credential, for the person who keeps its value.
    pub why: String,
}

/// The place of a credential in a request.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum CredentialPlace {
    /// `Authorization: Bearer …`.
    Bearer,
    /// `Authorization: Basic …`, of a user and a password.
    Basic,
    /// A header of this name.
    Header(String),
    /// A member of the query of this name.
    Query(String),
    /// A cookie of this name.
    Cookie(String),
}

/// The credentials of an operation: those of the first alternative that can be carried, and that
/// is no password where there are others.
pub(super) struct FoundCredentials {
    pub(super) credentials: Vec<ApiCredential>,
    /// Schemes that cannot be carried, where no alternative can.
    pub(super) refused: Vec<String>,
}

impl OpenApiDocument {
    /// The credentials that an operation asks for.
    pub(super) fn credentials(&self, operation: &ApiOperation<'_>) -> FoundCredentials {
        let own = operation
            .operation
            .get("security")
            .and_then(Value::as_array);
        let required = own.or_else(|| self.root().get("security").and_then(Value::as_array));
        let (mut carried, mut refused) = (Vec::new(), BTreeSet::new());
        for alternative in required.into_iter().flatten() {
            let Some(schemes) = alternative.as_object().filter(|it| !it.is_empty()) else {
                continue;
            };
            let read: Vec<_> = schemes
                .iter()
                .map(|(name, scopes)| self.credential(name, scopes).ok_or(name))
                .collect();
            if read.iter().all(Result::is_ok) {
                carried.push(read.into_iter().flatten().collect::<Vec<ApiCredential>>());
                continue;
            }
            refused.extend(
                read.into_iter()
                    .filter_map(Result::err)
                    .map(|name| shown(name)),
            );
        }
        // A password is more than a token, so it is asked for where nothing else is taken.
        let has_password =
            |it: &Vec<ApiCredential>| it.iter().any(|it| it.place == CredentialPlace::Basic);
        match carried.into_iter().min_by_key(has_password) {
            Some(credentials) => FoundCredentials {
                credentials,
                refused: Vec::new(),
            },
            None => FoundCredentials {
                credentials: Vec::new(),
                refused: refused.into_iter().collect(),
            },
        }
    }

    /// True if a scheme of the document sends the parameter `name` in `place`.
    pub(super) fn is_key(&self, place: &str, name: &str) -> bool {
        let schemes = self.schemes().into_iter().flatten();
        schemes.map(|(_, scheme)| scheme).any(|scheme| {
            scheme["type"] == "apiKey" && scheme["in"] == place && scheme["name"] == name
        })
    }

    fn schemes(&self) -> Option<&Map<String, Value>> {
        self.root()
            .get("components")?
            .get("securitySchemes")?
            .as_object()
    }

    fn credential(&self, name: &str, scopes: &Value) -> Option<ApiCredential> {
        let scheme = self.schemes()?.get(name)?;
        let scheme = self.resolve(scheme, "/components/securitySchemes").ok()?;
        let text = |member: &str| scheme.get(member).and_then(Value::as_str);
        let kind = text("scheme").unwrap_or_default().to_ascii_lowercase();
        let (place, what) = match (text("type")?, kind.as_str()) {
            ("http", "bearer") => (CredentialPlace::Bearer, "a token"),
            ("http", "basic") => (CredentialPlace::Basic, "`user:password`"),
            ("oauth2", _) => (CredentialPlace::Bearer, "an access token of OAuth 2"),
            ("openIdConnect", _) => (CredentialPlace::Bearer, "an access token of OpenID Connect"),
            ("apiKey", _) => {
                let key = text("name")?.to_owned();
                let place = match text("in")? {
                    "header" => CredentialPlace::Header(key),
                    "query" if is_plain(&key) => CredentialPlace::Query(key),
                    "cookie" if is_plain(&key) => CredentialPlace::Cookie(key),
                    _ => return None,
                };
                if let Some(header) = place.template() {
                    header.parse::<HeaderTemplate>().ok()?;
                }
                (place, "an API key")
            }
            _ => return None,
        };
        let mut why = format!("{what} for {}", self.title().unwrap_or("the API"));
        let scopes = scopes.as_array().into_iter().flatten();
        let scopes: Vec<&str> = scopes.filter_map(Value::as_str).take(SCOPES_MAX).collect();
        if !scopes.is_empty() {
            why = format!("{why} with {}", scopes.join(", "));
        }
        Some(ApiCredential {
            place,
            why: text::plain(&why, WHY_CHARACTERS_MAX).0,
        })
    }
}

impl CredentialPlace {
    /// The header that carries it, as a manifest has it; nothing for another place.
    pub fn template(&self) -> Option<String> {
        match self {
            Self::Bearer => Some("Authorization: Bearer {}".to_owned()),
            Self::Header(name) => Some(format!("{name}: {{}}")),
            Self::Cookie(name) => Some(format!("Cookie: {name}={{}}")),
            Self::Basic | Self::Query(_) => None,
        }
    }
}

/// True for the names that a query or a cookie can have as they are.
fn is_plain(name: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    (1..=100).contains(&name.len()) && name.bytes().all(is_allowed)
}
