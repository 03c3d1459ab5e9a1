//! A test of how long the token of a job lives.

use reqwest::Method;
use time::format_description::well_known::Rfc3339;
use time::{Duration, OffsetDateTime};

use crate::jobs;
use crate::support::TestRegistry;

use super::{REPO, publish};

/// By the clock of the registry, which is moved on by moving the end of the token.
#[tokio::test]
async fn a_token_publishes_for_half_an_hour() {
    let hub = TestRegistry::start_configured(jobs::trust).await;
    hub.create(REPO).await;
    jobs::allow(&hub, REPO).await;
    let before = OffsetDateTime::now_utc();
    let (status, answer) = jobs::exchange(&hub, REPO, &jobs::identity("1")).await;
    assert_eq!(status, 200, "{answer}");
    let expires = answer["expiresAt"].as_str().unwrap();
    let expires = OffsetDateTime::parse(expires, &Rfc3339).unwrap();
    let half_an_hour = Duration::minutes(30);
    // Dates have milliseconds.
    let earliest = before + half_an_hour - Duration::MILLISECOND;
    let latest = OffsetDateTime::now_utc() + half_an_hour;
    assert!((earliest..=latest).contains(&expires), "{expires}");

    let token = answer["token"].as_str().unwrap();
    assert_eq!(publish(&hub, token, "1.0.0").await.status(), 200);
    hub.run_sql("UPDATE tokens SET expires_ms = expires_ms - 1740000 WHERE job IS NOT NULL")
        .await
        .unwrap();
    assert_eq!(publish(&hub, token, "1.1.0").await.status(), 200);
    hub.run_sql("UPDATE tokens SET expires_ms = expires_ms - 60000 WHERE job IS NOT NULL")
        .await
        .unwrap();
    assert_eq!(publish(&hub, token, "1.2.0").await.status(), 401);
    let asked = hub.request(Method::GET, "/api/models", Some(token));
    assert_eq!(asked.send().await.unwrap().status(), 401);
}
