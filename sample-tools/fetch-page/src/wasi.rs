//! Sends one GET request through `wasi:http` and reads its response.

use url::Url;
use wasip2::http::outgoing_handler::handle;
use wasip2::http::types::{
    ErrorCode, Fields, IncomingBody, IncomingResponse, Method, OutgoingRequest, RequestOptions,
    Scheme,
};
use wasip2::io::streams::StreamError;

use crate::http_get::{Fault, Response, Transport};

/// Pages are texts; what is larger is cut here, before it fills the component's memory.
const BODY_BYTES_MAX: usize = 2 * 1024 * 1024;
const CHUNK_BYTES: u64 = 64 * 1024;
const TIMEOUT_NS: u64 = 10_000_000_000;
const AGENT: &str = concat!("fetch-page/", env!("CARGO_PKG_VERSION"));
const ACCEPT: &str =
    "text/html, application/xhtml+xml, text/*;q=0.9, application/json;q=0.8, */*;q=0.1";

/// The network that the host grants.
pub(crate) struct Http;

impl Transport for Http {
    fn get(&self, url: &Url) -> Result<Response, Fault> {
        let broken = |reason: &str| Fault::Unreachable(url.to_string(), reason.to_owned());
        let request = request(url).map_err(|()| broken("the request could not be made"))?;
        let future = handle(request, Some(options())).map_err(|error| fault(url, &error))?;
        future.subscribe().block();
        let response = match future.get() {
            Some(Ok(Ok(response))) => response,
            Some(Ok(Err(error))) => return Err(fault(url, &error)),
            _ => return Err(broken("the host gave no response")),
        };
        let status = response.status();
        let location = header(&response, "location");
        let content_type = header(&response, "content-type");
        let encoded = header(&response, "content-encoding")
            .is_some_and(|encoding| !encoding.eq_ignore_ascii_case("identity"));
        let (body, truncated) = if (200..=299).contains(&status) {
            let body = response
                .consume()
                .map_err(|()| broken("the response has no body"))?;
            read(&body).map_err(|reason| broken(&reason))?
        } else {
            (Vec::new(), false)
        };
        Ok(Response {
            status,
            location,
            content_type,
            encoded,
            body,
            truncated,
        })
    }
}

fn request(url: &Url) -> Result<OutgoingRequest, ()> {
    let headers = Fields::new();
    for (name, value) in [
        ("accept", ACCEPT),
        ("accept-encoding", "identity"),
        ("user-agent", AGENT),
    ] {
        headers.append(name, value.as_bytes()).map_err(|_| ())?;
    }
    let request = OutgoingRequest::new(headers);
    request.set_method(&Method::Get)?;
    let scheme = if url.scheme() == "https" {
        Scheme::Https
    } else {
        Scheme::Http
    };
    request.set_scheme(Some(&scheme))?;
    request.set_authority(Some(url.authority()))?;
    let path = match url.query() {
        Some(query) => format!("{}?{query}", url.path()),
        None => url.path().to_owned(),
    };
    request.set_path_with_query(Some(&path))?;
    Ok(request)
}

/// A host that knows no timeouts of its own is asked for some; one that refuses keeps its own.
fn options() -> RequestOptions {
    let options = RequestOptions::new();
    let _ = options.set_connect_timeout(Some(TIMEOUT_NS));
    let _ = options.set_first_byte_timeout(Some(TIMEOUT_NS));
    let _ = options.set_between_bytes_timeout(Some(TIMEOUT_NS));
    options
}

fn header(response: &IncomingResponse, name: &str) -> Option<String> {
    let value = response.headers().get(name).into_iter().next()?;
    String::from_utf8(value).ok()
}

fn read(body: &IncomingBody) -> Result<(Vec<u8>, bool), String> {
    let stream = body
        .stream()
        .map_err(|()| "the body cannot be read".to_owned())?;
    let mut read = Vec::new();
    loop {
        match stream.blocking_read(CHUNK_BYTES) {
            Ok(chunk) => read.extend(chunk),
            Err(StreamError::Closed) => return Ok((read, false)),
            Err(StreamError::LastOperationFailed(error)) => {
                return Err(format!("the body broke off: {}", error.to_debug_string()));
            }
        }
        if read.len() > BODY_BYTES_MAX {
            read.truncate(BODY_BYTES_MAX);
            return Ok((read, true));
        }
    }
}

fn fault(url: &Url, error: &ErrorCode) -> Fault {
    let reason = match error {
        ErrorCode::HttpRequestDenied => return Fault::Denied(url.origin().ascii_serialization()),
        ErrorCode::HttpRequestUriInvalid => {
            return Fault::Address(url.to_string(), "the host refuses this address");
        }
        ErrorCode::DnsError(_) | ErrorCode::DestinationNotFound => "there is no such host",
        ErrorCode::DnsTimeout | ErrorCode::ConnectionTimeout => "the connection took too long",
        ErrorCode::HttpResponseTimeout | ErrorCode::ConnectionReadTimeout => {
            "the server did not answer in time"
        }
        ErrorCode::ConnectionRefused => "the server refuses connections",
        ErrorCode::DestinationIpProhibited | ErrorCode::DestinationIpUnroutable => {
            "the address of the host may not be reached"
        }
        ErrorCode::TlsCertificateError | ErrorCode::TlsAlertReceived(_) => {
            "the server's certificate is not trusted"
        }
        other => return Fault::Unreachable(url.to_string(), format!("{other:?}")),
    };
    Fault::Unreachable(url.to_string(), reason.to_owned())
}
