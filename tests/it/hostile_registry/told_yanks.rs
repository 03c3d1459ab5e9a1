//! Attacks on yanks that a user was told of: less is said of them later, or nothing.

use std::collections::BTreeMap;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tool_hub_manifest::Severity;
use tool_hub_transparency::LogRecord;

use super::dataset_log::{INDEX, files_are};
use super::forged_log::{ForgedLog, value};
use super::history::{another_version, yank};
use super::wire::{Answer, Lie};
use super::{Scene, both, file_is, log_answers, static_log_is, whole_stolen_log};
use super::{without_file, without_tag};
use crate::support::ran::says;
use crate::support::{Client, Home, Test, test};
use crate::yanks::{is_told_of, refresh_often};

pub(crate) fn tests() -> Vec<Test> {
    vec![
        test(
            "hostile_registry::a_lesser_severity_than_was_told",
            a_lesser_severity_than_was_told,
        ),
        test(
            "hostile_registry::older_records_of_a_yank",
            older_records_of_a_yank,
        ),
        test(
            "hostile_registry::an_older_record_than_the_last_word",
            an_older_record_than_the_last_word,
        ),
        test(
            "hostile_registry::more_yanks_than_are_remembered",
            more_yanks_than_are_remembered,
        ),
        test(
            "hostile_registry::what_another_command_was_told",
            what_another_command_was_told,
        ),
        test(
            "hostile_registry::many_yanks_that_were_told_of",
            many_yanks_that_were_told_of,
        ),
        test(
            "hostile_registry::a_lesser_severity_than_in_the_log",
            a_lesser_severity_than_in_the_log,
        ),
        test(
            "hostile_registry::a_data_set_without_a_yank",
            a_data_set_without_a_yank,
        ),
    ]
}

const CALL: &str = "call adder.add a=1 b=2";
const TOLD: &str = "was yanked as malicious: it steals";
const EASED: &str = "ada/adder 1.0.0 was yanked as malicious, is said to be broken now, and no \
                     record says that it was changed";
const GONE: &str = "the yank of ada/adder 1.0.0 is gone, and no record says that it was taken back";

fn honest() -> Lie {
    Arc::new(|_, _| ())
}

/// The author yanks 1.0.0.
fn yank_as(scene: &Scene, severity: &str) {
    let line = ["yank", "ada/adder@1.0.0", "--severity", severity];
    let ada = &scene.published.ada;
    ada.run([&line[..], &["--reason", "it steals"]].concat())
        .ok();
}

/// The lie that a yank is milder.
fn says_broken() -> Lie {
    // The file stays as long as it is listed.
    let milder = |answer: &mut Answer| answer.replace("\"malicious\"", "\"broken\"   ");
    file_is("releases.toml", milder)
}

/// The lie that the log has these records of 1.0.0, and what it has of 1.1.0.
fn only_places(log: ForgedLog, places: &'static [usize]) -> Lie {
    log_answers(move |query| {
        let places: &[usize] = match query.contains("version=1.1.0") {
            // The record of the signer is between those of the versions.
            true => &[2],
            false => places,
        };
        let older = value(query, "older").parse().expect("a number");
        log.answer_with(places, older).to_string()
    })
}

fn a_lesser_severity_than_was_told() {
    let scene = Scene::new();
    let user = scene.user();
    refresh_often(&user);
    scene.wire.lies(honest());
    let mut client = Client::start(user.command(["serve"]));
    assert_eq!(client.tools().len(), 2);
    yank_as(&scene, "malicious");
    is_told_of(&mut client, &[]);
    says(&user.tool(CALL), 3, TOLD);

    let asked = Arc::new(AtomicUsize::new(0));
    let counted: Lie = {
        let asked = Arc::clone(&asked);
        Arc::new(move |path, _| {
            asked.fetch_add(
                usize::from(path.ends_with("/releases.toml")),
                Ordering::Relaxed,
            );
        })
    };
    scene.wire.lies(both(says_broken(), counted));
    for line in [
        "inspect ada/adder",
        "load ada/adder",
        "load ada/adder@1.0.0",
    ] {
        says(&user.tool(line), 3, EASED);
    }
    // The server asks, and does not believe it either.
    asked.store(0, Ordering::Relaxed);
    while asked.load(Ordering::Relaxed) < 3 {
        thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(client.tools(), [""; 0]);
    let stopped = user.tool("update");
    says(&stopped, 3, TOLD);
    says(&stopped, 3, EASED);
    says(&user.tool(CALL), 3, TOLD);

    // A change by the author is in the log.
    scene.wire.lies(honest());
    yank_as(&scene, "broken");
    is_told_of(&mut client, &["adder__add", "adder__sum_up"]);
    says(&user.tool(CALL), 0, "was yanked as broken: it steals");
    client.leave();

    // It counts once: not for what is said later.
    yank_as(&scene, "malicious");
    says(&user.tool("update"), 3, TOLD);
    let older = only_places(whole_stolen_log(&scene.published, 6), &[0, 1, 3, 4]);
    scene.wire.lies(both(older, says_broken()));
    says(&user.tool("inspect ada/adder"), 3, EASED);
    says(&user.tool(CALL), 3, TOLD);
}

/// An old taking back is shown again, and then no version at all.
fn older_records_of_a_yank() {
    let scene = Scene::new();
    let user = scene.user();
    scene.wire.lies(honest());
    yank_as(&scene, "broken");
    scene.published.ada.tool("yank ada/adder@1.0.0 --undo").ok();
    yank_as(&scene, "malicious");
    says(&user.tool("update"), 3, TOLD);

    let log = whole_stolen_log(&scene.published, 6);
    let older = only_places(log.clone(), &[0, 1, 3, 4]);
    scene.wire.lies(both(older, without_file("releases.toml")));
    for line in ["inspect ada/adder", "load ada/adder"] {
        says(&user.tool(line), 3, GONE);
    }
    says(&user.tool(CALL), 3, TOLD);

    // A version that is not offered any more is not given back by that.
    let none = only_places(log, &[]);
    let not_offered = both(without_tag("v1.0.0"), without_file("releases.toml"));
    scene.wire.lies(both(none, not_offered));
    user.tool("inspect ada/adder").ok();
    says(&user.tool(CALL), 3, TOLD);

    // A file of before there was a note of the log is read on.
    let file = user.tool_home().join("known_releases.toml");
    let known = std::fs::read_to_string(&file).expect("the releases");
    let (old, heard) = known.split_once("heard]\n").expect("a note of the log");
    assert!(heard.starts_with("\"1.0.0\" = 6\n"), "{known}");
    let (old, _) = old.rsplit_once('[').expect("a table");
    std::fs::write(&file, old).expect("written");
    says(&user.tool(CALL), 3, TOLD);
    scene.wire.lies(without_tag("v1.1.0"));
    says(&user.tool("update"), 3, TOLD);
    let known = std::fs::read_to_string(&file).expect("the releases");
    assert!(known.contains("heard]\n\"1.0.0\" = 6\n"), "{known}");

    // What the author takes back is heard of by an update.
    scene.published.ada.tool("yank ada/adder@1.0.0 --undo").ok();
    says(&user.tool(CALL), 3, "heard of by: tool update adder");
    says(&user.tool("update"), 0, "adder: current at 1.0.0");
    assert_eq!(user.tool(CALL).ok(), "3\n");

    // The taking back of another version is none of this one.
    yank_as(&scene, "malicious");
    says(&user.tool("update"), 3, TOLD);
    let log = whole_stolen_log(&scene.published, 8).and(back(&scene.log, "1.1.0"));
    let another = only_places(log, &[0, 1, 3, 4, 5, 6, 7, 8]);
    scene
        .wire
        .lies(both(another, without_file("releases.toml")));
    let told = "its record 8 is about another version";
    says(&user.tool("inspect ada/adder"), 3, told);
    says(&user.tool(CALL), 3, TOLD);
}

/// A yank comes back while nobody looks, and is told again. What took it back before is shown.
fn an_older_record_than_the_last_word() {
    let scene = Scene::new();
    let users = [scene.user(), scene.user()];
    scene.wire.lies(honest());
    yank_as(&scene, "malicious");
    // One was told, and the other one has only seen the log after it was taken back.
    says(&users[0].tool("update"), 3, TOLD);
    let ada = &scene.published.ada;
    ada.tool("yank ada/adder@1.0.0 --undo").ok();
    users[1].tool("inspect ada/adder").ok();
    yank_as(&scene, "malicious");
    says(&users[0].tool("update"), 3, TOLD);
    // At that moment the log does not answer.
    let no_log: Lie = Arc::new(|asked, answer| {
        if asked.contains("/log?") {
            answer.is_missing();
        }
    });
    scene.wire.lies(no_log);
    let told = users[1].tool("inspect ada/adder");
    says(&told, 3, "the log");
    says(&users[1].tool(CALL), 3, TOLD);

    let log = whole_stolen_log(&scene.published, 6);
    let older = only_places(log, &[0, 1, 3, 4]);
    scene.wire.lies(both(older, without_file("releases.toml")));
    for user in &users {
        says(&user.tool("inspect ada/adder"), 3, GONE);
        says(&user.tool(CALL), 3, TOLD);
    }
    scene.wire.lies(without_tag("v1.1.0"));
    ada.tool("yank ada/adder@1.0.0 --undo").ok();
    for user in &users {
        says(&user.tool("update"), 0, "adder: current at 1.0.0");
        assert_eq!(user.tool(CALL).ok(), "3\n");
    }
}

/// Whoever has a token fills what users remember, before the author yanks what they have.
fn more_yanks_than_are_remembered() {
    let scene = Scene::new();
    let user = scene.user();
    // So there is a file to lie about.
    yank_as(&scene, "broken");
    let reason = "x".repeat(80);
    let yanks = |major: usize, severity: &str| -> String {
        let yank = |patch| {
            format!(
                "[yanked.\"{major}.0.{patch}\"]\nseverity = \"{severity}\"\nreason = \"{reason}\"\n"
            )
        };
        (0..900).map(yank).collect()
    };
    let file = user.tool_home().join("known_releases.toml");
    let known = || std::fs::read_to_string(&file).expect("the releases");
    for (major, severity) in [(7, "broken"), (8, "malicious"), (9, "malicious")] {
        scene.wire.lies(releases_are(yanks(major, severity)));
        user.tool("inspect ada/adder@1.1.0").ok();
    }
    // The mildest yanks are left out until the rest fits.
    let kept = known();
    assert!(kept.len() <= 256 << 10, "{}", kept.len());
    let count = kept.matches("reason").count();
    assert!((901..1800).contains(&count), "{count}");
    assert!(!kept.contains("broken"), "{kept}");

    scene.wire.lies(honest());
    yank_as(&scene, "malicious");
    says(&user.tool("update"), 3, TOLD);
    says(&user.tool(CALL), 3, TOLD);
    // A file that is too long is refused, and changes nothing.
    let long = format!("# {}\n", "x".repeat(128 << 10));
    scene.wire.lies(releases_are(long));
    says(
        &user.tool("inspect ada/adder@1.1.0"),
        3,
        "more than 131072 bytes",
    );
    says(&user.tool(CALL), 3, TOLD);
}

/// A command is told less, and ends after another one was told the truth.
fn what_another_command_was_told() {
    let scene = Scene::new();
    let user = scene.user();
    yank_as(&scene, "malicious");
    let [asked, ended] = [(); 2].map(|()| Arc::new(AtomicUsize::new(0)));
    let held: Lie = {
        let [asked, ended] = [&asked, &ended].map(Arc::clone);
        Arc::new(move |question, _| {
            if question.contains("/log?") {
                asked.store(1, Ordering::Relaxed);
                wait_for(&ended);
            }
        })
    };
    let milder = "[yanked.\"0.0.9\"]\nseverity = \"broken\"\nreason = \"slow\"\n";
    scene.wire.lies(both(held, releases_are(milder.to_owned())));
    let mut command = user.command(["inspect", "ada/adder@1.1.0"]);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut running = command.spawn().expect("the command starts");
    wait_for(&asked);
    scene.wire.lies(honest());
    says(&user.tool("update"), 3, TOLD);
    ended.store(1, Ordering::Relaxed);
    running.wait().expect("it ends");
    let known = user.tool_home().join("known_releases.toml");
    let known = std::fs::read_to_string(known).expect("the releases");
    assert!(known.contains("0.0.9"), "{known}");
    says(&user.tool(CALL), 3, TOLD);
}

/// Waits until it is 1.
fn wait_for(flag: &AtomicUsize) {
    let start = Instant::now();
    while flag.load(Ordering::Relaxed) == 0 {
        assert!(start.elapsed().as_secs() < 60, "nobody came");
        thread::sleep(Duration::from_millis(5));
    }
}

/// The lie that `releases.toml` has this text.
fn releases_are(text: String) -> Lie {
    Arc::new(move |asked, answer| {
        if asked.ends_with("/releases.toml") {
            answer.says(text.clone());
        } else if asked.contains("/paths-info/")
            && let Ok(mut listed) = serde_json::from_slice::<Vec<Value>>(&answer.body)
            && let Some(file) = listed.iter_mut().find(|it| it["path"] == "releases.toml")
        {
            file["size"] = json!(text.len());
            answer.says(Value::from(listed).to_string());
        }
    })
}

/// More yanks are gone than are looked up at a time, and the one of what the user has is the last.
fn many_yanks_that_were_told_of() {
    let scene = Scene::new();
    let user = scene.user();
    // So there is a file to lie about.
    yank_as(&scene, "malicious");
    let at = scene.log.records[0].at().expect("a time");
    let numbers: Vec<String> = (0..21).map(|minor| format!("0.{minor}.0")).collect();
    let mut log = scene.log.clone();
    let mut text = String::new();
    for number in numbers.iter().chain([&"1.0.0".to_owned()]) {
        if number != "1.0.0" {
            log = log.and(another_version(&scene.log, number, at));
        }
        log = log.and(yank(&scene.log, number, Severity::Malicious));
        text +=
            &format!("[yanked.\"{number}\"]\nseverity = \"malicious\"\nreason = \"it steals\"\n");
    }
    scene
        .wire
        .lies(both(super::log_is(log.clone()), releases_are(text)));
    says(&user.tool("update"), 3, TOLD);
    let file = user.tool_home().join("known_releases.toml");
    let known = || std::fs::read_to_string(&file).expect("the releases");
    assert_eq!(known().matches("it steals").count(), 22);

    // All but the last are taken back.
    for number in &numbers {
        log = log.and(back(&scene.log, number));
    }
    let gone = both(super::log_is(log.clone()), without_file("releases.toml"));
    scene.wire.lies(gone);
    user.tool("inspect ada/adder@1.1.0").ok();
    assert_eq!(known().matches("it steals").count(), 2, "{}", known());
    says(&user.tool(CALL), 3, TOLD);
    says(&user.tool("inspect ada/adder@1.1.0"), 3, GONE);
    says(&user.tool(CALL), 3, TOLD);
    log = log.and(back(&scene.log, "1.0.0"));
    scene
        .wire
        .lies(both(super::log_is(log), without_file("releases.toml")));
    user.tool("inspect ada/adder@1.1.0").ok();
    assert_eq!(user.tool(CALL).ok(), "3\n");
}

fn back(log: &ForgedLog, number: &str) -> LogRecord {
    let LogRecord::Yank {
        repo, version, at, ..
    } = yank(log, number, Severity::Broken)
    else {
        unreachable!("a yank")
    };
    LogRecord::Unyank { repo, version, at }
}

/// A registry that admits less than its log says, and leaves the rest out of its answers.
fn a_lesser_severity_than_in_the_log() {
    let scene = Scene::new();
    let user = scene.user();
    scene.wire.lies(without_tag("v1.1.0"));
    yank_as(&scene, "broken");
    says(&user.tool("update"), 0, "was yanked as broken: it steals");
    let log = whole_stolen_log(&scene.published, 4);
    let log = log.and(yank(&scene.log, "1.0.0", Severity::Malicious));
    let left_out = only_places(log.clone(), &[0, 1, 3]);
    scene.wire.lies(both(left_out, static_log_is(log)));
    user.tool("inspect ada/adder").ok();
    says(&user.tool(CALL), 0, "was yanked as broken: it steals");

    let found = user.tool("registry monitor");
    says(&found, 3, "adder cannot be trusted as it is");
    let known = "was yanked as malicious: the registry's log says so";
    says(&user.tool(CALL), 3, known);
    says(&user.tool("inspect ada/adder"), 3, EASED);
    says(&user.tool("update"), 3, known);
    says(&user.tool(CALL), 3, known);
}

/// Whoever has the data set leaves the yank out of its index.
fn a_data_set_without_a_yank() {
    let scene = Scene::with_dataset();
    let user = scene.user();
    yank_as(&scene, "malicious");
    let log = scene.log.clone();
    let log = log.and(yank(&scene.log, "1.0.0", Severity::Broken));
    let log = log.and(back(&scene.log, "1.0.0"));
    let log = log.and(yank(&scene.log, "1.0.0", Severity::Malicious));
    let index_is = |index: &Value, log: &ForgedLog| {
        let mut files: BTreeMap<String, Vec<u8>> = log.files("ada/adder");
        files.insert(INDEX.to_owned(), index.to_string().into_bytes());
        files_are(files)
    };
    let all = json!({ "1.0.0": [0, 2, 3, 4], "1.1.0": [1] });
    scene.wire.lies(index_is(&all, &log));
    says(&user.tool("update"), 3, TOLD);
    for lacking in [
        json!({ "1.0.0": [0, 2, 3], "1.1.0": [1] }),
        json!({ "1.0.0": [0], "1.1.0": [1] }),
        json!({ "1.1.0": [1] }),
    ] {
        let gone = both(index_is(&lacking, &log), without_file("releases.toml"));
        for lie in [gone, both(index_is(&lacking, &log), says_broken())] {
            scene.wire.lies(lie);
            user.tool("inspect ada/adder@1.1.0").ok();
            says(&user.tool(CALL), 3, TOLD);
        }
    }
    let gone = without_file("releases.toml");
    let taken_back = log.and(back(&scene.log, "1.0.0"));
    let all = json!({ "1.0.0": [0, 2, 3, 4, 5], "1.1.0": [1] });
    scene.wire.lies(both(index_is(&all, &taken_back), gone));
    user.tool("inspect ada/adder@1.1.0").ok();
    assert_eq!(user.tool(CALL).ok(), "3\n");

    // A yank may come and go more often than records of one version are read.
    let mut long = scene.log.clone();
    for _ in 0..60 {
        long = long.and(yank(&scene.log, "1.0.0", Severity::Broken));
        long = long.and(back(&scene.log, "1.0.0"));
    }
    let other = Home::new().with("HF_ENDPOINT", scene.wire.url());
    other.configure(&scene.config);
    let gone = without_file("releases.toml");
    scene.wire.lies(both((scene.shows)(long.clone()), gone));
    other.tool("inspect ada/adder@1.0.0").ok();
    let long = long.and(yank(&scene.log, "1.0.0", Severity::Malicious));
    let gone = without_file("releases.toml");
    scene.wire.lies(both((scene.shows)(long), gone));
    says(
        &other.tool("inspect ada/adder@1.0.0"),
        3,
        "1.0.0 was yanked as malicious, and the registry does not",
    );
}
