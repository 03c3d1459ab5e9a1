//! Attacks by whoever owns a registry: its database, its keys, its address, and what it answers.
//! Each says what its users see, and leaves them what they had.

mod content;
mod dataset_log;
mod forged_log;
mod history;
mod names;
mod signers;
mod times;
mod told_yanks;
mod whole_log;
pub(crate) mod wire;

use std::fs;
use std::path::Path;
use std::sync::Arc;

use data_encoding::HEXLOWER;
use serde_json::Value;
use time::Duration;
use tool_hub_host::authoring::derive_manifest;
use tool_hub_transparency::LogRecord;

use self::forged_log::ForgedLog;
use self::wire::{Answer, Lie, Wire};
use crate::signatures::published::{Published, TOOL, get};
use crate::support::adder::adder_with;
use crate::support::loading::load;
use crate::support::{Home, Test};

pub(crate) fn tests() -> Vec<Test> {
    [
        history::tests(),
        dataset_log::tests(),
        content::tests(),
        names::tests(),
        signers::tests(),
        told_yanks::tests(),
        times::tests(),
        whole_log::tests(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// A registry on which `ada` published 1.0.0 and 1.1.0, both signed, with the key of its log.
struct Scene {
    published: Published,
    wire: Wire,
    /// Its log: a record for each of the two versions.
    log: ForgedLog,
    /// Has users see a log, as the registry shows it.
    shows: fn(ForgedLog) -> Lie,
    /// The settings of users.
    config: String,
}

/// One attack: a lie, the command that meets it, and what the user reads.
struct Attack {
    name: &'static str,
    lie: Lie,
    command: &'static str,
    exit: i32,
    told: &'static str,
}

impl Attack {
    /// An attack on whoever updates.
    fn on_update(name: &'static str, lie: Lie, told: &'static str) -> Self {
        Self {
            name,
            lie,
            command: "update --accept-code",
            exit: 3,
            told,
        }
    }
}

impl Scene {
    fn new() -> Self {
        let published = Published::new();
        let ada = &published.ada;
        publish_other_code(ada, "1.1.0");
        let wire = Wire::start(published.registry.url());
        let log = stolen_log(&published, 2);
        Self {
            published,
            wire,
            log,
            shows: log_is,
            config: String::new(),
        }
    }

    /// A user who loaded 1.0.0 when there was no other version yet.
    fn user(&self) -> Home {
        self.wire
            .lies(both(without_tag("v1.1.0"), (self.shows)(self.log.first(1))));
        let user = Home::new().with("HF_ENDPOINT", self.wire.url());
        user.configure(&self.config);
        load(&user, TOOL, &[]);
        user
    }

    /// Has a new user meet each attack. Each is refused and told, and the user keeps what they had.
    fn meet(&self, attacks: &[Attack]) {
        for attack in attacks {
            let user = self.user();
            let lock = || fs::read_to_string(user.tool_home().join("toolbox.lock")).expect("it");
            let before = lock();
            self.wire.lies(Arc::clone(&attack.lie));
            let refused = user.tool(attack.command);
            let (name, said) = (attack.name, refused.stderr());
            assert_eq!(refused.code(), attack.exit, "{name}: {said}");
            assert!(said.contains(attack.told), "{name}: {said}");
            assert_eq!(lock(), before, "{name}");
            assert_eq!(user.tool("call adder.add a=1 b=2").ok(), "3\n", "{name}");
        }
    }
}

/// Publishes a version whose component is not that of any other.
fn publish_other_code(author: &Home, version: &str) {
    let component = adder_with("(core module)");
    let name = "adder".parse().expect("a name");
    let mut manifest = derive_manifest(&component, name).expect("a component");
    manifest.version = version.parse().expect("a version");
    author.write("adder/tool.toml", manifest.to_toml());
    author.write("adder/tool.wasm", component);
    author
        .run(["push", TOOL, "-C", "adder", "--sign", "release"])
        .ok();
}

/// The log of a registry, of `size` records and that of the signer, with the key that is in its
/// backup. The signer is left out, as by a registry from before there were such records.
fn stolen_log(published: &Published, size: u64) -> ForgedLog {
    let mut log = whole_stolen_log(published, size + 1);
    log.records
        .retain(|record| !matches!(record, LogRecord::Signer { .. }));
    log
}

/// The log of a registry, of `size` records, with the key that is in its backup.
fn whole_stolen_log(published: &Published, size: u64) -> ForgedLog {
    let operator = published.registry.operator();
    let place = tempfile::tempdir().expect("a directory");
    let stolen = place.path().join("stolen");
    operator
        .run([Path::new("registry"), Path::new("backup"), &stolen])
        .ok();
    let rows = stolen.join("metadata.jsonl");
    let rows = fs::read_to_string(rows).expect("rows");
    let key = rows
        .lines()
        .find(|row| row.starts_with("[\"tool-hub-registry/"));
    let key: Value = serde_json::from_str(key.expect("the key")).expect("JSON");
    let text = |at: usize| key[at].as_str().expect("a text").to_owned();
    let seed = HEXLOWER.decode(text(1).as_bytes()).expect("a seed");
    let url = published.registry.url();
    let tile = format!("{url}/api/log/tile/entries/000.p/{size}");
    ForgedLog {
        records: records(&get(&tile)),
        seed: seed.try_into().expect("32 bytes"),
        name: text(0),
        age: Duration::ZERO,
    }
}

/// The records of a bundle, each after its length in two bytes.
fn records(mut bundle: &[u8]) -> Vec<LogRecord> {
    let mut records = Vec::new();
    while let Some((length, rest)) = bundle.split_first_chunk::<2>() {
        let (record, rest) = rest.split_at(usize::from(u16::from_be_bytes(*length)));
        records.push(LogRecord::from_bytes(record).expect("a record"));
        bundle = rest;
    }
    records
}

/// Both lies.
pub(crate) fn both(one: Lie, other: Lie) -> Lie {
    Arc::new(move |asked, answer| {
        one(asked, answer);
        other(asked, answer);
    })
}

/// The lie that this is the log.
fn log_is(log: ForgedLog) -> Lie {
    log_answers(move |query| log.answer(query).to_string())
}

/// A lie about what the log has of a version.
fn log_answers(text: impl Fn(&str) -> String + Send + Sync + 'static) -> Lie {
    Arc::new(move |asked, answer| {
        if asked.contains("/log?") {
            answer.says(text(asked));
        }
    })
}

/// The lie that these are the static files of the log.
fn static_log_is(log: ForgedLog) -> Lie {
    Arc::new(move |asked, answer| {
        if let Some(path) = asked.strip_prefix("/api/log/") {
            answer.says(log.file(path));
        }
    })
}

/// A lie about one file, of each version.
fn file_is(name: &'static str, edit: impl Fn(&mut Answer) + Send + Sync + 'static) -> Lie {
    Arc::new(move |asked, answer| {
        if asked.contains("/resolve/") && asked.ends_with(&format!("/{name}")) {
            edit(answer);
        }
    })
}

/// The lie that a version does not have this file.
pub(crate) fn without_file(name: &'static str) -> Lie {
    Arc::new(move |asked, answer| {
        if asked.contains("/paths-info/")
            && let Ok(mut listed) = serde_json::from_slice::<Vec<Value>>(&answer.body)
        {
            listed.retain(|file| file["path"] != name);
            answer.says(Value::from(listed).to_string());
        }
    })
}

/// A lie about the list of branches and tags.
fn refs_are(edit: impl Fn(&mut Value) + Send + Sync + 'static) -> Lie {
    Arc::new(move |asked, answer| {
        if asked.ends_with("/refs")
            && let Ok(mut refs) = serde_json::from_slice::<Value>(&answer.body)
        {
            edit(&mut refs);
            answer.says(refs.to_string());
        }
    })
}

/// The lie that there is no such tag.
fn without_tag(name: &'static str) -> Lie {
    refs_are(move |refs| {
        if let Some(tags) = refs["tags"].as_array_mut() {
            tags.retain(|tag| tag["name"] != name);
        }
    })
}
