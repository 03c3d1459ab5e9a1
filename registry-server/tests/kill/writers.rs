//! Clients that commit at random until told to stop, and report what was acknowledged.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use reqwest::{Method, Response, StatusCode};
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::ledger::Acknowledged;
use crate::random::Dice;
use crate::support::{TestRegistry, file, header, hex};

/// All write to the first of these, each to another of the rest.
pub(crate) const REPOSITORIES: [&str; 5] = [
    "alice/common",
    "alice/one",
    "alice/two",
    "acme/three",
    "acme/four",
];
/// Number of writers.
const WRITERS: usize = 6;

/// The results of the writers.
#[derive(Debug, Default)]
pub(crate) struct WriterReport {
    pub(crate) acknowledged: Vec<Acknowledged>,
    /// Repositories that were made and whose deletion was acknowledged.
    pub(crate) deleted: Vec<String>,
    /// Requests that were refused or that nobody answered.
    pub(crate) unanswered: u64,
}

/// Writers that go on until they are told to stop; each asks the servers in turn.
pub(crate) struct Writers {
    stop: Arc<AtomicBool>,
    writing: JoinSet<WriterReport>,
}

impl Writers {
    pub(crate) fn start(hubs: &[Arc<TestRegistry>], dice: &mut Dice) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let mut writing = JoinSet::new();
        for at in 0..WRITERS {
            let writer = Writer {
                hubs: hubs.to_vec(),
                own: REPOSITORIES[1 + at % (REPOSITORIES.len() - 1)],
                name: at,
                dice: dice.split(),
                told: WriterReport::default(),
            };
            writing.spawn(writer.write(Arc::clone(&stop)));
        }
        Self { stop, writing }
    }

    /// Waits until each has an answer, or none.
    pub(crate) async fn stop(self) -> WriterReport {
        self.stop.store(true, Ordering::Relaxed);
        let mut all = WriterReport::default();
        for told in self.writing.join_all().await {
            all.acknowledged.extend(told.acknowledged);
            all.deleted.extend(told.deleted);
            all.unanswered += told.unanswered;
        }
        all
    }
}

struct Writer {
    hubs: Vec<Arc<TestRegistry>>,
    own: &'static str,
    name: usize,
    dice: Dice,
    told: WriterReport,
}

impl Writer {
    async fn write(mut self, stop: Arc<AtomicBool>) -> WriterReport {
        for turn in self.name.. {
            if stop.load(Ordering::Relaxed) {
                break;
            }
            let hub = Arc::clone(&self.hubs[turn % self.hubs.len()]);
            match self.dice.below(12) {
                0 => self.make_and_delete(&hub).await,
                1..4 => self.commit(&hub, REPOSITORIES[0]).await,
                _ => self.commit(&hub, self.own).await,
            }
        }
        self.told
    }

    async fn commit(&mut self, hub: &TestRegistry, repository: &str) {
        let mut body = header(&format!("writer {}", self.name));
        let mut files = Vec::new();
        for at in 0..=self.dice.below(4) {
            let path = format!("{}/{at}/{}", self.name, self.dice.below(5));
            let content = self.content();
            body += &file(&path, &content);
            files.push((path, hex(&content)));
        }
        let path = format!("/api/models/{repository}/commit/main");
        let Some(response) = self.send(hub, Method::POST, &path, body).await else {
            return;
        };
        // The answer may break off after its head.
        let Ok(answer) = response.json::<Value>().await else {
            self.told.unanswered += 1;
            return;
        };
        self.told.acknowledged.push(Acknowledged {
            repository: repository.to_owned(),
            commit: answer["commitOid"].as_str().unwrap().to_owned(),
            files,
        });
    }

    /// Mostly short, some longer than what is kept in memory, a few so long that a bucket takes
    /// them in parts.
    fn content(&mut self) -> Vec<u8> {
        let length = match self.dice.below(40) {
            0 => (5 << 20) + self.dice.below(1 << 20),
            1..8 => self.dice.below(900_000),
            _ => self.dice.below(3_000),
        };
        self.dice.bytes(length as usize)
    }

    /// Leaves garbage behind.
    async fn make_and_delete(&mut self, hub: &TestRegistry) {
        let id = format!("alice/scratch-{:x}", self.dice.roll());
        let body = json!({"name": id}).to_string();
        if self
            .send(hub, Method::POST, "/api/repos/create", body.clone())
            .await
            .is_none()
        {
            return;
        }
        let content = self.content();
        let commit = header("scratch") + &file("scratch", &content);
        let path = format!("/api/models/{id}/commit/main");
        self.send(hub, Method::POST, &path, commit).await;
        let deleting = self.send(hub, Method::DELETE, "/api/repos/delete", body);
        if deleting.await.is_some() {
            self.told.deleted.push(id);
        }
    }

    /// The answer of a server that has done what it was asked; `None` when it did not, or is dead.
    async fn send(
        &mut self,
        hub: &TestRegistry,
        method: Method,
        path: &str,
        body: String,
    ) -> Option<Response> {
        let request = hub
            .request(method, path, Some(&hub.alice))
            .body(body)
            .send();
        match request.await {
            Ok(response) if response.status() == StatusCode::OK => return Some(response),
            Ok(response) if response.status() == StatusCode::SERVICE_UNAVAILABLE => {}
            // No other status is expected: nobody uses a repository whose creation was not
            // acknowledged.
            Ok(response) => panic!("{path}: {}", response.text().await.unwrap()),
            // A dead server; the next one is there in a moment.
            Err(_) => tokio::time::sleep(std::time::Duration::from_millis(10)).await,
        }
        self.told.unanswered += 1;
        None
    }
}
