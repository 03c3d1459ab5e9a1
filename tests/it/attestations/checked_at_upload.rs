//! Tests of a registry that checks attestations at upload, and says what it checked.

use std::fs;

use serde_json::{Value, json};

use super::attested::{ISSUER, PROVENANCE, WORKFLOW, attest, push, statement, trust};
use crate::public_clients::{packages, said};
use crate::signatures::published::{TOOL, get, version};
use crate::support::ran::says;
use crate::support::{Home, RegistryProcess, Test, test};

pub(crate) fn tests() -> Vec<Test> {
    vec![
        test(
            "attestations::a_registry_checks_the_publisher",
            the_publisher,
        ),
        test("attestations::a_registry_checks_the_files", the_files),
        test("attestations::roots_of_a_registry", roots),
    ]
}

fn provenance(registry: &RegistryProcess, version: &str) -> Value {
    let url = format!("{}/api/models/{TOOL}/provenance/{version}", registry.url());
    serde_json::from_slice(&get(&url)).expect("JSON")
}

fn the_publisher() {
    // The authority is there before the registry, whose operator names it.
    let home = Home::new();
    version(&home, "1.0.0");
    attest(&home, &statement(&home, PROVENANCE), WORKFLOW, "");
    let root = home.work().join("trust.json");
    let issuer = format!("github={ISSUER}");
    let flags = [
        "--public-url",
        "http://127.0.0.1:9",
        "--trusted-issuer",
        &issuer,
    ];
    let root = ["--attestation-root", root.to_str().expect("UTF-8")];
    let registry = RegistryProcess::start_with(&[&flags[..], &root].concat());
    let ada = home.with("HF_ENDPOINT", registry.url());
    ada.run_with_input("login --token-stdin", &registry.user("ada"))
        .ok();
    trust(&ada);
    let refused = push(&ada);
    says(
        &refused,
        1,
        &format!("an attestation is by {WORKFLOW} by {ISSUER} under"),
    );
    says(
        &refused,
        1,
        "which is no trusted publisher of this repository",
    );

    let add = ["registry", "publisher", "add", TOOL, "--issuer", ISSUER];
    let terms = ["--repository", "acme/adder", "--workflow", "release.yml"];
    ada.run([&add[..], &terms].concat()).ok();
    for other in [
        WORKFLOW.replace("acme/adder", "eve/adder"),
        WORKFLOW.replace("release.yml", "test.yml"),
        "ada@acme.example".to_owned(),
    ] {
        attest(&ada, &statement(&ada, PROVENANCE), &other, "");
        says(
            &push(&ada),
            1,
            "which is no trusted publisher of this repository",
        );
    }
    // Under a root that the author trusts and the operator does not.
    let keys = ada.work().join("sigstore.pickle");
    let kept = fs::read(&keys).expect("keys");
    fs::remove_file(&keys).expect("they are there");
    attest(&ada, &statement(&ada, PROVENANCE), WORKFLOW, "");
    ada.tool("key trust twin trust.json").ok();
    says(
        &push(&ada),
        1,
        "no root that is trusted here vouches for it",
    );
    fs::write(&keys, kept).expect("keys");

    attest(&ada, &statement(&ada, PROVENANCE), WORKFLOW, "");
    says(
        &push(&ada),
        0,
        "ada/adder 1.0.0 pushed, built by https://forge.example",
    );
    let shown = provenance(&registry, "v1.0.0");
    assert_eq!(shown["version"], 1);
    let bundle = &shown["attestation_bundles"][0];
    let publisher = json!({
        "kind": "TrustedPublisher",
        "issuer": ISSUER,
        "repository": "acme/adder",
        "workflow": "release.yml",
    });
    assert_eq!(bundle["publisher"], publisher);
    // PyPI's own library reads the attestation objects that it serves.
    let attestation = &bundle["attestations"][0];
    ada.write("attestation.pep740.json", attestation.to_string());
    let script = "from pypi_attestations import Attestation
read = Attestation.model_validate_json(open('attestation.pep740.json').read())
print(read.statement['predicateType'], [it['name'] for it in read.statement['subject']])";
    let installed = packages::python(&["pypi-attestations==0.0.30"]);
    let mut python = std::process::Command::new("python3");
    let python = python.env("PYTHONPATH", installed).current_dir(ada.work());
    let read = said(python.args(["-c", script]));
    assert_eq!(
        read.trim(),
        format!("{PROVENANCE} ['tool.toml', 'tool.wasm']")
    );
    // It says nothing of a version that has none, whoever it trusts.
    version(&ada, "1.0.1");
    ada.run(["push", TOOL, "-C", "adder"]).ok();
    assert_eq!(status(&registry, "v1.0.1"), 404);
}

fn status(registry: &RegistryProcess, version: &str) -> u16 {
    let url = format!("{}/api/models/{TOOL}/provenance/{version}", registry.url());
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    runtime.expect("a runtime").block_on(async {
        let answer = reqwest::get(url).await.expect("an answer");
        answer.status().as_u16()
    })
}

/// A registry without roots checks the files all the same, whatever client uploads them.
fn the_files() {
    let registry = RegistryProcess::start();
    let token = registry.user("ada");
    let ada = registry.signed_in(&token);
    version(&ada, "1.0.0");
    attest(&ada, &statement(&ada, PROVENANCE), WORKFLOW, "");
    trust(&ada);
    push(&ada).ok();
    let kind = provenance(&registry, "v1.0.0")["attestation_bundles"][0]["publisher"].clone();
    assert_eq!(kind, json!({ "kind": "Unchecked" }));

    // Another manifest beside the older attestation is a commit like any, but no version.
    version(&ada, "1.0.1");
    let script = include_str!("upload.py");
    let installed = packages::python(&["huggingface_hub==2.4.0"]);
    let upload = |line: &[&str]| {
        let mut python = std::process::Command::new("python3");
        let python = python
            .env("PYTHONPATH", &installed)
            .env("HF_ENDPOINT", registry.url())
            .env("HF_TOKEN", &token)
            .env("HF_HUB_DISABLE_XET", "1")
            .current_dir(ada.work());
        said(python.args(["-c", script, TOOL]).args(line))
    };
    let tagged = upload(&["v1.0.1", "adder/tool.toml"]);
    assert!(
        tagged.contains("it is about another tool.toml, with sha256:"),
        "{tagged}"
    );
    fs::copy(
        ada.work().join("attestation.json"),
        ada.work().join("attestations.jsonl"),
    )
    .expect("a copy");
    let again = upload(&["none", "attestations.jsonl", "adder/README.md"]);
    assert!(again.contains("it is about another tool.toml"), "{again}");
    for (text, reason) in [
        ("{}\n".repeat(100), "has 100 attestations, expected 1 to 8"),
        (
            " ".repeat(300 << 10),
            "attestations.jsonl has more than 262144 bytes",
        ),
        (
            "{}".to_owned(),
            "attestation 1 is wrong: its bundle: missing field",
        ),
    ] {
        ada.write("attestations.jsonl", text);
        let refused = upload(&["none", "attestations.jsonl"]);
        assert!(
            refused.contains("422") && refused.contains(reason),
            "{refused}"
        );
    }
}

fn roots() {
    let home = Home::new();
    home.write("none.pem", "none");
    for (file, reason) in [
        ("none.pem", "not exactly one BEGIN CERTIFICATE"),
        ("absent", "No such file"),
    ] {
        let line = format!("registry serve --listen 127.0.0.1:0 --attestation-root {file}");
        let refused = home.tool(&line);
        says(&refused, 1, "holds no root for attestations");
        says(&refused, 1, reason);
    }
}
