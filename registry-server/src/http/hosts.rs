//! Checks the `Host` of a request against the host names of the registry.
//!
//! A web page can make its own domain resolve to a registry on the reader's machine (DNS
//! rebinding); the browser then treats its requests as same-origin. Their `Host` is the page's
//! domain, so a registry only answers requests for its own names.

use std::net::IpAddr;

use url::Host;

/// The host names that requests may use.
#[derive(Debug, Clone)]
pub(crate) struct Hosts {
    /// The names that the operator configured.
    named: Vec<Host>,
    /// True if any address is accepted. The `Host` of a rebinding page is always a domain name.
    addresses: bool,
}

impl Hosts {
    /// The names of a registry that listens on this address. On a loopback address it is for this
    /// machine only.
    pub(crate) fn new(named: Vec<Host>, listens_at: IpAddr) -> Self {
        Self {
            named,
            addresses: !listens_at.is_loopback(),
        }
    }

    /// True if `host`, which has no port, is a name of the registry.
    pub(crate) fn has(&self, host: &str) -> bool {
        // The parser decodes percent signs, but links are made from the original text.
        let host = match Host::parse(host) {
            Ok(parsed) if !host.contains('%') => parsed,
            _ => return false,
        };
        let own = match &host {
            Host::Domain(name) => name == "localhost",
            Host::Ipv4(address) => self.addresses || address.is_loopback(),
            Host::Ipv6(address) => self.addresses || address.to_canonical().is_loopback(),
        };
        own || self.named.contains(&host)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(listens_at: &str, hosts: &[&str], expect: bool) {
        let named = ["tools.example", "192.0.2.7", "[2001:db8::1]"];
        let named = named.map(|name| Host::parse(name).unwrap()).to_vec();
        let own = Hosts::new(named, listens_at.parse().unwrap());
        for host in hosts {
            assert_eq!(own.has(host), expect, "{host} at {listens_at}");
        }
    }

    #[test]
    fn a_registry_has_its_own_names_only() {
        let own = [
            "localhost",
            "LOCALHOST",
            "127.0.0.1",
            "[::1]",
            "tools.example",
            "Tools.Example",
            "192.0.2.7",
            "[2001:db8::1]",
        ];
        let foreign = [
            "",
            "evil.example",
            "localhost.evil.example",
            "evil.localhost",
            "127.0.0.1.evil.example",
            "tools.example.evil",
            "%6c%6f%63alhost",
            "local host",
        ];
        for listens_at in ["127.0.0.1", "::1", "0.0.0.0", "10.0.0.1"] {
            check(listens_at, &own, true);
            check(listens_at, &foreign, false);
        }
        let addresses = ["10.0.0.1", "[fe80::1]", "198.51.100.1"];
        check("127.0.0.1", &addresses, false);
        check("0.0.0.0", &addresses, true);
        check("::", &addresses, true);
    }
}
