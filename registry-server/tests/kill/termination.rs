//! Tests of SIGTERM: open requests end within the grace period or are cut off.

use std::time::{Duration, Instant};

use reqwest::{Method, Response};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tool_hub_registry_server::Downloads;

use crate::replica::{GRACE, Replica};
use crate::support::{TestRegistry, file, header};

/// A server, and a commit on its way to it that waits for the word to go on.
struct Slow {
    hub: TestRegistry,
    server: Replica,
    go_on: oneshot::Sender<()>,
    commit: JoinHandle<reqwest::Result<Response>>,
}

impl Slow {
    async fn start() -> Self {
        let mut hub = TestRegistry::start_in(None, |_| ()).await;
        hub.create("alice/tool").await;
        hub.stop().await;
        let server = Replica::start(None, &hub.config.directory, Downloads::Proxy);
        let hub = hub.through(&server.endpoint);
        let (go_on, waiting) = oneshot::channel::<()>();
        let rest = futures::stream::once(async move {
            match waiting.await {
                Ok(()) => Ok(file("a", b"a")),
                Err(_) => std::future::pending().await,
            }
        });
        let first = futures::stream::iter([Ok::<_, std::io::Error>(header("slow"))]);
        let body = reqwest::Body::wrap_stream(futures::StreamExt::chain(first, rest));
        let path = "/api/models/alice/tool/commit/main";
        let request = hub.request(Method::POST, path, Some(&hub.alice)).body(body);
        let commit = tokio::spawn(request.send());
        tokio::time::sleep(Duration::from_millis(300)).await;
        Self {
            hub,
            server,
            go_on,
            commit,
        }
    }
}

/// Waits for a process to end by itself.
async fn exit_code(server: &mut Replica) -> i32 {
    let start = Instant::now();
    loop {
        if let Some(code) = server.exit_code() {
            return code;
        }
        assert!(start.elapsed() < 3 * GRACE, "the server does not end");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

pub(crate) async fn requests_end_within_the_grace_period() {
    let mut slow = Slow::start().await;
    slow.server.terminate();
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert_eq!(slow.server.exit_code(), None, "it waits for the commit");
    let another = slow.hub.request(Method::GET, "/health", None).send().await;
    assert!(
        another.is_err_and(|error| error.is_connect()),
        "nobody else is let in"
    );
    slow.go_on.send(()).unwrap();
    let response = slow.commit.await.unwrap().unwrap();
    assert_eq!(response.status(), 200);
    let answer: serde_json::Value = response.json().await.unwrap();
    assert_eq!(exit_code(&mut slow.server).await, 0);

    let again = Replica::start(None, &slow.hub.config.directory, Downloads::Proxy);
    let hub = slow.hub.through(&again.endpoint);
    assert_eq!(
        hub.get_json("/api/models/alice/tool").await["sha"],
        answer["commitOid"]
    );
}

pub(crate) async fn what_does_not_end_is_cut_off() {
    let mut slow = Slow::start().await;
    let head = slow.hub.get_json("/api/models/alice/tool").await["sha"].clone();
    slow.server.terminate();
    let start = Instant::now();
    assert_eq!(exit_code(&mut slow.server).await, 0);
    let waited = start.elapsed();
    assert!(
        waited > GRACE - Duration::from_secs(1) && waited < GRACE * 2,
        "{waited:?}"
    );
    assert!(
        slow.commit.await.unwrap().is_err(),
        "nothing is acknowledged"
    );
    let again = Replica::start(None, &slow.hub.config.directory, Downloads::Proxy);
    let hub = slow.hub.through(&again.endpoint);
    assert_eq!(hub.get_json("/api/models/alice/tool").await["sha"], head);
}
