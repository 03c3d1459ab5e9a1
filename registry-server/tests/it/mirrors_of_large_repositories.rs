//! Tests of mirrors of a registry in which one repository cannot be copied.

use tool_hub_registry_server::Registry;

use crate::log::{REPO, publish};
use crate::mirrors::{counts, source, status, text};
use crate::support::{TestRegistry, serve_on_a_port};

/// The most files of a commit that the mirrors here take.
const FILES_MAX: usize = 25;

/// Commits as many files as a commit may have, and then as many again.
async fn fill(hub: &TestRegistry, repo: &str) {
    for part in ["a", "b"] {
        let names: Vec<String> = (0..FILES_MAX).map(|at| format!("{part}/{at}")).collect();
        let files: Vec<(&str, &[u8])> = names.iter().map(|it| (it.as_str(), &b"x"[..])).collect();
        hub.commit(repo, part, &files).await;
    }
}

#[tokio::test]
async fn one_that_is_too_large_stops_no_other() {
    let hub = TestRegistry::start().await;
    // By their names the ones that cannot be copied are asked for first.
    for repo in ["alice/aaa", "alice/abc", REPO] {
        hub.create(repo).await;
    }
    fill(&hub, "alice/aaa").await;
    publish(&hub, "alice/aaa", "1.0.0").await;
    publish(&hub, "alice/abc", "1.0.0").await;
    publish(&hub, REPO, "1.0.0").await;
    let larger = hub.elsewhere("mirror");
    let mut config = larger.clone();
    config.limits.commit_operations_max = FILES_MAX;
    let mirror = Registry::open(config).await.unwrap();
    let source = source(&hub.endpoint);
    let report = mirror.mirror(&source).await.unwrap();
    assert_eq!((report.records, report.versions), (Some(3), 2));
    let refused: Vec<String> = report.refused.iter().map(ToString::to_string).collect();
    let says = |subject: &str| {
        format!(
            "{subject}: the upstream's answer cannot be used: the commit has more than {FILES_MAX} files"
        )
    };
    assert_eq!(refused, [says("alice/aaa v1.0.0"), says("alice/aaa main")]);
    let there = serve_on_a_port(&mirror).await;
    let version = |repo: &str, version: &str| format!("/{repo}/resolve/v{version}/tool.toml");
    assert_eq!(status(&there, &version(REPO, "1.0.0")).await, 200);
    // Of what was never copied nothing is shown.
    assert_eq!(status(&there, "/api/models/alice/aaa").await, 401);
    let listed = text(&there, "/api/models?filter=tool-hub").await;
    assert!(!listed.contains("alice/aaa"), "{listed}");

    // One that grew later is served as it was.
    fill(&hub, "alice/abc").await;
    publish(&hub, "alice/abc", "1.1.0").await;
    publish(&hub, REPO, "1.1.0").await;
    let head = text(&there, "/api/models/alice/abc/revision/main").await;
    let report = mirror.mirror(&source).await.unwrap();
    assert_eq!(
        (report.versions, report.refused.len()),
        (1, 4),
        "{report:?}"
    );
    assert_eq!(status(&there, &version(REPO, "1.1.0")).await, 200);
    assert_eq!(status(&there, &version("alice/abc", "1.0.0")).await, 200);
    assert_ne!(status(&there, &version("alice/abc", "1.1.0")).await, 200);
    assert_eq!(
        text(&there, "/api/models/alice/abc/revision/main").await,
        head
    );
    assert_eq!(status(&there, "/api/models/alice/aaa").await, 401);

    // All is tried again, and taken where the mirror allows it.
    let again = mirror.mirror(&source).await.unwrap();
    assert_eq!(again.refused.len(), 4, "{again:?}");
    drop(mirror);
    let larger = Registry::open(larger).await.unwrap();
    let report = larger.mirror(&source).await.unwrap();
    assert_eq!(counts(&report).2, 2, "{report:?}");
    assert_eq!(report.refused, []);
    let there = serve_on_a_port(&larger).await;
    assert_eq!(status(&there, &version("alice/aaa", "1.0.0")).await, 200);
    assert_eq!(status(&there, &version("alice/abc", "1.1.0")).await, 200);
}
