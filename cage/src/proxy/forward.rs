//! Forwards a request for a granted `http` origin, with the methods that are granted to it.

use std::time::Duration;

use http::{HeaderMap, HeaderName, HeaderValue, Request, Response, Uri, Version, header};
use http_body_util::BodyExt as _;
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use tokio::time::timeout;
use tool_hub_egress::{
    Resolver, announces_body, dial, may_have_body, overriding_methods, plain_origin,
};
use tool_hub_manifest::{Methods, Network, Origin};

use crate::proxy::refusal::{Body, Refusal};

/// The time for the head of an answer.
const ANSWER_TIME_MAX: Duration = Duration::from_secs(120);

/// Headers that are meant for one connection (RFC 9110, section 7.6.1) or for this proxy. The
/// length is written anew with what is sent.
const OF_CONNECTION: [HeaderName; 10] = [
    header::CONNECTION,
    HeaderName::from_static("keep-alive"),
    HeaderName::from_static("proxy-connection"),
    header::PROXY_AUTHENTICATE,
    header::PROXY_AUTHORIZATION,
    header::TE,
    header::TRAILER,
    header::TRANSFER_ENCODING,
    header::UPGRADE,
    header::EXPECT,
];

/// Sends `request` to its origin, if that is granted with its method.
pub(super) async fn forward(
    network: &Network,
    resolver: &Resolver,
    request: Request<Incoming>,
) -> Result<Response<Body>, Refusal> {
    let origin = admit(network, &request)?;
    let text = || origin.to_string();
    let stream = dial(&origin, resolver)
        .await
        .map_err(|error| Refusal::Dial {
            origin: text(),
            error,
        })?;
    let failed = |error: hyper::Error| Refusal::Exchange {
        origin: text(),
        error: error.to_string(),
    };
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream))
        .await
        .map_err(failed)?;
    // It ends with the answer's body, or when that is dropped.
    tokio::spawn(async move {
        let _ = connection.await;
    });
    let sent = sender.send_request(rewritten(&origin, request)?);
    let answered = timeout(ANSWER_TIME_MAX, sent).await;
    let response = answered
        .map_err(|_| Refusal::Exchange {
            origin: text(),
            error: format!("nothing came within {} s", ANSWER_TIME_MAX.as_secs()),
        })?
        .map_err(failed)?;
    let (mut head, body) = response.into_parts();
    strip(&mut head.headers);
    head.version = Version::HTTP_11;
    Ok(Response::from_parts(head, body.boxed()))
}

/// The origin of `request`, if it is granted with the request's method and with every method that
/// a server may use instead.
fn admit(network: &Network, request: &Request<Incoming>) -> Result<Origin, Refusal> {
    let (method, headers) = (request.method().as_str(), request.headers());
    let text = plain_origin(request.uri()).ok_or(Refusal::NotForProxy)?;
    let origin: Origin = text.parse().map_err(|_| Refusal::Origin(text.clone()))?;
    if origin.scheme() != "http" {
        return Err(Refusal::NotForProxy);
    }
    let lengths = headers.get_all(header::CONTENT_LENGTH).iter().count();
    if lengths + usize::from(headers.contains_key(header::TRANSFER_ENCODING)) > 1 {
        return Err(Refusal::Lengths);
    }
    let Some(granted) = network.methods(&origin) else {
        return Err(Refusal::NotGranted(text));
    };
    let mut methods = std::iter::once(method.to_owned()).chain(overriding_methods(headers));
    let refused = methods.find(|method| !granted.allow(method));
    let refused = refused.or_else(|| body_refused(method, headers, granted));
    match refused {
        Some(what) => Err(Refusal::Method { what, origin: text }),
        None => Ok(origin),
    }
}

fn body_refused(method: &str, headers: &HeaderMap, granted: &Methods) -> Option<String> {
    let refused = announces_body(headers) && !may_have_body(method, granted);
    refused.then(|| format!("a body in {method}"))
}

/// The request as the origin gets it: its own path, the granted host, nothing for a proxy.
fn rewritten(origin: &Origin, request: Request<Incoming>) -> Result<Request<Incoming>, Refusal> {
    let (mut head, body) = request.into_parts();
    let path = head.uri.path_and_query().map_or("/", |path| path.as_str());
    let bad = || Refusal::Origin(origin.to_string());
    head.uri = Uri::try_from(path).map_err(|_| bad())?;
    head.version = Version::HTTP_11;
    strip(&mut head.headers);
    head.headers.remove(header::CONTENT_LENGTH);
    let host = origin.to_string();
    let host = host.trim_start_matches("http://");
    let host = HeaderValue::from_str(host).map_err(|_| bad())?;
    // `insert` also takes the place of a second one, by which servers could choose.
    head.headers.insert(header::HOST, host);
    Ok(Request::from_parts(head, body))
}

/// Takes away the headers of one connection, those that `Connection` names included.
fn strip(headers: &mut HeaderMap) {
    let named: Vec<String> = headers
        .get_all(header::CONNECTION)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .map(|name| name.trim().to_ascii_lowercase())
        .collect();
    for name in named {
        headers.remove(name.as_str());
    }
    for name in &OF_CONNECTION {
        headers.remove(name);
    }
}
