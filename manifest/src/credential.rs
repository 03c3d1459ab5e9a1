//! The `CredentialRequest`: a secret that the host puts into a tool's requests to one origin.
//! The tool never sees its value.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::name::VariableName;
use crate::oauth_client::OAuthClient;
use crate::origin::Origin;

/// A credential that a tool asks for. The host puts its value into every request that the tool
/// sends to `origin`, and into no other.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Written", into = "Written")]
pub struct CredentialRequest {
    /// Its name, by which the user keeps the value.
    pub name: VariableName,
    /// The origin that receives it.
    pub origin: Origin,
    /// The part of a request that carries it.
    pub place: CredentialPlace,
    /// The way to get a value by signing in at a service, which gives out access tokens.
    pub oauth: Option<OAuthClient>,
    /// The reason, for the person who grants it.
    pub why: String,
}

/// The part of a request that carries a credential.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum CredentialPlace {
    /// A header field.
    Header(HeaderTemplate),
    /// A parameter of the query with this name.
    Query(String),
    /// HTTP basic authentication (RFC 7617). The value is `user:password`.
    Basic,
}

/// A header field with a place for a value: `Authorization: Bearer {}`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeaderTemplate {
    name: String,
    before: String,
    after: String,
}

impl HeaderTemplate {
    /// The field's name, in lower case.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The field's value with `secret` in it.
    pub fn value(&self, secret: &str) -> String {
        format!("{}{secret}{}", self.before, self.after)
    }
}

/// Header fields that say where a request goes or where its body ends. A credential in one of them
/// would change what the server takes for the request.
const RESERVED: [&str; 9] = [
    "connection",
    "content-length",
    "expect",
    "host",
    "keep-alive",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];
const TEXT_BYTES_MAX: usize = 128;

impl FromStr for HeaderTemplate {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = |what: &str| {
            let text = text.escape_debug();
            Err(format!(
                "header `{text}` {what}: write it as `Authorization: Bearer {{}}`, where {{}} stands for the value"
            ))
        };
        if text.len() > TEXT_BYTES_MAX {
            return Err(format!(
                "a header of {} bytes is too long, at most {TEXT_BYTES_MAX} are allowed",
                text.len()
            ));
        }
        let Some((name, value)) = text.split_once(':') else {
            return wrong("has no `:` after its name");
        };
        if !is_token(name) {
            return wrong("does not begin with the name of a field");
        }
        let name = name.to_ascii_lowercase();
        if RESERVED.contains(&name.as_str()) || name.starts_with("proxy-") {
            return wrong("belongs to the connection and cannot carry a credential");
        }
        let value = value.trim();
        if !value.bytes().all(|byte| (b' '..=b'~').contains(&byte)) {
            return wrong("has characters other than printable ASCII");
        }
        match value.split_once("{}") {
            Some((before, after)) if !after.contains("{}") => Ok(Self {
                name,
                before: before.to_owned(),
                after: after.to_owned(),
            }),
            _ => wrong("does not have {} exactly once"),
        }
    }
}

impl fmt::Display for HeaderTemplate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}{{}}{}", self.name, self.before, self.after)
    }
}

/// As a person reads it: `in the header authorization`.
impl fmt::Display for CredentialPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Header(template) => write!(f, "in the header `{template}`"),
            Self::Query(parameter) => write!(f, "in the query as `{parameter}`"),
            Self::Basic => f.write_str("as user and password"),
        }
    }
}

/// As a person reads it: `API_KEY for https://api.example, in the query as `key``.
impl fmt::Display for CredentialRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} for {}, {}", self.name, self.origin, self.place)?;
        match &self.oauth {
            Some(client) => write!(f, ", {client}"),
            None => Ok(()),
        }
    }
}

/// A request as `tool.toml` has it.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    name: VariableName,
    origin: Origin,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    header: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    query: Option<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    basic: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    oauth: Option<OAuthClient>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    why: String,
}

impl TryFrom<Written> for CredentialRequest {
    type Error = String;

    fn try_from(written: Written) -> Result<Self, String> {
        let Written {
            name,
            origin,
            header,
            query,
            basic,
            oauth,
            why,
        } = written;
        let place = match (header, query, basic) {
            (Some(header), None, false) => CredentialPlace::Header(header.parse()?),
            (None, Some(query), false) => CredentialPlace::Query(parameter(query)?),
            (None, None, true) if oauth.is_some() => {
                return Err(format!(
                    "credential {name} has `oauth`, whose access tokens go into a header or the query, and `basic`: leave one of them out"
                ));
            }
            (None, None, true) => CredentialPlace::Basic,
            _ => {
                return Err(format!(
                    "credential {name} needs one of: header = \"Authorization: Bearer {{}}\", query = \"key\", basic = true"
                ));
            }
        };
        Ok(Self {
            name,
            origin,
            place,
            oauth,
            why,
        })
    }
}

impl From<CredentialRequest> for Written {
    fn from(request: CredentialRequest) -> Self {
        let (header, query, basic) = match request.place {
            CredentialPlace::Header(template) => (Some(template.to_string()), None, false),
            CredentialPlace::Query(parameter) => (None, Some(parameter), false),
            CredentialPlace::Basic => (None, None, true),
        };
        Self {
            name: request.name,
            origin: request.origin,
            header,
            query,
            basic,
            oauth: request.oauth,
            why: request.why,
        }
    }
}

/// `text`, if it can be the name of a parameter in a query as it is.
fn parameter(text: String) -> Result<String, String> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    if (1..=TEXT_BYTES_MAX).contains(&text.len()) && text.bytes().all(plain) {
        return Ok(text);
    }
    Err(format!(
        "query `{}` is not the name of a parameter: use 1 to {TEXT_BYTES_MAX} letters, digits and `-._~`",
        text.escape_debug()
    ))
}

/// True if `text` is a token of RFC 9110, such as the name of a field.
fn is_token(text: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !text.is_empty() && text.bytes().all(is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(place: &str) -> Result<CredentialRequest, String> {
        let text = format!("name = 'API_KEY'\norigin = 'https://a.example'\n{place}");
        toml::from_str(&text).map_err(|error| error.message().to_owned())
    }

    #[test]
    fn a_request_reads_back_equal() {
        for place in [
            "header = 'Authorization: Bearer {}'",
            "header = 'X-Key:{}'",
            "query = 'api_key'",
            "basic = true",
            "query = 'k'\noauth = { device_authorization_endpoint = 'https://b.example/d', token_endpoint = 'https://b.example/t', client_id = 'c' }",
        ] {
            let read = request(place).unwrap();
            let again = toml::from_str(&toml::to_string(&read).unwrap()).unwrap();
            assert_eq!(read, again);
        }
        let CredentialPlace::Header(template) = request("header = 'Authorization:  Token {}!'")
            .unwrap()
            .place
        else {
            panic!("it is a header");
        };
        assert_eq!(template.name(), "authorization");
        assert_eq!(template.value("x{}"), "Token x{}!");
    }

    #[test]
    fn a_request_names_one_place_that_can_carry_a_value() {
        for (place, expect) in [
            ("", "needs one of"),
            ("query = 'a'\nbasic = true", "needs one of"),
            ("header = 'Bearer {}'", "has no `:`"),
            ("header = 'A b: {}'", "does not begin with the name"),
            ("header = 'Host: {}'", "belongs to the connection"),
            (
                "header = 'Proxy-Authorization: {}'",
                "belongs to the connection",
            ),
            ("header = 'A: x'", "exactly once"),
            ("header = 'A: {}{}'", "exactly once"),
            ("header = \"A: {}\\r\\nB: c\"", "printable ASCII"),
            ("query = 'a&b'", "is not the name of a parameter"),
            ("query = ''", "is not the name of a parameter"),
            ("cookie = 'a'", "unknown field"),
        ] {
            let error = request(place).unwrap_err();
            assert!(error.contains(expect), "{place}: {error}");
        }
    }
}
