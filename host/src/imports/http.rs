//! Sends guests' HTTP requests through one gate, which checks grants and enforces limits.
//! The gate compares the request's origin with what was granted, resolves the name once, drops
//! addresses that a public name must not lead to, and connects to one of those that are left.
//! Redirects are answers like any other: the guest may follow them, through the gate again.

mod body;
pub(crate) mod connect;
mod empty_body;
mod exchange;
mod masked_body;

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http_body::Frame;
use http_body_util::BodyExt;
use tokio::sync::Semaphore;
use tool_hub_egress::{Resolver, announces_body, may_have_body, overriding_methods, plain_origin};
use tool_hub_manifest::{Capabilities, Grants, Limits, Origin};
use tracing::Instrument as _;
use wasmtime_wasi_http::{Error, RequestOptions, WasiBody, WasiHttpHooks};

use crate::approval::denial::{Denial, ToolIdentity};
use crate::call::audit;
use crate::call::policy::Policy;
use crate::call::record::Record;
use crate::credential::{CredentialTarget, Credentials};
use crate::imports::http::body::BoundedBody;
use crate::imports::http::connect::Tls;
use crate::imports::http::masked_body::{MaskedBody, cover_headers};
use crate::recording::HttpRecorder;
use crate::secret::Secrets;

type Request = http::Request<WasiBody>;
type Driver = Box<dyn Future<Output = Result<(), Error>> + Send>;
type Response = (http::Response<WasiBody>, Driver);

/// The gate of one call.
pub(crate) struct Gate(Arc<Rules>);

struct Rules {
    tool: Arc<ToolIdentity>,
    granted: Arc<Grants>,
    asked: Arc<Capabilities>,
    in_flight: Arc<Semaphore>,
    record: Arc<Record>,
    resolver: Resolver,
    tls: Arc<Tls>,
    credentials: Arc<Credentials>,
    /// What stands in for the network, or listens, while a tool is tested.
    recorder: Option<Arc<dyn HttpRecorder>>,
}

impl Gate {
    pub(crate) fn new(policy: &Policy, record: Arc<Record>) -> Self {
        Self(Arc::new(Rules {
            tool: policy.tool.clone(),
            granted: policy.grants.clone(),
            asked: policy.asked.clone(),
            in_flight: Arc::new(Semaphore::new(record.limits.http_in_flight as usize)),
            record,
            resolver: Resolver::default(),
            tls: policy.tls.clone(),
            credentials: policy.credentials.clone(),
            recorder: policy.recorder.clone(),
        }))
    }
}

impl WasiHttpHooks for Gate {
    fn p3_outgoing_body_chunk_size(&mut self) -> usize {
        BODY_CHUNK_BYTES
    }

    fn send_request(
        &mut self,
        request: Request,
        options: Option<RequestOptions>,
        _transmitted: Driver,
    ) -> Box<dyn Future<Output = Result<Response, Error>> + Send> {
        let rules = self.0.clone();
        let sending = async move {
            rules
                .send_and_record(request, options.unwrap_or_default())
                .await
        };
        // It may be polled from a task of its own.
        Box::new(sending.in_current_span())
    }
}

impl Rules {
    /// Sends a request, and notes the limit that it or its answer's body reaches.
    async fn send_and_record(
        &self,
        request: Request,
        options: RequestOptions,
    ) -> Result<Response, Error> {
        let origin = self.admit(&request)?;
        let record = self.record.clone();
        let method = record.secrets.masked(request.method().as_str());
        let note = move |error: Error| {
            if let Some((limit, value)) = limit_of(&record.limits, &options, &error) {
                record.denials.note_limit(limit, value);
            }
            error
        };
        let request = self.without_body(&origin, request, &options).await?;
        let answered = match self.recorder.as_deref() {
            None => self.send(&origin, request, options).await,
            Some(recorder) => self.exchange(recorder, &origin, request, options).await,
        };
        let answered = answered.map_err(&note);
        let status = answered.as_ref().map(|(response, _)| response.status());
        audit::requested(&self.tool.name, &origin, &method, status);
        let (response, driver) = answered?;
        let response = response.map(|body| body.map_err(note).boxed_unsync());
        Ok((response, driver))
    }

    async fn send(
        &self,
        origin: &Origin,
        request: Request,
        options: RequestOptions,
    ) -> Result<Response, Error> {
        let record = &self.record;
        let permit = self
            .in_flight
            .clone()
            .try_acquire_owned()
            .map_err(|_| Error::ConnectionLimitReached)?;
        let times = Timeouts::new(&record.limits, &options);
        let connecting = connect::connect(origin, &self.resolver, &self.tls);
        let stream = match tokio::time::timeout(times.connect, connecting).await {
            Ok(Ok(stream)) => stream,
            Ok(Err(connect::ConnectError::Address)) => {
                record.denials.add(Denial::address(&self.tool, origin));
                return Err(Error::DestinationIpProhibited);
            }
            Ok(Err(connect::ConnectError::Failed(error))) => return Err(error),
            Err(_) => return Err(Error::ConnectionTimeout),
        };
        // The authority belongs into the request line only when speaking to a proxy.
        let path = request
            .uri()
            .path_and_query()
            .map_or("/", |path| path.as_str());
        let mut path = path.parse().map_err(|_| Error::HttpRequestUriInvalid)?;
        let sent = record.clone();
        let mut request = request.map(|body| {
            let count = move |bytes| sent.counts.http_sent_bytes.add(bytes);
            body.map_frame(counted(count)).boxed_unsync()
        });
        let target = CredentialTarget {
            headers: request.headers_mut(),
            path: &mut path,
        };
        let carried = self.credentials.put_into(origin, target).await;
        let carried = carried.map_err(|(name, unusable)| {
            let denial = Denial::credential(&self.tool, name, unusable);
            record.denials.add(denial);
            Error::ConfigurationError
        })?;
        *request.uri_mut() = path.into();
        let (mut sender, connection) = hyper::client::conn::http1::Builder::new()
            .max_buf_size(HEAD_BYTES_MAX)
            .handshake(stream)
            .await?;
        let driver = wasmtime_wasi::runtime::spawn(connection);
        record.counts.http_requests.add(1);
        let answered = tokio::time::timeout(times.first_byte, sender.send_request(request));
        let response = answered.await.map_err(|_| Error::ConnectionReadTimeout)??;
        let max = record.limits.http_response_bytes;
        let received = record.clone();
        let response = response.map(|incoming| {
            let body = BoundedBody::new(incoming, max, times.between_bytes, permit);
            let count = move |bytes| received.counts.http_received_bytes.add(bytes);
            body.map_frame(counted(count)).boxed_unsync()
        });
        let response = match carried {
            Some(secrets) => masked(response, &secrets),
            None => response,
        };
        let driver: Driver = Box::new(async move { driver.await.map_err(Error::from) });
        Ok((response, driver))
    }

    /// The origin of `request`, if it is granted with the request's method and with every method
    /// that a server may use instead, see [`overriding_methods`].
    fn admit(&self, request: &Request) -> Result<Origin, Error> {
        let (method, headers) = (request.method(), request.headers());
        // `CONNECT` asks a server to connect to another one, whose origin would be checked by
        // nobody.
        if method == http::Method::CONNECT {
            return Err(Error::HttpRequestMethodInvalid);
        }
        let text = plain_origin(request.uri()).ok_or(Error::HttpRequestUriInvalid)?;
        let origin = text.parse::<Origin>().ok();
        let granted = origin
            .as_ref()
            .and_then(|origin| self.granted.network.methods(origin));
        let own = std::iter::once(method.as_str().to_owned());
        let mut methods = own.chain(overriding_methods(headers));
        let refused = methods.find(|method| !granted.is_some_and(|methods| methods.allow(method)));
        if let Some(method) = refused {
            return Err(self.deny(&method, &text));
        }
        let may = granted.is_some_and(|granted| may_have_body(method.as_str(), granted));
        if !may && announces_body(headers) {
            return Err(self.deny(&format!("a body in {method}"), &text));
        }
        origin.ok_or(Error::HttpRequestUriInvalid)
    }

    /// Records that a request to `origin` was refused, because of its method or body.
    fn deny(&self, what: &str, origin: &str) -> Error {
        let secrets = &self.record.secrets;
        let (what, origin) = (secrets.masked(what), secrets.masked(origin));
        let (tool, asked) = (&self.tool, &self.asked);
        let denial = Denial::network(tool, &what, &origin, asked, &self.granted);
        self.record.denials.add(denial);
        Error::HttpRequestDenied
    }

    /// Checks that `request` has no body if it may have none.
    async fn without_body(
        &self,
        origin: &Origin,
        request: Request,
        options: &RequestOptions,
    ) -> Result<Request, Error> {
        let method = request.method().clone();
        let granted = self.granted.network.methods(origin);
        if granted.is_some_and(|granted| may_have_body(method.as_str(), granted)) {
            return Ok(request);
        }
        let timeout = Timeouts::new(&self.record.limits, options).between_bytes;
        let (head, body) = request.into_parts();
        match empty_body::expect_empty(body, timeout).await? {
            Some(nothing) => Ok(Request::from_parts(head, nothing)),
            None => Err(self.deny(&format!("a body in {method}"), &origin.to_string())),
        }
    }
}

/// `response` with asterisks in place of `secrets`, which its request carried.
fn masked(mut response: http::Response<WasiBody>, secrets: &Secrets) -> http::Response<WasiBody> {
    cover_headers(response.headers_mut(), secrets);
    response.map(|body| MaskedBody::new(body, secrets.clone()).boxed_unsync())
}

/// Counts what goes by.
fn counted(count: impl Fn(u64)) -> impl FnMut(Frame<Bytes>) -> Frame<Bytes> {
    move |frame| {
        if let Some(data) = frame.data_ref() {
            count(data.len() as u64);
        }
        frame
    }
}

/// The limit that `error` comes of, unless the guest had asked for less itself.
fn limit_of(
    limits: &Limits,
    options: &RequestOptions,
    error: &Error,
) -> Option<(&'static str, u64)> {
    let ours = |asked: Option<Duration>, limit, max_ms| {
        let shorter = asked.is_some_and(|asked| asked < Duration::from_millis(max_ms));
        (!shorter).then_some((limit, max_ms))
    };
    match error {
        Error::ConnectionLimitReached => Some(("http_in_flight", limits.http_in_flight.into())),
        Error::HttpResponseBodySize(_) => Some(("http_response_bytes", limits.http_response_bytes)),
        Error::ConnectionTimeout => ours(
            options.connect_timeout,
            "http_connect_ms",
            limits.http_connect_ms,
        ),
        Error::ConnectionReadTimeout => {
            let asked = [options.first_byte_timeout, options.between_bytes_timeout];
            let asked = asked.into_iter().flatten().min();
            ours(asked, "http_first_byte_ms", limits.http_first_byte_ms)
        }
        _ => None,
    }
}

/// The part of a body of WASI 0.3 that the host holds until it is sent.
const BODY_CHUNK_BYTES: usize = 64 << 10;

/// The largest head of a response.
const HEAD_BYTES_MAX: usize = 64 << 10;

/// The times that hold for one request: the guest's own where they are shorter.
struct Timeouts {
    connect: Duration,
    first_byte: Duration,
    between_bytes: Duration,
}

impl Timeouts {
    fn new(limits: &Limits, options: &RequestOptions) -> Self {
        let shorter = |asked: Option<Duration>, max_ms: u64| {
            let max = Duration::from_millis(max_ms);
            asked.map_or(max, |asked| asked.min(max))
        };
        Self {
            connect: shorter(options.connect_timeout, limits.http_connect_ms),
            first_byte: shorter(options.first_byte_timeout, limits.http_first_byte_ms),
            between_bytes: shorter(options.between_bytes_timeout, limits.http_first_byte_ms),
        }
    }
}

#[cfg(test)]
mod tests;
