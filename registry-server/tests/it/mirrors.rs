//! Tests of mirrors: what is copied, what is refused, and what is served when the upstream is gone.

use reqwest::Method;
use serde_json::{Value, json};
use tool_hub_registry_server::{
    MirrorReport, MirrorSource, Registry, RegistryError, UpstreamLogFault, serve_metrics,
};
use tool_hub_transparency::LogKey;

use crate::log::{REPO, proved, publish, said, say, yanked};
use crate::support::{TestRegistry, serve_on_a_port};

pub(crate) fn source(endpoint: &str) -> MirrorSource {
    MirrorSource::all(endpoint.parse().unwrap())
}

pub(crate) async fn open(hub: &TestRegistry, name: &str) -> Registry {
    Registry::open(hub.elsewhere(name)).await.unwrap()
}

pub(crate) async fn text(endpoint: &str, path: &str) -> String {
    let response = reqwest::get(format!("{endpoint}{path}")).await.unwrap();
    assert_eq!(response.status(), 200, "{path}");
    response.text().await.unwrap()
}

async fn json_of(endpoint: &str, path: &str) -> Value {
    serde_json::from_str(&text(endpoint, path).await).unwrap()
}

pub(crate) async fn status(endpoint: &str, path: &str) -> u16 {
    let response = reqwest::get(format!("{endpoint}{path}")).await.unwrap();
    response.status().as_u16()
}

async fn key(endpoint: &str) -> LogKey {
    let text = text(endpoint, "/api/log/key").await;
    text.trim().parse().unwrap()
}

pub(crate) fn counts(report: &MirrorReport) -> (Option<u64>, u64, u64, u64) {
    let MirrorReport {
        records,
        new_records,
        versions,
        files,
        ..
    } = report;
    (*records, *new_records, *versions, *files)
}

/// Everything that a stranger reads of a repository and of its log.
async fn view(endpoint: &str) -> Vec<String> {
    let api = format!("/api/models/{REPO}");
    let mut seen = vec![text(endpoint, &format!("{api}/refs")).await];
    for version in ["v1.0.0", "v1.1.0", "main"] {
        let files = format!("{api}/tree/{version}?recursive=true");
        seen.push(text(endpoint, &files).await);
        let manifest = format!("/{REPO}/resolve/{version}/tool.toml");
        seen.push(text(endpoint, &manifest).await);
    }
    seen.push(text(endpoint, "/api/log/key").await);
    seen.push(
        text(endpoint, "/api/log/tile/0/000.p/2")
            .await
            .len()
            .to_string(),
    );
    seen.push(text(endpoint, "/api/log/tile/entries/000.p/2").await);
    let search = json_of(endpoint, "/api/models?filter=tool-hub").await;
    seen.push(search[0]["id"].to_string());
    seen
}

#[tokio::test]
async fn a_mirror_serves_what_was_published() {
    let mut hub = TestRegistry::start().await;
    hub.create(REPO).await;
    hub.create_with("alice/secret", json!({ "private": true }))
        .await;
    publish(&hub, REPO, "1.0.0").await;
    publish(&hub, REPO, "1.1.0").await;
    let mirror = open(&hub, "mirror").await;
    let source = source(&hub.endpoint);
    let report = mirror.mirror(&source).await.unwrap();
    // Two manifests, and the attributes that every repository begins with.
    assert_eq!(counts(&report), (Some(2), 2, 2, 3));
    let there = serve_on_a_port(&mirror).await;
    assert_eq!(view(&there).await, view(&hub.endpoint).await);
    let early = text(&there, "/api/log/checkpoint").await;
    assert_eq!(key(&there).await.open(&early).unwrap().size(), 2);

    // Nothing is fetched twice, and a mirror of the mirror is as good.
    let report = mirror.mirror(&source).await.unwrap();
    assert_eq!(counts(&report), (Some(2), 0, 0, 0));
    publish(&hub, "alice/secret", "1.0.0").await;
    publish(&hub, REPO, "1.2.0").await;
    say(&hub, &yanked("1.0.0", "malicious")).await;
    assert_eq!(
        status(&there, &format!("/api/models/{REPO}/revision/v1.2.0")).await,
        404
    );
    let report = mirror.mirror(&source).await.unwrap();
    assert_eq!(counts(&report), (Some(5), 3, 1, 2));
    assert_eq!(report.missing.len() + report.refused.len(), 0);
    let second = open(&hub, "second").await;
    let chained = self::source(&there);
    assert_eq!(second.mirror(&chained).await.unwrap().versions, 3);
    let second = serve_on_a_port(&second).await;

    hub.stop().await;
    let before = key(&there).await.open(&early).unwrap();
    for endpoint in [&there, &second] {
        let path = format!("/api/models/{REPO}/log?version=1.0.0&older=2");
        let answer = json_of(endpoint, &path).await;
        let (records, _) = proved(answer, &key(endpoint).await, Some(&before)).await;
        let records: Vec<String> = records.iter().map(said).collect();
        assert_eq!(records, ["alice/tool 1.0.0", "1.0.0 malicious"]);
        let releases = text(endpoint, &format!("/{REPO}/resolve/main/releases.toml")).await;
        assert!(releases.contains("malicious"), "{releases}");
        assert_eq!(status(endpoint, "/api/models/alice/secret").await, 401);
    }
    let failed = mirror.mirror(&source).await.unwrap_err();
    assert!(matches!(failed, RegistryError::Upstream { .. }), "{failed}");
    assert_eq!(
        status(&there, &format!("/{REPO}/resolve/v1.2.0/tool.toml")).await,
        200
    );
}

#[tokio::test]
async fn a_mirror_takes_no_changes() {
    let hub = TestRegistry::start().await;
    hub.create(REPO).await;
    publish(&hub, REPO, "1.0.0").await;
    let mirror = open(&hub, "mirror").await;
    mirror.mirror(&source(&hub.endpoint)).await.unwrap();
    mirror.add_user("mallory", None).await.unwrap();
    let role = tool_hub_registry_server::TokenRole::Write;
    let token = crate::support::token(&mirror, "mallory", role).await;
    let there = hub.through(&serve_on_a_port(&mirror).await);
    for (method, path) in [
        (Method::POST, "/api/repos/create".to_owned()),
        (Method::POST, format!("/api/models/{REPO}/commit/main")),
        (Method::POST, format!("/api/models/{REPO}/tag/main")),
        (Method::PUT, format!("/api/models/{REPO}/settings")),
        (Method::DELETE, "/api/repos/delete".to_owned()),
    ] {
        let body = json!({ "name": "mallory/x", "tag": "v2.0.0" });
        let refused = there.send_json(method, &path, &token, body).await;
        assert_eq!(refused.status(), 403, "{path}");
        let told = refused.text().await.unwrap();
        assert!(told.contains("is a mirror and takes no changes"), "{told}");
        assert!(told.contains(&hub.endpoint), "{told}");
    }
    // A registry with users of its own does not become a mirror, and a mirror keeps its source.
    let own = hub
        .registry
        .mirror(&source("http://127.0.0.1:9"))
        .await
        .unwrap_err();
    assert!(matches!(own, RegistryError::NotAMirror), "{own}");
    let other = mirror
        .mirror(&source("http://127.0.0.1:9"))
        .await
        .unwrap_err();
    assert!(
        matches!(other, RegistryError::MirrorOfAnother { .. }),
        "{other}"
    );
}

#[tokio::test]
async fn it_is_backed_up_collected_and_scrubbed() {
    let hub = TestRegistry::start().await;
    hub.create(REPO).await;
    publish(&hub, REPO, "1.0.0").await;
    publish(&hub, REPO, "1.1.0").await;
    let mirror = open(&hub, "mirror").await;
    mirror.mirror(&source(&hub.endpoint)).await.unwrap();
    let collected = mirror.collect_garbage(std::time::Duration::ZERO).await;
    assert_eq!(collected.unwrap().removed_objects, 0);
    assert!(mirror.scrub().await.unwrap().is_sound());
    let backup = hub.directory.path().join("backup");
    mirror.backup(&backup).await.unwrap();
    let config = hub.elsewhere("restored");
    Registry::restore(&backup, config.clone()).await.unwrap();
    let restored = Registry::open(config).await.unwrap();
    assert!(restored.scrub().await.unwrap().is_sound());
    assert_eq!(
        view(&serve_on_a_port(&restored).await).await,
        view(&hub.endpoint).await
    );
    publish(&hub, REPO, "1.2.0").await;
    let report = restored.mirror(&source(&hub.endpoint)).await.unwrap();
    assert_eq!(counts(&report), (Some(3), 1, 1, 1));
}

#[tokio::test]
async fn only_named_repositories_are_copied() {
    let hub = TestRegistry::start().await;
    for repo in [REPO, "alice/other", "bob/tool"] {
        let token = if repo.starts_with("bob") {
            &hub.bob
        } else {
            &hub.alice
        };
        let body = json!({ "name": repo });
        let made = hub
            .send_json(Method::POST, "/api/repos/create", token, body)
            .await;
        assert_eq!(made.status(), 200);
    }
    publish(&hub, REPO, "1.0.0").await;
    publish(&hub, "alice/other", "1.0.0").await;
    let mirror = open(&hub, "mirror").await;
    let mut source = source(&hub.endpoint);
    source.only = vec![REPO.parse().unwrap()];
    let report = mirror.mirror(&source).await.unwrap();
    assert_eq!((report.records, report.versions), (Some(2), 1));
    let there = serve_on_a_port(&mirror).await;
    assert_eq!(status(&there, "/api/models/alice/other").await, 401);
    // Whoever wants more later gets what was published before, too.
    source.only = vec!["alice/*".parse().unwrap()];
    assert_eq!(mirror.mirror(&source).await.unwrap().versions, 1);
    assert_eq!(status(&there, "/api/models/alice/other").await, 200);
    assert_eq!(mirror.mirror(&source).await.unwrap().files, 0);
}

#[tokio::test]
async fn a_run_that_is_cut_off_shows_nothing_and_the_next_goes_on() {
    let hub = TestRegistry::start().await;
    hub.create(REPO).await;
    publish(&hub, REPO, "1.0.0").await;
    hub.commit(REPO, "data", &[("data", b"the only one")]).await;
    publish(&hub, REPO, "1.1.0").await;
    let object = hub.object(b"the only one");
    let away = hub.directory.path().join("away");
    std::fs::rename(&object, &away).unwrap();
    let mirror = open(&hub, "mirror").await;
    let source = source(&hub.endpoint);
    mirror.mirror(&source).await.unwrap_err();
    let there = serve_on_a_port(&mirror).await;
    assert_eq!(status(&there, &format!("/api/models/{REPO}")).await, 401);
    assert_eq!(status(&there, "/api/log/checkpoint").await, 404);
    assert_eq!(json_of(&there, "/api/models").await, json!([]));
    std::fs::rename(&away, &object).unwrap();
    let report = mirror.mirror(&source).await.unwrap();
    // The first version had been copied.
    assert_eq!(counts(&report), (Some(2), 2, 2, 2));
    assert_eq!(view(&there).await, view(&hub.endpoint).await);
}

/// A content that is too long for a registry to keep in memory.
fn long(word: &str) -> Vec<u8> {
    word.repeat(20_000).into_bytes()
}

#[tokio::test]
async fn what_contradicts_the_log_is_not_taken() {
    let hub = TestRegistry::start().await;
    for (repo, version) in [
        (REPO, "1.0.0"),
        ("alice/altered", "1.0.0"),
        ("alice/moved", "1.0.0"),
        ("alice/swapped", "1.0.0"),
    ] {
        hub.create(repo).await;
        hub.commit(repo, "data", &[("README.md", &long(repo))])
            .await;
        publish(&hub, repo, version).await;
        hub.commit(
            repo,
            "later",
            &[(
                "tool.toml",
                b"schema = 1\nname = \"x\"\nversion = \"9.0.0\"\ndescription = \"y\"\n",
            )],
        )
        .await;
    }
    // A file with other bytes, a tag on another commit, and a commit with other files.
    let object = hub.object(&long("alice/altered"));
    std::fs::write(&object, long("alice/changed")).unwrap();
    for statement in [
        "UPDATE refs SET commit_oid = (SELECT m.commit_oid FROM refs m WHERE m.repository = refs.repository AND m.name = 'refs/heads/main') \
         WHERE name = 'refs/tags/v1.0.0' AND repository = (SELECT id FROM repositories WHERE name = 'moved')",
        "UPDATE commits SET tree = (SELECT c.tree FROM commits c JOIN refs m ON m.repository = c.repository AND m.commit_oid = c.oid \
         WHERE m.name = 'refs/heads/main' AND c.repository = commits.repository) \
         WHERE repository = (SELECT id FROM repositories WHERE name = 'swapped')",
    ] {
        hub.run_sql(statement).await.unwrap();
    }
    let mirror = open(&hub, "mirror").await;
    let report = mirror.mirror(&source(&hub.endpoint)).await.unwrap();
    assert_eq!(report.versions, 1);
    let mut refused: Vec<String> = report.refused.iter().map(ToString::to_string).collect();
    refused.sort();
    let expected = [
        (
            "alice/altered main",
            "the bytes of README.md are not those that its commit names",
        ),
        (
            "alice/altered v1.0.0",
            "the bytes of README.md are not those that its commit names",
        ),
        ("alice/moved v1.0.0", "and the log another one"),
        ("alice/swapped v1.0.0", "its tool.toml hashes to"),
    ];
    assert_eq!(refused.len(), expected.len(), "{refused:?}");
    for (said, (subject, reason)) in refused.iter().zip(expected) {
        assert!(said.starts_with(subject) && said.contains(reason), "{said}");
    }
    let there = serve_on_a_port(&mirror).await;
    assert_eq!(
        status(&there, &format!("/{REPO}/resolve/v1.0.0/tool.toml")).await,
        200
    );
    for repo in ["altered", "moved", "swapped"] {
        let path = format!("/api/models/alice/{repo}/revision/v1.0.0");
        assert_ne!(status(&there, &path).await, 200, "{repo}");
    }
    // The next run takes the version that was mended.
    std::fs::write(&object, long("alice/altered")).unwrap();
    let report = mirror.mirror(&source(&hub.endpoint)).await.unwrap();
    assert_eq!((report.versions, report.refused.len()), (1, 2));
    let path = "/alice/altered/resolve/main/README.md";
    assert_eq!(text(&there, path).await.as_bytes(), long("alice/altered"));
    // So is a branch alone, of which the log says nothing new.
    hub.commit(REPO, "data", &[("data", &long("data"))]).await;
    std::fs::write(hub.object(&long("data")), long("date")).unwrap();
    say(&hub, &yanked("1.0.0", "broken")).await;
    let report = mirror.mirror(&source(&hub.endpoint)).await.unwrap();
    assert_eq!(report.refused.len(), 3);
    std::fs::write(hub.object(&long("data")), long("data")).unwrap();
    mirror.mirror(&source(&hub.endpoint)).await.unwrap();
    let releases = format!("/{REPO}/resolve/main/releases.toml");
    assert!(text(&there, &releases).await.contains("broken"));
}

#[tokio::test]
async fn another_history_is_not_followed() {
    let hub = TestRegistry::start().await;
    hub.create(REPO).await;
    publish(&hub, REPO, "1.0.0").await;
    publish(&hub, REPO, "1.1.0").await;
    let mirror = open(&hub, "mirror").await;
    let source = source(&hub.endpoint);
    mirror.mirror(&source).await.unwrap();
    let there = serve_on_a_port(&mirror).await;
    let before = (
        text(&there, "/api/log/checkpoint").await,
        view(&there).await,
    );
    let refused = async |expect: &str| {
        let error = mirror.mirror(&source).await.unwrap_err();
        let RegistryError::UpstreamLog { source, .. } = error else {
            panic!("{error}");
        };
        assert!(source.to_string().contains(expect), "{source}");
        let now = (
            text(&there, "/api/log/checkpoint").await,
            view(&there).await,
        );
        assert_eq!(now, before, "{expect}");
    };
    // One record less, then another one in its place.
    crate::scrub::unlock_log(&hub).await;
    hub.run_sql("DELETE FROM log_records WHERE position = 1")
        .await
        .unwrap();
    hub.run_sql("DELETE FROM log_hashes WHERE number > 0")
        .await
        .unwrap();
    refused("it has 1 records, and had 2 before").await;
    publish(&hub, REPO, "1.3.0").await;
    refused("its 2 records do not begin with the 2 that were taken before").await;
    publish(&hub, REPO, "1.4.0").await;
    refused("its 3 records do not begin with the 2 that were taken before").await;
    hub.run_sql("UPDATE log_key SET name = 'another'")
        .await
        .unwrap();
    refused("its key is another+").await;

    let metrics = metrics_of(&mirror).await;
    assert!(
        metrics.contains("tool_registry_mirror_halted 1\n"),
        "{metrics}"
    );
    let mut named = self::source(&hub.endpoint);
    named.log_key = Some(key(&there).await);
    let fresh = open(&hub, "fresh").await;
    let error = fresh.mirror(&named).await.unwrap_err();
    let RegistryError::UpstreamLog { source: fault, .. } = error else {
        panic!("{error}");
    };
    assert!(
        matches!(fault, UpstreamLogFault::OtherKey { .. }),
        "{fault}"
    );
}

async fn metrics_of(registry: &Registry) -> String {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let endpoint = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(serve_metrics(
        listener,
        registry.clone(),
        std::future::pending(),
    ));
    text(&endpoint, "/metrics").await
}

#[tokio::test]
async fn the_lag_is_counted() {
    let hub = TestRegistry::start().await;
    hub.create(REPO).await;
    publish(&hub, REPO, "1.0.0").await;
    let mirror = open(&hub, "mirror").await;
    let source = source(&hub.endpoint);
    mirror.mirror(&source).await.unwrap();
    let metrics = metrics_of(&mirror).await;
    for line in ["records_behind 0", "versions_missing 0", "halted 0"] {
        assert!(
            metrics.contains(&format!("tool_registry_mirror_{line}\n")),
            "{metrics}"
        );
    }
    for name in ["check_age_seconds", "checkpoint_age_seconds"] {
        assert!(
            metrics.contains(&format!("\ntool_registry_mirror_{name} ")),
            "{metrics}"
        );
    }
    assert!(
        !metrics_of(&hub.registry)
            .await
            .contains("tool_registry_mirror")
    );
    // The log goes on, and its files cannot be had.
    publish(&hub, REPO, "1.1.0").await;
    hub.commit(REPO, "more", &[("more", b"more")]).await;
    std::fs::remove_file(hub.object(b"more")).unwrap();
    mirror.mirror(&source).await.unwrap_err();
    let metrics = metrics_of(&mirror).await;
    assert!(
        metrics.contains("tool_registry_mirror_records_behind 1\n"),
        "{metrics}"
    );
}
