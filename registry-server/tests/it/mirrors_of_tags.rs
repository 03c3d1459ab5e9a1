//! Tests of mirrors of a registry that keeps no log, as the Hub.

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::response::{IntoResponse as _, Response};
use reqwest::StatusCode;
use tool_hub_registry_server::RegistryError;

use crate::log::{REPO, publish, say, yanked};
use crate::mirrors::{counts, open, source, status, text};
use crate::support::{TestRegistry, serve_on_a_port};

/// A registry that speaks the Hub's protocol and keeps no log.
async fn without_log(hub: &TestRegistry) -> String {
    let upstream = hub.endpoint.clone();
    let answer = move |request: Request| {
        let upstream = upstream.clone();
        async move {
            let path = request.uri().to_string();
            if path.starts_with("/api/log") {
                return StatusCode::NOT_FOUND.into_response();
            }
            let answer = reqwest::get(format!("{upstream}{path}")).await.unwrap();
            let mut response = Response::builder().status(answer.status());
            if let Some(link) = answer.headers().get("link") {
                response = response.header("link", link);
            }
            let body = Body::from(answer.bytes().await.unwrap());
            response.body(body).unwrap()
        }
    };
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let endpoint = format!("http://{}", listener.local_addr().unwrap());
    let router = Router::new().fallback(answer);
    tokio::spawn(async move { axum::serve(listener, router).await });
    endpoint
}

#[tokio::test]
async fn tags_are_followed_where_there_is_no_log() {
    let hub = TestRegistry::start().await;
    hub.create(REPO).await;
    publish(&hub, REPO, "1.0.0").await;
    let upstream = without_log(&hub).await;
    let mirror = open(&hub, "mirror").await;
    let mut source = source(&upstream);
    for only in [&[][..], &["alice/*"]] {
        source.only = only.iter().map(|it| it.parse().unwrap()).collect();
        let refused = mirror.mirror(&source).await.unwrap_err();
        assert!(
            matches!(refused, RegistryError::RepositoriesNotNamed { .. }),
            "{refused}"
        );
    }
    source.only = vec![REPO.parse().unwrap()];
    assert_eq!(
        counts(&mirror.mirror(&source).await.unwrap()),
        (None, 0, 1, 2)
    );
    publish(&hub, REPO, "1.1.0").await;
    say(&hub, &yanked("1.0.0", "broken")).await;
    assert_eq!(
        counts(&mirror.mirror(&source).await.unwrap()),
        (None, 0, 1, 2)
    );
    assert_eq!(
        counts(&mirror.mirror(&source).await.unwrap()),
        (None, 0, 0, 0)
    );
    let there = serve_on_a_port(&mirror).await;
    let refs = format!("/api/models/{REPO}/refs");
    assert_eq!(text(&there, &refs).await, text(&hub.endpoint, &refs).await);
    assert_eq!(status(&there, "/api/log/checkpoint").await, 404);
    // There a tag can move, and here it does not.
    let moved = "UPDATE refs SET commit_oid = (SELECT m.commit_oid FROM refs m WHERE m.repository = refs.repository \
         AND m.name = 'refs/heads/main') WHERE name = 'refs/tags/v1.0.0'";
    hub.run_sql(moved).await.unwrap();
    let report = mirror.mirror(&source).await.unwrap();
    assert!(report.refused[0].reason.contains("and named"), "{report:?}");
}
