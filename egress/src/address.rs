//! Tells public internet addresses from private ones and from this machine's own.
//! Names of granted origins must not lead to those.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, UdpSocket};

/// True if `address` belongs to the public internet. A name that leads anywhere else leads
/// into the network of whoever runs the host.
pub(crate) fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

/// True if `address` is one of this machine's. It may be a public one, but the services that
/// listen there are often meant for this machine alone. The check binds a socket, which works for
/// own addresses only; nothing is sent. Public addresses that a router translates (NAT) are the
/// router's, and are not detected here.
pub(crate) fn is_own(address: IpAddr) -> bool {
    let binds = |address: IpAddr| UdpSocket::bind((address, 0)).is_ok();
    let (anybody, nobody): (IpAddr, IpAddr) = match address {
        IpAddr::V4(_) => (Ipv4Addr::UNSPECIFIED.into(), NOBODY_V4.into()),
        IpAddr::V6(_) => (Ipv6Addr::UNSPECIFIED.into(), NOBODY_V6.into()),
    };
    if !binds(address) {
        return false;
    }
    if !binds(nobody) {
        return true;
    }
    // This system can bind to any address (`ip_nonlocal_bind`). An own address is reached from
    // that same address.
    let reached_from = || {
        let socket = UdpSocket::bind((anybody, 0))?;
        socket.connect((address, 9))?;
        socket.local_addr()
    };
    reached_from().is_ok_and(|from| from.ip() == address)
}

/// Addresses reserved for documentation, which no machine has.
const NOBODY_V4: Ipv4Addr = Ipv4Addr::new(192, 0, 2, 1);
const NOBODY_V6: Ipv6Addr = Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 1);

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    !(address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_broadcast()
        || address.is_multicast()
        || address.is_documentation()
        || a == 0
        // Shared by providers (RFC 6598), for protocols (RFC 6890), for measurements
        // (RFC 2544), and reserved.
        || (a == 100 && (64..128).contains(&b))
        || (a == 192 && b == 0 && c == 0)
        || (a == 192 && b == 88 && c == 99)
        || (a == 198 && (18..20).contains(&b))
        || a >= 240)
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    if let Some(inner) = embedded_v4(address) {
        return is_public_v4(inner);
    }
    // Only 2000::/3 is handed out to the public internet.
    let [first, second, ..] = address.segments();
    (first & 0xe000) == 0x2000
        // Documentation (RFC 3849, RFC 9637), Teredo, ORCHID and the other protocol
        // assignments in 2001::/23, segment routing.
        && !(first == 0x2001 && (second == 0x0db8 || second < 0x0200))
        && !(first == 0x3fff && second < 0x1000)
        && first != 0x5f00
}

/// The IPv4 address that an IPv6 address stands for, by any of the ways to write one.
fn embedded_v4(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let last = |high: u16, low: u16| {
        let [a, b] = high.to_be_bytes();
        let [c, d] = low.to_be_bytes();
        Ipv4Addr::new(a, b, c, d)
    };
    match address.segments() {
        // Mapped, compatible, translated (SIIT), NAT64 and its local variant, 6to4.
        [0, 0, 0, 0, 0, 0xffff, high, low] => Some(last(high, low)),
        [0, 0, 0, 0, 0, 0, high, low] => Some(last(high, low)),
        [0, 0, 0, 0, 0xffff, 0, high, low] => Some(last(high, low)),
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] => Some(last(high, low)),
        [0x64, 0xff9b, 1, _, _, _, high, low] => Some(last(high, low)),
        [0x2002, high, low, ..] => Some(last(high, low)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(addresses: &[&str], expect: bool) {
        for address in addresses {
            assert_eq!(is_public(address.parse().unwrap()), expect, "{address}");
        }
    }

    #[test]
    fn private_addresses_in_every_disguise() {
        check(
            &[
                "0.0.0.0",
                "10.0.0.1",
                "100.64.0.1",
                "100.127.255.255",
                "127.0.0.1",
                "127.255.255.254",
                "169.254.169.254",
                "172.16.0.1",
                "192.0.0.8",
                "192.0.2.1",
                "192.168.1.1",
                "198.18.0.1",
                "203.0.113.9",
                "224.0.0.1",
                "240.0.0.1",
                "255.255.255.255",
                "::",
                "::1",
                "::127.0.0.1",
                "::ffff:127.0.0.1",
                "::ffff:169.254.169.254",
                "::ffff:0:10.0.0.1",
                "64:ff9b::7f00:1",
                "64:ff9b:1::a00:1",
                "2002:7f00:1::",
                "2002:a9fe:a9fe::1",
                "2001::1",
                "2001:db8::1",
                "3fff::1",
                "fc00::1",
                "fd12:3456::1",
                "fe80::1",
                "fec0::1",
                "ff02::1",
            ],
            false,
        );
    }

    #[test]
    fn the_machine_knows_its_own_addresses() {
        for (address, expect) in [
            ("127.0.0.1", true),
            ("127.9.9.9", true),
            ("192.0.2.1", false),
            ("93.184.216.34", false),
            ("2606:4700::1111", false),
        ] {
            assert_eq!(is_own(address.parse().unwrap()), expect, "{address}");
        }
        // The address from which this machine reaches the internet, if it does.
        let socket = UdpSocket::bind("0.0.0.0:0").unwrap();
        if socket.connect("93.184.216.34:9").is_ok() {
            assert!(is_own(socket.local_addr().unwrap().ip()));
        }
    }

    #[test]
    fn public_addresses() {
        check(
            &[
                "1.1.1.1",
                "8.8.8.8",
                "100.63.255.255",
                "100.128.0.1",
                "172.15.0.1",
                "172.32.0.1",
                "192.167.0.1",
                "2606:4700::1111",
                "2a00:1450:4001::1",
                "64:ff9b::808:808",
                "::ffff:8.8.8.8",
            ],
            true,
        );
    }
}
