//! Attacks by whoever owns a registry, or the data set on it that is its log.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Value, json};
use time::Duration;
use tool_hub_manifest::{Digest, Severity};
use tool_hub_transparency::{LogRecord, LogSigner};

use super::forged_log::ForgedLog;
use super::history::yank;
use super::wire::{Answer, Lie, Wire};
use super::{Attack, Scene, both, publish_other_code, refs_are, without_tag};
use crate::signatures::published::{Published, get};
use crate::support::ran::says;
use crate::support::{Home, Test, test};

pub(crate) fn tests() -> Vec<Test> {
    vec![
        test(
            "hostile_registry::a_data_set_that_lies",
            a_data_set_that_lies,
        ),
        test(
            "hostile_registry::files_that_are_no_log",
            files_that_are_no_log,
        ),
        test(
            "hostile_registry::what_a_writer_is_told",
            what_a_writer_is_told,
        ),
    ]
}

type Files = BTreeMap<String, Vec<u8>>;

const BUNDLE: &str = "tile/entries/000.p/2";
const TILE: &str = "tile/0/000.p/2";
pub(super) const INDEX: &str = "index/ada/adder.json";

impl Scene {
    /// The same with a data set as its log, which users know.
    pub(super) fn with_dataset() -> Self {
        let scene = Self::new();
        let (url, key) = (scene.wire.url(), scene.log.signer().key());
        let config = format!("[logs.\"{url}\"]\ndataset = \"acme/tool-log\"\nkey = \"{key}\"\n");
        Self {
            shows: |log| files_are(log.files("ada/adder")),
            config,
            ..scene
        }
    }

    fn files(&self) -> Files {
        self.log.files("ada/adder")
    }

    /// The lie that a file of the data set is as `edit` leaves it.
    fn edited(&self, path: &str, edit: impl FnOnce(&mut Vec<u8>)) -> Lie {
        let mut files = self.files();
        edit(files.get_mut(path).expect("a file"));
        files_are(files)
    }

    fn without(&self, path: &str) -> Lie {
        let mut files = self.files();
        files.remove(path).expect("a file");
        files_are(files)
    }

    fn index_is(&self, index: impl Into<Vec<u8>>) -> Lie {
        let index = index.into();
        self.edited(INDEX, |content| *content = index)
    }
}

/// The lie that the data set has these files.
pub(super) fn files_are(files: Files) -> Lie {
    let commit = "0".repeat(40);
    Arc::new(move |asked: &str, answer: &mut Answer| {
        let (_, file) = asked.split_once("/resolve/").unwrap_or_default();
        match asked {
            "/api/datasets/acme/tool-log/refs" => {
                let main = json!({ "name": "main", "targetCommit": commit });
                answer.says(json!({ "branches": [main], "tags": [] }).to_string());
            }
            asked if asked.starts_with("/api/datasets/acme/tool-log?") => {
                answer.says(json!({ "id": "acme/tool-log", "private": false }).to_string());
            }
            asked if asked.starts_with("/datasets/acme/tool-log/") => {
                let path = file.strip_prefix(commit.as_str()).unwrap_or_default();
                match files.get(path.trim_start_matches('/')) {
                    Some(content) => answer.says(content.clone()),
                    None => answer.is_missing(),
                }
            }
            _ => {}
        }
    })
}

fn a_data_set_that_lies() {
    let scene = Scene::with_dataset();
    let log = &scene.log;
    let shown = |log: ForgedLog| (scene.shows)(log);
    let change = |place: usize, edit: fn(&mut LogRecord)| shown(log.with(place, edit));
    let user = scene.user();
    scene.wire.lies(shown(log.clone()));
    says(
        &user.tool("update --accept-code"),
        0,
        "adder: updated at 1.1.0",
    );

    scene.meet(&[
        Attack::on_update(
            "a fork",
            change(0, |record| {
                if let LogRecord::Version { at, .. } = record {
                    *at -= Duration::minutes(1);
                }
            }),
            "does not begin with the 1 records that were seen before",
        ),
        Attack::on_update(
            "a log that was rolled back",
            shown(log.first(0)),
            "the log has 0 records, and had 1 before",
        ),
        Attack::on_update(
            "a log of somebody else",
            shown(ForgedLog {
                seed: [7; 32],
                ..log.clone()
            }),
            "is not signed by the key of the log",
        ),
        Attack::on_update(
            "a frozen log",
            shown(ForgedLog {
                age: Duration::days(8),
                ..log.clone()
            }),
            "one of the last 7 days is expected",
        ),
        Attack::on_update(
            "a data set that is gone",
            Arc::new(|asked, answer| {
                if asked.contains("/datasets/acme/tool-log") {
                    answer.is_missing();
                }
            }),
            "the data set acme/tool-log, which is the log, is not there, or is private",
        ),
        Attack::on_update(
            "a tag that was moved",
            change(1, |record| {
                if let LogRecord::Version { commit, .. } = record {
                    *commit = "1".repeat(40).parse().expect("a commit");
                }
            }),
            "as the commit, and the registry sent",
        ),
        Attack::on_update(
            "a version that is backdated",
            change(1, |record| {
                if let LogRecord::Version { at, .. } = record {
                    *at -= Duration::days(5);
                }
            }),
            "but was not there yet on",
        ),
        Attack::on_update(
            "a yank that is not said",
            shown(log.and(yank(log, "1.1.0", Severity::Malicious))),
            "1.1.0 was yanked as malicious, and the registry does not",
        ),
    ]);
    // Without its log a registry is not asked for its own, and a branch is none of a version.
    let user = Home::new().with("HF_ENDPOINT", scene.wire.url());
    user.configure(&scene.config);
    let no_versions = both(without_tag("v1.0.0"), without_tag("v1.1.0"));
    scene.wire.lies(both(no_versions, shown(log.clone())));
    says(
        &user.tool("load ada/adder"),
        3,
        "ada/adder shows no version",
    );
}

fn files_that_are_no_log() {
    let scene = Scene::with_dataset();
    let huge = |content: &mut Vec<u8>| content.resize(2 << 20, 0);
    let cut = |content: &mut Vec<u8>| content.truncate(content.len() - 1);
    let other = scene.log.and({
        let mut record = scene.log.records[1].clone();
        if let LogRecord::Version { repo, .. } = &mut record {
            *repo = "eve/adder".parse().expect("a repo");
        }
        record
    });
    let mut other_records = other.files("ada/adder");
    let pointing = br#"{"1.0.0": [0], "1.1.0": [2]}"#.to_vec();
    other_records.insert(INDEX.to_owned(), pointing);
    let place = "the log does not have this record in place 1";
    scene.meet(&[
        Attack::on_update(
            "no checkpoint",
            scene.without("checkpoint"),
            "has no `checkpoint`",
        ),
        Attack::on_update(
            "a checkpoint that is none",
            scene.edited("checkpoint", cut),
            "no checkpoint of a log",
        ),
        Attack::on_update(
            "an endless checkpoint",
            scene.edited("checkpoint", huge),
            "more than 16384 bytes",
        ),
        Attack::on_update(
            "a missing tile",
            scene.without(TILE),
            "has no `tile/0/000.p/2`",
        ),
        Attack::on_update(
            "a tile that is cut off",
            scene.edited(TILE, cut),
            "has a `tile/0/000.p/2` that is cut off",
        ),
        Attack::on_update(
            "an endless tile",
            scene.edited(TILE, huge),
            "more than 64 bytes",
        ),
        Attack::on_update(
            "another tile",
            scene.edited(TILE, |content| content[40] ^= 1),
            "does not begin with the 1 records that were seen before",
        ),
        Attack::on_update(
            "missing records",
            scene.without(BUNDLE),
            "has no `tile/entries/000.p/2`",
        ),
        Attack::on_update(
            "records that are cut off",
            scene.edited(BUNDLE, cut),
            "has a `tile/entries/000.p/2` that is cut off",
        ),
        Attack::on_update(
            "endless records",
            scene.edited(BUNDLE, huge),
            "more than 1048576 bytes",
        ),
        Attack::on_update(
            "a record that was edited",
            scene.edited(BUNDLE, |content| {
                let last = content.len() - 3;
                content[last] ^= 1;
            }),
            place,
        ),
        Attack::on_update(
            "an index of another repo's records",
            files_are(other_records),
            "its record 2 is about another version",
        ),
        Attack::on_update(
            "an index of records that there are not",
            scene.index_is(r#"{"1.1.0": [9]}"#),
            "names record 9, and the log has 2 records",
        ),
        Attack::on_update(
            "an index of very many records",
            scene.index_is(json!({ "1.1.0": (0..101).collect::<Vec<u64>>() }).to_string()),
            "names record 100, and the log has 2 records",
        ),
        Attack::on_update(
            "an index that is none",
            scene.index_is("<html>"),
            "has an index that cannot be read",
        ),
        Attack::on_update(
            "an endless index",
            scene.edited(INDEX, huge),
            "more than 1048576 bytes",
        ),
        Attack {
            name: "an index that leaves a version out",
            lie: scene.index_is(r#"{"1.0.0": [0]}"#),
            command: "load ada/adder@1.1.0",
            exit: 3,
            told: "acme/tool-log has no record of ada/adder 1.1.0 yet",
        },
        Attack {
            name: "no index",
            lie: scene.without(INDEX),
            command: "load ada/adder@1.1.0",
            exit: 3,
            told: "acme/tool-log has no record of ada/adder 1.1.0 yet",
        },
    ]);
}

/// Whoever writes a log is lied to, or not answered.
fn what_a_writer_is_told() {
    let published = Published::new();
    let registry = &published.registry;
    let wire = Wire::start(registry.url());
    let acme = Home::new().with("HF_ENDPOINT", wire.url());
    acme.run_with_input("login --token-stdin", &registry.user("acme"))
        .ok();
    let (name, seed) = ("hub.example/datasets/acme/tool-log", [7; 32]);
    let signer = LogSigner::from_seed(name, &seed).expect("a key");
    let key = LogSigner::private_key(name, &seed).expect("a key");
    acme.write_private("log.key", key);
    let line = "registry log acme/tool-log ada/adder --key log.key --json";
    let begun = acme.tool(&format!("{line} --new")).json();
    let signed = || {
        let note = acme.work().join("log.key.signed.toml");
        std::fs::read_to_string(note).expect("a note")
    };

    // An answer that is lost: the next run finds what was committed.
    publish_other_code(&published.ada, "1.1.0");
    wire.lies(Arc::new(|asked, answer| {
        if asked.contains("/commit/") {
            answer.says("");
            answer.status = axum::http::StatusCode::PRECONDITION_FAILED;
        }
    }));
    says(
        &acme.tool(line),
        1,
        "was changed by somebody else meanwhile",
    );
    assert!(signed().contains("[pending]"), "{}", signed());
    wire.lies(Arc::new(|_, _| ()));
    let again = acme.tool(line).json();
    assert_eq!(
        (&again["records"], &again["new_records"]),
        (&json!(3), &json!(0))
    );

    // A checkpoint that is a day old is signed anew although nothing is new.
    assert_eq!(begun["key"], json!(signer.key()));
    wire.lies(Arc::new(move |asked, answer| {
        if asked.ends_with("/checkpoint") && answer.status.is_success() {
            let text = std::str::from_utf8(&answer.body).expect("text");
            let state = signer.key().open(text).expect("a checkpoint");
            let yesterday = state.seconds() - 25 * 3600;
            let old = signer.sign(state.size(), state.root(), yesterday);
            answer.says(old.expect("a checkpoint"));
        }
    }));
    let anew = acme.tool(line).json();
    assert!(anew["commit"].is_string(), "{anew}");
    assert_eq!(anew["new_records"], 0, "{anew}");

    // A tag that moves is no second record, which would refuse the version to everybody.
    wire.lies(refs_are(|refs| {
        let tags = refs["tags"].as_array_mut().expect("tags");
        let of = |name: &str, tags: &[Value]| {
            let tag = tags.iter().find(|tag| tag["name"] == name);
            tag.map(|tag| tag["targetCommit"].clone())
        };
        if let Some(other) = of("v1.0.0", tags) {
            tags.retain(|tag| tag["name"] != "v1.0.0");
            let tag = tags.iter_mut().find(|tag| tag["name"] == "v1.1.0");
            tag.expect("a tag")["targetCommit"] = other;
        }
    }));
    let moved = acme.tool(line);
    says(
        &moved,
        3,
        "is tagged 1.1.0, but the manifest there says version 1.0.0",
    );
    says(
        &moved,
        3,
        "1 version contradicts its manifest or the log, and was not taken",
    );

    // Two versions, and the signer of the first.
    let bundle = format!(
        "{}/datasets/acme/tool-log/resolve/main/tile/entries/000.p/3",
        registry.url()
    );
    let mut records = super::records(&get(&bundle));
    if let LogRecord::Version {
        commit, manifest, ..
    } = &mut records[2]
    {
        *commit = "1".repeat(40).parse().expect("a commit");
        *manifest = Digest::of(b"another");
    }
    let other = ForgedLog {
        records,
        seed,
        name: name.to_owned(),
        age: Duration::ZERO,
    };
    let note = acme.work().join("log.key.signed.toml");
    std::fs::remove_file(&note).expect("the note");
    wire.lies(files_are(other.files("ada/adder")));
    let moved = acme.tool(line);
    says(&moved, 3, "the tag moved to other content than the log has");
    wire.lies(Arc::new(|_, _| ()));
    publish_other_code(&published.ada, "1.2.0");
    assert_eq!(acme.tool(line).json()["records"], 4);

    // Records that were changed in the data set, and a data set without its log.
    wire.lies(Arc::new(|asked, answer| {
        if asked.contains("/tile/entries/") {
            answer.body[40] ^= 1;
        }
    }));
    says(
        &acme.tool(line),
        3,
        "its records are not those that were signed",
    );
    wire.lies(Arc::new(|asked, answer| {
        if asked.ends_with("/checkpoint") {
            answer.is_missing();
        }
    }));
    says(
        &acme.tool(line),
        3,
        "the data set acme/tool-log had a log, and has none now",
    );
    says(
        &acme.tool(&format!("{line} --new")),
        3,
        "the data set acme/tool-log had a log, and has none now",
    );
    wire.lies(Arc::new(|_, _| ()));
    assert_eq!(acme.tool(line).json()["records"], 4);
}
