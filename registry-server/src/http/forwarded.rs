//! Finds the client's address behind trusted proxies, in `X-Forwarded-For`.

use std::net::IpAddr;

use http::{HeaderMap, HeaderName};
use ipnet::IpNet;

/// Each proxy appends the address of whoever it was asked by.
const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// The address that is nearest to this server and not that of a trusted proxy.
///
/// What stands to the left of it was written by somebody who is not trusted, and could be anything.
pub(crate) fn client_address(peer: IpAddr, headers: &HeaderMap, trusted: &[IpNet]) -> IpAddr {
    let mut address = peer.to_canonical();
    let mut farther = headers
        .get_all(FORWARDED_FOR)
        .into_iter()
        .flat_map(|line| line.to_str().unwrap_or_default().split(','))
        .rev();
    while trusted.iter().any(|network| network.contains(&address)) {
        match farther.next().and_then(parse) {
            Some(next) => address = next,
            None => break,
        }
    }
    address
}

/// Some proxies add the port.
fn parse(text: &str) -> Option<IpAddr> {
    let text = text.trim();
    let address = text.parse().or_else(|_| {
        text.parse()
            .map(|address: std::net::SocketAddr| address.ip())
    });
    Some(address.ok()?.to_canonical())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(peer: &str, lines: &[&str], expect: &str) {
        let trusted = ["10.0.0.0/8", "2001:db8::/32"].map(|network| network.parse().unwrap());
        let headers = lines
            .iter()
            .map(|line| (FORWARDED_FOR, line.parse().unwrap()))
            .collect();
        let address = client_address(peer.parse().unwrap(), &headers, &trusted);
        assert_eq!(address.to_string(), expect, "{peer} {lines:?}");
    }

    #[test]
    fn only_what_trusted_proxies_wrote_counts() {
        check("192.0.2.9", &[], "192.0.2.9");
        check("192.0.2.9", &["198.51.100.1"], "192.0.2.9");
        check("10.0.0.1", &["198.51.100.1"], "198.51.100.1");
        check("::ffff:10.0.0.1", &["198.51.100.1:4711"], "198.51.100.1");
        check("10.0.0.1", &["8.8.8.8, 198.51.100.1"], "198.51.100.1");
        check(
            "10.0.0.1",
            &["8.8.8.8", "198.51.100.1, 10.0.0.2"],
            "198.51.100.1",
        );
        check("2001:db8::1", &["[2001:4860::8]:443"], "2001:4860::8");
    }

    #[test]
    fn a_proxy_that_names_nobody_is_counted_itself() {
        check("10.0.0.1", &[], "10.0.0.1");
        check("10.0.0.1", &["unknown"], "10.0.0.1");
        check("10.0.0.1", &["198.51.100.1, _hidden"], "10.0.0.1");
        check("10.0.0.1", &["10.0.0.3, 10.0.0.2"], "10.0.0.3");
    }
}
