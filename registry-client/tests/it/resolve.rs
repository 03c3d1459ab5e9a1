//! Tests of resolving references, of `whoami`, and of endpoints that are away or fail for a while.

use std::collections::BTreeMap;

use tool_hub_registry_client::{Client, ClientConfig, ClientError};

use crate::registry::{Registry, Repo, refusal};
use crate::support::{anonymous, config, signed_in, variant};

/// A registry where `alice/demo` has four commits: 1.0.0, 1.1.0, 2.0.0-rc.1, and main.
async fn registry() -> Registry {
    let registry = Registry::start().await;
    let mut repo = Repo::default();
    for tag in ["v1.0.0", "v1.1.0", "v2.0.0-rc.1", "nightly"] {
        let commit = repo.add(BTreeMap::new());
        repo.tags.insert(tag.into(), commit);
    }
    repo.add(BTreeMap::new());
    registry.change(|world| world.repos.insert("alice/demo".into(), repo));
    registry
}

#[track_caller]
fn commit(number: usize) -> String {
    format!("{:040x}", 0xc0ffee + number)
}

#[tokio::test]
async fn every_form_of_reference() {
    let registry = registry().await;
    let client = anonymous(&registry);
    let with_commit = format!("alice/demo@{}", commit(4));
    let with_tagged_commit = format!("alice/demo@{}", commit(0));
    for (reference, number, version) in [
        ("alice/demo", 1, Some("1.1.0")),
        ("alice/demo@1.0.0", 0, Some("1.0.0")),
        ("alice/demo@^1", 1, Some("1.1.0")),
        ("alice/demo@2.0.0-rc.1", 2, Some("2.0.0-rc.1")),
        ("alice/demo@main", 4, None),
        ("alice/demo@nightly", 3, None),
        ("alice/demo@v1.0.0", 0, Some("1.0.0")),
        (&with_commit, 4, None),
        (&with_tagged_commit, 0, Some("1.0.0")),
    ] {
        let resolved = client.resolve(&reference.parse().unwrap()).await.unwrap();
        assert_eq!(resolved.commit.as_str(), commit(number), "{reference}");
        let found = resolved.version.map(|version| version.to_string());
        assert_eq!(found.as_deref(), version, "{reference}");
    }
    let versions = client
        .versions(&"alice/demo".parse().unwrap())
        .await
        .unwrap();
    let versions: Vec<_> = versions.iter().map(|it| it.version.to_string()).collect();
    assert_eq!(versions, ["2.0.0-rc.1", "1.1.0", "1.0.0"]);
}

/// In the repo of a model `releases.toml` may be anything.
#[tokio::test]
async fn what_is_no_tool_has_no_releases() {
    let registry = Registry::start().await;
    let mut repo = Repo::default();
    let text = b"v1: trained in May".to_vec();
    let commit = repo.add(BTreeMap::from([("releases.toml".to_owned(), text)]));
    registry.change(|world| world.repos.insert("alice/model".into(), repo));
    let client = anonymous(&registry);
    let reference = "alice/model".parse().unwrap();
    let refused = client.resolve(&reference).await.unwrap_err();
    assert!(
        matches!(refused, ClientError::ReleasesUnreadable { .. }),
        "{refused}"
    );
    let resolved = client.resolve_plainly(&reference).await.unwrap();
    assert_eq!(resolved.commit.as_str(), commit);
}

#[tokio::test]
async fn a_branch_does_not_stand_in_for_a_version() {
    let registry = registry().await;
    registry.change(|world| {
        let repo = world.repos.get_mut("alice/demo").unwrap();
        for branch in ["v1.0.0", "1.1.0", "nightly"] {
            repo.branches.insert(branch.into(), commit(4));
        }
    });
    let client = anonymous(&registry);
    for (reference, number) in [
        ("alice/demo@v1.0.0", 0),
        ("alice/demo@1.1.0", 1),
        ("alice/demo@nightly", 3),
        ("alice/demo@main", 4),
    ] {
        let resolved = client.resolve(&reference.parse().unwrap()).await.unwrap();
        assert_eq!(resolved.commit.as_str(), commit(number), "{reference}");
        let told = resolved.version_branches.iter();
        let told: Vec<_> = told.map(|it| (&*it.name, it.is_tag_too)).collect();
        assert_eq!(told, [("1.1.0", false), ("v1.0.0", true)], "{reference}");
    }
}

#[tokio::test]
async fn a_repo_without_versions_is_its_main_branch() {
    let registry = Registry::start().await;
    let mut repo = Repo::default();
    let head = repo.add(BTreeMap::new());
    registry.change(|world| world.repos.insert("alice/demo".into(), repo));
    let resolved = anonymous(&registry)
        .resolve(&"alice/demo".parse().unwrap())
        .await
        .unwrap();
    assert_eq!((resolved.commit.as_str(), resolved.version), (&*head, None));
}

#[tokio::test]
async fn what_is_not_there_is_named() {
    let registry = registry().await;
    let missing_commit = format!("alice/demo@{}", "a".repeat(40));
    for (reference, expect) in [
        ("alice/other", "RepoNotFound"),
        ("alice/demo@^3", "VersionNotFound"),
        ("alice/demo@nowhere", "RevisionNotFound"),
        (&missing_commit, "RevisionNotFound"),
    ] {
        for client in [anonymous(&registry), signed_in(&registry)] {
            let error = client
                .resolve(&reference.parse().unwrap())
                .await
                .unwrap_err();
            assert_eq!(variant(&error), expect, "{reference}");
        }
    }
    let error = anonymous(&registry)
        .resolve(&"alice/demo@^3".parse().unwrap())
        .await
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "alice/demo has no version that meets `^3`; there are 2.0.0-rc.1, 1.1.0, 1.0.0"
    );
}

#[tokio::test]
async fn who_am_i() {
    let registry = Registry::start().await;
    let identity = signed_in(&registry).whoami().await.unwrap();
    assert_eq!(identity.name, "alice");
    assert_eq!(identity.organisations, ["acme"]);
    assert_eq!(identity.token_role.as_deref(), Some("write"));

    registry.take_seen();
    let error = anonymous(&registry).whoami().await.unwrap_err();
    assert_eq!(variant(&error), "TokenMissing");
    assert!(registry.take_seen().is_empty(), "no need to ask");

    let config = config(&registry).with_token(Some("hf_stale".parse().unwrap()));
    let error = Client::new(config).unwrap().whoami().await.unwrap_err();
    assert_eq!(variant(&error), "TokenRefused");
    let shown = error.to_string();
    assert!(shown.contains("status 401: Invalid credentials"), "{shown}");
    assert!(shown.contains("request req-1"), "{shown}");
}

#[tokio::test]
async fn an_endpoint_that_nobody_listens_on() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    drop(listener);
    let config = ClientConfig::new(url.parse().unwrap(), "test/1");
    let client = Client::new(config).unwrap();
    let error = client
        .resolve(&"alice/demo".parse().unwrap())
        .await
        .unwrap_err();
    assert_eq!(variant(&error), "Unreachable");
}

#[tokio::test]
async fn an_endpoint_below_a_path() {
    let registry = registry().await;
    registry.trick(|seen| {
        (!seen.path.starts_with("/hub/api/")).then(|| refusal(404, "", "not below /hub"))
    });
    let url = registry.url().join("/hub/").unwrap();
    let client = Client::new(ClientConfig::new(url, "test/1")).unwrap();
    let error = client.search("", 1).await.unwrap_err();
    // The honest part knows nothing of /hub, but it was reached: the trick said nothing.
    assert!(error.to_string().contains("no such route"), "{error}");
}

#[tokio::test]
async fn passing_failures_are_waited_out_and_others_are_not() {
    for (status, asked, expect) in [
        (503, 3, "ServerFailed"),
        (500, 1, "ServerFailed"),
        (429, 1, "RateLimited"),
        (403, 1, "Forbidden"),
    ] {
        let registry = registry().await;
        registry.trick(move |_| Some(refusal(status, "", "no")));
        let error = anonymous(&registry).search("", 1).await.unwrap_err();
        assert_eq!(variant(&error), expect);
        assert_eq!(registry.take_seen().len(), asked, "{status}");
    }
    let registry = registry().await;
    registry.trick(|_| {
        let mut response = refusal(429, "", "slower");
        response
            .headers_mut()
            .insert("retry-after", "7".parse().unwrap());
        Some(response)
    });
    match anonymous(&registry).search("", 1).await {
        Err(ClientError::RateLimited { retry_after, .. }) => {
            assert_eq!(retry_after, Some(std::time::Duration::from_secs(7)));
        }
        other => panic!("{other:?}"),
    }
}
