//! The grants of methods that a cage does not enforce.

use tool_hub_manifest::{Grants, Methods, Origin};

/// The origins that `grants` binds to some methods, and that a caged program may use with any:
/// over TLS the proxy sees the host and the port, and not the requests. Whoever approves has to
/// be told. Over plain `http` methods are enforced, those in overriding headers included.
pub fn unenforced_methods(grants: &Grants) -> Vec<&Origin> {
    let bound = grants.network.iter().filter(|(origin, methods)| {
        origin.scheme() == "https" && matches!(methods, Methods::Only(_))
    });
    bound.map(|(origin, _)| origin).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_hold_over_plain_http_only() {
        let get = || Methods::Only(["GET".parse().unwrap()].into());
        let grants = Grants::none()
            .network("https://a.example".parse().unwrap(), get())
            .network("http://b.example".parse().unwrap(), get())
            .network("https://c.example".parse().unwrap(), Methods::Any);
        let names: Vec<String> = unenforced_methods(&grants)
            .into_iter()
            .map(Origin::to_string)
            .collect();
        assert_eq!(names, ["https://a.example"]);
    }
}
