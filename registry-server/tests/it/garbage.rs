//! Tests of garbage collection: what is removed and what stays, also while others push.

use std::fs::FileTimes;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime};

use reqwest::Method;
use serde_json::json;
use tokio::task::JoinSet;
use tool_hub_registry_server::{Downloads, Registry, RegistryConfig};

use crate::support::{TestRegistry, file, header};

const NO_GRACE: Duration = Duration::ZERO;
const AN_HOUR: Duration = Duration::from_secs(3_600);
const TWO_DAYS: Duration = Duration::from_secs(2 * 24 * 3_600);

async fn delete(hub: &TestRegistry, id: &str) {
    let body = json!({"name": id});
    let deleting = hub.send_json(Method::DELETE, "/api/repos/delete", &hub.alice, body);
    assert_eq!(deleting.await.status(), 200);
}

#[tokio::test]
async fn only_what_nobody_refers_to_is_collected() {
    let hub = TestRegistry::start().await;
    let large = vec![7_u8; 600_000];
    for id in ["alice/one", "alice/two"] {
        hub.create(id).await;
        hub.commit(id, "both", &[("shared", b"shared"), ("own", id.as_bytes())])
            .await;
    }
    hub.commit("alice/one", "large", &[("large", &large)]).await;
    delete(&hub, "alice/one").await;

    let report = hub.registry.collect_garbage(AN_HOUR).await.unwrap();
    assert_eq!(
        (report.removed_objects, report.young_objects),
        (0, 2),
        "within the grace period"
    );
    tokio::time::sleep(Duration::from_millis(20)).await;
    let report = hub.registry.collect_garbage(NO_GRACE).await.unwrap();
    assert_eq!((report.removed_objects, report.removed_bytes), (2, 600_009));
    assert!(!hub.object(&large).exists() && !hub.object(b"alice/one").exists());
    assert!(hub.object(b"shared").exists() && hub.object(b"alice/two").exists());
    let report = hub.registry.collect_garbage(NO_GRACE).await.unwrap();
    assert_eq!(report.removed_objects, 0);

    // What was collected can be sent again.
    hub.commit("alice/two", "again", &[("large", &large)]).await;
    let path = "/alice/two/resolve/main/large";
    assert_eq!(hub.get(path).await.bytes().await.unwrap(), large);
    assert!(hub.registry.scrub().await.unwrap().is_sound());
}

#[tokio::test]
async fn what_was_half_written_goes_when_it_is_old() {
    let hub = TestRegistry::start().await;
    hub.create("alice/tool").await;
    hub.commit("alice/tool", "a", &[("a", b"a")]).await;
    let mut left = vec![
        hub.incoming().join("file-old"),
        hub.incoming().join("file-young"),
    ];
    if hub.place.is_none() {
        // Where a local store was killed while it wrote an object.
        let object = hub.object(b"a");
        let name = object.file_name().unwrap().to_str().unwrap();
        left.extend([1, 2].map(|number| object.with_file_name(format!("{name}#{number}"))));
    }
    for (at, path) in left.iter().enumerate() {
        std::fs::write(path, b"half").unwrap();
        if at % 2 == 0 {
            make_old(path);
        }
    }
    hub.registry.collect_garbage(NO_GRACE).await.unwrap();
    let there: Vec<bool> = left.iter().map(|path| path.exists()).collect();
    let expected: Vec<bool> = (0..left.len()).map(|at| at % 2 == 1).collect();
    assert_eq!(there, expected, "{left:?}");
    assert!(hub.object(b"a").exists());
}

fn make_old(path: &Path) {
    let times = FileTimes::new().set_modified(SystemTime::now() - TWO_DAYS);
    let file = std::fs::File::options().write(true).open(path).unwrap();
    file.set_times(times).unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn collecting_while_others_push_loses_nothing_that_was_acknowledged() {
    let hub = TestRegistry::start().await;
    // A second process of an operator.
    let config = match &hub.place {
        Some(place) => place.config(&hub.directory.path().join("other"), Downloads::Proxy),
        None => RegistryConfig::new(&hub.config.directory),
    };
    let other = Registry::open(config).await.unwrap();
    let collectors = vec![hub.registry.clone(), other];
    race(vec![Arc::new(hub)], collectors, Duration::from_secs(4)).await;
}

/// Pushes and deletes through some servers while some others collect, without any grace, and looks
/// whether everything is there.
pub(crate) async fn race(
    hubs: Vec<Arc<TestRegistry>>,
    collectors: Vec<Registry>,
    duration: Duration,
) {
    let stop = Arc::new(AtomicBool::new(false));
    let mut pushers = JoinSet::new();
    for pusher in 0..4 {
        let hub = Arc::clone(&hubs[pusher % hubs.len()]);
        pushers.spawn(push_and_delete(hub, pusher, Arc::clone(&stop)));
    }
    let until = Instant::now() + duration;
    let mut collecting = JoinSet::new();
    for registry in collectors {
        collecting.spawn(async move {
            let mut removed = 0;
            while Instant::now() < until {
                let report = registry.collect_garbage(NO_GRACE).await.unwrap();
                removed += report.removed_objects;
            }
            removed
        });
    }
    let removed: u64 = collecting.join_all().await.into_iter().sum();
    stop.store(true, Ordering::Relaxed);
    let (acknowledged, refused) = pushers
        .join_all()
        .await
        .into_iter()
        .fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    assert!(
        acknowledged > 20 && removed > 5,
        "{acknowledged} pushed, {refused} refused, {removed} removed"
    );
    let report = hubs[0].registry.scrub().await.unwrap();
    assert_eq!(report.faults, []);
    assert!(report.git_objects > 0);
}

/// One pusher: commits to repositories of its own and deletes them again, with contents that all
/// pushers share. Counts what was acknowledged and what was not.
async fn push_and_delete(
    hub: Arc<TestRegistry>,
    pusher: usize,
    stop: Arc<AtomicBool>,
) -> (u64, u64) {
    let (mut acknowledged, mut refused) = (0, 0);
    for round in 0.. {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        let id = format!("alice/pusher-{pusher}-{round}");
        let creating = hub.send_json(
            Method::POST,
            "/api/repos/create",
            &hub.alice,
            json!({"name": id}),
        );
        if creating.await.status() == 503 {
            refused += 1;
            continue;
        }
        for step in 0..4_usize {
            let name = format!("f{step}");
            let content = format!("content {}", (round * 5 + step + pusher * 3) % 12);
            let body = header("push") + &file(&name, content.as_bytes());
            let response = hub.send_commit(&id, body).await;
            match response.status().as_u16() {
                200 => acknowledged += 1,
                // The race was lost and nothing was acknowledged.
                503 => {
                    refused += 1;
                    continue;
                }
                other => panic!("{other}: {}", response.text().await.unwrap()),
            }
            let got = hub.get(&format!("/{id}/resolve/main/{name}")).await;
            assert_eq!(got.status(), 200, "{id} {name}");
            assert_eq!(got.text().await.unwrap(), content);
        }
        // Whatever is in the registry at the end was pushed in the last moments.
        if !stop.load(Ordering::Relaxed) {
            delete(&hub, &id).await;
        }
    }
    (acknowledged, refused)
}
