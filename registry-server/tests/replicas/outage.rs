//! Tests of an outage: the database restarts, or the bucket is away, and nothing is lost.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use libtest_mimic::Trial;
use reqwest::{Method, Response};
use serde_json::Value;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

use crate::backends::Shared;
use crate::support::{TestRegistry, file, header, refusal};
use crate::test;

pub(crate) fn tests() -> Vec<Trial> {
    vec![
        test("outage::the_database_may_restart", the_database_may_restart),
        test("outage::the_bucket_may_be_away", the_bucket_may_be_away),
    ]
}

async fn the_database_may_restart() {
    let shared = Arc::new(Shared::start().unwrap());
    let hub = TestRegistry::start_in(Some(shared.place()), |_| ()).await;
    hub.create("alice/tool").await;
    let stop = AtomicBool::new(false);
    let writer = async |name: &str| {
        let mut acknowledged = Vec::new();
        let mut refused = 0;
        for at in 0.. {
            if stop.load(Ordering::Relaxed) {
                break;
            }
            let body = header(name) + &file(&format!("{name}/{at}"), b"x");
            let response = hub.send_commit("alice/tool", body).await;
            match response.status().as_u16() {
                200 => acknowledged.push(commit_id(response).await),
                503 => refused += 1,
                status => panic!("{status}: {}", response.text().await.unwrap()),
            }
        }
        (acknowledged, refused)
    };
    let restarting = async {
        for _ in 0..2 {
            tokio::time::sleep(Duration::from_millis(400)).await;
            let shared = Arc::clone(&shared);
            let restarted = tokio::task::spawn_blocking(move || shared.restart_database());
            restarted.await.unwrap();
        }
        tokio::time::sleep(Duration::from_millis(400)).await;
        stop.store(true, Ordering::Relaxed);
    };
    let ((one, a), (two, b), (three, c), ()) =
        tokio::join!(writer("one"), writer("two"), writer("three"), restarting);
    let acknowledged: Vec<String> = [one, two, three].concat();
    println!(
        "{} commits acknowledged, {} refused",
        acknowledged.len(),
        a + b + c
    );
    let last = hub.commit("alice/tool", "last", &[("last", b"x")]).await;
    let commits = hub
        .get_json("/api/models/alice/tool/commits/main?limit=1000")
        .await;
    let history: BTreeSet<&str> = commits
        .as_array()
        .unwrap()
        .iter()
        .map(|commit| commit["id"].as_str().unwrap())
        .collect();
    assert!(history.contains(last.as_str()));
    for id in &acknowledged {
        assert!(history.contains(id.as_str()), "{id} is lost");
    }
}

async fn commit_id(response: Response) -> String {
    let answer: Value = response.json().await.unwrap();
    answer["commitOid"].as_str().unwrap().to_owned()
}

async fn the_bucket_may_be_away() {
    let mut place = Shared::get().unwrap().place();
    let gate = Gate::open(&place.endpoint).await;
    place.endpoint.clone_from(&gate.endpoint);
    let hub = TestRegistry::start_in(Some(place), |_| ()).await;
    hub.create("alice/tool").await;
    let head = hub.commit("alice/tool", "one", &[("a", b"a")]).await;
    let path = "/alice/tool/resolve/main/a";

    gate.set(false);
    for content in [b"short".to_vec(), vec![7; 6 << 20]] {
        let response = hub
            .send_commit("alice/tool", header("x") + &file("b", &content))
            .await;
        assert_eq!(refusal(response).await.0, 503);
    }
    assert_eq!(refusal(hub.get(path).await).await.0, 503);
    // What the database knows is there as before.
    assert_eq!(
        hub.get_json("/api/models/alice/tool").await["sha"],
        head.as_str()
    );
    let known = hub.request(Method::HEAD, path, Some(&hub.alice));
    assert_eq!(known.send().await.unwrap().status(), 200);
    assert_eq!(std::fs::read_dir(hub.incoming()).unwrap().count(), 0);

    gate.set(true);
    assert_eq!(hub.get(path).await.text().await.unwrap(), "a");
    hub.commit("alice/tool", "two", &[("b", &vec![7; 6 << 20])])
        .await;
    assert_eq!(
        hub.get("/alice/tool/resolve/main/b")
            .await
            .bytes()
            .await
            .unwrap()
            .len(),
        6 << 20
    );
}

/// A way to a server that can be closed.
struct Gate {
    endpoint: String,
    is_open: watch::Sender<bool>,
}

impl Gate {
    async fn open(target: &str) -> Self {
        let target = target.strip_prefix("http://").unwrap().to_owned();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let endpoint = format!("http://{}", listener.local_addr().unwrap());
        let (is_open, open) = watch::channel(true);
        tokio::spawn(async move {
            loop {
                let (mut near, _) = listener.accept().await.unwrap();
                let (target, mut open) = (target.clone(), open.clone());
                tokio::spawn(async move {
                    let mut far = TcpStream::connect(target).await.unwrap();
                    let passing = tokio::io::copy_bidirectional(&mut near, &mut far);
                    // Asked first each time, so that nothing passes a closed gate.
                    tokio::select! {
                        biased;
                        _ = open.wait_for(|open| !open) => {}
                        _ = passing => {}
                    }
                });
            }
        });
        Self { endpoint, is_open }
    }

    fn set(&self, open: bool) {
        self.is_open.send_replace(open);
    }
}
