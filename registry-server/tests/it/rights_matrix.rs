//! Tests every route with every kind of token on public, private, missing and moved repositories.
//!
//! The routes come from the server's own list, so a route that is not sampled here fails the test.
//! What each request should be answered is computed from the access its route declares; nothing is
//! copied from what the server does.

mod callers;
mod expectation;
mod samples;

use std::collections::HashMap;

use reqwest::Method;
use serde_json::json;
use tool_hub_registry_server::{Route, routes};

use crate::support::{TestRegistry, file, header};
use callers::{Caller, callers};
use expectation::{Answer, expected};
use samples::{Body, Sample, samples};

/// A repository as requests name it and as it is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Target {
    owner: &'static str,
    /// The name in the request.
    name: &'static str,
    state: State,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Public,
    Private,
    Missing,
    /// The id of a private repository before it was moved.
    MovedPrivate,
}

/// The new name of moved repositories.
const NEW_NAME: &str = "moved";

const TARGETS: [Target; 7] = [
    Target {
        owner: "alice",
        name: "open",
        state: State::Public,
    },
    Target {
        owner: "alice",
        name: "closed",
        state: State::Private,
    },
    Target {
        owner: "alice",
        name: "missing",
        state: State::Missing,
    },
    Target {
        owner: "alice",
        name: "old",
        state: State::MovedPrivate,
    },
    Target {
        owner: "acme",
        name: "open",
        state: State::Public,
    },
    Target {
        owner: "acme",
        name: "closed",
        state: State::Private,
    },
    Target {
        owner: "acme",
        name: "missing",
        state: State::Missing,
    },
];

const KINDS: [&str; 4] = ["model", "dataset", "space", "kernel"];

impl Target {
    fn id(&self) -> String {
        format!("{}/{}", self.owner, self.name)
    }

    /// The name that the repository has.
    fn name_now(&self) -> &'static str {
        match self.state {
            State::MovedPrivate => NEW_NAME,
            _ => self.name,
        }
    }
}

/// A request with its expected answer.
struct Probe<'a> {
    method: Method,
    path: String,
    body: String,
    expect: Answer,
    caller: &'a Caller,
    /// The repository is gone once the request was let in.
    deletes: bool,
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_unexpected() {
    let hub = TestRegistry::start().await;
    make_targets(&hub).await;
    let callers = callers(&hub).await;
    let routes = routes();
    let samples = samples();
    every_route_is_sampled_once(&routes, &samples);

    let (hub, callers, routes, samples) = (&hub, &callers, &routes, &samples);
    let runs = TARGETS.iter().enumerate().map(|(at, target)| async move {
        let mut count = 0;
        let mut surprises = Vec::new();
        for (number, caller) in callers.iter().enumerate() {
            for route in routes {
                let sample = find(samples, route);
                let turn = format!("{at}-{number}-{count}");
                for probe in probes(route, sample, caller, target, &turn) {
                    count += 1;
                    surprises.extend(ask(hub, &probe, target).await);
                }
            }
        }
        (count, surprises)
    });
    let (mut asked, mut surprises) = (0, Vec::new());
    for (count, found) in futures::future::join_all(runs).await {
        asked += count;
        surprises.extend(found);
    }
    assert!(
        surprises.is_empty(),
        "{} of {asked} answers were not expected:\n{}",
        surprises.len(),
        surprises.join("\n")
    );
    // So that a loop that asks nothing does not pass.
    assert!(asked > 4_000, "only {asked} requests");
}

#[tokio::test]
async fn other_methods_are_refused_on_every_path() {
    let hub = TestRegistry::start().await;
    hub.create_with("alice/closed", json!({"private": true}))
        .await;
    let routes = routes();
    let samples = samples();
    let mut declared: HashMap<&str, Vec<&str>> = HashMap::new();
    for route in &routes {
        declared
            .entry(&route.path)
            .or_default()
            .push(route.method.word());
    }
    for route in &routes {
        let path = find(&samples, route)
            .path
            .replace("ID", "alice/closed")
            .replace('N', "n");
        for method in ["GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"] {
            if declared[route.path.as_str()].contains(&method) {
                continue;
            }
            for token in [None, Some(hub.alice.as_str())] {
                let request = hub.request(method.parse().unwrap(), &path, token);
                let status = request.send().await.unwrap().status().as_u16();
                assert_eq!(status, 405, "{method} {path}");
            }
        }
    }
}

async fn make_targets(hub: &TestRegistry) {
    for kind in KINDS {
        for owner in ["alice", "acme"] {
            for (name, private) in [("open", false), ("closed", true), ("taken", false)] {
                make(hub, kind, &format!("{owner}/{name}"), private).await;
            }
        }
        make_and_move(hub, kind).await;
    }
}

async fn make_and_move(hub: &TestRegistry, kind: &str) {
    make(hub, kind, "alice/old", true).await;
    let to = format!("alice/{NEW_NAME}");
    let body = json!({"fromRepo": "alice/old", "toRepo": to, "type": kind});
    let moved = hub
        .send_json(Method::POST, "/api/repos/move", &hub.alice, body)
        .await;
    assert_eq!(moved.status(), 200);
}

async fn make(hub: &TestRegistry, kind: &str, id: &str, private: bool) {
    hub.create_with(id, json!({"private": private, "type": kind}))
        .await;
    let path = format!("/api/{kind}s/{id}/commit/main");
    let request = hub.request(Method::POST, &path, Some(&hub.alice));
    let response = request
        .body(header("a") + &file("a", b"a"))
        .send()
        .await
        .unwrap();
    assert_eq!(response.status(), 200);
}

fn every_route_is_sampled_once(routes: &[Route], samples: &[Sample]) {
    for route in routes {
        let count = samples.iter().filter(|sample| sample.is_of(route)).count();
        let (method, path) = (route.method.word(), &route.path);
        assert_eq!(
            count, 1,
            "{method} {path} needs exactly one entry in samples.rs"
        );
    }
    assert_eq!(routes.len(), samples.len(), "a sample is of no route");
}

fn find<'a>(samples: &'a [Sample], route: &Route) -> &'a Sample {
    samples.iter().find(|sample| sample.is_of(route)).unwrap()
}

fn probes<'a>(
    route: &Route,
    sample: &Sample,
    caller: &'a Caller,
    target: &Target,
    turn: &str,
) -> Vec<Probe<'a>> {
    let fill = |text: &str| {
        text.replace("ID", &target.id())
            .replace("OWNER", target.owner)
            .replace('N', turn)
    };
    let method: Method = route.method.word().parse().unwrap();
    let mut methods = vec![method.clone()];
    if method == Method::GET {
        methods.push(Method::HEAD);
    }
    let body = match sample.body {
        Body::None => String::new(),
        Body::Json(text) => fill(text),
        Body::Commit => header("x") + &file("b", b"b"),
    };
    let expect = expected(route.access, sample, caller, target);
    let deletes = sample.deletes && expect == sample.admitted(target);
    let probe = |method| Probe {
        method,
        path: fill(sample.path),
        body: body.clone(),
        expect: expect.clone(),
        caller,
        deletes,
    };
    methods.into_iter().map(probe).collect()
}

/// Sends a request; gives back what was unexpected about the answer.
async fn ask(hub: &TestRegistry, probe: &Probe<'_>, target: &Target) -> Option<String> {
    let mut request = hub.request(probe.method.clone(), &probe.path, None);
    if let Some(authorization) = &probe.caller.authorization {
        request = request.header("authorization", authorization);
    }
    let response = request.body(probe.body.clone()).send().await.unwrap();
    let status = response.status().as_u16();
    let code = response.headers().get("x-error-code");
    let code = code
        .map(|code| code.to_str().unwrap().to_owned())
        .unwrap_or_default();
    let names_it = response.headers().iter().any(|(name, value)| {
        name != "location" && String::from_utf8_lossy(value.as_bytes()).contains(NEW_NAME)
    });
    let text = response.text().await.unwrap();
    if probe.deletes && status == 200 {
        match target.state {
            State::MovedPrivate => make_and_move(hub, "model").await,
            state => make(hub, "model", &target.id(), state == State::Private).await,
        }
    }
    let hidden = code == "RepoNotFound"
        && (names_it || text.contains(target.name) || text.contains(NEW_NAME));
    let got = Answer { status, code };
    let (method, path, caller) = (&probe.method, &probe.path, probe.caller.name);
    if hidden {
        return Some(format!(
            "{method} {path} by {caller}: the refusal names the repository: {text}"
        ));
    }
    (got != probe.expect).then(|| {
        format!(
            "{method} {path} by {caller}: {got:?}, expected {:?}: {text}",
            probe.expect
        )
    })
}
