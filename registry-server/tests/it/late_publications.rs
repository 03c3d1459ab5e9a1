//! Tests of versions that another server publishes while a request waits for the repository.

use std::time::Duration;

use reqwest::Method;
use sqlx::{AnyConnection, Connection as _, Executor as _};

use crate::log::{REPO, key, yanked};
use crate::support::{TestRegistry, file, header, refusal};

/// The time in which a request comes to where it waits for the repository.
const WAITING: Duration = Duration::from_millis(400);

/// Locks the repositories as a server does that writes to them.
async fn lock(hub: &TestRegistry) -> AnyConnection {
    let (url, statements) = match &hub.place {
        Some(place) => (
            place.database.clone(),
            ["BEGIN", "SELECT id FROM repositories FOR UPDATE"],
        ),
        None => {
            let path = hub.config.directory.join("registry.sqlite");
            let url = format!("sqlite://{}", path.display());
            (url, ["BEGIN IMMEDIATE", "SELECT id FROM repositories"])
        }
    };
    let mut connection = AnyConnection::connect(&url).await.unwrap();
    for statement in statements {
        connection.execute(statement).await.unwrap();
    }
    connection
}

/// Makes the tag of a version, and lets the others write.
async fn publish_and_unlock(mut connection: AnyConnection) {
    let tag = "INSERT INTO refs (repository, name, commit_oid, created_ms) \
               SELECT repository, 'refs/tags/v1.0.0', commit_oid, 1 FROM refs WHERE name = 'refs/heads/main'";
    for statement in [tag, "COMMIT"] {
        connection.execute(statement).await.unwrap();
    }
    connection.close().await.unwrap();
}

async fn start() -> TestRegistry {
    let hub = TestRegistry::start().await;
    hub.create(REPO).await;
    let manifest =
        b"schema = 1\nname = \"stats\"\nversion = \"1.0.0\"\ndescription = \"Counts words.\"\n";
    hub.commit(REPO, "1.0.0", &[("tool.toml", manifest)]).await;
    hub
}

#[tokio::test]
async fn a_version_that_is_published_meanwhile_is_not_deleted() {
    let hub = start().await;
    let connection = lock(&hub).await;
    let path = format!("/api/models/{REPO}/tag/v1.0.0");
    let deletion = hub.request(Method::DELETE, &path, Some(&hub.alice));
    let deletion = tokio::spawn(deletion.send());
    tokio::time::sleep(WAITING).await;
    publish_and_unlock(connection).await;
    let (status, _, told) = refusal(deletion.await.unwrap().unwrap()).await;
    assert_eq!(status, 403, "{told}");
    assert!(told.contains("versions never change"), "{told}");
    let refs = hub.get_json(&format!("/api/models/{REPO}/refs")).await;
    assert_eq!(refs["tags"][0]["name"], "v1.0.0");
}

#[tokio::test]
async fn the_yank_of_a_version_that_is_published_meanwhile_is_logged() {
    let hub = start().await;
    let connection = lock(&hub).await;
    let yank = header("yank") + &file("releases.toml", yanked("1.0.0", "broken").as_bytes());
    let path = format!("/api/models/{REPO}/commit/main");
    let commit = hub.request(Method::POST, &path, Some(&hub.alice));
    let commit = tokio::spawn(commit.body(yank).send());
    tokio::time::sleep(WAITING).await;
    publish_and_unlock(connection).await;
    assert_eq!(commit.await.unwrap().unwrap().status(), 200);
    let note = hub.get("/api/log/checkpoint").await.text().await.unwrap();
    assert_eq!(key(&hub).await.open(&note).unwrap().size(), 1);
}
