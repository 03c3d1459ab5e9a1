//! The `Tunnel` that `CONNECT` opens to a granted origin.

use http::{Request, Uri};
use hyper::body::Incoming;
use hyper::upgrade::OnUpgrade;
use hyper_util::rt::TokioIo;
use tokio::io::copy_bidirectional;
use tokio::net::TcpStream;
use tool_hub_egress::{Resolver, dial, plain_origin};
use tool_hub_manifest::{Methods, Network, Origin};

use crate::proxy::refusal::Refusal;

/// A connection to a granted origin that waits for the program's to become one.
pub(super) struct Tunnel {
    upgrade: OnUpgrade,
    server: TcpStream,
}

/// Connects to the origin that `request` names.
pub(super) async fn open(
    network: &Network,
    resolver: &Resolver,
    request: Request<Incoming>,
) -> Result<Tunnel, Refusal> {
    let origin = wanted(network, request.uri())?;
    let dialled = dial(&origin, resolver).await;
    let server = dialled.map_err(|error| Refusal::Dial {
        origin: origin.to_string(),
        error,
    })?;
    Ok(Tunnel {
        upgrade: hyper::upgrade::on(request),
        server,
    })
}

/// The granted origin at the host and port of `uri`. What is sent to it is not seen, so an `http`
/// origin with some methods only cannot be tunnelled to.
fn wanted(network: &Network, uri: &Uri) -> Result<Origin, Refusal> {
    let authority = uri.authority().ok_or(Refusal::NotForProxy)?;
    if authority.port().is_none() {
        return Err(Refusal::Origin(authority.to_string()));
    }
    let at = |scheme: &str| {
        let uri = format!("{scheme}://{authority}/").parse::<Uri>().ok()?;
        plain_origin(&uri)?.parse::<Origin>().ok()
    };
    let (secure, plain) = (at("https"), at("http"));
    if secure.is_none() && plain.is_none() {
        return Err(Refusal::Origin(authority.to_string()));
    }
    if let Some(origin) = secure.filter(|origin| network.methods(origin).is_some()) {
        return Ok(origin);
    }
    match plain.as_ref().and_then(|origin| network.methods(origin)) {
        Some(Methods::Any) => plain.ok_or(Refusal::NotForProxy),
        Some(_) => Err(Refusal::Method {
            what: "CONNECT".into(),
            origin: format!("http://{authority}"),
        }),
        None => Err(Refusal::NotGranted(authority.to_string())),
    }
}

impl Tunnel {
    /// Carries bytes both ways until both have ended.
    pub(super) async fn carry(mut self) {
        if let Ok(upgraded) = self.upgrade.await {
            let mut client = TokioIo::new(upgraded);
            // That one of them leaves is not an error of anybody here.
            let _ = copy_bidirectional(&mut client, &mut self.server).await;
        }
    }
}
