//! Attacks that whoever reads all of a log finds: what is left out of answers is in the log.

use std::fs;
use std::sync::{Arc, Mutex};

use time::Duration;
use tool_hub_manifest::{Digest, Severity};
use tool_hub_transparency::{JobIdentity, LogRecord, TILE_WIDTH};

use super::forged_log::ForgedLog;
use super::history::{another_version, yank};
use super::wire::{Answer, Lie};
use super::{Attack, Scene, both, log_is, static_log_is};
use crate::support::ran::says;
use crate::support::{Test, test};

pub(crate) fn tests() -> Vec<Test> {
    vec![
        test(
            "hostile_registry::yanks_that_are_left_out",
            yanks_that_are_left_out,
        ),
        test("hostile_registry::other_static_files", other_static_files),
        test(
            "hostile_registry::only_new_records_are_read",
            only_new_records_are_read,
        ),
    ]
}

/// An attack on whoever reads all of the log.
fn on_reading(name: &'static str, lie: Lie, told: &'static str) -> Attack {
    Attack {
        command: "registry monitor",
        ..Attack::on_update(name, lie, told)
    }
}

/// A registry whose log has a yank, as it must, and which leaves it out of all its answers.
fn yanks_that_are_left_out() {
    let scene = Scene::new();
    let user = scene.user();
    let yanked = scene
        .log
        .and(yank(&scene.log, "1.0.0", Severity::Malicious));
    let left_out = {
        let log = yanked.clone();
        super::log_answers(move |query| {
            let place = usize::from(query.contains("version=1.1.0"));
            let older = super::forged_log::value(query, "older");
            let older = older.parse().expect("a number");
            log.answer_with(&[place], older).to_string()
        })
    };
    scene.wire.lies(both(left_out, static_log_is(yanked)));
    // Nobody who asks for the one version learns of it.
    user.tool("verify --log").ok();
    assert_eq!(user.tool("call adder.add a=1 b=2").ok(), "3\n");

    let found = user.tool("registry monitor");
    says(&found, 3, "adder cannot be trusted as it is");
    let shown = found.stdout();
    assert!(shown.contains("yanked as malicious"), "{shown}");
    let told = user.tool("registry monitor --again --json");
    let told: serde_json::Value = serde_json::from_str(&told.stdout()).expect("JSON");
    let fault = told["tools"][0]["fault"].as_str().expect("a fault");
    let expect = "ada/adder 1.0.0 was yanked as malicious, and the registry does not";
    assert!(fault.contains(expect), "{fault}");
    assert_eq!(told["events"][2]["record"]["severity"], "malicious");

    // From now on it is known.
    let refused = user.tool("call adder.add a=1 b=2");
    says(
        &refused,
        3,
        "was yanked as malicious: the registry's log says so",
    );
}

fn other_static_files() {
    let scene = Scene::new();
    let log = &scene.log;
    let at = log.records[0].at().expect("a time");
    let other = another_version(log, "0.9.0", at);
    let forked = log.with(0, |record| *record = other.clone());
    let replaced = ForgedLog {
        seed: [7; 32],
        ..log.clone()
    };
    let frozen = ForgedLog {
        age: Duration::days(8),
        ..log.clone()
    };
    let early = log.with(1, |record| {
        if let LogRecord::Version { at, .. } = record {
            *at -= Duration::days(5);
        }
    });
    let twice = log.and({
        let mut again = log.records[0].clone();
        if let LogRecord::Version { manifest, .. } = &mut again {
            *manifest = Digest::of(b"another");
        }
        again
    });
    let long = log.with(1, |record| {
        if let LogRecord::Version { publisher, .. } = record {
            *publisher = Some(Box::new(JobIdentity {
                issuer: "x".repeat(9 << 10),
                repository: "ada/adder".to_owned(),
                owner_id: "1".to_owned(),
                workflow: "release.yml".to_owned(),
                environment: None,
                commit: None,
            }));
        }
    });
    let ahead = ForgedLog {
        age: -Duration::hours(2),
        ..log.clone()
    };
    let (later, edited) = (log.clone(), log.with(1, |record| *record = other.clone()));
    let other_records = bundle_is(log, move |_| edited.file("tile/entries/000.p/2"));
    let cut = bundle_is(log, |bundle| bundle[..bundle.len() - 1].to_vec());
    let fewer = bundle_is(log, move |_| later.file("tile/entries/000.p/1"));
    let endless = bundle_is(log, |_| vec![b'x'; 40 << 20]);
    let missing = Arc::new(|asked: &str, answer: &mut Answer| {
        if asked.starts_with("/api/log/") {
            answer.is_missing();
        }
    });
    let claims = both(static_log_is(log.clone()), {
        let root = tool_hub_transparency::Tree::default().root();
        let time = at.unix_timestamp().unsigned_abs();
        let claim = log
            .signer()
            .sign(1 << 40, root, time)
            .expect("a checkpoint");
        Arc::new(move |asked, answer| {
            if asked.contains("/checkpoint?") {
                answer.says(claim.clone());
            }
        })
    });
    scene.meet(&[
        on_reading(
            "a forked log",
            static_log_is(forked),
            "the log of 2 records does not begin with the 1 records that were seen before",
        ),
        on_reading(
            "a shorter log",
            static_log_is(log.first(0)),
            "the log has 0 records, and had 1 before",
        ),
        on_reading(
            "a log of somebody else",
            static_log_is(replaced),
            "another key signs it than before",
        ),
        on_reading(
            "a frozen log",
            static_log_is(frozen),
            "one of the last 7 days is expected",
        ),
        on_reading(
            "a record that is backdated",
            static_log_is(early),
            "its record 1 claims to be of",
        ),
        on_reading(
            "a record that is longer than any",
            static_log_is(long),
            "and at most 8192 are read",
        ),
        on_reading(
            "a log of the future",
            static_log_is(ahead),
            "which is to come by the clock of this machine",
        ),
        on_reading(
            "other records than were signed",
            other_records,
            "its 2 records do not hash to the root that it signed",
        ),
        on_reading(
            "a bundle that is cut off",
            cut,
            "its record 0 cannot be read",
        ),
        on_reading(
            "a bundle with fewer records",
            fewer,
            "its record 0 cannot be read",
        ),
        on_reading(
            "a bundle without an end",
            endless,
            "more than 16777472 bytes",
        ),
        on_reading(
            "a log without an end",
            claims,
            "it claims 1099511627776 new records, and at most 10000000 are read in one go",
        ),
        on_reading(
            "a log that vanished",
            missing,
            "it kept a log before, and shows none now",
        ),
    ]);

    // The same version with other content is a fault of the tool that has it.
    let user = scene.user();
    scene.wire.lies(static_log_is(twice));
    let found = user.tool("registry monitor");
    says(&found, 3, "adder cannot be trusted as it is");
    let said = "it has two records of ada/adder 1.0.0, of other content";
    let told = user.tool("registry monitor --json");
    assert!(told.stdout().contains(said), "{}", told.stdout());
}

/// The lie that `log` is the log, with another bundle of records.
fn bundle_is(log: &ForgedLog, edit: impl Fn(&[u8]) -> Vec<u8> + Send + Sync + 'static) -> Lie {
    both(
        static_log_is(log.clone()),
        Arc::new(move |asked, answer| {
            if asked.contains("/entries/") {
                let edited = edit(&answer.body);
                answer.says(edited);
            }
        }),
    )
}

/// A log of some hundred records, of which a second reading takes only what is new.
fn only_new_records_are_read() {
    let scene = Scene::new();
    let user = scene.user();
    let at = scene.log.records[0].at().expect("a time");
    let mut long = scene.log.clone();
    for number in 0..600 {
        long = long.and(another_version(&scene.log, &format!("2.0.{number}"), at));
    }
    let asked: Arc<Mutex<Vec<String>>> = Arc::default();
    let follow = |log: &ForgedLog| {
        let (asked, log) = (Arc::clone(&asked), log.clone());
        let answers = log_is(log.clone());
        let noted: Lie = Arc::new(move |path, _| {
            if let Some(tile) = path.strip_prefix("/api/log/tile/") {
                asked.lock().expect("nobody panicked").push(tile.to_owned());
            }
        });
        scene
            .wire
            .lies(both(noted, both(answers, static_log_is(log))));
    };
    let tiles = || {
        let mut tiles = std::mem::take(&mut *asked.lock().expect("nobody panicked"));
        // Some are asked for at a time.
        tiles.sort();
        tiles
    };

    follow(&long);
    let first = user.tool("registry monitor --json").json();
    assert_eq!(
        (first["records"].as_u64(), first["new_records"].as_u64()),
        (Some(602), Some(602))
    );
    assert_eq!(first["events"].as_array().map(Vec::len), Some(602));
    assert_eq!(first["tools"][0]["index"], 0, "{first}");
    assert_eq!(first["tools"][0]["fault"], serde_json::Value::Null);
    assert_eq!(tiles(), ["entries/000", "entries/001", "entries/002.p/90"]);
    assert_eq!(602 - 2 * TILE_WIDTH, 90);

    let longer = long.and(yank(&scene.log, "2.0.5", Severity::Broken));
    follow(&longer);
    let second = user.tool("registry monitor").ok();
    assert!(second.contains("602     20"), "{second}");
    assert!(!second.contains("601     20"), "{second}");
    assert!(second.contains("yanked as broken"), "{second}");
    assert_eq!(tiles(), ["entries/002.p/91"]);
    says(
        &user.tool("registry monitor"),
        0,
        "603 records of tool-hub-registry/",
    );
    says(&user.tool("registry monitor"), 0, ", 0 of them new");
    tiles();

    // The kept file is not believed: a change of it costs one more reading.
    let kept = fs::read_dir(user.tool_home().join("read_logs")).expect("a directory");
    let kept = kept
        .map(|it| it.expect("a file").path())
        .next()
        .expect("a file");
    let text = fs::read_to_string(&kept).expect("JSON");
    let edge = text.find("\"edge\":[\"").expect("an edge") + 9;
    let other = if text[edge..].starts_with('A') {
        "B"
    } else {
        "A"
    };
    let changed = format!("{}{other}{}", &text[..edge], &text[edge + 1..]);
    for changed in [changed.as_str(), "{", ""] {
        fs::write(&kept, changed).expect("written");
        user.tool("registry monitor").ok();
        assert_eq!(tiles().last().map(String::as_str), Some("entries/002.p/91"));
        assert_eq!(
            user.tool("registry monitor --json").json()["new_records"],
            0
        );
        tiles();
    }
    let all = user
        .tool("registry monitor --again --of Ada/Add* --json")
        .json();
    assert_eq!(all["new_records"], 603, "{all}");
    let none = user.tool("registry monitor --again --of eve/*").ok();
    assert!(!none.contains("published"), "{none}");
}
