//! Dials a granted origin: looks its name up once and drops the addresses it must not lead to.

use std::io;
use std::net::{IpAddr, SocketAddr};

use tokio::net::TcpStream;
use tool_hub_manifest::Origin;

use crate::address::{is_own, is_public};

/// At most so many of a name's addresses are tried.
const ADDRESSES_TRIED_MAX: usize = 4;

/// There is no connection.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DialError {
    /// All addresses of the name are private or this machine's own.
    #[error("the name leads to private addresses or to this machine only")]
    Address,
    /// The name has no address.
    #[error("the name has no address")]
    NotFound,
    /// The name could not be looked up.
    #[error("the name could not be looked up")]
    LookUp(#[source] io::Error),
    /// No address took the connection. This is what the last one answered.
    #[error("no address of it takes a connection")]
    Connect(#[source] io::Error),
}

/// Looks names up.
#[derive(Debug, Default)]
#[non_exhaustive]
pub enum Resolver {
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

/// A connection to the first address of `origin` that takes one.
///
/// # Errors
/// The name has no address, none that it may lead to, or none that takes a connection.
pub async fn dial(origin: &Origin, resolver: &Resolver) -> Result<TcpStream, DialError> {
    let mut failed = DialError::NotFound;
    for address in resolve(bare_host(origin), origin.port(), resolver).await? {
        match TcpStream::connect(address).await {
            Ok(stream) => {
                let _ = stream.set_nodelay(true);
                return Ok(stream);
            }
            Err(error) => failed = DialError::Connect(error),
        }
    }
    Err(failed)
}

/// The addresses of `origin` that may be connected to, looked up once, for a client that connects
/// by itself.
///
/// # Errors
/// As [`dial`], without [`DialError::Connect`].
pub async fn addresses(origin: &Origin, resolver: &Resolver) -> Result<Vec<SocketAddr>, DialError> {
    resolve(bare_host(origin), origin.port(), resolver).await
}

/// The host of `origin` without the brackets of an IPv6 address.
pub fn bare_host(origin: &Origin) -> &str {
    origin.host().trim_start_matches('[').trim_end_matches(']')
}

/// The addresses of `host` that may be connected to. They are resolved once: what was
/// checked is what is connected to, whatever the name says a moment later.
async fn resolve(host: &str, port: u16, resolver: &Resolver) -> Result<Vec<SocketAddr>, DialError> {
    // An origin that names an address was granted as that address.
    if let Ok(address) = host.parse::<IpAddr>() {
        return Ok(vec![SocketAddr::new(address, port)]);
    }
    let found = resolver.look_up(host, port).await;
    let found = found.map_err(DialError::LookUp)?;
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
            DialError::NotFound
        } else {
            DialError::Address
        });
    }
    allowed.truncate(ADDRESSES_TRIED_MAX);
    Ok(allowed)
}

#[cfg(test)]
mod tests;
