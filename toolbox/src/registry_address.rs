//! The one form of a registry's URL by which files of the user's know it.

use url::Url;

/// The URL without what names no other registry: slashes that end its path or follow another, a dot
/// that ends its host, and what no endpoint has. A bundle or a toolbox of a stranger's may have it
/// in any form.
pub(crate) fn canonical(endpoint: &Url) -> Url {
    let mut url = endpoint.clone();
    let segments = endpoint.path().split('/').filter(|it| !it.is_empty());
    url.set_path(&segments.collect::<Vec<_>>().join("/"));
    if let Some(host) = endpoint.host_str() {
        // Fails only where nothing is left of it.
        let _ = url.set_host(Some(host.trim_end_matches('.')));
    }
    url.set_query(None);
    url.set_fragment(None);
    // Both fail only for URLs that cannot hold credentials.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url
}

/// True if two URLs name one registry.
pub fn is_same(one: &Url, other: &Url) -> bool {
    canonical(one) == canonical(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(url: &str, expect: &str) {
        let canonical = canonical(&url.parse().unwrap());
        assert_eq!(canonical.as_str(), expect);
        assert!(is_same(&canonical, &url.parse().unwrap()));
    }

    #[test]
    fn one_registry_has_one_address() {
        check("https://tools.example", "https://tools.example/");
        check("https://TOOLS.example:443//", "https://tools.example/");
        check("https://tools.example.", "https://tools.example/");
        check("http://127.0.0.1:80", "http://127.0.0.1/");
        check("http://[::1]:8080/", "http://[::1]:8080/");
        check("https://tools.example/hub/", "https://tools.example/hub");
        check("https://tools.example//hub//", "https://tools.example/hub");
        check("https://a:b@tools.example/?c#d", "https://tools.example/");
    }
}
