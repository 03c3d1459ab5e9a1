//! Reads the methods that a request's headers name, and decides if the request may have a body.
//! Some servers take the method from a header instead of the request line, so a grant of methods is
//! checked against both. It is also up to servers what they make of a body where the method has
//! none, so such a body needs a grant that includes a method with a body. Other places from which
//! servers may take a method, such as a form's `_method` field, are not checked.

use http::{HeaderMap, header};
use tool_hub_manifest::Methods;

/// The headers from which web frameworks take the method.
const OVERRIDES: [&str; 3] = [
    "x-http-method-override",
    "x-method-override",
    "x-http-method",
];
/// The safe methods (RFC 9110), whose bodies have no defined meaning.
const SAFE: [&str; 4] = ["GET", "HEAD", "OPTIONS", "TRACE"];

/// The methods in the override headers, as servers read them.
pub fn overriding_methods(headers: &HeaderMap) -> impl Iterator<Item = String> {
    let values = OVERRIDES.iter().flat_map(|name| headers.get_all(*name));
    let methods = values.flat_map(|value| {
        let value = String::from_utf8_lossy(value.as_bytes()).to_ascii_uppercase();
        let methods = value.split(',').map(|method| method.trim().to_owned());
        methods.collect::<Vec<_>>()
    });
    methods.filter(|method| !method.is_empty())
}

/// True if a request with `method` may have a body, under the methods `granted` to its origin.
pub fn may_have_body(method: &str, granted: &Methods) -> bool {
    let carries = |method: &str| !SAFE.contains(&method) && method != "DELETE";
    !SAFE.contains(&method)
        || match granted {
            Methods::Any => true,
            Methods::Only(methods) => methods.iter().any(|method| carries(method.as_str())),
        }
}

/// True if the headers announce a body that is not empty.
pub fn announces_body(headers: &HeaderMap) -> bool {
    let lengths = headers.get_all(header::CONTENT_LENGTH);
    let mut announced = lengths.iter().filter(|length| length.as_bytes() != b"0");
    announced.next().is_some() || headers.contains_key(header::TRANSFER_ENCODING)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_find_methods_in_headers() {
        let mut headers = HeaderMap::new();
        headers.append("X-HTTP-Method-Override", "delete".parse().unwrap());
        headers.append("x-http-method-override", "GET, put ,".parse().unwrap());
        headers.append("X-Method-Override", "PATCH".parse().unwrap());
        headers.append("X-HTTP-Method", "MERGE".parse().unwrap());
        headers.append("X-Method", "POST".parse().unwrap());
        let found: Vec<String> = overriding_methods(&headers).collect();
        assert_eq!(found, ["DELETE", "GET", "PUT", "PATCH", "MERGE"]);
    }

    #[test]
    fn a_body_needs_a_method_that_carries_one() {
        let only = |methods: &[&str]| {
            Methods::Only(
                methods
                    .iter()
                    .map(|method| method.parse().unwrap())
                    .collect(),
            )
        };
        for (method, granted, expect) in [
            ("GET", only(&["GET"]), false),
            ("HEAD", only(&["GET", "HEAD", "DELETE"]), false),
            ("GET", only(&["GET", "POST"]), true),
            ("GET", only(&["GET", "REPORT"]), true),
            ("GET", Methods::Any, true),
            ("DELETE", only(&["DELETE"]), true),
            ("POST", only(&["POST"]), true),
        ] {
            assert_eq!(
                may_have_body(method, &granted),
                expect,
                "{method}, {granted}"
            );
        }
    }
}
