//! Connects to a granted origin by the rules of `tool-hub-egress`, and encrypts.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll};

use rustls::pki_types::ServerName;
use rustls_platform_verifier::BuilderVerifierExt;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tool_hub_egress::{DialError, Resolver, bare_host, dial};
use tool_hub_manifest::Origin;
use wasmtime_wasi_http::Error;
use wasmtime_wasi_http::io::TokioIo;

/// The reason why there is no connection.
pub(crate) enum ConnectError {
    /// All addresses of the name are private or this machine's own.
    Address,
    /// The attempt failed.
    Failed(Error),
}

impl From<DialError> for ConnectError {
    fn from(error: DialError) -> Self {
        Self::Failed(match error {
            DialError::Address => return Self::Address,
            DialError::LookUp(error) => Error::DnsError {
                rcode: Some(error.to_string()),
                info_code: None,
            },
            DialError::Connect(error) => Error::Connect(error),
            // No address at all.
            _ => Error::DestinationNotFound,
        })
    }
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

/// Connects to `origin`, whose grant the caller has checked.
pub(crate) async fn connect(
    origin: &Origin,
    resolver: &Resolver,
    tls: &Tls,
) -> Result<TokioIo<Stream>, ConnectError> {
    let stream = dial(origin, resolver).await?;
    Ok(TokioIo::new(secure(origin, stream, tls).await?))
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
