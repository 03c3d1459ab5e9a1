//! Tests that no branch, deletion, move or restore changes the published version of a tool.

use reqwest::{Method, Response};
use serde_json::{Value, json};
use tool_hub_registry_server::{Registry, RegistryError};

use crate::support::{TestRegistry, deletion, header, refusal};

const API: &str = "/api/models/alice/tool";

fn manifest(version: &str) -> String {
    format!(
        "schema = 1\nname = \"stats\"\nversion = \"{version}\"\ndescription = \"Counts words.\"\n"
    )
}

/// Creates a repository with a tool and tags its version.
async fn publish(hub: &TestRegistry, id: &str, version: &str, readme: &str) -> Response {
    let text = manifest(version);
    let files: [(&str, &[u8]); 2] = [
        ("tool.toml", text.as_bytes()),
        ("README.md", readme.as_bytes()),
    ];
    hub.commit(id, version, &files).await;
    tag(hub, id, &format!("v{version}")).await
}

async fn tag(hub: &TestRegistry, id: &str, name: &str) -> Response {
    let path = format!("/api/models/{id}/tag/main");
    hub.send_json(Method::POST, &path, &hub.alice, json!({"tag": name}))
        .await
}

async fn branch(hub: &TestRegistry, name: &str) -> Response {
    let path = format!("{API}/branch/{name}");
    hub.send_json(Method::POST, &path, &hub.alice, json!({}))
        .await
}

async fn delete(hub: &TestRegistry, name: &str) {
    let path = "/api/repos/delete";
    let gone = hub.send_json(Method::DELETE, path, &hub.alice, json!({"name": name}));
    assert_eq!(gone.await.status(), 200);
}

async fn rename(hub: &TestRegistry, from: &str, to: &str) -> Response {
    let names = json!({"fromRepo": from, "toRepo": to, "type": "model"});
    hub.send_json(Method::POST, "/api/repos/move", &hub.alice, names)
        .await
}

/// Checks that a tag was refused because the version was published with other files.
async fn refused(response: Response) {
    let (status, _, text) = refusal(response).await;
    assert_eq!(status, 403, "{text}");
    assert!(
        text.contains("was published on") && text.contains("publish another version"),
        "{text}"
    );
}

/// Checks that neither a new repository nor another one that is moved gets a former id, which goes
/// on leading to the repository that had it.
async fn is_kept(hub: &TestRegistry, id: &str) {
    let leads_to = hub.get_json(&format!("/api/models/{id}")).await["id"].clone();
    let create = json!({ "name": id });
    let created = hub.send_json(Method::POST, "/api/repos/create", &hub.alice, create);
    let created = created.await;
    assert_eq!(created.status(), 409);
    let answer: Value = created.json().await.unwrap();
    // The Python client takes the address from here if it may exist.
    assert_eq!(answer["url"], format!("{}/{id}", hub.endpoint));
    hub.create("alice/decoy").await;
    let (status, _, text) = refusal(rename(hub, "alice/decoy", id).await).await;
    assert_eq!(status, 409);
    for text in [answer["error"].as_str().unwrap(), text.as_str()] {
        assert!(text.contains("goes on leading to it"), "{text}");
    }
    assert_eq!(hub.get("/api/models/alice/decoy").await.status(), 200);
    delete(hub, "alice/decoy").await;
    let still = hub.get_json(&format!("/api/models/{id}")).await;
    assert_eq!(still["id"], leads_to);
}

#[tokio::test]
async fn no_branch_has_the_name_of_a_version() {
    let hub = TestRegistry::start().await;
    hub.create("alice/tool").await;
    let names = [
        "v1.0.0",
        "V1.0.0",
        "1.0.0",
        "v1.0.0-rc.1",
        "1.0.0%2Bbuild",
        "refs%2Fheads%2Fv1.0.0",
    ];
    for name in names {
        // Both before and after the repository has a tool.
        assert_eq!(refusal(branch(&hub, name).await).await.0, 403, "{name}");
    }
    assert_eq!(
        publish(&hub, "alice/tool", "1.0.0", "ONE").await.status(),
        200
    );
    // Temporarily removing the manifest does not circumvent the rule.
    let gone = header("gone") + &deletion("deletedFile", "tool.toml");
    assert_eq!(hub.send_commit("alice/tool", gone).await.status(), 200);
    for name in names {
        assert_eq!(refusal(branch(&hub, name).await).await.0, 403, "{name}");
    }
    for name in ["v1.0", "release-1.0.0", "feature"] {
        assert_eq!(branch(&hub, name).await.status(), 200, "{name}");
    }
    // Once the repository had versions, a version tag needs a manifest.
    for name in ["v9.0.0", "9.0.0"] {
        assert_eq!(
            refusal(tag(&hub, "alice/tool", name).await).await.0,
            422,
            "{name}"
        );
    }
    let deleted = hub.request(
        Method::DELETE,
        &format!("{API}/tag/v1.0.0"),
        Some(&hub.alice),
    );
    assert_eq!(refusal(deleted.send().await.unwrap()).await.0, 403);
    let (status, _, text) = refusal(tag(&hub, "alice/tool", "main").await).await;
    assert_eq!(status, 403);
    assert!(text.contains("a branch named main exists"), "{text}");
}

#[tokio::test]
async fn a_branch_from_before_does_not_answer_for_a_version() {
    let hub = TestRegistry::start().await;
    hub.create("alice/tool").await;
    hub.commit("alice/tool", "one", &[("README.md", b"EVIL")])
        .await;
    for name in ["side", "dev"] {
        assert_eq!(branch(&hub, name).await.status(), 200);
    }
    hub.run_sql("UPDATE refs SET name = 'refs/heads/v1.0.0' WHERE name = 'refs/heads/side'")
        .await
        .unwrap();
    for verb in ["resolve", "raw"] {
        let short = format!("/alice/tool/{verb}/v1.0.0/README.md");
        let short = hub.get(&short).await;
        assert_eq!(refusal(short).await.1, "RevisionNotFound");
        let full = format!("/alice/tool/{verb}/refs%2Fheads%2Fv1.0.0/README.md");
        assert_eq!(hub.get(&full).await.text().await.unwrap(), "EVIL");
    }
    for path in ["tree/v1.0.0", "revision/v1.0.0", "commits/v1.0.0"] {
        let found = hub.get(&format!("{API}/{path}")).await;
        assert_eq!(refusal(found).await.1, "RevisionNotFound", "{path}");
    }
    let body = json!({"paths": ["README.md"]});
    let path = format!("{API}/paths-info/v1.0.0");
    let found = hub.send_json(Method::POST, &path, &hub.alice, body).await;
    assert_eq!(refusal(found).await.1, "RevisionNotFound");
    // The version can only be published after the branch is deleted.
    let (status, _, text) = refusal(publish(&hub, "alice/tool", "1.0.0", "ONE").await).await;
    assert_eq!(status, 403);
    assert!(text.contains("delete the branch"), "{text}");
    let gone = hub.request(
        Method::DELETE,
        &format!("{API}/branch/v1.0.0"),
        Some(&hub.alice),
    );
    assert_eq!(gone.send().await.unwrap().status(), 200);
    assert_eq!(tag(&hub, "alice/tool", "v1.0.0").await.status(), 200);

    // If an ordinary name is both, the tag is used.
    assert_eq!(tag(&hub, "alice/tool", "dev").await.status(), 200);
    let found = hub.get("/alice/tool/resolve/dev/README.md").await;
    assert_eq!(found.text().await.unwrap(), "ONE");
}

#[tokio::test]
async fn a_number_is_never_given_again_with_other_files() {
    let hub = TestRegistry::start().await;
    hub.create("alice/tool").await;
    assert_eq!(
        publish(&hub, "alice/tool", "1.0.0", "ONE").await.status(),
        200
    );
    // The tag with the other spelling names the same version.
    hub.commit("alice/tool", "more", &[("README.md", b"TWO")])
        .await;
    refused(tag(&hub, "alice/tool", "1.0.0").await).await;
    delete(&hub, "alice/tool").await;

    hub.create("alice/tool").await;
    // This also holds for files without a tool.
    assert_eq!(
        refusal(tag(&hub, "alice/tool", "v1.0.0").await).await.0,
        422
    );
    refused(publish(&hub, "alice/tool", "1.0.0", "REPUBLISHED").await).await;
    let refs = hub.get_json(&format!("{API}/refs")).await;
    assert_eq!(refs["tags"], json!([]));
    // The same files can be published again, and other versions are free.
    assert_eq!(
        publish(&hub, "alice/tool", "1.0.0", "ONE").await.status(),
        200
    );
    assert_eq!(
        publish(&hub, "alice/tool", "1.0.1", "TWO").await.status(),
        200
    );
    // A data set of the same name is independent.
    hub.create_with("alice/tool", json!({"type": "dataset"}))
        .await;
}

#[tokio::test]
async fn a_name_that_is_taken_over_has_the_versions_of_its_past() {
    let hub = TestRegistry::start().await;
    hub.create("alice/tool").await;
    assert_eq!(
        publish(&hub, "alice/tool", "1.0.0", "ONE").await.status(),
        200
    );
    assert_eq!(
        rename(&hub, "alice/tool", "alice/Other").await.status(),
        200
    );
    // This version counts as published under both names.
    assert_eq!(
        publish(&hub, "alice/other", "1.1.0", "TWO").await.status(),
        200
    );
    is_kept(&hub, "alice/tool").await;

    // Nothing leads to a deleted repository, and then its names are free.
    delete(&hub, "alice/other").await;
    hub.create("alice/tool").await;
    for version in ["1.0.0", "1.1.0"] {
        refused(publish(&hub, "alice/tool", version, "TAKEN").await).await;
    }
    assert_eq!(
        publish(&hub, "alice/tool", "2.0.0", "NEW").await.status(),
        200
    );
    hub.create("alice/third").await;
    assert_eq!(
        publish(&hub, "alice/third", "1.1.0", "EVIL").await.status(),
        200
    );
    refused(rename(&hub, "alice/third", "alice/other").await).await;
    assert_eq!(hub.get("/api/models/alice/third").await.status(), 200);
    // A version that is not published at the destination moves freely, and back.
    assert_eq!(rename(&hub, "alice/tool", "acme/stats").await.status(), 200);
    assert_eq!(rename(&hub, "acme/stats", "alice/tool").await.status(), 200);
    is_kept(&hub, "acme/stats").await;
    delete(&hub, "alice/tool").await;
    hub.create("acme/stats").await;
    refused(publish(&hub, "acme/stats", "2.0.0", "TAKEN").await).await;
}

#[tokio::test]
async fn a_backup_remembers_and_so_does_one_from_before() {
    let hub = TestRegistry::start().await;
    for id in ["alice/tool", "alice/kept"] {
        hub.create(id).await;
        assert_eq!(publish(&hub, id, "1.0.0", "ONE").await.status(), 200);
    }
    delete(&hub, "alice/tool").await;
    let scratch = tempfile::tempdir().unwrap();
    let backup = scratch.path().join("backup");
    hub.registry.backup(&backup).await.unwrap();
    let other = hub.restored_from(&backup).await;
    other.create("alice/tool").await;
    refused(publish(&other, "alice/tool", "1.0.0", "TWO").await).await;

    crate::backup::without_table(&backup, "published_versions");
    let config = hub.elsewhere("older");
    Registry::restore(&backup, config.clone()).await.unwrap();
    let older = Registry::open(config).await.unwrap();
    let other = hub.through(&crate::support::serve_on_a_port(&older).await);
    delete(&other, "alice/kept").await;
    other.create("alice/kept").await;
    refused(publish(&other, "alice/kept", "1.0.0", "TWO").await).await;
}

#[tokio::test]
async fn the_name_of_an_owner_never_becomes_free() {
    let hub = TestRegistry::start().await;
    for name in ["alice", "ALICE", "acme"] {
        let user = hub.registry.add_user(name, None).await;
        let organisation = hub.registry.add_organisation(name).await;
        for added in [user, organisation] {
            assert!(matches!(added, Err(RegistryError::NameTaken { .. })));
        }
    }
    // Direct changes of the database are refused, too.
    for statement in [
        "DELETE FROM accounts WHERE name = 'bob'",
        "UPDATE accounts SET name_folded = 'x' WHERE name = 'bob'",
    ] {
        let error = hub.run_sql(statement).await.unwrap_err();
        assert!(error.contains("never given to somebody else"), "{error}");
    }
    hub.create("alice/tool").await;
    publish(&hub, "alice/tool", "1.0.0", "ONE").await;
    for statement in [
        "DELETE FROM published_versions",
        "UPDATE published_versions SET tree = 'x'",
    ] {
        let error = hub.run_sql(statement).await.unwrap_err();
        assert!(error.contains("what was published"), "{error}");
    }
}
