//! Tells whether a URL leads to this machine, so that what is sent there crosses no network.

use url::{Host, Url};

/// True if the host of `url` is `localhost` or a loopback address.
pub fn is_this_machine(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_only_look_near_are_far() {
        for (url, expect) in [
            ("http://localhost:8080/", true),
            ("http://127.0.0.1/", true),
            ("http://127.8.9.1/", true),
            ("http://[::1]:1/", true),
            ("http://localhost.example.com/", false),
            ("http://127.0.0.1.example.com/", false),
            ("http://0.0.0.0/", false),
            ("http://10.0.0.1/", false),
            ("file:///etc", false),
        ] {
            assert_eq!(is_this_machine(&url.parse().unwrap()), expect, "{url}");
        }
    }
}
