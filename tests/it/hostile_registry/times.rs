//! Attacks with times: what is backdated passes for old, and what is of the future is never stale.

use std::fs;
use std::process::Stdio;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use serde_json::json;
use time::Duration;
use tool_hub_transparency::{LogRecord, Tree};

use super::forged_log::{ForgedLog, value};
use super::history::{another_version, edited};
use super::{Scene, both, log_answers, log_is, static_log_is};
use crate::support::ran::says;
use crate::support::{Home, Test, test};

pub(crate) fn tests() -> Vec<Test> {
    vec![
        test("hostile_registry::backdated_versions", backdated_versions),
        test("hostile_registry::backdated_states", backdated_states),
        test(
            "hostile_registry::records_that_go_back",
            records_that_go_back,
        ),
        test(
            "hostile_registry::states_of_the_future",
            states_of_the_future,
        ),
        test(
            "hostile_registry::a_lie_leaves_nothing_behind",
            a_lie_leaves_nothing_behind,
        ),
        test("hostile_registry::two_forks_at_once", two_forks_at_once),
        test(
            "hostile_registry::many_commands_at_once",
            many_commands_at_once,
        ),
    ]
}

const ASKS: &str = "inspect ada/adder@1.0.0";
const UPDATES: &str = "update --accept-code";
const BACKDATED: &str = "its record 1 claims to be of";

/// The log with its record of 1.1.0 some days before it came.
fn backdated(log: &ForgedLog, days: i64) -> ForgedLog {
    log.with(1, |record| {
        if let LogRecord::Version { at, .. } = record {
            *at -= Duration::days(days);
        }
    })
}

/// The log as it was signed some days ago.
fn aged(log: &ForgedLog, age: Duration) -> ForgedLog {
    ForgedLog { age, ..log.clone() }
}

/// A version that is made to seem older than three days is refused as often as it is tried, and
/// whatever else was asked in between.
fn backdated_versions() {
    let scene = Scene::new();
    let lie = backdated(&scene.log, 5);
    let user = scene.user();
    for _ in 0..3 {
        scene.wire.lies(log_is(lie.clone()));
        says(&user.tool(UPDATES), 3, BACKDATED);
    }
    says(&user.tool("load ada/adder@1.1.0"), 3, BACKDATED);

    // Questions about another version show the record to nobody, and the log goes on over it.
    let at = scene.log.records[0].at().expect("a time");
    let mut longer = lie;
    for number in 0..3 {
        scene.wire.lies(log_is(longer.clone()));
        user.tool(ASKS).ok();
        says(&user.tool(UPDATES), 3, BACKDATED);
        longer = longer.and(another_version(&longer, &format!("0.9.{number}"), at));
    }
    // Whoever reads all of it, and has seen it without the record, is told, too.
    scene.wire.lies(static_log_is(longer.clone()));
    says(&user.tool("registry monitor"), 3, BACKDATED);
    let known = fs::read_to_string(user.tool_home().join("known_logs.toml"));
    let known = known.expect("the known logs");
    assert!(known.contains("earlier"), "{known}");
    assert!(known.contains("size = 1\n"), "{known}");

    // Neither does it help that the tool is loaded anew, as from nothing.
    user.tool("remove adder").ok();
    scene.wire.lies(log_is(longer));
    says(&user.tool("load ada/adder"), 3, BACKDATED);
}

/// A state that was signed days ago does not make room for backdated records.
fn backdated_states() {
    let scene = Scene::new();
    let (log, days) = (&scene.log, Duration::days);
    let user = scene.user();
    // The same state, as a mirror has it that lags.
    scene.wire.lies(log_is(aged(&log.first(1), days(5))));
    user.tool(ASKS).ok();
    user.tool("verify --log").ok();
    scene.wire.lies(log_is(backdated(log, 4)));
    says(&user.tool(UPDATES), 3, BACKDATED);

    let told = "its state of 2 records claims to be of";
    scene.wire.lies(log_is(aged(&backdated(log, 5), days(4))));
    says(&user.tool(UPDATES), 3, told);
    let larger = aged(log, days(4));
    scene
        .wire
        .lies(both(log_is(larger.clone()), static_log_is(larger)));
    says(&user.tool(ASKS), 3, told);
    says(&user.tool("registry monitor"), 3, told);
    // Clocks that differ by less than an hour are nobody's lie.
    scene.wire.lies(log_is(aged(log, Duration::minutes(50))));
    user.tool(UPDATES).ok();
}

/// Whoever reads a log for the first time sees that its records go back in time, although each is
/// older than the one before it by less than clocks differ.
fn records_that_go_back() {
    let scene = Scene::new();
    let at = scene.log.records[0].at().expect("a time");
    let earlier = |log: ForgedLog, number: i32| {
        let at = at - Duration::minutes(50) * number;
        let version = another_version(&log, &format!("0.9.{number}"), at);
        log.and(version)
    };
    let reader = || Home::new().with("HF_ENDPOINT", scene.wire.url());
    let honest = earlier(scene.log.clone(), 1);
    scene.wire.lies(static_log_is(honest.clone()));
    let early = reader();
    early.tool("registry monitor").ok();
    scene.wire.lies(static_log_is(earlier(honest, 2)));
    for reader in [early, reader()] {
        let refused = reader.tool("registry monitor");
        says(&refused, 3, "its record 3 claims to be of");
    }
}

fn states_of_the_future() {
    let scene = Scene::new();
    let (log, known) = (&scene.log, "known_logs.toml");
    let ahead = "which is to come by the clock of this machine";
    let user = scene.user();
    for hours in [2, 24 * 365 * 70] {
        let lie = aged(log, -Duration::hours(hours));
        scene
            .wire
            .lies(both(log_is(lie.clone()), static_log_is(lie)));
        let stranger = Home::new().with("HF_ENDPOINT", scene.wire.url());
        for command in [ASKS, "registry monitor"] {
            let refused = stranger.tool(command);
            says(&refused, 3, ahead);
            says(
                &refused,
                3,
                "hint: nothing was loaded; look whether the clock",
            );
        }
        assert!(!stranger.tool_home().join(known).exists());
        says(&user.tool(UPDATES), 3, ahead);
    }
    // A time that no calendar has.
    let endless = edited(log, {
        let log = log.clone();
        move |answer| {
            let root = tree(&log).root();
            let signed = log.signer().sign(2, root, u64::MAX / 2);
            answer["checkpoint"] = json!(signed.expect("a checkpoint"));
        }
    });
    scene.wire.lies(endless);
    says(&user.tool(UPDATES), 3, ahead);

    // A file in which an earlier version of this program wrote down such a state is read on, and
    // nothing is measured by it.
    let path = user.tool_home().join(known);
    let before = fs::read_to_string(&path).expect("the known logs");
    assert!(!before.contains("earlier"), "{before}");
    let first = log.first(1);
    let kept = |age| {
        let (url, key) = (scene.wire.url(), first.signer().key());
        let note = aged(&first, age).checkpoint();
        format!("[\"{url}/\"]\nkey = \"{key}\"\ncheckpoint = '''\n{note}'''\n")
    };
    fs::write(&path, kept(-Duration::days(70 * 365))).expect("written");
    scene.wire.lies(log_is(log.clone()));
    user.tool(UPDATES).ok();
    let after = fs::read_to_string(&path).expect("the known logs");
    assert!(!after.contains("earlier"), "{after}");
    scene.wire.lies(Arc::new(|_, _| ()));

    // An honest clock that is fast by less than an hour.
    let user = scene.user();
    scene.wire.lies(log_is(aged(log, -Duration::minutes(50))));
    user.tool(UPDATES).ok();
    scene.wire.lies(log_is(log.clone()));
    user.tool("verify --log").ok();
}

fn tree(log: &ForgedLog) -> Tree {
    let mut tree = Tree::default();
    for record in &log.records {
        tree.append(&record.to_bytes());
    }
    tree
}

/// A state is remembered only with records that hold: a first answer that does not keeps nobody
/// out of the true log.
fn a_lie_leaves_nothing_behind() {
    let scene = Scene::new();
    let log = &scene.log;
    let signs = |size: u64| {
        let log = log.clone();
        log_answers(move |query| {
            let mut answer = log.answer_with(&[], 0);
            let now = time::OffsetDateTime::now_utc().unix_timestamp();
            let root = tree(&log).root();
            let signed = log.signer().sign(size, root, now.unsigned_abs());
            answer["checkpoint"] = json!(signed.expect("a checkpoint"));
            if query.contains("version=1.1.0") {
                answer["records"] = log.answer_with(&[0, 1], 0)["records"].clone();
            }
            answer.to_string()
        })
    };
    for size in [3, u64::MAX] {
        let user = Home::new().with("HF_ENDPOINT", scene.wire.url());
        user.configure("");
        scene.wire.lies(signs(size));
        says(&user.tool(ASKS), 3, "it has no record of ada/adder 1.0.0");
        assert_eq!(user.tool("inspect ada/adder@1.1.0").code(), 3);
        assert!(!user.tool_home().join("known_logs.toml").exists());
        scene.wire.lies(log_is(log.clone()));
        user.tool(ASKS).ok();
    }
}

/// Runs these commands of one person at once; their exit codes and what they said.
fn at_once(user: &Home, commands: &[String]) -> Vec<(Option<i32>, String)> {
    let started: Vec<_> = commands
        .iter()
        .map(|line| {
            let mut command = user.command(line.split_whitespace());
            command.stdout(Stdio::null()).stderr(Stdio::piped());
            command.spawn().expect("the command starts")
        })
        .collect();
    let ended = started
        .into_iter()
        .map(|run| run.wait_with_output().expect("it ends"));
    ended
        .map(|run| {
            let said = String::from_utf8_lossy(&run.stderr).into_owned();
            (run.status.code(), said)
        })
        .collect()
}

/// Two commands that run at once are shown two histories, and each remembers what it saw.
fn two_forks_at_once() {
    let scene = Scene::new();
    let log = &scene.log;
    let at = log.records[0].at().expect("a time");
    let forked = log.with(1, |record| *record = another_version(log, "0.9.0", at));
    let longer = forked.and(another_version(log, "0.9.1", at));
    let commands = ["1.0.0", "1.1.0"].map(|version| format!("inspect ada/adder@{version}"));
    // As many records in both, or more in one, for those who saw the log before and who did not.
    for (forked, is_new) in [(&forked, false), (&longer, false), (&longer, true)] {
        let user = match is_new {
            true => Home::new().with("HF_ENDPOINT", scene.wire.url()),
            false => scene.user(),
        };
        user.configure("");
        let asked: Arc<Mutex<Vec<String>>> = Arc::default();
        let (log, forked) = (log.clone(), forked.clone());
        scene.wire.lies(log_answers(move |query| {
            let version = value(query, "version").to_owned();
            let is_other = version == "1.0.0";
            asked.lock().expect("nobody panicked").push(version);
            // Both have asked before one is answered.
            let start = Instant::now();
            while asked.lock().expect("nobody panicked").len() < 2 {
                assert!(start.elapsed().as_secs() < 60, "one asked");
                std::thread::sleep(std::time::Duration::from_millis(5));
            }
            let shown = if is_other { &forked } else { &log };
            shown.answer(query).to_string()
        }));
        let ended = at_once(&user, &commands);
        let refused: Vec<_> = ended.iter().filter(|(code, _)| *code == Some(3)).collect();
        let taken = ended.iter().filter(|(code, _)| *code == Some(0));
        assert_eq!((taken.count(), refused.len()), (1, 1), "{ended:?}");
        let said = &refused[0].1;
        let is_told =
            said.contains("does not begin with the ") || said.contains("records, and had");
        assert!(is_told, "{said}");
    }
}

/// Commands that run at once beside an honest log which grows with each question.
fn many_commands_at_once() {
    let scene = Scene::new();
    let user = scene.user();
    let at = scene.log.records[0].at().expect("a time");
    let mut all = scene.log.clone();
    for number in 0..300 {
        all = all.and(another_version(&all, &format!("0.9.{number}"), at));
    }
    let asked = AtomicUsize::new(2);
    scene.wire.lies(log_answers(move |query| {
        let size = asked.fetch_add(1, Ordering::SeqCst).min(all.records.len());
        all.first(size).answer(query).to_string()
    }));
    let commands = vec![ASKS.to_owned(); 5];
    for _ in 0..2 {
        let ended = at_once(&user, &commands);
        let all_taken = ended.iter().all(|(code, _)| *code == Some(0));
        assert!(all_taken, "{ended:?}");
    }
    user.tool("verify --log").ok();
}
