//! Tests of writes through two servers at once: commits, pull requests, deletions and moves.

use std::collections::BTreeSet;
use std::time::Duration;

use futures::future::join_all;
use libtest_mimic::Trial;
use reqwest::{Method, Response};
use serde_json::{Value, json};
use tool_hub_registry_server::Downloads;

use crate::replica::{Pair, Replica};
use crate::support::{TestRegistry, file, header};
use crate::test;

const WRITERS: usize = 32;

pub(crate) fn tests() -> Vec<Trial> {
    vec![
        test("commits::none_of_many_is_lost", none_of_many_is_lost),
        test(
            "commits::of_many_with_one_parent_one_wins",
            of_many_with_one_parent_one_wins,
        ),
        test(
            "commits::a_killed_server_takes_nothing_along",
            a_killed_server_takes_nothing_along,
        ),
        test(
            "commits::a_deletion_in_between_is_clean",
            a_deletion_in_between_is_clean,
        ),
        test("commits::one_name_is_given_once", one_name_is_given_once),
        test(
            "commits::each_pull_request_has_its_own_number",
            each_pull_request_has_its_own_number,
        ),
    ]
}

fn body(writer: usize) -> String {
    header(&format!("writer {writer}")) + &file(&format!("w/{writer}"), &writer.to_le_bytes())
}

async fn oid(response: Response) -> String {
    assert_eq!(response.status(), 200, "{}", response.text().await.unwrap());
    let answer: Value = response.json().await.unwrap();
    answer["commitOid"].as_str().unwrap().to_owned()
}

/// The ids of all commits on the main branch.
async fn history(hub: &TestRegistry) -> BTreeSet<String> {
    let commits = hub
        .get_json("/api/models/alice/tool/commits/main?limit=1000")
        .await;
    let commits = commits.as_array().unwrap();
    commits
        .iter()
        .map(|commit| commit["id"].as_str().unwrap().to_owned())
        .collect()
}

async fn none_of_many_is_lost() {
    let pair = Pair::start().await;
    pair.a.create("alice/tool").await;
    let sending = (0..WRITERS).map(|at| pair.turn(at).send_commit("alice/tool", body(at)));
    let acknowledged: BTreeSet<String> = join_all(join_all(sending).await.into_iter().map(oid))
        .await
        .into_iter()
        .collect();
    assert_eq!(acknowledged.len(), WRITERS);
    for hub in [&pair.a, &pair.b] {
        let history = history(hub).await;
        assert_eq!(history.len(), WRITERS + 1);
        assert!(history.is_superset(&acknowledged));
        let files = hub.get_json("/api/models/alice/tool/tree/main/w").await;
        assert_eq!(files.as_array().unwrap().len(), WRITERS);
    }
}

async fn of_many_with_one_parent_one_wins() {
    let pair = Pair::start().await;
    pair.a.create("alice/tool").await;
    let parent = pair.b.commit("alice/tool", "parent", &[("a", b"1")]).await;
    let sending = (0..WRITERS).map(|at| {
        let header = json!({"key": "header", "value": {"summary": format!("writer {at}"), "parentCommit": parent}});
        let body = format!("{header}\n{}", file(&format!("w/{at}"), b"x"));
        pair.turn(at).send_commit("alice/tool", body)
    });
    let mut statuses: Vec<u16> = join_all(sending)
        .await
        .iter()
        .map(|response| response.status().as_u16())
        .collect();
    statuses.sort_unstable();
    let mut expect = vec![412; WRITERS];
    expect[0] = 200;
    assert_eq!(statuses, expect);
    assert_eq!(history(&pair.a).await.len(), 3);
}

async fn each_pull_request_has_its_own_number() {
    let pair = Pair::start().await;
    pair.a.create("alice/tool").await;
    let sending = (0..WRITERS).map(|at| {
        let hub = pair.turn(at);
        // Half of them come with a commit, half without.
        let (path, body) = match at / 2 % 2 {
            0 => ("commit/main?create_pr=1", body(at)),
            _ => (
                "discussions",
                json!({"title": format!("writer {at}"), "pullRequest": true}).to_string(),
            ),
        };
        let path = format!("/api/models/alice/tool/{path}");
        let request = hub.request(Method::POST, &path, Some(&hub.alice));
        request.body(body).send()
    });
    for response in join_all(sending).await {
        assert_eq!(response.unwrap().status(), 200);
    }
    let page = pair.b.get_json("/api/models/alice/tool/discussions").await;
    let numbers: Vec<usize> = page["discussions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|discussion| discussion["num"].as_u64().unwrap() as usize)
        .collect();
    assert_eq!(numbers, (1..=WRITERS).rev().collect::<Vec<_>>());
    let refs = pair
        .a
        .get_json("/api/models/alice/tool/refs?include_prs=1")
        .await;
    assert_eq!(refs["pullRequests"].as_array().unwrap().len(), WRITERS);
}

/// One server is killed again and again in the middle of its work, while the other goes on.
async fn a_killed_server_takes_nothing_along() {
    let mut pair = Pair::start().await;
    pair.a.create("alice/tool").await;
    let place = pair.hub.place.clone().unwrap();
    let mut acknowledged = BTreeSet::new();
    for round in 0..6 {
        let path = "/api/models/alice/tool/commit/main";
        let send = |hub: &TestRegistry, at: usize| {
            let request = hub.request(Method::POST, path, Some(&hub.alice));
            let request = request.body(body(round * 100 + at)).send();
            tokio::spawn(async move {
                let response = request.await.ok()?;
                (response.status() == 200).then_some(response)
            })
        };
        let sending: Vec<_> = (0..16).map(|at| send(pair.turn(at), at)).collect();
        tokio::time::sleep(Duration::from_millis(10 + 15 * round as u64)).await;
        pair.replicas[0].kill();
        let mut answered = 0;
        for response in join_all(sending)
            .await
            .into_iter()
            .filter_map(Result::unwrap)
        {
            acknowledged.insert(oid(response).await);
            answered += 1;
        }
        assert!(
            answered >= 8,
            "the living server answered {answered} in round {round}"
        );
        let directory = pair.hub.directory.path().join(format!("a{round}"));
        pair.replicas[0] = Replica::start(&place, &directory, Downloads::Redirect);
        pair.a = pair.hub.through(&pair.replicas[0].endpoint);
    }
    for hub in [&pair.a, &pair.b] {
        let history = history(hub).await;
        let lost: Vec<_> = acknowledged.difference(&history).collect();
        assert!(lost.is_empty(), "lost {lost:?}");
    }
    let tree = pair.a.get_json("/api/models/alice/tool/tree/main/w").await;
    for entry in tree.as_array().unwrap() {
        let path = format!(
            "/alice/tool/resolve/main/{}",
            entry["path"].as_str().unwrap()
        );
        assert_eq!(pair.b.get(&path).await.bytes().await.unwrap().len(), 8);
    }
}

async fn a_deletion_in_between_is_clean() {
    let pair = Pair::start().await;
    for _ in 0..3 {
        pair.a.create("alice/tool").await;
        let commits = (0..WRITERS).map(|at| pair.turn(at).send_commit("alice/tool", body(at)));
        let deleting = async {
            tokio::time::sleep(Duration::from_millis(60)).await;
            let (path, body) = ("/api/repos/delete", json!({"name": "tool"}));
            pair.b
                .send_json(Method::DELETE, path, &pair.b.alice, body)
                .await
                .status()
        };
        let reading = (0..WRITERS).map(async |at| {
            tokio::time::sleep(Duration::from_millis(3 * at as u64)).await;
            let hub = pair.turn(at);
            hub.get("/api/models/alice/tool/tree/main?recursive=true&expand=true")
                .await
        });
        let (mut responses, read, deleted) =
            tokio::join!(join_all(commits), join_all(reading), deleting);
        assert_eq!(deleted, 200);
        responses.extend(read);
        for response in responses {
            let status = response.status();
            assert!(
                status == 200 || status == 404,
                "{status}: {}",
                response.text().await.unwrap()
            );
        }
        assert_eq!(pair.a.get("/api/models/alice/tool").await.status(), 404);
    }
}

/// Two moves and a creation want one name.
async fn one_name_is_given_once() {
    let pair = Pair::start().await;
    for round in 0..5 {
        let target = format!("alice/wanted{round}");
        let mut moves = Vec::new();
        for at in 0..6 {
            let from = format!("alice/from{round}-{at}");
            pair.a.create(&from).await;
            moves.push(json!({"fromRepo": from, "toRepo": target, "type": "model"}));
        }
        let wanting = moves.into_iter().enumerate().map(|(at, body)| {
            let hub = pair.turn(at);
            let (path, body) = match at {
                0 | 1 => ("/api/repos/create", json!({"name": target})),
                _ => ("/api/repos/move", body),
            };
            hub.send_json(Method::POST, path, &hub.alice, body)
        });
        let mut statuses: Vec<u16> = join_all(wanting)
            .await
            .iter()
            .map(|response| response.status().as_u16())
            .collect();
        statuses.sort_unstable();
        assert_eq!(statuses, [200, 409, 409, 409, 409, 409], "round {round}");
    }
}
