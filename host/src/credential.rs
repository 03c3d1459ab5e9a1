//! The granted `Credentials` of a tool: secrets that the host puts into requests to their origins.
//! A guest never holds them, and answers that repeat them reach it masked.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::header::{ACCEPT_ENCODING, AUTHORIZATION, RANGE};
use http::uri::{InvalidUri, PathAndQuery};
use http::{HeaderName, HeaderValue};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use tool_hub_manifest::{CredentialPlace, CredentialRequest, Origin, VariableName};

use crate::credential_source::{CredentialValue, Kept, NoValue};
use crate::secret::{Secret, Secrets};

/// The granted credentials of a tool.
#[derive(Default)]
pub(crate) struct Credentials {
    all: Vec<Credential>,
    /// The values that do not change, which are masked in every answer to a request that carried
    /// one.
    secrets: Secrets,
}

/// A credential that was granted, with its value if the user has one.
pub(crate) struct Credential {
    request: CredentialRequest,
    value: Option<CredentialValue>,
}

/// The reason that a granted credential cannot be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UnusableCredential {
    /// The user keeps no value under its name.
    NoValue,
    /// Its value has characters that a request cannot carry.
    Unsendable,
    /// What renews its value has none.
    NotRenewed(NoValue),
}

/// What a request sends, as far as credentials change it.
pub(crate) struct CredentialTarget<'r> {
    pub(crate) headers: &'r mut http::HeaderMap,
    pub(crate) path: &'r mut PathAndQuery,
}

impl Credentials {
    /// Puts the credentials for `origin` into a request to it, in place of what the guest wrote
    /// there. Returns what the answer has to be searched for, if there was one.
    ///
    /// # Errors
    /// The credential that cannot be sent, and why.
    pub(crate) async fn put_into(
        &self,
        origin: &Origin,
        mut target: CredentialTarget<'_>,
    ) -> Result<Option<Secrets>, (&VariableName, UnusableCredential)> {
        let mut sent = Vec::new();
        let mut any_changes = false;
        for credential in self.all.iter().filter(|it| it.request.origin == *origin) {
            let unusable = |why| (&credential.request.name, why);
            let value = credential.present().await.map_err(unusable)?;
            credential.put_into(&value, &mut target).map_err(unusable)?;
            any_changes |= credential.fixed().is_none();
            sent.push((credential, value));
        }
        if sent.is_empty() {
            return Ok(None);
        }
        // The answer is searched as it comes, which needs all of it, uncompressed.
        target.headers.remove(RANGE);
        let plain = HeaderValue::from_static("identity");
        target.headers.insert(ACCEPT_ENCODING, plain);
        let secrets = match any_changes {
            false => self.secrets.clone(),
            true => {
                let fixed = self.all.iter().flat_map(Credential::fixed_secrets);
                let now = sent.iter().flat_map(|(it, value)| it.secrets(value));
                Secrets::new(fixed.chain(now))
            }
        };
        Ok(Some(secrets))
    }
}

impl FromIterator<Credential> for Credentials {
    fn from_iter<I: IntoIterator<Item = Credential>>(all: I) -> Self {
        let all: Vec<Credential> = all.into_iter().collect();
        let secrets = Secrets::new(all.iter().flat_map(Credential::fixed_secrets));
        Self { all, secrets }
    }
}

impl Credential {
    pub(crate) fn new(request: CredentialRequest, value: Option<&CredentialValue>) -> Self {
        let value = value.cloned();
        Self { request, value }
    }

    /// The value that does not change, if it is of that kind.
    fn fixed(&self) -> Option<&str> {
        match &self.value {
            Some(CredentialValue(Kept::Fixed(value))) => Some(value),
            _ => None,
        }
    }

    /// The value to send now.
    async fn present(&self) -> Result<String, UnusableCredential> {
        match &self.value {
            None if self.request.oauth.is_some() => {
                Err(UnusableCredential::NotRenewed(NoValue::SignedOut))
            }
            None => Err(UnusableCredential::NoValue),
            Some(value) => value.now().await.map_err(UnusableCredential::NotRenewed),
        }
    }

    fn fixed_secrets(&self) -> Vec<Secret> {
        let value = self.fixed().map(|value| self.secrets(value));
        value.unwrap_or_default()
    }

    /// The texts by which `value` could be known: itself, and for basic authentication the
    /// password.
    fn secrets(&self, value: &str) -> Vec<Secret> {
        let mut secrets = vec![Secret::new(value.to_owned())];
        if let (CredentialPlace::Basic, Some((_, password))) =
            (&self.request.place, value.split_once(':'))
        {
            secrets.push(Secret::new(password.to_owned()));
        }
        secrets
    }

    fn put_into(
        &self,
        value: &str,
        target: &mut CredentialTarget<'_>,
    ) -> Result<(), UnusableCredential> {
        let unsendable = |_| UnusableCredential::Unsendable;
        let header = |name: HeaderName, text: &str| {
            let mut value = HeaderValue::from_str(text).map_err(unsendable)?;
            value.set_sensitive(true);
            Ok((name, value))
        };
        let (name, value) = match &self.request.place {
            CredentialPlace::Header(template) => {
                let name = HeaderName::from_bytes(template.name().as_bytes());
                let name = name.map_err(|_| UnusableCredential::Unsendable)?;
                header(name, &template.value(value))?
            }
            CredentialPlace::Basic if value.contains(':') => {
                header(AUTHORIZATION, &format!("Basic {}", STANDARD.encode(value)))?
            }
            CredentialPlace::Query(parameter) => {
                let path = with_parameter(target.path, parameter, value);
                *target.path = path.map_err(|_| UnusableCredential::Unsendable)?;
                return Ok(());
            }
            _ => return Err(UnusableCredential::Unsendable),
        };
        target.headers.insert(name, value);
        Ok(())
    }
}

/// All but what RFC 3986 calls unreserved.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// `path` with `parameter` set to `value` in its query, and to nothing else.
fn with_parameter(
    path: &PathAndQuery,
    parameter: &str,
    value: &str,
) -> Result<PathAndQuery, InvalidUri> {
    let is_other = |pair: &&str| {
        let name = pair.split_once('=').map_or(*pair, |(name, _)| name);
        percent_decode_str(name).ne(parameter.bytes())
    };
    let pairs = path.query().unwrap_or_default().split('&');
    let mut pairs: Vec<&str> = pairs.filter(|pair| !pair.is_empty()).collect();
    pairs.retain(is_other);
    let set = format!("{parameter}={}", utf8_percent_encode(value, ENCODED));
    pairs.push(&set);
    format!("{}?{}", path.path(), pairs.join("&")).parse()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};

    use futures::executor::block_on;
    use futures::future::{BoxFuture, FutureExt, ready};
    use http::HeaderMap;

    use super::*;
    use crate::credential_source::CredentialSource;

    fn credentials(place: &str, value: Option<&str>) -> Credentials {
        let text = format!(
            "credentials = [{{ name = 'KEY', origin = 'https://a.example', {place} }}]\nnetwork = ['https://a.example']"
        );
        let asked: tool_hub_manifest::Capabilities = toml::from_str(&text).unwrap();
        let value = value.map(CredentialValue::from);
        let all = asked.credentials.into_iter();
        all.map(|request| Credential::new(request, value.as_ref()))
            .collect()
    }

    /// The path and header `named` of a request to `origin` with `path` and `headers`.
    #[track_caller]
    fn sent(
        credentials: &Credentials,
        origin: &str,
        path: &str,
        mut headers: HeaderMap,
    ) -> Result<(String, HeaderMap), UnusableCredential> {
        let mut path: PathAndQuery = path.parse().unwrap();
        let target = CredentialTarget {
            headers: &mut headers,
            path: &mut path,
        };
        let origin_sent = origin.parse().unwrap();
        let put = block_on(credentials.put_into(&origin_sent, target));
        let searched = put.map_err(|(_, unusable)| unusable)?.is_some();
        assert_eq!(searched, origin == "https://a.example");
        Ok((path.to_string(), headers))
    }

    #[test]
    fn a_credential_goes_to_its_origin_only() {
        let key = credentials("header = 'Authorization: Bearer {}'", Some("sk-1234"));
        let mut own = HeaderMap::new();
        own.insert(AUTHORIZATION, HeaderValue::from_static("Bearer forged"));
        own.insert(RANGE, HeaderValue::from_static("bytes=0-3"));
        let (path, headers) = sent(&key, "https://a.example", "/x?a=1", own.clone()).unwrap();
        assert_eq!(path, "/x?a=1");
        assert_eq!(headers[AUTHORIZATION], "Bearer sk-1234");
        assert_eq!(headers[ACCEPT_ENCODING], "identity");
        assert!(headers[AUTHORIZATION].is_sensitive() && !headers.contains_key(RANGE));
        for other in [
            "http://a.example",
            "https://a.example:8443",
            "https://b.example",
        ] {
            let (_, headers) = sent(&key, other, "/", own.clone()).unwrap();
            assert_eq!(headers, own);
        }
    }

    #[test]
    fn a_credential_takes_the_place_of_what_the_guest_wrote() {
        let key = credentials("query = 'api_key'", Some("a b&c"));
        for (path, expect) in [
            ("/", "/?api_key=a%20b%26c"),
            ("/x?", "/x?api_key=a%20b%26c"),
            (
                "/x?q=1&api_key=mine&api%5Fkey=too&n",
                "/x?q=1&n&api_key=a%20b%26c",
            ),
        ] {
            let (path, _) = sent(&key, "https://a.example", path, HeaderMap::new()).unwrap();
            assert_eq!(path, expect);
        }
        let basic = credentials("basic = true", Some("ada:pass word"));
        let (_, headers) = sent(&basic, "https://a.example", "/", HeaderMap::new()).unwrap();
        assert_eq!(headers[AUTHORIZATION], "Basic YWRhOnBhc3Mgd29yZA==");
        let masked = basic
            .secrets
            .mask("is YWRhOnBhc3Mgd29yZA==, pass word".into());
        assert!(!masked.contains("YWRhOnBhc3") && !masked.contains("pass word"));
    }

    /// Has another value each time, twice.
    struct TwoTokens(AtomicU32);

    impl CredentialSource for TwoTokens {
        fn value(&self) -> BoxFuture<'_, Result<String, NoValue>> {
            let number = self.0.fetch_add(1, Ordering::Relaxed);
            let value = (number < 2).then(|| format!("token-number-{number}"));
            ready(value.ok_or(NoValue::SignedOut)).boxed()
        }
    }

    #[test]
    fn each_request_carries_the_value_of_its_time() {
        let text = "credentials = [{ name = 'A', origin = 'https://a.example', header = 'A: {}' }, { name = 'B', origin = 'https://a.example', header = 'B: {}' }]\nnetwork = ['https://a.example']";
        let asked: tool_hub_manifest::Capabilities = toml::from_str(text).unwrap();
        let source: Arc<dyn CredentialSource> = Arc::new(TwoTokens(AtomicU32::new(0)));
        let values = [CredentialValue::from(source), "always-the-same".into()];
        let all = asked.credentials.into_iter().zip(&values);
        let both: Credentials = all
            .map(|(request, value)| Credential::new(request, Some(value)))
            .collect();
        for number in 0..2 {
            let mut headers = HeaderMap::new();
            let target = CredentialTarget {
                headers: &mut headers,
                path: &mut "/".parse().unwrap(),
            };
            let origin = "https://a.example".parse().unwrap();
            let put = block_on(both.put_into(&origin, target)).unwrap();
            assert_eq!(headers["a"], format!("token-number-{number}"));
            let said = format!("token-number-{number}, token-number-7, always-the-same");
            assert_eq!(put.unwrap().mask(said), "***, token-number-7, ***");
        }
        let refused = sent(&both, "https://a.example", "/", HeaderMap::new());
        let signed_out = UnusableCredential::NotRenewed(NoValue::SignedOut);
        assert_eq!(refused.unwrap_err(), signed_out);
    }

    #[test]
    fn what_cannot_be_sent_is_refused() {
        use UnusableCredential::{NoValue, Unsendable};
        for (place, value, expect) in [
            ("query = 'key'", None, NoValue),
            ("header = 'A: {}'", None, NoValue),
            ("header = 'A: {}'", Some("a\r\nHost: b"), Unsendable),
            ("basic = true", Some("no colon"), Unsendable),
        ] {
            let key = credentials(place, value);
            let refused = sent(&key, "https://a.example", "/", HeaderMap::new());
            assert_eq!(refused.unwrap_err(), expect, "{place}");
        }
    }
}
