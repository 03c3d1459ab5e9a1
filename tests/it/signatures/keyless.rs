//! Tests of keyless signatures: an identity that an issuer names, by a private Sigstore's proofs.
//! OpenSSF's program verifies the honest ones by the same trust configuration.

use std::fs;

use serde_json::{Value, json};

use super::changed_signers::stops;
use super::model_signing::{model_signing, python};
use super::published::{TOOL, is_refused, listed, title, version};
use crate::public_clients::said;
use crate::support::loading::load;
use crate::support::ran::says;
use crate::support::{Home, Need, RegistryProcess, Test, test};

pub(crate) fn tests() -> Vec<Test> {
    let tests = [
        test("signatures::a_workflow_is_pinned", a_workflow_is_pinned),
        test("signatures::wrong_proofs", wrong_proofs),
    ];
    let needs = |test: Test| test.needs(&[Need::PythonPackages]);
    tests.into_iter().map(needs).collect()
}

const ISSUER: &str = "https://issuer.example";
const WORKFLOW: &str = "https://forge.example/acme/adder/.build/release.yml";

/// Signs version `number` in `adder` by the Sigstore of `home`, whose `trust.json` is written too.
#[track_caller]
fn sign(home: &Home, number: &str, subject: &str, issuer: &str, fault: &str) {
    version(home, number);
    let key = "from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import *
key = ec.generate_private_key(ec.SECP256R1())
key = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
open('once.pem', 'wb').write(key)";
    said(python(home).args(["-c", key]));
    let line = [
        "sign",
        "key",
        "--private_key",
        "once.pem",
        "--signature",
        "adder/model.sig",
    ];
    said(&mut model_signing(home, &[&line[..], &["adder"]].concat()));
    let script = include_str!("private_sigstore.py");
    said(python(home).args(["-c", script, "adder", subject, issuer, fault]));
}

/// The workflow, run for the tag of a version.
fn for_tag(version: &str) -> String {
    format!("{WORKFLOW}@refs/tags/v{version}")
}

fn a_workflow_is_pinned() {
    let registry = RegistryProcess::start();
    let ada = registry.member("ada");
    let publish = |number: &str, subject: &str, issuer: &str| {
        sign(&ada, number, subject, issuer, "");
        ada.tool("push ada/adder -C adder").ok();
    };
    publish("1.0.0", &for_tag("1.0.0"), ISSUER);
    let line = [
        "verify",
        "sigstore",
        "--signature",
        "adder/model.sig",
        "--trust_config",
    ];
    let who = ["trust.json", "--identity_provider", ISSUER, "--identity"];
    let tag = for_tag("1.0.0");
    let line = [&line[..], &who, &[&tag, "adder"]].concat();
    let verified = said(&mut model_signing(&ada, &line));
    assert!(verified.contains("Verification succeeded"), "{verified}");

    let stranger = registry.visitor();
    let inspected = stranger.run(["inspect", TOOL]).ok();
    let warning = "no root that is trusted here vouches for it";
    let unsigned = inspected.starts_with("adder 1.0.0, not signed\n");
    assert!(unsigned && inspected.contains(warning), "{inspected}");

    let user = registry.visitor();
    let trust = fs::read(ada.work().join("trust.json")).expect("a trust configuration");
    user.write("trust.json", trust);
    user.tool("key trust forge trust.json").ok();
    let root = user.tool("key list --json").json()["roots"][0]["fingerprints"][0].clone();
    let root = root.as_str().expect("a fingerprint");
    assert_eq!(
        title(&user, TOOL),
        format!("adder 1.0.0, signed by {WORKFLOW}, as {ISSUER} says, under forge ({root})")
    );
    load(&user, TOOL, &[]);
    let identity = format!("{WORKFLOW} by {ISSUER} under {root}");
    assert_eq!(listed(&user)["signer"]["identity"], json!(identity));

    // The same workflow for another tag.
    publish("1.0.1", &for_tag("1.0.1"), ISSUER);
    says(&user.tool("update"), 0, "adder: updated at 1.0.1");
    assert_eq!(listed(&user)["signer"]["identity"], json!(identity));

    let was = format!("was signed by {identity} when you approved it");
    let other = "https://forge.example/acme/adder/.build/test.yml@refs/tags/v1.0.2";
    publish("1.0.2", other, ISSUER);
    stops(
        &user,
        &[&was, ".build/test.yml, as https://issuer.example says"],
    );
    publish("1.0.3", &for_tag("1.0.3"), "https://other.example");
    stops(&user, &[&was, "as https://other.example says"]);
    publish("1.0.4", "ada@acme.example", ISSUER);
    stops(&user, &[&was, "signed by ada@acme.example, as"]);
    // The same names in another Sigstore.
    fs::remove_file(ada.work().join("sigstore.pickle")).expect("it is there");
    publish("1.0.5", &for_tag("1.0.5"), ISSUER);
    stops(&user, &[&was, "not signed now"]);
    let trust = fs::read(ada.work().join("trust.json")).expect("a trust configuration");
    user.write("other.json", trust);
    user.tool("key trust twin other.json").ok();
    stops(&user, &[&was, "says, under twin (SHA256:"]);
}

/// A certificate of a trusted Sigstore, and something wrong about the rest.
fn wrong_proofs() {
    let home = Home::new();
    sign(&home, "1.0.0", &for_tag("1.0.0"), ISSUER, "");
    home.tool("key trust forge trust.json").ok();
    assert!(title(&home, "./adder").contains(", signed by https://forge"));
    for (fault, reason) in [
        ("no proof", "nclusion proof"),
        ("no promise", "No verified timestamp"),
        ("root", "nclusion proof"),
        ("checkpoint", "heckpoint"),
        ("promise", "SET"),
        ("another artifact", "payload"),
        ("time", "certificate"),
        ("unregistered", "SCT"),
    ] {
        sign(&home, "1.0.0", &for_tag("1.0.0"), ISSUER, fault);
        is_refused(&home, "is not proved by the log and the times in it: ");
        is_refused(&home, reason);
    }
    let unsigned = |reason: &str| {
        let inspected = home.run(["inspect", "./adder"]).ok();
        let unsigned = inspected.starts_with("adder 1.0.0, not signed\n");
        assert!(unsigned && inspected.contains(reason), "{inspected}");
    };
    sign(&home, "1.0.0", &for_tag("1.0.0"), ISSUER, "usage");
    unsigned("no root that is trusted here vouches for it");
    // A workflow that anybody calls is nobody.
    sign(&home, "1.0.0", &for_tag("1.0.0"), ISSUER, "caller");
    unsigned("a workflow that is not in the repository which it built");
    // Without the log it is a certificate of minutes, and no authority of files vouches for it.
    sign(&home, "1.0.0", &for_tag("1.0.0"), ISSUER, "");
    let signed = fs::read(home.work().join("adder/model.sig")).expect("a signature");
    let mut bundle: Value = serde_json::from_slice(&signed).expect("JSON");
    bundle["verificationMaterial"]["tlogEntries"] = json!([]);
    home.write("adder/model.sig", bundle.to_string());
    unsigned("no root that is trusted here vouches for it");
    // Another package's signature, and files that were changed.
    home.write("adder/model.sig", &signed);
    home.write("adder/README.md", "Another.");
    is_refused(&home, "signs another README.md than the package has");
}
