//! Tests of attestations: a build service says what it built, and that is remembered and checked.

pub(crate) mod attested;
mod carried;
mod checked_at_upload;

use std::fs;

use serde_json::{Value, json};
use tool_hub_manifest::{Digest, Lock};

use crate::public_clients::said;
use crate::signatures::changed_signers::stops;
use crate::signatures::model_signing::{model_signing, python};
use crate::signatures::published::{TOOL, listed, new_key, title, version};
use crate::support::loading::{digest, load};
use crate::support::ran::says;
use crate::support::{Home, Need, RegistryProcess, Test, test};
use attested::{Attested, ISSUER, PROVENANCE, WORKFLOW, attest, push, statement, trust};

pub(crate) fn tests() -> Vec<Test> {
    let here = [
        test("attestations::a_build_is_remembered", a_build_is_remembered),
        test(
            "attestations::a_build_outlives_the_lock",
            a_build_outlives_the_lock,
        ),
        test("attestations::wrong_ones", wrong_ones),
        test("attestations::nobody_vouches", nobody_vouches),
        test(
            "attestations::a_signature_covers_them",
            a_signature_covers_them,
        ),
    ];
    let tests = [&here[..], &checked_at_upload::tests(), &carried::tests()].concat();
    let needs = |test: Test| test.needs(&[Need::PythonPackages]);
    tests.into_iter().map(needs).collect()
}

fn a_build_is_remembered() {
    let Attested {
        registry,
        ada,
        user,
        root,
    } = Attested::new();
    let publisher = format!("{WORKFLOW} by {ISSUER} under {root}");
    let words = format!("built by {WORKFLOW}, as {ISSUER} says, under forge ({root})");
    let shown = user.run(["inspect", TOOL]).ok();
    assert!(shown.contains(&format!("attested   {words}\n")), "{shown}");
    let stranger = registry.visitor().run(["inspect", TOOL]).ok();
    let warning = "warning: it has an attestation that was not verified: attestation 1 cannot be \
                   verified here: the certificate of https://forge";
    assert!(
        stranger.contains(warning) && !stranger.contains("attested  "),
        "{stranger}"
    );
    let inspected = user.run(["inspect", TOOL, "--json"]).json();
    let expect = json!([{ "publisher": publisher, "says": "built", "root_name": "forge" }]);
    assert_eq!(inspected["attestations"], expect);

    let approve = digest(&user, TOOL);
    let by = |publisher: &str| {
        user.run([
            "load",
            TOOL,
            "--approve",
            &approve,
            "--attested-by",
            publisher,
        ])
    };
    says(&by("none"), 3, "and --attested-by asks for none");
    says(
        &by(&format!("eve under {root}")),
        3,
        "and --attested-by asks for eve",
    );
    by(&publisher).ok();
    let lock = fs::read_to_string(user.tool_home().join("toolbox.lock")).expect("a lock");
    assert!(
        lock.contains(&format!("attested_by = [\"{publisher}\"]")),
        "{lock}"
    );
    let lock: Lock = lock.parse().expect("a lock");
    assert_eq!(
        lock.tools
            .values()
            .next()
            .expect("a tool")
            .attested_by
            .len(),
        1
    );
    assert_eq!(listed(&user)["attested_by"], json!([publisher]));
    let verified = user.tool("verify").ok();
    assert!(
        verified.contains(&format!("attested by {WORKFLOW}, as")),
        "{verified}"
    );

    // The same workflow, run for another tag.
    attested::publish(&ada, "1.0.1", WORKFLOW);
    says(&user.tool("update"), 0, "adder: updated at 1.0.1");

    // Without one, and with one of another workflow, it asks; a digest alone does not answer.
    let was = format!("`adder` was attested by {publisher} when you approved it, and is ");
    version(&ada, "1.0.2");
    let pushed = ada.run(["push", TOOL, "-C", "adder"]);
    says(
        &pushed,
        0,
        "the version before had an attestation, and this one has none",
    );
    let lost = format!("{was}not attested now");
    stops(&user, &[&format!("- attested by: {publisher}"), &lost]);
    let approve = digest(&user, TOOL);
    let refused = user.run(["update", "--approve", &approve]);
    says(&refused, 3, "if they say so, add: --attested-by none");
    says(&user.run(["load", TOOL, "--approve", &approve]), 3, &lost);
    let other = WORKFLOW.replace("acme/adder", "eve/adder");
    attested::publish(&ada, "1.0.3", &other);
    stops(&user, &[&was, &format!("built by {other}, as")]);
    let approve = digest(&user, TOOL);
    let eve = format!("{other} by {ISSUER} under {root}");
    user.run(["update", "--approve", &approve, "--attested-by", &eve])
        .ok();
    assert_eq!(listed(&user)["attested_by"], json!([eve]));

    // Whoever is not believed any more attests to nothing.
    attested::publish(&ada, "1.0.4", &other);
    user.tool("key remove forge").ok();
    stops(&user, &["not attested now"]);
}

/// Whoever was known to build a tool is remembered when it is removed, and in other toolboxes.
fn a_build_outlives_the_lock() {
    let Attested {
        registry,
        ada,
        user,
        root,
    } = Attested::new();
    load(&user, TOOL, &[]);
    user.tool("remove adder").ok();
    version(&ada, "1.0.1");
    ada.run(["push", TOOL, "-C", "adder"]).ok();
    let lost = format!(
        "`adder` was attested by {WORKFLOW} by {ISSUER} under {root} when you approved it, and is \
         not attested now"
    );
    let approve = digest(&user, TOOL);
    let again = || user.run(["load", TOOL, "--approve", &approve]);
    says(&again(), 3, &lost);
    says(&again(), 3, "if they say so, add: --attested-by none");
    user.write("toolbox.toml", "");
    says(&again(), 3, &lost);
    fs::remove_file(user.work().join("toolbox.toml")).expect("a file");

    // Another builder is another one after that as well, and the first one goes on.
    let other = WORKFLOW.replace("acme/adder", "eve/adder");
    attested::publish(&ada, "1.0.2", &other);
    let by_eve = digest(&user, TOOL);
    let refused = user.run(["load", TOOL, "--approve", &by_eve]);
    says(&refused, 3, &format!("and is built by {other}, as"));
    attested::publish(&ada, "1.0.3", WORKFLOW);
    load(&user, TOOL, &[]);

    // A change that was accepted is what is remembered.
    user.tool("remove adder").ok();
    let exact = ["load", "ada/adder@1.0.1", "--approve", &approve];
    user.run([&exact[..], &["--attested-by", "none"]].concat())
        .ok();
    user.tool("remove adder").ok();
    user.run(exact).ok();
    drop(registry);
}

/// Each is refused before anything is sent, and from wherever else it comes.
fn wrong_ones() {
    let registry = RegistryProcess::start();
    let ada = registry.member("ada");
    version(&ada, "1.0.0");
    let honest = statement(&ada, PROVENANCE);
    let edited = |edit: &dyn Fn(&mut Value)| {
        let mut statement = honest.clone();
        edit(&mut statement);
        statement
    };
    let other = Digest::of(b"another").hex();
    for (statement, fault, reason) in [
        (
            edited(&|it| it["subject"][1]["digest"]["sha256"] = json!(other)),
            "",
            "it is about another tool.wasm, with sha256:",
        ),
        (
            edited(&|it| it["subject"][0]["name"] = json!("other.toml")),
            "",
            "it is about `other.toml`, which the package does not have",
        ),
        (
            edited(&|it| it["subject"] = json!([it["subject"][1]])),
            "",
            "it is not about tool.toml",
        ),
        (
            edited(&|it| it["predicateType"] = json!("https://eve.example/\u{202e}v1")),
            "",
            "its predicate is `https://eve.example/\\u{202e}v1`, expected `https://slsa.dev",
        ),
        (
            edited(&|it| it["predicate"]["runDetails"] = json!({})),
            "",
            "its predicate has no `buildType`",
        ),
        (
            edited(&|it| it["_type"] = json!("x")),
            "",
            "the `_type` of its statement",
        ),
        (
            honest.clone(),
            "root",
            "is not proved by the log and the times in it",
        ),
        (
            honest.clone(),
            "time",
            "is not proved by the log and the times in it",
        ),
        (honest.clone(), "unregistered", "SCT"),
    ] {
        attest(&ada, &statement, WORKFLOW, fault);
        trust(&ada);
        refused_everywhere(&ada, reason);
    }
    attest(&ada, &honest, WORKFLOW, "");
    let bundle = fs::read(ada.work().join("attestation.json")).expect("a bundle");
    let mut forged: Value = serde_json::from_slice(&bundle).expect("JSON");
    let payload = edited(&|it| it["predicate"]["builder"] = json!("eve"));
    forged["dsseEnvelope"]["payload"] = json!(attested::base64(payload.to_string().as_bytes()));
    ada.write("attestation.json", forged.to_string());
    refused_everywhere(
        &ada,
        "was not made with the key of its certificate, or was changed",
    );
    ada.write("attestation.json", "{}");
    refused_everywhere(&ada, "its bundle: missing field");
    let line = String::from_utf8(bundle.clone()).expect("UTF-8") + "\n";
    ada.write("attestation.json", line.repeat(9));
    refused_everywhere(&ada, "has 9 attestations, expected 1 to 8");
    ada.write("attestation.json", "{}\n".repeat(100));
    refused_everywhere(&ada, "has 100 attestations, expected 1 to 8");
    ada.write("attestation.json", "x");
    says(&push(&ada), 1, "attestation.json is not a Sigstore bundle");
    ada.write("attestation.json", " ".repeat(10 << 20));
    says(&push(&ada), 1, "it has more than 262144 bytes");
    fs::copy(
        ada.work().join("attestation.json"),
        ada.work().join("adder/attestations.jsonl"),
    )
    .expect("a copy");
    says(
        &ada.run(["inspect", "./adder"]),
        1,
        "it has more than 262144 bytes",
    );
    // An attestation of an older version.
    fs::remove_file(ada.work().join("adder/attestations.jsonl")).expect("it is there");
    ada.write("attestation.json", &bundle);
    version(&ada, "1.0.1");
    refused_everywhere(&ada, "it is about another tool.toml, with sha256:");
    says(&registry.visitor().run(["inspect", TOOL]), 1, "");
}

/// Checks that nobody publishes the package in `adder` with `attestation.json`, or loads it.
#[track_caller]
fn refused_everywhere(home: &Home, reason: &str) {
    let refused = push(home);
    says(&refused, 3, "the attestation");
    says(&refused, 3, reason);
    let bundles = fs::read_to_string(home.work().join("attestation.json")).expect("a bundle");
    home.write("adder/attestations.jsonl", bundles);
    for command in ["inspect", "load", "push ada/adder -C"] {
        let line = command.split(' ').chain(["./adder"]);
        let refused = home.run(line);
        says(&refused, 3, reason);
        assert_eq!(refused.stdout(), "");
    }
    fs::remove_file(home.work().join("adder/attestations.jsonl")).expect("it is there");
    assert!(!home.tool_home().join("toolbox.lock").exists());
}

/// An attestation under no trusted root, with a key, or by a workflow that anybody calls, is as
/// good as none: it is not published by mistake, and a user is told of it.
fn nobody_vouches() {
    let home = Home::new();
    version(&home, "1.0.0");
    let honest = statement(&home, PROVENANCE);
    let unverified = |reason: &str| {
        let refused = push(&home);
        says(&refused, 3, "the attestation was not published");
        says(&refused, 3, reason);
        says(
            &refused,
            3,
            "hint: trust the root of its certificate: tool key trust",
        );
        let bundle = fs::read(home.work().join("attestation.json")).expect("a bundle");
        home.write("adder/attestations.jsonl", bundle);
        let inspected = home.run(["inspect", "./adder"]).ok();
        let warning = "warning: it has an attestation that was not verified: attestation 1";
        assert!(inspected.contains(warning), "{inspected}");
        assert!(
            inspected.contains(reason) && !inspected.contains("attested "),
            "{inspected}"
        );
        fs::remove_file(home.work().join("adder/attestations.jsonl")).expect("it is there");
    };
    attest(&home, &honest, WORKFLOW, "");
    unverified("no root that is trusted here vouches for it");
    trust(&home);
    attest(&home, &honest, WORKFLOW, "caller");
    unverified("a workflow that is not in the repository which it built");
    attest(&home, &honest, WORKFLOW, "");
    let bundle = fs::read(home.work().join("attestation.json")).expect("a bundle");
    let mut bundle: Value = serde_json::from_slice(&bundle).expect("JSON");
    bundle["verificationMaterial"] = json!({ "publicKey": { "hint": "x" } });
    home.write("attestation.json", bundle.to_string());
    unverified("a key, for which no root vouches");
}

/// A package's signature covers its attestations: they are neither taken away nor added. OpenSSF's
/// program says the same of the files, and Sigstore's own client of the attestation.
fn a_signature_covers_them() {
    let home = Home::new();
    let signer = new_key(&home, "release", "p256");
    version(&home, "1.0.0");
    attest(&home, &statement(&home, PROVENANCE), WORKFLOW, "");
    trust(&home);
    let registry = RegistryProcess::start();
    let ada = home.with("HF_ENDPOINT", registry.url());
    ada.run_with_input("login --token-stdin", &registry.user("ada"))
        .ok();
    let line = ["push", TOOL, "-C", "adder", "--sign", "release"];
    let pushed = ada.run([&line[..], &["--attestation", "attestation.json"]].concat());
    says(
        &pushed,
        0,
        &format!("signed by release ({signer}), built by {WORKFLOW}, as"),
    );
    let again = ada.run([&line[..], &["--attestation", "attestation.json"]].concat());
    says(&again, 0, "is there already, unchanged");
    attest(&ada, &statement(&ada, PROVENANCE), WORKFLOW, "");
    says(
        &push(&ada),
        3,
        "has version 1.0.0 already, and not with these attestations",
    );

    let home = Home::new();
    for file in [
        "tool.toml",
        "tool.wasm",
        "README.md",
        "model.sig",
        "signer.pem",
        "attestations.jsonl",
    ] {
        let place = format!("{}/{TOOL}/resolve/v1.0.0/{file}", registry.url());
        home.write(
            &format!("adder/{file}"),
            crate::signatures::published::get(&place),
        );
    }
    assert_eq!(
        title(&home, "./adder"),
        format!("adder 1.0.0, signed by {signer}")
    );
    let key = [
        "verify",
        "key",
        "--public_key",
        "adder/signer.pem",
        "--signature",
    ];
    said(&mut model_signing(
        &home,
        &[&key[..], &["adder/model.sig", "adder"]].concat(),
    ));
    let trust = fs::read(ada.work().join("trust.json")).expect("a trust configuration");
    home.write("trust.json", trust);
    let script = include_str!("attestations/verify.py");
    let kind = said(python(&home).args(["-c", script, WORKFLOW, ISSUER]));
    assert_eq!(kind.trim(), "application/vnd.in-toto+json");

    let text = fs::read(home.work().join("adder/attestations.jsonl")).expect("attestations");
    fs::remove_file(home.work().join("adder/attestations.jsonl")).expect("it is there");
    let refused = home.run(["inspect", "./adder"]);
    says(
        &refused,
        3,
        "signs `attestations.jsonl`, which the package does not have",
    );
    home.write("adder/attestations.jsonl", [text, b"\n".to_vec()].concat());
    says(
        &home.run(["inspect", "./adder"]),
        3,
        "signs another attestations.jsonl",
    );
    load(&registry.visitor(), TOOL, &[]);
}
