//! Connects to a granted origin: resolves its name once, drops forbidden addresses, encrypts.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll};

use rustls::pki_types::ServerName;
use rustls_platform_verifier::BuilderVerifierExt;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tool_hub_manifest::Origin;
use wasmtime_wasi_http::Error;
use wasmtime_wasi_http::io::TokioIo;

use crate::imports::http::address::{is_own, is_public};

/// At most so many of a name's addresses are tried.
const ADDRESSES_TRIED_MAX: usize = 4;

/// The reason why there is no connection.
pub(crate) enum ConnectError {
    /// All addresses of the name are private or this machine's own.
    Address,
    /// The attempt failed.
    Failed(Error),
}

impl From<Error> for ConnectError {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

/// TLS with the system's own roots, set up when it is first needed.
#[derive(Default)]
pub(crate) struct Tls(OnceLock<Option<Arc<rustls::ClientConfig>>>);

impl Tls {
    fn config(&self) -> Option<Arc<rustls::ClientConfig>> {
        self.0.get_or_init(|| build().ok().map(Arc::new)).clone()
    }
}

fn build() -> Result<rustls::ClientConfig, rustls::Error> {
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let mut config = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_platform_verifier()?
        .with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(config)
}

/// Looks names up.
#[derive(Debug, Default)]
pub(crate) enum Resolver {
    /// At the system's resolver.
    #[default]
    System,
    /// Answers from a list, one for each lookup, and the addresses of this machine.
    #[cfg(test)]
    Listed(
        std::sync::Mutex<std::collections::VecDeque<Vec<SocketAddr>>>,
        Vec<IpAddr>,
    ),
}

impl Resolver {
    async fn look_up(&self, host: &str, port: u16) -> io::Result<Vec<SocketAddr>> {
        match self {
            Self::System => Ok(tokio::net::lookup_host((host, port)).await?.collect()),
            #[cfg(test)]
            Self::Listed(answers, _) => {
                let mut answers = answers.lock().unwrap();
                answers
                    .pop_front()
                    .ok_or_else(|| io::Error::other("asked too often"))
            }
        }
    }

    fn leads_out_to(&self, address: IpAddr) -> bool {
        let is_own = match self {
            Self::System => is_own(address),
            #[cfg(test)]
            Self::Listed(_, own) => own.contains(&address),
        };
        is_public(address) && !is_own
    }
}

/// Connects to `origin`, whose grant the caller has checked.
pub(crate) async fn connect(
    origin: &Origin,
    resolver: &Resolver,
    tls: &Tls,
) -> Result<TokioIo<Stream>, ConnectError> {
    let stream = dial(origin, resolver).await?;
    Ok(TokioIo::new(secure(origin, stream, tls).await?))
}

/// A connection to the first address of `origin` that takes one.
async fn dial(origin: &Origin, resolver: &Resolver) -> Result<TcpStream, ConnectError> {
    let mut failed = Error::DestinationNotFound;
    for address in resolve(bare_host(origin), origin.port(), resolver).await? {
        match TcpStream::connect(address).await {
            Ok(stream) => {
                let _ = stream.set_nodelay(true);
                return Ok(stream);
            }
            Err(error) => failed = Error::Connect(error),
        }
    }
    Err(failed.into())
}

fn bare_host(origin: &Origin) -> &str {
    origin.host().trim_start_matches('[').trim_end_matches(']')
}

/// The addresses of `host` that may be connected to. They are resolved once: what was
/// checked is what is connected to, whatever the name says a moment later.
async fn resolve(
    host: &str,
    port: u16,
    resolver: &Resolver,
) -> Result<Vec<SocketAddr>, ConnectError> {
    // An origin that names an address was granted as that address.
    if let Ok(address) = host.parse::<IpAddr>() {
        return Ok(vec![SocketAddr::new(address, port)]);
    }
    let found = resolver.look_up(host, port).await;
    let found = found.map_err(|error| Error::DnsError {
        rcode: Some(error.to_string()),
        info_code: None,
    })?;
    let mut allowed: Vec<SocketAddr> = match host {
        "localhost" => found
            .iter()
            .filter(|a| a.ip().is_loopback())
            .copied()
            .collect(),
        _ => found
            .iter()
            .filter(|a| resolver.leads_out_to(a.ip()))
            .copied()
            .collect(),
    };
    if allowed.is_empty() {
        return Err(if found.is_empty() {
            Error::DestinationNotFound.into()
        } else {
            ConnectError::Address
        });
    }
    allowed.truncate(ADDRESSES_TRIED_MAX);
    Ok(allowed)
}

async fn secure(origin: &Origin, stream: TcpStream, tls: &Tls) -> Result<Stream, Error> {
    if origin.scheme() == "http" {
        return Ok(Stream::Plain(stream));
    }
    let config = tls.config().ok_or(Error::ConfigurationError)?;
    let name = ServerName::try_from(bare_host(origin).to_owned())
        .map_err(|_| Error::HttpRequestUriInvalid)?;
    let secured = TlsConnector::from(config).connect(name, stream).await;
    secured
        .map(|stream| Stream::Tls(Box::new(stream)))
        .map_err(Error::Tls)
}

/// A connection, encrypted or not.
pub(crate) enum Stream {
    Plain(TcpStream),
    Tls(Box<TlsStream<TcpStream>>),
}

impl AsyncRead for Stream {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_read(context, buffer),
            Self::Tls(stream) => Pin::new(stream).poll_read(context, buffer),
        }
    }
}

impl AsyncWrite for Stream {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_write(context, bytes),
            Self::Tls(stream) => Pin::new(stream).poll_write(context, bytes),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_flush(context),
            Self::Tls(stream) => Pin::new(stream).poll_flush(context),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_shutdown(context),
            Self::Tls(stream) => Pin::new(stream).poll_shutdown(context),
        }
    }
}

#[cfg(test)]
mod tests;
