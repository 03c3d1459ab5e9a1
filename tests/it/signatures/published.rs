//! A registry with a signed tool, for tests: its author, her key, and users who loaded the tool.

use serde_json::Value;
use tool_hub_manifest::Version;

use crate::support::adder::package;
use crate::support::loading::load;
use crate::support::ran::says;
use crate::support::{Home, Ran, RegistryProcess};

pub(crate) const TOOL: &str = "ada/adder";

/// Writes version `version` of the tool that adds.
pub(crate) fn version(author: &Home, version: &str) {
    package(author, "adder", |manifest| {
        manifest.version = version.parse::<Version>().expect("a version");
    });
}

/// Publishes version `number`, signed with `key` where one is named.
#[track_caller]
pub(crate) fn push(author: &Home, number: &str, key: Option<&str>) -> Ran {
    version(author, number);
    let mut line = vec!["push", TOOL, "-C", "adder"];
    line.extend(key.iter().flat_map(|key| ["--sign", key]));
    let pushed = author.run(line);
    pushed.ok();
    pushed
}

/// Makes a key and returns its fingerprint.
#[track_caller]
pub(crate) fn new_key(author: &Home, name: &str, kind: &str) -> String {
    let made = author.run(["key", "new", name, "--kind", kind, "--json"]);
    let fingerprint = made.json()["fingerprint"].clone();
    fingerprint.as_str().expect("a fingerprint").to_owned()
}

/// A registry on which `ada` published version 1.0.0, signed with her key `release`.
pub(crate) struct Published {
    pub(crate) registry: RegistryProcess,
    pub(crate) ada: Home,
    pub(crate) signer: String,
}

impl Published {
    pub(crate) fn new() -> Self {
        let registry = RegistryProcess::start();
        let ada = registry.member("ada");
        let signer = new_key(&ada, "release", "p256");
        push(&ada, "1.0.0", Some("release"));
        Self {
            registry,
            ada,
            signer,
        }
    }

    /// A user who loaded the tool.
    pub(crate) fn user(&self) -> Home {
        let user = self.registry.visitor();
        load(&user, TOOL, &[]);
        user
    }

    /// The package as anybody downloads it, in the directory `adder` of a new home.
    pub(crate) fn downloaded(&self) -> Home {
        let home = Home::new();
        for file in FILES {
            let place = format!("{}/{TOOL}/resolve/v1.0.0/{file}", self.registry.url());
            home.write(&format!("adder/{file}"), get(&place));
        }
        home
    }
}

pub(crate) const FILES: [&str; 5] = [
    "tool.toml",
    "tool.wasm",
    "README.md",
    "model.sig",
    "signer.pem",
];

pub(crate) fn get(url: &str) -> Vec<u8> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    runtime.expect("a runtime").block_on(async {
        let answer = reqwest::get(url).await.expect("an answer");
        assert!(answer.status().is_success(), "{url}: {}", answer.status());
        answer.bytes().await.expect("a body").to_vec()
    })
}

#[track_caller]
pub(crate) fn listed(user: &Home) -> Value {
    user.tool("list --json").json()["tools"][0].clone()
}

/// The first line of an inspection.
#[track_caller]
pub(crate) fn title(user: &Home, tool: &str) -> String {
    let shown = user.run(["inspect", tool]).ok();
    shown.lines().next().expect("a line").to_owned()
}

/// Checks that the package in the directory `adder` of `home` is refused, and nothing is loaded.
#[track_caller]
pub(crate) fn is_refused(home: &Home, expect: &str) {
    for command in ["inspect", "load"] {
        let refused = home.run([command, "./adder"]);
        says(&refused, 3, "the signature of ");
        says(&refused, 3, expect);
        assert_eq!(refused.stdout(), "");
    }
    assert!(!home.tool_home().join("toolbox.lock").exists());
}
