//! The HTTP client of a remote server: its origin only, by the rules of egress, no redirects.

use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::{HeaderMap, HeaderName, HeaderValue, header};
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::redirect::Policy;
use tool_hub_egress::{Resolver, addresses, bare_host};
use tool_hub_host::CredentialValue;
use tool_hub_manifest::{CredentialPlace, CredentialRequest, Origin};

use crate::error::ServerError;

/// The time in which a connection has to be there.
const CONNECT_TIME_MAX: Duration = Duration::from_secs(10);

/// A client that reaches `origin` alone and sends it the `credentials` that are for it.
pub(crate) async fn client(
    origin: &Origin,
    credentials: &[(CredentialRequest, Option<CredentialValue>)],
) -> Result<reqwest::Client, ServerError> {
    let mut headers = HeaderMap::new();
    for (request, value) in credentials.iter().filter(|(it, _)| it.origin == *origin) {
        let missing = || ServerError::NoCredential {
            name: request.name.clone(),
        };
        let value = value.as_ref().ok_or_else(missing)?;
        let value = value.now().await.map_err(|_| missing())?;
        let (name, mut value) = header_of(request, &value)?;
        value.set_sensitive(true);
        headers.insert(name, value);
    }
    reqwest::Client::builder()
        .default_headers(headers)
        .redirect(Policy::none())
        .no_proxy()
        .connect_timeout(CONNECT_TIME_MAX)
        .dns_resolver(Arc::new(OriginResolver {
            origin: Arc::new(origin.clone()),
        }))
        .build()
        .map_err(ServerError::Client)
}

fn header_of(
    request: &CredentialRequest,
    value: &str,
) -> Result<(HeaderName, HeaderValue), ServerError> {
    let unsendable = |reason| ServerError::Credential {
        name: request.name.clone(),
        reason,
    };
    let (name, text) = match &request.place {
        CredentialPlace::Header(template) => {
            let name = HeaderName::from_bytes(template.name().as_bytes());
            let name = name.map_err(|_| unsendable("its header is not a header's name"))?;
            (name, template.value(value))
        }
        CredentialPlace::Basic if value.contains(':') => {
            let encoded = STANDARD.encode(value);
            (header::AUTHORIZATION, format!("Basic {encoded}"))
        }
        CredentialPlace::Basic => return Err(unsendable("its value is not `user:password`")),
        _ => return Err(unsendable("a server takes it in a header only")),
    };
    let value = HeaderValue::from_str(&text);
    Ok((
        name,
        value.map_err(|_| unsendable("its value has characters that a header cannot hold"))?,
    ))
}

/// Looks up the host of one origin, and drops the addresses that it must not lead to.
struct OriginResolver {
    origin: Arc<Origin>,
}

impl Resolve for OriginResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let origin = Arc::clone(&self.origin);
        Box::pin(async move {
            if name.as_str() != bare_host(&origin) {
                return Err(format!("`{}` is not the server's host", name.as_str()).into());
            }
            let found = addresses(&origin, &Resolver::default()).await?;
            let found: Addrs = Box::new(found.into_iter());
            Ok(found)
        })
    }
}
