//! The names by which a registry is reached.
//!
//! A page of a stranger can have its own name lead to a registry on the reader's machine (DNS
//! rebinding), and then its requests are of the same origin for the browser. Their `Host` is the
//! page's name, so a registry answers only to its own.

use std::net::IpAddr;

use url::Host;

/// Which hosts requests may name.
#[derive(Debug, Clone)]
pub(crate) struct Hosts {
    /// What the operator calls the registry.
    named: Vec<Host>,
    /// Whether every address will do: no name leads to one, so none comes from such a page.
    addresses: bool,
}

impl Hosts {
    /// For a registry that listens at an address: a loopback one is for this machine.
    pub(crate) fn new(named: Vec<Host>, listens_at: IpAddr) -> Self {
        Self {
            named,
            addresses: !listens_at.is_loopback(),
        }
    }

    /// Whether this is a name of the registry; without a port.
    pub(crate) fn has(&self, host: &str) -> bool {
        // The parser decodes percent signs, and what is sent back in links is the text as it came.
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
