//! Tests of pushes and of their dry run: what is committed, repeats, conflicts and refusals.

use std::collections::BTreeMap;

use serde_json::Value;
use tool_hub_registry_client::{
    Client, ClientError, Push, PushOutcome, PushReport, Rehearsal, Silent, Visibility,
};

use crate::registry::{Registry, Repo, refusal};
use crate::support::{Recorder, anonymous, push, signed_in, variant, verified};

const COMPONENT: &[u8] = b"\0asm this is a component, more or less";

fn commits(registry: &Registry) -> usize {
    registry.change(|world| world.repos["alice/demo"].commits.len())
}

#[tokio::test]
async fn a_first_push_makes_a_repo_a_commit_and_a_tag() {
    let registry = Registry::start().await;
    let package = verified("0.1.0", COMPONENT);
    let recorder = Recorder::default();
    let asked = Push {
        repo: "alice/demo".parse().unwrap(),
        package: &package,
        card: b"# demo\n",
        signature: None,
        visibility: Visibility::Private,
        message: "Add demo".into(),
    };
    let pushed = signed_in(&registry).push(&asked, &recorder).await.unwrap();
    assert!(pushed.repo_created);
    assert_eq!(pushed.outcome, PushOutcome::Committed);
    assert_eq!(pushed.url, registry.url().join("/alice/demo").unwrap());
    registry.change(|world| {
        let repo = &world.repos["alice/demo"];
        assert!(repo.private);
        assert_eq!(repo.tags["v0.1.0"], pushed.commit.as_str());
        let files = &repo.commits[pushed.commit.as_str()];
        let names: Vec<_> = files.keys().collect();
        assert_eq!(
            names,
            [".gitattributes", "README.md", "tool.toml", "tool.wasm"]
        );
        assert_eq!(files["tool.wasm"], COMPONENT);
        assert_eq!(files["tool.toml"], package.manifest_bytes());
    });
    let heard = recorder.0.lock().unwrap();
    assert_eq!(heard[1], format!("tool.wasm 0/{}", COMPONENT.len()));
    assert_eq!(heard[5], "README.md done");
}

#[tokio::test]
async fn a_second_version_leaves_other_files_alone() {
    let registry = Registry::start().await;
    let mut repo = Repo::default();
    let head = repo.add(BTreeMap::from([("notes.txt".into(), b"mine".to_vec())]));
    registry.change(|world| world.repos.insert("alice/demo".into(), repo));
    let client = signed_in(&registry);
    let pushed = push(&client, &verified("0.1.0", COMPONENT)).await.unwrap();
    assert!(!pushed.repo_created);
    let seen = registry.take_seen();
    let commit = seen
        .iter()
        .find(|it| it.path.ends_with("/commit/main"))
        .unwrap();
    let header = commit.body.split(|byte| *byte == b'\n').next().unwrap();
    let header: Value = serde_json::from_slice(header).unwrap();
    assert_eq!(header["value"]["parentCommit"], head);
    assert_eq!(header["value"]["summary"], "Add demo");

    push(&client, &verified("0.2.0", b"better")).await.unwrap();
    registry.change(|world| {
        let repo = &world.repos["alice/demo"];
        assert_eq!(
            repo.commits[repo.head.as_ref().unwrap()]["notes.txt"],
            b"mine"
        );
        assert_eq!(repo.tags.len(), 2);
    });
}

#[tokio::test]
async fn a_rehearsal_says_what_is_there_and_changes_nothing() {
    let registry = Registry::start().await;
    let (client, visitor) = (signed_in(&registry), anonymous(&registry));
    let (first, second) = (verified("0.1.0", COMPONENT), verified("0.2.0", COMPONENT));
    let asked = |package| Push {
        repo: "alice/demo".parse().unwrap(),
        package,
        card: b"# demo\n",
        signature: None,
        visibility: Visibility::Public,
        message: "Add demo".into(),
    };
    let found = client.rehearse(&asked(&first)).await.unwrap();
    assert_eq!(found, Rehearsal::NewRepo);
    assert!(registry.change(|world| world.repos.is_empty()));

    push(&client, &first).await.unwrap();
    let before = commits(&registry);
    let found = visitor.rehearse(&asked(&first)).await.unwrap();
    let same = Rehearsal::AlreadyPushed { differing: vec![] };
    assert_eq!(found, same);
    let other_card = Push {
        card: b"# another\n",
        ..asked(&first)
    };
    let found = visitor.rehearse(&other_card).await.unwrap();
    let differing = vec!["README.md"];
    assert_eq!(found, Rehearsal::AlreadyPushed { differing });
    let found = visitor.rehearse(&asked(&second)).await.unwrap();
    assert_eq!(found, Rehearsal::NewVersion);
    let other = verified("0.1.0", b"other");
    let error = visitor.rehearse(&asked(&other)).await.unwrap_err();
    assert!(
        matches!(error, ClientError::VersionExists { .. }),
        "{error}"
    );
    let private = Push {
        visibility: Visibility::Private,
        ..asked(&second)
    };
    let error = visitor.rehearse(&private).await.unwrap_err();
    assert!(
        matches!(error, ClientError::VisibilityDiffers { .. }),
        "{error}"
    );
    assert_eq!(commits(&registry), before);
}

#[tokio::test]
async fn a_pushed_version_never_changes() {
    let registry = Registry::start().await;
    let client = signed_in(&registry);
    let first = push(&client, &verified("0.1.0", COMPONENT)).await.unwrap();

    let again = push(&client, &verified("0.1.0", COMPONENT)).await.unwrap();
    assert_eq!(again.outcome, PushOutcome::AlreadyPushed);
    assert!(again.differing.is_empty(), "{:?}", again.differing);
    assert_eq!(again.commit, first.commit);

    let before = commits(&registry);
    match push(&client, &verified("0.1.0", b"other")).await {
        Err(ClientError::VersionExists {
            version, commit, ..
        }) => {
            assert_eq!(version.to_string(), "0.1.0");
            assert_eq!(commit, first.commit);
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(commits(&registry), before);
}

#[tokio::test]
async fn a_push_that_could_not_tag_is_finished_by_the_next() {
    let registry = Registry::start().await;
    let client = signed_in(&registry);
    let package = verified("0.1.0", COMPONENT);
    registry.trick(|seen| {
        seen.path
            .contains("/tag/")
            .then(|| refusal(500, "", "oops"))
    });
    let commit = match push(&client, &package).await {
        Err(ClientError::TagFailed {
            commit,
            tag,
            source,
            ..
        }) => {
            assert_eq!(tag, "v0.1.0");
            assert_eq!(variant(&source), "ServerFailed");
            commit
        }
        other => panic!("{other:?}"),
    };
    registry.honest();
    let before = commits(&registry);
    let pushed = push(&client, &package).await.unwrap();
    assert_eq!(pushed.outcome, PushOutcome::TagAdded);
    assert_eq!(pushed.commit, commit);
    assert_eq!(commits(&registry), before);
}

#[tokio::test]
async fn of_two_pushes_at_once_one_wins() {
    let registry = Registry::start().await;
    push(&signed_in(&registry), &verified("0.1.0", COMPONENT))
        .await
        .unwrap();
    let clients: Vec<Client> = (0..8).map(|_| signed_in(&registry)).collect();
    let packages: Vec<_> = (0..8u8)
        .map(|number| verified("0.2.0", &[number; 9]))
        .collect();
    let pushes = clients.iter().zip(&packages);
    let outcomes: Vec<Result<PushReport, ClientError>> =
        futures::future::join_all(pushes.map(|(client, package)| push(client, package))).await;
    let won: Vec<_> = outcomes.iter().filter_map(|it| it.as_ref().ok()).collect();
    assert_eq!(won.len(), 1);
    for error in outcomes.iter().filter_map(|it| it.as_ref().err()) {
        let expected = ["Conflict", "VersionExists"];
        assert!(expected.contains(&variant(error).as_str()), "{error}");
    }
    registry.change(|world| {
        let repo = &world.repos["alice/demo"];
        assert_eq!(repo.tags["v0.2.0"], won[0].commit.as_str());
        assert_eq!(repo.head.as_deref(), Some(won[0].commit.as_str()));
    });
}

#[tokio::test]
async fn a_conflict_names_the_head_that_was_looked_at() {
    let registry = Registry::start().await;
    let client = signed_in(&registry);
    let first = push(&client, &verified("0.1.0", COMPONENT)).await.unwrap();
    for status in [409, 412] {
        registry.trick(move |seen| {
            seen.path
                .contains("/commit/")
                .then(|| refusal(status, "", "updated"))
        });
        match push(&client, &verified("0.2.0", b"x")).await {
            Err(ClientError::Conflict { head, answer, .. }) => {
                assert_eq!(head, Some(first.commit.clone()));
                assert_eq!(answer.status, status);
            }
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test]
async fn private_things_do_not_go_to_public_repos() {
    let registry = Registry::start().await;
    let client = signed_in(&registry);
    push(&client, &verified("0.1.0", COMPONENT)).await.unwrap();
    let package = verified("0.2.0", b"secret");
    let asked = Push {
        repo: "alice/demo".parse().unwrap(),
        package: &package,
        card: b"",
        signature: None,
        visibility: Visibility::Private,
        message: "Add demo".into(),
    };
    let error = client.push(&asked, &Silent).await.unwrap_err();
    assert_eq!(variant(&error), "VisibilityDiffers");
}

#[tokio::test]
async fn pushes_that_are_refused_at_once() {
    let registry = Registry::start().await;
    let package = verified("0.1.0", COMPONENT);
    let error = push(&anonymous(&registry), &package).await.unwrap_err();
    assert_eq!(variant(&error), "TokenMissing");
    assert!(registry.take_seen().is_empty());

    let card = vec![b' '; (1 << 20) + 1];
    let asked = |repo: &str, card| Push {
        repo: repo.parse().unwrap(),
        package: &package,
        card,
        signature: None,
        visibility: Visibility::Public,
        message: "Add demo".into(),
    };
    let client = signed_in(&registry);
    let error = client.push(&asked("alice/demo", &card), &Silent).await;
    assert_eq!(variant(&error.unwrap_err()), "TooLarge");
    assert!(registry.take_seen().is_empty());

    let error = client.push(&asked("bob/demo", b""), &Silent).await;
    assert_eq!(variant(&error.unwrap_err()), "Forbidden");
}
