//! Tests of rate limits by token and by address, also behind a trusted proxy.

use reqwest::Method;
use tool_hub_registry_server::{RateLimit, TokenRole};

use crate::support::{TestRegistry, refusal, token};

const RATE: RateLimit = RateLimit {
    per_minute: 30,
    burst: 5,
};

#[tokio::test]
async fn a_token_that_asks_too_often_is_told_when_to_come_back() {
    let hub = TestRegistry::start_with(|limits| limits.token_rate = Some(RATE)).await;
    let other = token(&hub.registry, "alice", TokenRole::Read).await;
    for _ in 0..5 {
        assert_eq!(hub.get("/api/whoami-v2").await.status(), 200);
    }
    // Whatever it asks, and also where no token is needed.
    for path in ["/api/whoami-v2", "/api/models", "/api/models/alice/none"] {
        let response = hub.get(path).await;
        let wait = response
            .headers()
            .get("retry-after")
            .unwrap()
            .to_str()
            .unwrap();
        let wait: u64 = wait.parse().expect("whole seconds");
        assert!((1..=3).contains(&wait), "{wait}");
        let (status, code, text) = refusal(response).await;
        assert_eq!((status, code.as_str()), (429, ""));
        assert!(
            text.starts_with("too many requests: 30 a minute are allowed; try again in "),
            "{text}"
        );
    }
    // Another token of the same user, and nobody, have buckets of their own.
    for token in [Some(other.as_str()), None] {
        let response = hub
            .request(Method::GET, "/api/models", token)
            .send()
            .await
            .unwrap();
        assert_eq!(response.status(), 200);
    }
    // An orchestrator that is told to wait would take the server for dead.
    for _ in 0..20 {
        assert_eq!(hub.get("/health").await.status(), 200);
    }
}

#[tokio::test]
async fn loopback_without_a_token_is_not_counted() {
    let hub = TestRegistry::start_with(|limits| limits.address_rate = Some(RATE)).await;
    for _ in 0..20 {
        let response = hub
            .request(Method::GET, "/api/models", None)
            .send()
            .await
            .unwrap();
        assert_eq!(response.status(), 200);
    }
}

#[tokio::test]
async fn visitors_behind_a_trusted_proxy_are_counted_one_by_one() {
    let hub = TestRegistry::start_configured(|config| {
        config.limits.address_rate = Some(RATE);
        config.trusted_proxies = vec!["127.0.0.0/8".parse().unwrap()];
    })
    .await;
    let ask = async |visitor: &str| {
        let request = hub.request(Method::GET, "/api/models", None);
        let response = request.header("x-forwarded-for", visitor).send().await;
        response.unwrap().status().as_u16()
    };
    for _ in 0..5 {
        assert_eq!(ask("192.0.2.1").await, 200);
    }
    assert_eq!(ask("192.0.2.1").await, 429);
    assert_eq!(ask("203.0.113.9, 192.0.2.1").await, 429);
    assert_eq!(ask("192.0.2.2").await, 200);
}

#[tokio::test]
async fn an_address_that_guesses_tokens_is_counted() {
    let Some(address) = address_of_this_machine() else {
        #[allow(clippy::print_stderr, reason = "a skipped test must say so")]
        let () = eprintln!(
            "SKIPPED an_address_that_guesses_tokens_is_counted: this machine has only loopback addresses"
        );
        return;
    };
    let hub = TestRegistry::start_at(address, |limits| limits.address_rate = Some(RATE)).await;
    let mut statuses = Vec::new();
    for at in 0..8 {
        let guess = format!("hf_{at:064}");
        let response = hub
            .request(Method::GET, "/api/models", Some(&guess))
            .send()
            .await
            .unwrap();
        statuses.push(response.status().as_u16());
    }
    assert_eq!(statuses, [401, 401, 401, 401, 401, 429, 429, 429]);
    let response = hub
        .request(Method::GET, "/api/models", None)
        .send()
        .await
        .unwrap();
    assert_eq!(refusal(response).await.0, 429);
    // Those with a token are not held up by a neighbour behind the same address.
    assert_eq!(hub.get("/api/models").await.status(), 200);
}

/// An address that is not loopback; asking the system for the way to a documentation address sends
/// nothing.
fn address_of_this_machine() -> Option<std::net::IpAddr> {
    let socket = std::net::UdpSocket::bind("0.0.0.0:0").ok()?;
    socket.connect("192.0.2.1:9").ok()?;
    let address = socket.local_addr().ok()?.ip();
    (!address.is_loopback() && !address.is_unspecified()).then_some(address)
}
