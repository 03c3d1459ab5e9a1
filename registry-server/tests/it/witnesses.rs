//! Tests of witnesses of the log, which several servers of one registry have in common.

use std::time::Duration;

use tool_hub_registry_server::{RegistryError, WitnessKey};
use tool_hub_transparency::{LogKey, WitnessPolicy};

use crate::freshness::another;
use crate::log::{REPO, publish};
use crate::support::TestRegistry;
use crate::witness::{Manner, Witness};

async fn text(hub: &TestRegistry, path: &str) -> String {
    hub.get(path).await.text().await.unwrap()
}

/// The checkpoint of a server, once the witness cosigned it.
async fn cosigned(hub: &TestRegistry, policy: &WitnessPolicy) -> String {
    for _ in 0..600 {
        let checkpoint = text(hub, "/api/log/checkpoint").await;
        if policy.check(&checkpoint, |_| true).is_ok() {
            return checkpoint;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("nothing was cosigned");
}

/// A log that gets records faster than its witnesses sign still has a state that they all cosigned.
#[tokio::test]
async fn a_log_that_never_rests_is_cosigned() {
    let hub = TestRegistry::start().await;
    let log: LogKey = text(&hub, "/api/log/key").await.trim().parse().unwrap();
    let witnesses = ["witness.example/w1", "witness.example/w2"]
        .map(|name| Witness::start(name, Manner::Honest));
    let mut keys = Vec::new();
    for witness in &witnesses {
        witness.know(&log.to_string());
        let key: WitnessKey = witness.key().parse().unwrap();
        let url = witness.url().parse().unwrap();
        hub.registry.add_witness(&key, &url).await.unwrap();
        keys.push(key);
    }
    let policy = WitnessPolicy::new(2, keys).unwrap();
    hub.create(REPO).await;
    publish(&hub, REPO, "1.0.0").await;
    cosigned(&hub, &policy).await;
    let mut seen = 1;
    for number in 1..500 {
        publish(&hub, REPO, &format!("1.{number}.0")).await;
        let state = text(&hub, &format!("/api/log/checkpoint?older={seen}")).await;
        let records = format!("/api/models/{REPO}/log?version=1.0.0&older={seen}");
        let records: serde_json::Value = hub.get(&records).await.json().await.unwrap();
        for checkpoint in [&state, records["checkpoint"].as_str().unwrap()] {
            let checked = policy.check(checkpoint, |_| true);
            assert!(checked.is_ok(), "{number}: {checked:?}");
            let size = log.open(checkpoint).unwrap().size();
            assert!(size >= seen, "{size} records, and {seen} were seen");
            seen = size;
        }
        if seen > 10 {
            return;
        }
    }
    panic!("no newer state was cosigned: {seen}");
}

#[tokio::test]
async fn one_of_several_servers_asks_and_all_serve_the_answer() {
    let hub = TestRegistry::start().await;
    let other = another(&hub).await;
    let witness = Witness::start("witness.example/w", Manner::Honest);
    let key: WitnessKey = witness.key().parse().unwrap();
    let log = text(&hub, "/api/log/key").await;
    witness.know(&log);
    let log: LogKey = log.trim().parse().unwrap();
    let url = witness.url().parse().unwrap();
    hub.registry.add_witness(&key, &url).await.unwrap();
    let again = hub.registry.add_witness(&key, &url).await;
    assert!(matches!(again, Err(RegistryError::WitnessNotAdded { .. })));
    let policy = WitnessPolicy::new(1, vec![key.clone()]).unwrap();
    hub.create(REPO).await;
    for (number, writer) in [&hub, &other, &hub].into_iter().enumerate() {
        publish(writer, REPO, &format!("1.{number}.0")).await;
        for server in [&hub, &other] {
            let checkpoint = cosigned(server, &policy).await;
            let opened = log.open(&checkpoint).unwrap();
            assert_eq!(opened.size(), number as u64 + 1);
        }
        assert_eq!(witness.asked(), number + 1);
    }

    // A registry that is restored elsewhere has the witness and its signature.
    let scratch = tempfile::tempdir().unwrap();
    let backup = scratch.path().join("backup");
    hub.registry.backup(&backup).await.unwrap();
    let restored = hub.restored_from(&backup).await;
    let listed = restored.registry.list_witnesses().await.unwrap();
    assert_eq!(listed, hub.registry.list_witnesses().await.unwrap());
    assert_eq!((listed[0].records, listed[0].fault.as_deref()), (3, None));

    hub.registry.remove_witness(key.name()).await.unwrap();
    let checkpoint = text(&other, "/api/log/checkpoint").await;
    assert!(policy.check(&checkpoint, |_| true).is_err());
    let gone = hub.registry.remove_witness(key.name()).await;
    assert!(matches!(gone, Err(RegistryError::NoSuchWitness { .. })));
    for wrong in [
        "ftp://w.example",
        "http://w.example?x",
        "http://me@w.example",
    ] {
        let refused = hub
            .registry
            .add_witness(&key, &wrong.parse().unwrap())
            .await;
        assert!(
            matches!(refused, Err(RegistryError::WitnessAddress { .. })),
            "{wrong}"
        );
    }
}
