//! Attacks on the history: another log, an older one, a frozen one, and records that are not so.

use std::sync::Arc;

use serde_json::{Value, json};
use time::Duration;
use tool_hub_manifest::{Digest, Severity};
use tool_hub_transparency::{JobIdentity, LogRecord};

use super::forged_log::{ForgedLog, value};
use super::wire::{Answer, Lie, Wire};
use super::{
    Attack, Scene, both, log_answers, log_is, whole_stolen_log, without_file, without_tag,
};
use crate::signatures::published::{Published, TOOL, listed, push};
use crate::support::loading::digest;
use crate::support::ran::says;
use crate::support::{Home, Test, test};

pub(crate) fn tests() -> Vec<Test> {
    vec![
        test("hostile_registry::an_honest_update", an_honest_update),
        test("hostile_registry::other_histories", other_histories),
        test("hostile_registry::wrong_records", wrong_records),
        test(
            "hostile_registry::a_yank_that_was_told_of",
            a_yank_that_was_told_of,
        ),
        test(
            "hostile_registry::yanks_that_are_kept_back",
            yanks_that_are_kept_back,
        ),
        test("hostile_registry::many_new_versions", many_new_versions),
    ]
}

/// Without a lie there is nothing to refuse, so that the attacks prove something.
fn an_honest_update() {
    let scene = Scene::new();
    let user = scene.user();
    scene
        .wire
        .lies(log_is(whole_stolen_log(&scene.published, 3)));
    says(
        &user.tool("update --accept-code"),
        0,
        "adder: updated at 1.1.0",
    );
    scene.wire.lies(Arc::new(|_, _| ()));
    user.tool("verify --log").ok();
}

/// A record of another version of the same repo.
pub(super) fn another_version(
    log: &ForgedLog,
    number: &str,
    at: time::OffsetDateTime,
) -> LogRecord {
    let LogRecord::Version { repo, commit, .. } = &log.records[0] else {
        unreachable!("a version")
    };
    LogRecord::Version {
        repo: repo.clone(),
        version: number.parse().expect("a version"),
        commit: commit.clone(),
        manifest: Digest::of(b"manifest"),
        component: None,
        publisher: None,
        at,
    }
}

fn other_histories() {
    let scene = Scene::new();
    let log = &scene.log;
    let at = log.records[0].at().expect("a time");
    let other = another_version(log, "0.9.0", at);
    let forked = log.with(0, |record| *record = other.clone());
    let (rolled_back, longer) = (log.first(1), log.and(other));
    let replaced = ForgedLog {
        seed: [7; 32],
        ..log.clone()
    };
    let renamed = ForgedLog {
        name: "tool-hub-registry/another".to_owned(),
        ..log.clone()
    };
    let frozen = ForgedLog {
        age: Duration::days(8),
        ..log.clone()
    };
    let other_signer = log_answers({
        let (log, other) = (log.clone(), replaced.clone());
        move |query| {
            let mut answer = other.answer(query);
            answer["key"] = json!(log.signer().key());
            answer.to_string()
        }
    });
    let without_consistency = edited(log, |answer| answer["consistency"] = json!([]));
    let without_signature = edited(log, |answer| {
        let text = answer["checkpoint"].as_str().expect("a checkpoint");
        let (text, _) = text.split_once("\n\n").expect("signatures");
        answer["checkpoint"] = json!(format!("{text}\n\n"));
    });
    let vanished = Arc::new(|asked: &str, answer: &mut Answer| {
        if asked.contains("/log?") {
            answer.is_missing();
        }
    });
    scene.meet(&[
        Attack::on_update(
            "a forked view",
            log_is(forked),
            "does not begin with the 1 records that were seen before",
        ),
        Attack::on_update(
            "a log of somebody else",
            log_is(replaced),
            "another key signs it than before",
        ),
        Attack::on_update(
            "a log of another name",
            log_is(renamed),
            "another key signs it than before",
        ),
        Attack::on_update(
            "a checkpoint that somebody else signed",
            other_signer,
            "is not signed by the key of the log",
        ),
        Attack::on_update(
            "a checkpoint that nobody signed",
            without_signature,
            "no checkpoint of a log",
        ),
        Attack::on_update(
            "a log without its consistency",
            without_consistency,
            "does not begin with the 1 records that were seen before",
        ),
        Attack::on_update(
            "a frozen log",
            log_is(frozen),
            "one of the last 7 days is expected",
        ),
        Attack::on_update(
            "a log that vanished",
            vanished,
            "it kept a log before, and shows none now",
        ),
        Attack::on_update(
            "an empty log",
            log_is(log.first(0)),
            "the log has 0 records, and had 1 before",
        ),
        Attack::on_update(
            "a version that the log does not have",
            log_is(rolled_back.clone()),
            "it has no record of ada/adder 1.1.0, which the registry offers",
        ),
    ]);

    // A user who has seen a longer log than the registry shows now.
    let user = scene.user();
    scene.wire.lies(log_is(longer));
    user.tool("verify --log").ok();
    scene.wire.lies(log_is(rolled_back));
    says(
        &user.tool("update"),
        3,
        "the log has 1 records, and had 3 before",
    );
    says(
        &user.tool("verify --log"),
        3,
        "adder cannot be trusted as it is",
    );
}

/// The lie that the answer of `log` is as `edit` leaves it.
pub(super) fn edited(log: &ForgedLog, edit: impl Fn(&mut Value) + Send + Sync + 'static) -> Lie {
    let log = log.clone();
    log_answers(move |query| {
        let mut answer = log.answer(query);
        edit(&mut answer);
        answer.to_string()
    })
}

fn wrong_records() {
    let scene = Scene::new();
    let log = &scene.log;
    let early = log.records[0].at().expect("a time") - Duration::days(5);
    let backdated = log.with(1, |record| {
        if let LogRecord::Version { at, .. } = record {
            *at = early;
        }
    });
    let twice = log.and({
        let mut again = log.records[1].clone();
        if let LogRecord::Version { manifest, .. } = &mut again {
            *manifest = Digest::of(b"another");
        }
        again
    });
    let other_manifest = log.with(1, |record| {
        if let LogRecord::Version { manifest, .. } = record {
            *manifest = Digest::of(b"another");
        }
    });
    let other_component = log.with(1, |record| {
        if let LogRecord::Version { component, .. } = record {
            *component = Some(Digest::of(b"another"));
        }
    });
    let of_another_repo = log.with(1, |record| {
        if let LogRecord::Version { repo, .. } = record {
            *repo = "eve/adder".parse().expect("a repo");
        }
    });
    let of_a_forged_job = log.with(1, |record| {
        if let LogRecord::Version { publisher, .. } = record {
            *publisher = Some(Box::new(JobIdentity {
                issuer: "https://forge.example".to_owned(),
                repository: "ada/adder\nok: loaded adder 1.1.0".to_owned(),
                owner_id: "1".to_owned(),
                workflow: "release.yml".to_owned(),
                environment: None,
                commit: None,
            }));
        }
    });
    let hidden = log.with(1, |record| *record = record.hide("salt").0);
    let other_place = {
        let log = log.clone();
        log_answers(move |query| log.answer_with(&[0], older(query)).to_string())
    };
    let in_place_of = |pointer: &'static str, text: &'static str| {
        edited(log, move |answer| {
            *answer.pointer_mut(pointer).expect("a value") = json!(text)
        })
    };
    let without_proof = edited(log, |answer| answer["records"][0]["proof"] = json!([]));
    let endless = edited(log, |answer| answer["more"] = json!("x".repeat(40 << 20)));
    scene.meet(&[
        Attack::on_update(
            "a version that is backdated",
            log_is(backdated),
            "but was not there yet on",
        ),
        Attack::on_update(
            "a version that was published twice",
            log_is(twice),
            "it has two records of ada/adder 1.1.0, of other content",
        ),
        Attack::on_update(
            "another manifest",
            log_is(other_manifest),
            "as the manifest, and the registry sent",
        ),
        Attack::on_update(
            "another component",
            log_is(other_component),
            "as the component, and the registry sent",
        ),
        Attack::on_update(
            "the record of another repo",
            log_is(of_another_repo),
            "is about another version",
        ),
        Attack::on_update(
            "a job with a line of its own",
            log_is(of_a_forged_job),
            "its record 1 cannot be read",
        ),
        Attack::on_update("a record that is hidden", log_is(hidden), "its record 1: "),
        Attack::on_update(
            "the record of another version",
            other_place,
            "its record 0 is about another version",
        ),
        Attack::on_update(
            "a record that was edited",
            in_place_of("/records/0/record", "{\"kind\":\"version\"}"),
            "the log does not have this record in place 1",
        ),
        Attack::on_update(
            "a record without its proof",
            without_proof,
            "the log does not have this record in place 1",
        ),
        Attack::on_update(
            "an answer that is no answer",
            in_place_of("/checkpoint", "\u{7}"),
            "no checkpoint of a log",
        ),
        Attack::on_update(
            "an answer without an end",
            endless,
            "more than 8388608 bytes",
        ),
    ]);
}

fn older(query: &str) -> u64 {
    value(query, "older").parse().expect("a number")
}

pub(super) fn yank(log: &ForgedLog, number: &str, severity: Severity) -> LogRecord {
    let LogRecord::Version { repo, at, .. } = &log.records[1] else {
        unreachable!("a version")
    };
    LogRecord::Yank {
        repo: repo.clone(),
        version: number.parse().expect("a version"),
        severity,
        at: *at,
    }
}

fn yanks_that_are_kept_back() {
    let scene = Scene::new();
    let log = &scene.log;
    let hidden = log.and(yank(log, "1.1.0", Severity::Malicious));
    scene.meet(&[Attack::on_update(
        "a yank that is not said",
        log_is(hidden.clone()),
        "1.1.0 was yanked as malicious, and the registry does not",
    )]);
    let ada = &scene.published.ada;
    let user = scene.user();
    ada.tool("yank ada/adder@1.1.0 --reason slow").ok();
    scene.wire.lies(log_is(hidden));
    let refused = user.tool("load ada/adder@1.1.0 --allow-yanked");
    says(
        &refused,
        3,
        "1.1.0 was yanked as malicious, and the registry does not",
    );
}

/// A yank that the user was told of is left out of all later answers.
fn a_yank_that_was_told_of() {
    let scene = Scene::new();
    let user = scene.user();
    let ada = &scene.published.ada;
    let stolen = ["yank", "ada/adder@1.0.0", "--severity", "malicious"];
    ada.run([&stolen[..], &["--reason", "it steals"]].concat())
        .ok();
    scene.wire.lies(without_tag("v1.1.0"));
    let told = "was yanked as malicious: it steals";
    says(&user.tool("update"), 3, told);
    let log = whole_stolen_log(&scene.published, 4);
    let left_out = log_answers(move |query| {
        // The record of the signer is between those of the versions.
        let place = 2 * usize::from(query.contains("version=1.1.0"));
        log.answer_with(&[place], older(query)).to_string()
    });
    scene
        .wire
        .lies(both(left_out, without_file("releases.toml")));
    let gone = "the yank of ada/adder 1.0.0 is gone, and no record says that it was taken back";
    for command in ["load ada/adder --as adder", "inspect ada/adder"] {
        says(&user.tool(command), 3, gone);
    }
    says(&user.tool("call adder.add a=1 b=2"), 3, told);

    // A yank that is really taken back has a record in the log.
    ada.tool("yank ada/adder@1.0.0 --undo").ok();
    scene.wire.lies(without_tag("v1.1.0"));
    user.tool("load ada/adder").ok();
    assert_eq!(user.tool("call adder.add a=1 b=2").ok(), "3\n");
}

/// Whoever took over an account publishes more young versions than are looked at one by one. That
/// stops nobody: users stay where they are, and new ones get the newest that is old enough.
fn many_new_versions() {
    let published = Published::new();
    let usual = |home: Home| {
        std::fs::remove_file(home.tool_home().join("config.toml")).expect("config.toml");
        home
    };
    let user = usual(published.registry.visitor());
    let first = digest(&user, TOOL);
    user.run(["load", TOOL, "--allow-new", "--approve", &first])
        .ok();
    for number in 1..=21 {
        push(&published.ada, &format!("1.0.{number}"), Some("release"));
    }
    let stays = user.tool("update");
    says(&stays, 0, "adder: current at 1.0.0");
    says(&stays, 0, "ada/adder 1.0.21 was published at 20");
    says(&stays, 0, "1.0.0 is taken in its place");

    let refused = usual(published.registry.visitor()).tool("load ada/adder");
    says(&refused, 3, "ada/adder 1.0.21 was published at 20");

    // The same, where the first version was published ten days ago.
    let log = whole_stolen_log(&published, 23).with(0, |record| {
        let LogRecord::Version { at, .. } = record else {
            unreachable!("a version")
        };
        *at -= Duration::days(10);
    });
    let wire = Wire::start(published.registry.url());
    wire.lies(log_is(log));
    let new = usual(Home::new().with("HF_ENDPOINT", wire.url()));
    let loaded = new.run(["load", TOOL, "--approve", &first]);
    says(&loaded, 0, "1.0.0 is taken in its place");
    assert_eq!(listed(&new)["version"], "1.0.0");
}
