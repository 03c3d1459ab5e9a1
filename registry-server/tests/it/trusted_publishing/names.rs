//! Tests that no token takes the name of a repository from its trusted publishers.

use reqwest::{Method, Response};
use serde_json::json;

use super::{REPO, add, exchange, is_refused, listed, publish, publishers, start};
use crate::support::{TestRegistry, refusal};

async fn only(hub: &TestRegistry, on: bool) {
    let (path, body) = (publishers(REPO), json!({ "only": on }));
    let changed = hub.send_json(Method::PUT, &path, &hub.alice, body);
    assert_eq!(changed.await.status(), 200);
}

async fn rename(hub: &TestRegistry) -> Response {
    let names = json!({ "fromRepo": REPO, "toRepo": "alice/other" });
    hub.send_json(Method::POST, "/api/repos/move", &hub.alice, names)
        .await
}

async fn delete(hub: &TestRegistry, id: &str) -> Response {
    let name = json!({ "name": id });
    hub.send_json(Method::DELETE, "/api/repos/delete", &hub.alice, name)
        .await
}

/// Another repository under the name would take versions from every writer.
#[tokio::test]
async fn publishers_keep_the_name() {
    let (hub, issuer) = start().await;
    add(&hub, &issuer, json!({})).await;
    only(&hub, true).await;
    let expect = "`tool registry publisher only alice/forecast --off`";
    // Both before and after there is a version.
    for version in ["1.0.0", "1.1.0"] {
        is_refused(&refusal(rename(&hub).await).await, 403, expect);
        is_refused(&refusal(delete(&hub, REPO).await).await, 403, expect);
        let token = exchange(&hub, &issuer.sign("rsa", json!({})).await).await;
        assert_eq!(publish(&hub, &token, version).await.status(), 200);
    }
    assert_eq!(listed(&hub).await["only"], true);
    let refused = refusal(publish(&hub, &hub.alice, "1.2.0").await).await;
    is_refused(&refused, 403, "from its trusted publishers alone");

    only(&hub, false).await;
    assert_eq!(rename(&hub).await.status(), 200);
    assert_eq!(delete(&hub, "alice/other").await.status(), 200);
}
