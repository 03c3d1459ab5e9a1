//! Tests of trusted publishing: what a job may do, and which identity tokens are refused.
//!
//! The tokens are made by PyJWT, in `tests/clients/identity_issuer.py`.

mod issuer;
mod keys;
mod lifetime;
mod names;

use reqwest::{Method, Response};
use serde_json::{Value, json};
use tool_hub_registry_server::TrustedIssuer;

use crate::packages;
use crate::support::{TestRegistry, file, header, refusal};
use issuer::Issuer;

const REPO: &str = "alice/forecast";
/// The name of the registry, for which tokens are made.
const AUDIENCE: &str = "https://tools.example.com";
const EXCHANGE: &str = "/api/trusted-publishing/token";

/// A registry that trusts a build service, and the build service.
async fn start() -> (TestRegistry, Issuer) {
    let issuer = Issuer::start().await;
    let hub = trusting(&issuer.trusted("github")).await;
    (hub, issuer)
}

async fn trusting(issuer: &TrustedIssuer) -> TestRegistry {
    let hub = TestRegistry::start_configured(|config| {
        config.public_url = Some(format!("{AUDIENCE}/").parse().unwrap());
        config.trusted_issuers = vec![issuer.clone()];
    })
    .await;
    hub.create(REPO).await;
    hub
}

fn publishers(repo: &str) -> String {
    format!("/api/models/{repo}/publishers")
}

/// Lets the workflow of the issuer's tokens publish, with more terms. Returns the id.
async fn add(hub: &TestRegistry, issuer: &Issuer, more: Value) -> String {
    let mut body = json!({
        "issuer": issuer.url(), "repository": "acme/forecast", "workflow": "release.yml",
    });
    for (name, value) in more.as_object().unwrap() {
        body[name] = value.clone();
    }
    let added = hub
        .send_json(Method::POST, &publishers(REPO), &hub.alice, body)
        .await;
    assert_eq!(added.status(), 200);
    let added: Value = added.json().await.unwrap();
    added["id"].as_str().unwrap().to_owned()
}

async fn listed(hub: &TestRegistry) -> Value {
    let request = hub.request(Method::GET, &publishers(REPO), Some(&hub.alice));
    request.send().await.unwrap().json().await.unwrap()
}

async fn send_token(hub: &TestRegistry, repo: &str, token: &str) -> Response {
    let request = hub.request(Method::POST, EXCHANGE, None);
    let body = json!({ "repo": repo, "token": token });
    request.body(body.to_string()).send().await.unwrap()
}

/// Exchanges an identity token for one that publishes.
async fn exchange(hub: &TestRegistry, token: &str) -> String {
    let answer = send_token(hub, REPO, token).await;
    let status = answer.status();
    let answer: Value = answer.json().await.unwrap();
    assert_eq!(status, 200, "{answer}");
    answer["token"].as_str().unwrap().to_owned()
}

#[track_caller]
fn is_refused(refused: &(u16, String, String), status: u16, expect: &str) {
    assert_eq!(refused.0, status, "{refused:?}");
    assert!(refused.2.contains(expect), "{refused:?}, not {expect:?}");
}

/// Commits version `version` with a token, and tags it. The last answer.
async fn publish(hub: &TestRegistry, token: &str, version: &str) -> Response {
    let manifest = format!(
        "schema = 1\nname = \"forecast\"\nversion = \"{version}\"\ndescription = \"Tells the weather.\"\n"
    );
    let body = header(version) + &file("tool.toml", manifest.as_bytes());
    let path = format!("/api/models/{REPO}/commit/main");
    let commit = hub.request(Method::POST, &path, Some(token)).body(body);
    let commit = commit.send().await.unwrap();
    if commit.status() != 200 {
        return commit;
    }
    let path = format!("/api/models/{REPO}/tag/main");
    let tag = json!({ "tag": format!("v{version}") });
    hub.send_json(Method::POST, &path, token, tag).await
}

#[tokio::test]
async fn a_job_publishes_and_does_nothing_else() {
    let (hub, issuer) = start().await;
    hub.create_with("alice/secret", json!({ "private": true }))
        .await;
    hub.create("alice/other").await;
    add(&hub, &issuer, json!({})).await;
    for (how, version) in [("rsa", "1.0.0"), ("ec", "1.1.0")] {
        let token = issuer.sign(how, json!({})).await;
        let token = exchange(&hub, &token).await;
        assert_eq!(publish(&hub, &token, version).await.status(), 200, "{how}");

        let yank = header("yank") + &file("releases.toml", b"");
        let (path, body) = (format!("/api/models/{REPO}"), json!({}).to_string());
        for (method, path, body) in [
            (Method::PUT, format!("{path}/settings"), body.clone()),
            (Method::POST, format!("{path}/branch/x"), body.clone()),
            (
                Method::POST,
                format!("{path}/tag/main"),
                json!({ "tag": "x" }).to_string(),
            ),
            (Method::DELETE, format!("{path}/tag/v1.0.0"), String::new()),
            (
                Method::POST,
                format!("{path}/super-squash/main"),
                body.clone(),
            ),
            (
                Method::POST,
                format!("{path}/discussions"),
                json!({ "title": "x" }).to_string(),
            ),
            (Method::POST, format!("{path}/commit/main"), yank),
            (
                Method::POST,
                format!("{path}/commit/main"),
                header("x") + &file("releases.toml/x", b""),
            ),
            (
                Method::POST,
                format!("{path}/commit/refs%2Fpr%2F1"),
                header("x") + &file("a", b""),
            ),
            (
                Method::POST,
                format!("{path}/commit/main?create_pr=1"),
                header("x"),
            ),
            (Method::GET, format!("{path}/publishers"), String::new()),
            (Method::POST, format!("{path}/publishers"), body.clone()),
            (
                Method::POST,
                "/api/repos/create".into(),
                json!({ "name": "alice/new" }).to_string(),
            ),
            (
                Method::DELETE,
                "/api/repos/delete".into(),
                json!({ "name": REPO }).to_string(),
            ),
            (
                Method::POST,
                "/api/repos/move".into(),
                json!({ "fromRepo": REPO, "toRepo": "alice/new" }).to_string(),
            ),
            (
                Method::POST,
                "/api/models/alice/other/commit/main".into(),
                header("x"),
            ),
            (
                Method::POST,
                "/api/models/alice/other/tag/main".into(),
                body.clone(),
            ),
        ] {
            let request = hub.request(method.clone(), &path, Some(&token));
            let status = request.body(body).send().await.unwrap().status();
            assert_eq!(status, 403, "{method} {path}");
        }
        let secret = hub.request(Method::GET, "/api/models/alice/secret", Some(&token));
        assert_eq!(secret.send().await.unwrap().status(), 404);

        let ended = hub.request(Method::DELETE, EXCHANGE, Some(&token));
        assert_eq!(ended.send().await.unwrap().status(), 200);
        let after = hub.request(Method::GET, "/api/models", Some(&token));
        assert_eq!(after.send().await.unwrap().status(), 401);
    }
    let found = listed(&hub).await;
    let said = found["events"][0]["event"].as_str().unwrap();
    let expect = "published 1.1.0: release.yml of acme/forecast at 0123456789ab by ";
    assert!(said.starts_with(expect), "{said}");
    let path = format!("/api/models/{REPO}/log?version=1.1.0");
    let log = hub.get_json(&path).await;
    let record = log["records"][0]["record"].as_str().unwrap();
    let record: Value = serde_json::from_str(record).unwrap();
    let expect = json!({
        "issuer": issuer.url(), "repository": "acme/forecast", "owner_id": "65",
        "workflow": "release.yml", "commit": "0123456789abcdef0123456789abcdef01234567",
    });
    assert_eq!(record["publisher"], expect);
    let summaries = hub.registry.list_tokens("alice").await.unwrap();
    assert_eq!(
        summaries.len(),
        1,
        "tokens of jobs are not among a person's"
    );
}

#[tokio::test]
async fn tokens_that_are_not_right_are_refused() {
    let (hub, issuer) = start().await;
    add(
        &hub,
        &issuer,
        json!({ "environment": "release", "ownerId": "65" }),
    )
    .await;
    let other = Issuer::start().await;
    let good = json!({ "environment": "release" });
    for (how, claims, expect) in [
        ("none", json!({}), "RS256 or ES256"),
        (
            "hmac",
            json!({}),
            "algorithm that its issuer's key is not for",
        ),
        (
            "swapped",
            json!({}),
            "algorithm that its issuer's key is not for",
        ),
        ("unpublished", json!({}), "signature is wrong"),
        (
            "rsa",
            json!({ "aud": "https://other.example.com" }),
            "its audience has to be",
        ),
        (
            "rsa",
            json!({ "aud": [AUDIENCE, "https://other.example.com"] }),
            "its audience has to be",
        ),
        (
            "rsa",
            json!({ "aud": [AUDIENCE] }),
            "its audience has to be",
        ),
        ("rsa", json!({ "aud": null }), "`aud`"),
        (
            "rsa",
            json!({ "iss": "https://gitlab.com" }),
            "does not trust the issuer",
        ),
        (
            "rsa",
            json!({ "iss": format!("{}/", issuer.url()) }),
            "does not trust the issuer",
        ),
        ("rsa", json!({ "iss": null }), "`iss`"),
        (
            "rsa",
            json!({ "iat": -700, "nbf": -700, "exp": -60 }),
            "expired",
        ),
        ("rsa", json!({ "exp": null }), "`exp`"),
        ("rsa", json!({ "nbf": 90 }), "not valid yet"),
        ("rsa", json!({ "iat": 90 }), "not valid yet"),
        ("rsa", json!({ "iat": null }), "`iat`"),
        ("rsa", json!({ "exp": 100_000 }), "longer than a day"),
        ("rsa", json!({ "jti": null }), "`jti`"),
        ("rsa", json!({ "jti": "" }), "`jti`"),
        (
            "rsa",
            json!({ "event_name": "pull_request_target" }),
            "what a stranger sent",
        ),
        (
            "rsa",
            json!({ "environment": null }),
            "no trusted publisher of",
        ),
        (
            "rsa",
            json!({ "environment": "test" }),
            "no trusted publisher of",
        ),
        (
            "rsa",
            json!({ "repository_owner_id": "66" }),
            "no trusted publisher of",
        ),
        (
            "rsa",
            json!({ "repository": "evil/forecast" }),
            "`job_workflow_ref`",
        ),
        (
            "rsa",
            json!({
                "repository": "evil/forecast",
                "job_workflow_ref": "evil/forecast/.github/workflows/release.yml@refs/heads/main",
            }),
            "no trusted publisher of",
        ),
        (
            "rsa",
            json!({ "job_workflow_ref": "acme/forecast/.github/workflows/test.yml@refs/heads/main" }),
            "no trusted publisher of",
        ),
    ] {
        let mut all = good.clone();
        for (name, value) in claims.as_object().unwrap() {
            all[name] = value.clone();
        }
        let token = issuer.sign(how, all).await;
        let refused = refusal(send_token(&hub, REPO, &token).await).await;
        is_refused(&refused, 403, expect);
    }
    // The key of another issuer, with the name of this one.
    let forged = json!({ "iss": issuer.url(), "environment": "release" });
    let forged = other.sign("rsa", forged).await;
    let refused = refusal(send_token(&hub, REPO, &forged).await).await;
    is_refused(&refused, 403, "signature is wrong");
    let whole = issuer.sign("rsa", good.clone()).await;
    let cut = &whole[..whole.len() - 8];
    for (token, expect) in [
        ("", "RS256 or ES256"),
        ("a.b.c", "RS256 or ES256"),
        (cut, "signature is wrong"),
        (&"x".repeat(20_000), "longer than 16384 bytes"),
    ] {
        let refused = refusal(send_token(&hub, REPO, token).await).await;
        is_refused(&refused, 403, expect);
    }
    let refused = refusal(send_token(&hub, "alice/none", &whole).await).await;
    is_refused(&refused, 403, "no trusted publisher of alice/none");
    // None of these has spoilt it.
    exchange(&hub, &whole).await;
}

#[tokio::test]
async fn a_token_counts_once() {
    let (hub, issuer) = start().await;
    add(&hub, &issuer, json!({})).await;
    let token = issuer.sign("ec", json!({})).await;
    let sent = (0..8).map(|_| send_token(&hub, REPO, &token));
    let mut statuses = Vec::new();
    for answer in futures::future::join_all(sent).await {
        statuses.push(answer.status().as_u16());
    }
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 403, 403, 403, 403, 403, 403, 403]);
    let refused = refusal(send_token(&hub, REPO, &token).await).await;
    is_refused(&refused, 403, "it was used before");
}

/// An account of this name that somebody else makes later has another number.
#[tokio::test]
async fn the_owner_that_was_seen_first_stays() {
    let (hub, issuer) = start().await;
    add(&hub, &issuer, json!({})).await;
    exchange(&hub, &issuer.sign("rsa", json!({})).await).await;
    assert_eq!(listed(&hub).await["publishers"][0]["ownerId"], "65");
    let resurrected = json!({ "repository_owner_id": "66" });
    let token = issuer.sign("rsa", resurrected).await;
    let refused = refusal(send_token(&hub, REPO, &token).await).await;
    is_refused(&refused, 403, "no trusted publisher of");
    let but = "the owner's number is 66, and the publisher has 65; its owner adds one";
    is_refused(&refused, 403, but);
}

#[tokio::test]
async fn versions_come_from_publishers_alone() {
    let (hub, issuer) = start().await;
    let only = async |on: bool| {
        let body = json!({ "only": on });
        hub.send_json(Method::PUT, &publishers(REPO), &hub.alice, body)
            .await
    };
    let refused = refusal(only(true).await).await;
    is_refused(&refused, 409, "add one first");
    let id = add(&hub, &issuer, json!({})).await;
    assert_eq!(only(true).await.status(), 200);
    let refused = refusal(publish(&hub, &hub.alice, "1.0.0").await).await;
    is_refused(&refused, 403, "from its trusted publishers alone");
    let token = exchange(&hub, &issuer.sign("rsa", json!({})).await).await;
    assert_eq!(publish(&hub, &token, "1.0.0").await.status(), 200);

    // A push learns of it before it commits anything, and nobody else does.
    for (sender, closed) in [
        (Some(hub.alice.as_str()), json!(true)),
        (Some(token.as_str()), Value::Null),
        (None, Value::Null),
    ] {
        let asked = hub.request(Method::GET, &format!("/api/models/{REPO}"), sender);
        let info: Value = asked.send().await.unwrap().json().await.unwrap();
        assert_eq!(info["publishersOnly"], closed, "{info}");
    }

    // A publisher that is removed is out at once, with the tokens that it has.
    let path = format!("{}/{id}", publishers(REPO));
    let removed = hub.request(Method::DELETE, &path, Some(&hub.alice));
    assert_eq!(removed.send().await.unwrap().status(), 200);
    assert_eq!(publish(&hub, &token, "1.1.0").await.status(), 401);
    assert_eq!(only(false).await.status(), 200);
    assert_eq!(publish(&hub, &hub.alice, "1.1.0").await.status(), 200);
    let found = listed(&hub).await;
    let events = found["events"].as_array().unwrap().iter();
    let events: Vec<&str> = events.map(|it| it["event"].as_str().unwrap()).collect();
    for (at, expect) in [
        (0, "took versions from every writer"),
        (1, "removed the publisher release.yml of acme/forecast"),
        (2, "published 1.0.0: release.yml of acme/forecast"),
        (3, "the owner of acme/forecast has the id 65"),
        (4, "took versions from publishers alone"),
        (5, "added the publisher release.yml of acme/forecast"),
    ] {
        assert!(events[at].starts_with(expect), "{events:?}");
    }
}

#[tokio::test]
async fn publishers_are_the_business_of_their_owner() {
    let (hub, issuer) = start().await;
    let body = |change: Value| {
        let mut body = json!({
            "issuer": issuer.url(), "repository": "acme/forecast", "workflow": "release.yml",
        });
        for (name, value) in change.as_object().unwrap() {
            body[name] = value.clone();
        }
        body
    };
    let path = publishers(REPO);
    for (token, status) in [(&hub.bob, 403), (&hub.carol, 403)] {
        let answer = hub.send_json(Method::POST, &path, token, body(json!({})));
        assert_eq!(answer.await.status(), status);
    }
    for (change, status, expect) in [
        (
            json!({ "issuer": "https://evil.example.com" }),
            400,
            "it trusts http://127.0.0.1",
        ),
        (json!({ "repository": "acme" }), 400, "OWNER/NAME"),
        (json!({ "repository": "a/b/c" }), 400, "OWNER/NAME"),
        (
            json!({ "workflow": ".github/workflows/release.yml" }),
            400,
            "without .github/workflows/",
        ),
        (json!({ "ownerId": "acme" }), 400, "has to be a number"),
        (json!({ "owner_id": "65" }), 400, "unknown field"),
    ] {
        let answer = hub.send_json(Method::POST, &path, &hub.alice, body(change));
        is_refused(&refusal(answer.await).await, status, expect);
    }
    add(&hub, &issuer, json!({})).await;
    let again = json!({ "repository": "Acme/Forecast" });
    let again = hub.send_json(Method::POST, &path, &hub.alice, body(again));
    is_refused(&refusal(again.await).await, 409, "there already");

    // Who gets the repository has not said whose workflows may publish.
    let moved = json!({ "fromRepo": REPO, "toRepo": "acme/forecast" });
    let moved = hub.send_json(Method::POST, "/api/repos/move", &hub.alice, moved);
    assert_eq!(moved.await.status(), 200);
    let request = hub.request(Method::GET, &publishers("acme/forecast"), Some(&hub.alice));
    let found: Value = request.send().await.unwrap().json().await.unwrap();
    assert_eq!(found["publishers"], json!([]));
}

#[tokio::test]
async fn a_registry_without_a_name_or_an_issuer_takes_none() {
    let hub = TestRegistry::start().await;
    let refused = refusal(send_token(&hub, REPO, "a.b.c").await).await;
    is_refused(&refused, 403, "takes no identity tokens");
    let mut config = hub.elsewhere("nameless");
    config.trusted_issuers = vec!["github".parse().unwrap()];
    let failed = tool_hub_registry_server::Registry::open(config).await;
    let failed = failed.unwrap_err().to_string();
    assert!(failed.contains("no public URL"), "{failed}");
}
