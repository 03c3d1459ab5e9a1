//! The access to an HTTP server: its callers, its own host names and the origins allowed to ask.
//! Each is checked when it is added; requests are held against them in `guard.rs`.

use std::net::IpAddr;

use axum::http::uri::Authority;

use super::access_error::AccessError;
use super::caller::Caller;

/// The callers, hosts and origins that a server answers. At first there are none, except that this
/// machine's own names are always among the hosts.
#[derive(Debug, Clone)]
pub struct Access {
    pub(super) callers: Vec<Caller>,
    pub(super) hosts: Vec<String>,
    pub(super) origins: Vec<String>,
}

impl Access {
    /// For clients on this machine, and none of them yet.
    pub fn none() -> Self {
        let hosts = ["localhost", "127.0.0.1", "[::1]"];
        Self {
            callers: Vec::new(),
            hosts: hosts.map(str::to_owned).to_vec(),
            origins: Vec::new(),
        }
    }

    /// Lets `caller` use the server.
    ///
    /// # Errors
    /// When another one has its name or its token.
    pub fn with_caller(mut self, caller: Caller) -> Result<Self, AccessError> {
        for known in &self.callers {
            if known.name == caller.name {
                return Err(AccessError::CallerTwice {
                    name: caller.name.to_string(),
                });
            }
            if known.token == caller.token {
                return Err(AccessError::TokenTwice {
                    one: known.name.to_string(),
                    other: caller.name.to_string(),
                });
            }
        }
        self.callers.push(caller);
        Ok(self)
    }

    /// Requests may name `host` in their header `Host`, with any port.
    ///
    /// # Errors
    /// When it is neither a name nor an address. `*` and other patterns are none: the list of hosts
    /// is what stops pages that rebind a name of theirs to this machine.
    pub fn with_host(mut self, host: &str) -> Result<Self, AccessError> {
        if host.contains('*') {
            return Err(AccessError::HostPattern {
                host: host.to_owned(),
            });
        }
        let bracketed = match host.parse::<IpAddr>() {
            Ok(IpAddr::V6(address)) => format!("[{address}]"),
            _ => host.to_owned(),
        };
        match host_of(&bracketed) {
            Some(name) if name.len() == bracketed.len() => self.hosts.push(name),
            _ => {
                return Err(AccessError::Host {
                    host: host.to_owned(),
                });
            }
        }
        Ok(self)
    }

    /// Lets pages of exactly `origin` use the server.
    ///
    /// # Errors
    /// When it is no origin.
    pub fn with_origin(mut self, origin: &str) -> Result<Self, AccessError> {
        let is_origin = origin
            .split_once("://")
            .is_some_and(|(scheme, host)| !scheme.is_empty() && host_of(host).is_some());
        if !is_origin {
            return Err(AccessError::Origin {
                origin: origin.to_owned(),
            });
        }
        self.origins.push(origin.to_ascii_lowercase());
        Ok(self)
    }
}

/// The host of `authority`, in lower case, without the port.
pub(super) fn host_of(authority: &str) -> Option<String> {
    let authority: Authority = authority.parse().ok()?;
    let has_user = authority.as_str().contains('@');
    (!has_user && !authority.host().is_empty()).then(|| authority.host().to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::super::caller::tests::caller;
    use super::*;

    const TOKEN: &str = "0123456789abcdef";

    #[test]
    fn what_grants_nothing_is_refused() {
        let access = Access::none;
        for host in [
            "",
            "a b",
            "user@host",
            "host:80",
            "http://host",
            "host/path",
            "*",
            "*.example",
        ] {
            assert!(access().with_host(host).is_err(), "{host}");
        }
        for origin in ["", "app.example", "https://", "https://a b", "*"] {
            assert!(access().with_origin(origin).is_err(), "{origin}");
        }
        let ann = access().with_caller(caller("ann", TOKEN)).unwrap();
        let refused = |other| ann.clone().with_caller(other).unwrap_err().to_string();
        assert_eq!(
            refused(caller("ann", "another-token-of-hers")),
            "two callers are called `ann`"
        );
        assert_eq!(
            refused(caller("bob", TOKEN)),
            "`ann` and `bob` have the same token"
        );
    }
}
