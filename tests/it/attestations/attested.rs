//! A registry with an attested tool, for tests: its author, and a user who trusts the root.

use std::fs;

use data_encoding::BASE64;
use serde_json::{Value, json};
use tool_hub_manifest::Digest;

use crate::public_clients::said;
use crate::signatures::model_signing::python;
use crate::signatures::published::{TOOL, version};
use crate::support::{Home, Ran, RegistryProcess};

pub(crate) const ISSUER: &str = "https://issuer.example";
pub(crate) const WORKFLOW: &str = "https://forge.example/acme/adder/.github/workflows/release.yml";
pub(crate) const PROVENANCE: &str = "https://slsa.dev/provenance/v1";

pub(crate) fn base64(bytes: &[u8]) -> String {
    BASE64.encode(bytes)
}

/// The statement of a build service about the package in `adder`.
#[track_caller]
pub(crate) fn statement(home: &Home, predicate: &str) -> Value {
    let subject = |name: &str| {
        let bytes = fs::read(home.work().join("adder").join(name)).expect("a file");
        json!({ "name": name, "digest": { "sha256": Digest::of(&bytes).hex() } })
    };
    json!({
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [subject("tool.toml"), subject("tool.wasm")],
        "predicateType": predicate,
        "predicate": {
            "buildDefinition": {
                "buildType": "https://forge.example/workflow/v1",
                "externalParameters": { "workflow": { "path": "release.yml" } },
            },
            "runDetails": { "builder": { "id": "https://forge.example/runner" } },
        },
    })
}

/// Signs `statement` as `workflow` by the Sigstore of `home`: the bundle is `attestation.json`, and
/// what a client has to know `trust.json`.
#[track_caller]
pub(crate) fn attest(home: &Home, statement: &Value, workflow: &str, fault: &str) {
    let bundle = json!({
        "dsseEnvelope": {
            "payload": base64(statement.to_string().as_bytes()),
            "payloadType": "application/vnd.in-toto+json",
        },
    });
    home.write("attestation.json", bundle.to_string());
    let script = include_str!("../signatures/private_sigstore.py");
    let subject = match workflow.contains('@') {
        true => workflow.to_owned(),
        false => format!("{workflow}@refs/tags/v1"),
    };
    said(python(home).args(["-c", script, "attestation.json", &subject, ISSUER, fault]));
}

/// Publishes version `number` with an attestation of `workflow`.
#[track_caller]
pub(crate) fn publish(author: &Home, number: &str, workflow: &str) {
    version(author, number);
    attest(author, &statement(author, PROVENANCE), workflow, "");
    trust(author);
    push(author).ok();
}

/// Has `home` publish the package in `adder` with `attestation.json`.
pub(crate) fn push(home: &Home) -> Ran {
    let line = ["push", TOOL, "-C", "adder", "--attestation"];
    home.run([&line[..], &["attestation.json"]].concat())
}

/// Has `home` trust the root in its `trust.json`, unless it does already.
#[track_caller]
pub(crate) fn trust(home: &Home) {
    let roots = home.tool("key list --json").json()["roots"].clone();
    if roots.as_array().is_none_or(Vec::is_empty) {
        home.tool("key trust forge trust.json").ok();
    }
}

/// A registry on which `ada` published version 1.0.0 with an attestation.
pub(crate) struct Attested {
    pub(crate) registry: RegistryProcess,
    pub(crate) ada: Home,
    /// A user who trusts the root.
    pub(crate) user: Home,
    pub(crate) root: String,
}

impl Attested {
    #[track_caller]
    pub(crate) fn new() -> Self {
        let registry = RegistryProcess::start();
        let ada = registry.member("ada");
        publish(&ada, "1.0.0", WORKFLOW);
        let user = registry.visitor();
        user.write(
            "trust.json",
            fs::read(ada.work().join("trust.json")).expect("a root"),
        );
        trust(&user);
        let root = user.tool("key list --json").json()["roots"][0]["fingerprints"][0].clone();
        let root = root.as_str().expect("a fingerprint").to_owned();
        Self {
            registry,
            ada,
            user,
            root,
        }
    }
}
