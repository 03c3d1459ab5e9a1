//! Tests of a hostile tool's network access: only granted origins, and only with granted methods.

use std::io::Write as _;
use std::net::IpAddr;

use serde_json::json;
use tool_hub_host::{FailureKind, Outcome};
use tool_hub_manifest::{Methods, Origin};

use super::canary::{OK, Server, has};
use super::either_wasi::with_either_wasi;
use super::http_guest::{Request, RequestResult, granted, send};

with_either_wasi! {
    what_is_granted_is_reached
    no_spelling_of_an_address_reaches_what_is_not_granted
    no_path_changes_the_host
    an_empty_list_allows_nothing
    only_granted_methods_are_sent
    a_denied_method_is_named_with_the_grant_that_allows_it
    redirects_are_followed_by_nobody
}

fn only(methods: &[&str]) -> Methods {
    Methods::Only(
        methods
            .iter()
            .map(|method| method.parse().unwrap())
            .collect(),
    )
}

async fn what_is_granted_is_reached() {
    let server = Server::answering(OK);
    let tool = granted(&[server.origin()], &Methods::Any).await;
    let authority = format!("127.0.0.1:{}", server.port());
    let result = send(&tool, Request::get("http", &authority)).await;
    assert_eq!(
        (result, server.hits()),
        (RequestResult::Answered(200, 2), 1)
    );
}

/// Every way to write the address of a canary, or the name of a granted host so that it leads
/// to one. `PORT` is the canary's.
const FORMS: [&str; 86] = [
    // The loopback address in all spellings that somebody's resolver or parser knows.
    "http://127.0.0.1:PORT",
    "http://127.1:PORT",
    "http://127.0.1:PORT",
    "http://127.000.000.001:PORT",
    "http://0127.0.0.1:PORT",
    "http://0177.0.0.1:PORT",
    "http://0177.0.0.01:PORT",
    "http://0x7f.0.0.1:PORT",
    "http://0x7f.1:PORT",
    "http://0x7f000001:PORT",
    "http://0X7F000001:PORT",
    "http://2130706433:PORT",
    "http://017700000001:PORT",
    "http://127.0.0.1.:PORT",
    "http://127.255.255.254:PORT",
    "http://127.0.0.2:PORT",
    "http://0:PORT",
    "http://0.0.0.0:PORT",
    "http://00.00.00.00:PORT",
    "http://[::]:PORT",
    "http://[::1]:PORT",
    "http://[0:0:0:0:0:0:0:1]:PORT",
    "http://[0000:0000:0000:0000:0000:0000:0000:0001]:PORT",
    "http://[::ffff:127.0.0.1]:PORT",
    "http://[::ffff:7f00:1]:PORT",
    "http://[0:0:0:0:0:ffff:127.0.0.1]:PORT",
    "http://[::127.0.0.1]:PORT",
    "http://[::ffff:0:127.0.0.1]:PORT",
    "http://[64:ff9b::7f00:1]:PORT",
    "http://[64:ff9b::127.0.0.1]:PORT",
    "http://[2002:7f00:1::]:PORT",
    "http://[::1%25lo]:PORT",
    "http://[::1%lo]:PORT",
    "http://[fe80::1]:PORT",
    "http://::1:PORT",
    // Names of the machine itself.
    "http://localhost:PORT",
    "http://LOCALHOST:PORT",
    "http://localhost.:PORT",
    "http://localhost.localdomain:PORT",
    "http://ip6-localhost:PORT",
    "http://a.localhost:PORT",
    "http://l\u{f6}calhost:PORT",
    "http://\u{24db}ocalhost:PORT",
    // Digits of other scripts and full-width forms, which some parsers fold.
    "http://\u{ff11}\u{ff12}\u{ff17}.0.0.1:PORT",
    "http://127\u{3002}0\u{3002}0\u{3002}1:PORT",
    "http://\u{2460}27.0.0.1:PORT",
    // Addresses inside of networks.
    "http://10.0.0.1:PORT",
    "http://172.16.0.1:PORT",
    "http://192.168.0.1:PORT",
    "http://100.64.0.1:PORT",
    "http://169.254.169.254",
    "http://169.254.169.254.:80",
    "http://[fd00:ec2::254]",
    "http://metadata.google.internal",
    // A granted name with something beside it.
    "http://allowed.example@127.0.0.1:PORT",
    "http://allowed.example:80@127.0.0.1:PORT",
    "http://allowed.example%40127.0.0.1:PORT",
    "http://allowed.example#@127.0.0.1:PORT",
    "http://allowed.example?@127.0.0.1:PORT",
    "http://allowed.example/@127.0.0.1:PORT",
    "http://allowed.example\\@127.0.0.1:PORT",
    "http://127.0.0.1:PORT#@allowed.example",
    "http://127.0.0.1:PORT?@allowed.example",
    "http://127.0.0.1:PORT/@allowed.example",
    "http://127.0.0.1:PORT\\@allowed.example",
    "http://127.0.0.1:PORT\0allowed.example",
    "http://127.0.0.1:PORT\r\nhost: allowed.example",
    "http://127.0.0.1:PORT allowed.example",
    "http://127.0.0.1:PORT,allowed.example",
    "http://allowed.example.127.0.0.1:PORT",
    "http://127.0.0.1.allowed.example:PORT",
    "http://allowed.example.evil.example:PORT",
    "http://sub.allowed.example:PORT",
    "http://allowed.example:PORT",
    "http://allowed.example.:80",
    "http://ALLOWED.EXAMPLE.:80",
    "http://xn--allowed-.example",
    "http://allowed\u{2024}example",
    "http://.allowed.example",
    "http://allowed..example",
    // Ports and schemes.
    "https://allowed.example:80",
    "https://127.0.0.1:PORT",
    "http://127.0.0.1:+PORT",
    "http://127.0.0.1:0PORT",
    "http://127.0.0.1",
    "http://",
];

async fn no_spelling_of_an_address_reaches_what_is_not_granted() {
    let canary = Server::answering(OK);
    let port = canary.port().to_string();
    // The same port on the other loopback address, where the machine has one.
    let second = has(IpAddr::from([0_u16, 0, 0, 0, 0, 0, 0, 1])).then(|| {
        let address = format!("[::1]:{port}");
        Server::start(&address, |_, stream, _| stream.write_all(OK.as_bytes()))
    });
    let tool = granted(&["http://allowed.example".into()], &Methods::Any).await;
    for form in FORMS {
        let url = form.replace("PORT", &port);
        let (scheme, authority) = url.split_once("://").unwrap();
        let result = send(&tool, Request::get(scheme, authority)).await;
        let refused = matches!(
            result,
            RequestResult::Malformed
                | RequestResult::Failed("HTTP-request-denied" | "HTTP-request-URI-invalid")
        );
        // The name that is granted is looked up, and there is none.
        let unknown = matches!(result, RequestResult::Failed("DNS-error"));
        assert!(
            refused || (unknown && form.to_lowercase().ends_with("//allowed.example:80")),
            "{url:?}: {result:?}"
        );
    }
    assert_eq!(canary.hits(), 0);
    assert_eq!(second.map_or(0, |second| second.hits()), 0);
}

/// Paths are not part of what is granted, so nothing in them may change the host.
async fn no_path_changes_the_host() {
    let (server, canary) = (Server::answering(OK), Server::answering(OK));
    let tool = granted(&[server.origin()], &Methods::Any).await;
    let authority = format!("127.0.0.1:{}", server.port());
    let foreign = format!("127.0.0.1:{}", canary.port());
    let paths = [
        format!("//{foreign}/"),
        format!("/\\{foreign}/"),
        format!("http://{foreign}/"),
        format!("@{foreign}/"),
        format!("/../../{foreign}"),
        format!("/?http://{foreign}/"),
        format!("/ HTTP/1.1\r\nhost: {foreign}\r\n\r\nGET /"),
        "*".to_owned(),
        String::new(),
    ];
    for path in &paths {
        let mut request = Request::get("http", &authority);
        request.path = path;
        let result = send(&tool, request).await;
        assert!(
            matches!(
                result,
                RequestResult::Answered(200, 2)
                    | RequestResult::Malformed
                    | RequestResult::Failed("HTTP-request-URI-invalid")
            ),
            "{path:?}: {result:?}"
        );
    }
    assert_eq!(canary.hits(), 0);
}

#[test]
fn no_wildcard_is_an_origin() {
    for text in [
        "*",
        "*.com",
        "https://*",
        "https://*.example.com",
        "https://*:443",
        "https://%2a",
    ] {
        assert!(text.parse::<Origin>().is_err(), "{text}");
    }
}

async fn an_empty_list_allows_nothing() {
    let canary = Server::answering(OK);
    let tool = granted(&[], &Methods::Any).await;
    let authority = format!("127.0.0.1:{}", canary.port());
    let result = send(&tool, Request::get("http", &authority)).await;
    assert_eq!(result, RequestResult::Failed("HTTP-request-denied"));
    let tool = granted(&[canary.origin()], &only(&[])).await;
    let result = send(&tool, Request::get("http", &authority)).await;
    assert_eq!(result, RequestResult::Failed("HTTP-request-denied"));
    assert_eq!(canary.hits(), 0);
}

async fn only_granted_methods_are_sent() {
    let server = Server::answering("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n");
    let tool = granted(&[server.origin()], &only(&["GET", "PATCH"])).await;
    let authority = format!("127.0.0.1:{}", server.port());
    let mut request = Request::get("http", &authority);
    for method in ["GET", "PATCH"] {
        request.method = method;
        assert_eq!(
            send(&tool, request).await,
            RequestResult::Answered(200, 0),
            "{method}"
        );
    }
    for method in [
        "POST", "PUT", "DELETE", "HEAD", "get", "GETS", "G", "TRACE", "OPTIONS", "BREW",
    ] {
        request.method = method;
        let result = send(&tool, request).await;
        assert_eq!(
            result,
            RequestResult::Failed("HTTP-request-denied"),
            "{method}"
        );
    }
    assert_eq!(server.hits(), 2);
    let any = granted(&[server.origin()], &Methods::Any).await;
    request.method = "CONNECT";
    let result = send(&any, request).await;
    assert_eq!(result, RequestResult::Failed("HTTP-request-method-invalid"));
    request.method = "GET / HTTP/1.1\r\nx: ";
    let result = send(&any, request).await;
    assert!(
        matches!(result, RequestResult::Malformed | RequestResult::Failed(_)),
        "{result:?}"
    );
    assert_eq!(server.hits(), 2);
}

/// The denial is there for the agent, with what a person can do about it.
async fn a_denied_method_is_named_with_the_grant_that_allows_it() {
    let server = Server::answering(OK);
    let origin = server.origin();
    let tool = granted(std::slice::from_ref(&origin), &only(&["GET"])).await;
    let arguments = json!({
        "method": "POST", "scheme": 0, "path": "/", "headers": [], "body": "", "timeout_ns": -1,
        "authority": format!("127.0.0.1:{}", server.port()),
    });
    let Outcome::Failure(failure) = tool.call("fetch", &arguments.to_string()).await else {
        panic!("a POST was sent");
    };
    let capability = format!("network {origin} with POST");
    assert_eq!(
        failure.kind,
        FailureKind::Denied {
            capability: capability.clone()
        }
    );
    assert!(
        failure.message.ends_with(&format!(
            "(tool `demo` was refused {capability}: it is not granted)"
        )),
        "{failure}"
    );
    let fix = format!(r#"a person can grant it: [{{"network":"{origin}"}}]"#);
    assert_eq!(failure.fix, Some(fix));
}

async fn redirects_are_followed_by_nobody() {
    let canary = Server::answering(OK);
    let to = canary.origin();
    let server = Server::answering(&format!(
        "HTTP/1.1 307 Temporary Redirect\r\nlocation: {to}/\r\ncontent-length: 0\r\n\r\n"
    ));
    let tool = granted(&[server.origin()], &Methods::Any).await;
    let authority = format!("127.0.0.1:{}", server.port());
    let result = send(&tool, Request::get("http", &authority)).await;
    assert_eq!(result, RequestResult::Answered(307, 0));
    let authority = format!("127.0.0.1:{}", canary.port());
    let result = send(&tool, Request::get("http", &authority)).await;
    assert_eq!(result, RequestResult::Failed("HTTP-request-denied"));
    assert_eq!((server.hits(), canary.hits()), (1, 0));
}
