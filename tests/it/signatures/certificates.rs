//! Tests of packages that are signed with certificates: the owner's name is pinned, not the key.
//! OpenSSF's program reads the same, in both directions.

use std::fs;

use serde_json::{Value, json};

use super::changed_signers::stops;
use super::model_signing::{model_signing, python};
use super::published::{TOOL, get, is_refused, listed, new_key, push, title, version};
use crate::public_clients::said;
use crate::support::loading::{digest, load};
use crate::support::ran::says;
use crate::support::{Home, Need, Ran, RegistryProcess, Test, test};

pub(crate) fn tests() -> Vec<Test> {
    let tests = [
        test("signatures::an_owner_is_pinned", an_owner_is_pinned),
        test("signatures::another_owner", another_owner),
        test("signatures::certificates_that_do_not_count", not_counting),
        test("signatures::changed_after_the_certificate", changed),
        test("signatures::model_signing_s_certificates", model_signing_s),
        test("signatures::roots_are_kept", roots_are_kept),
    ];
    let needs = |test: Test| test.needs(&[Need::PythonPackages]);
    tests.into_iter().map(needs).collect()
}

/// Makes the key `NAME.pem` and its `NAME.chain.pem`, under the root `ROOT.pem`.
#[track_caller]
pub(crate) fn certify(home: &Home, root: &str, name: &str, subject: &str, fault: &str) {
    let script = include_str!("certificate.py");
    said(python(home).args(["-c", script, root, name, subject, fault]));
}

/// Publishes version `number`, signed with the key `name` and its certificate.
#[track_caller]
fn push_certified(author: &Home, number: &str, name: &str) -> Ran {
    version(author, number);
    let (key, chain) = (format!("./{name}.pem"), format!("{name}.chain.pem"));
    let line = ["push", TOOL, "-C", "adder", "--sign", &key];
    let pushed = author.run([&line[..], &["--certificate", &chain]].concat());
    pushed.ok();
    pushed
}

/// Has `user` trust the root `ROOT.pem` of `author`; returns its fingerprint.
#[track_caller]
fn trust(user: &Home, author: &Home, root: &str) -> String {
    let file = format!("{root}.pem");
    let certificate = fs::read(author.work().join(&file)).expect("a root");
    user.write(&file, certificate);
    user.run(["key", "trust", root, &file]).ok();
    let keys = user.tool("key list --json").json();
    let roots = keys["roots"].as_array().expect("roots").iter();
    let mut found = roots.filter(|it| it["name"] == root);
    let found = &found.next().expect("the root")["fingerprints"][0];
    found.as_str().expect("a fingerprint").to_owned()
}

/// A registry on which `ada` published version 1.0.0 with a certificate of `acme`.
fn certified() -> (RegistryProcess, Home) {
    let registry = RegistryProcess::start();
    let ada = registry.member("ada");
    certify(&ada, "acme", "ada", "ada@acme.example", "");
    push_certified(&ada, "1.0.0", "ada");
    (registry, ada)
}

fn an_owner_is_pinned() {
    let (registry, ada) = certified();
    let stranger = registry.visitor();
    let inspected = stranger.run(["inspect", TOOL]).ok();
    assert!(
        inspected.starts_with("adder 1.0.0, not signed\n"),
        "{inspected}"
    );
    let warning = "model.sig is signed with a certificate of ada@acme.example, which does not \
                   count: no root that is trusted here vouches for it (see `tool key trust`)";
    assert!(inspected.contains(warning), "{inspected}");

    let user = registry.visitor();
    let root = trust(&user, &ada, "acme");
    let identity = format!("ada@acme.example under {root}");
    let words = format!("signed by ada@acme.example, under acme ({root})");
    assert_eq!(title(&user, TOOL), format!("adder 1.0.0, {words}"));
    let expect = json!({
        "identity": identity,
        "subject": "ada@acme.example",
        "issuer": null,
        "root": root,
        "name": "acme",
    });
    let inspected = user.run(["inspect", TOOL, "--json"]).json();
    assert_eq!(inspected["signer"], expect);
    let approve = digest(&user, TOOL);
    let with = |signer: &str| user.run(["load", TOOL, "--approve", &approve, "--signer", signer]);
    says(&with(&root), 3, &format!("and --signer asks for {root}"));
    says(&with("ada@acme.example"), 1, "is not the fingerprint");
    with(&identity).ok();
    assert_eq!(listed(&user)["signer"], expect);
    let lock = fs::read_to_string(user.tool_home().join("toolbox.lock")).expect("a lock");
    assert!(
        lock.contains(&format!("signer = \"{identity}\"\n")),
        "{lock}"
    );
    let verified = user.tool("verify").ok();
    assert!(verified.contains(&format!("ok, {words}, as")), "{verified}");

    // Each certificate is for another key, and none of them is asked about.
    certify(&ada, "acme", "ada", "ada@acme.example", "");
    push_certified(&ada, "1.0.1", "ada");
    says(&user.tool("update"), 0, "adder: updated at 1.0.1");
    assert_eq!(listed(&user)["signer"], expect);
}

fn another_owner() {
    let (registry, ada) = certified();
    let user = registry.visitor();
    let root = trust(&user, &ada, "acme");
    load(&user, TOOL, &[]);
    let owner = format!("ada@acme.example under {root}");
    let was = format!("warning: `adder` was signed by {owner} when you approved it, and is ");

    certify(&ada, "acme", "eve", "eve@acme.example", "");
    push_certified(&ada, "1.0.1", "eve");
    let now = "+ signer: eve@acme.example under SHA256:";
    let warning = format!("{was}signed by eve@acme.example, under acme ({root}) now");
    stops(
        &user,
        &["- signer: ada@acme.example under SHA256:", now, &warning],
    );
    let approve = digest(&user, TOOL);
    let refused = user.run(["update", "--approve", &approve]);
    let hint = format!("add: --signer 'eve@acme.example under {root}'");
    says(&refused, 3, &hint);

    // The same name under another root, which is trusted too, is somebody else.
    certify(&ada, "evil", "twin", "ada@acme.example", "");
    let evil = trust(&user, &ada, "evil");
    push_certified(&ada, "1.0.2", "twin");
    let now = format!("signed by ada@acme.example, under evil ({evil}) now");
    stops(&user, &[&was, &now]);

    // A key in place of a certificate, the certificate's own too, and no signature.
    let key = new_key(&ada, "own", "p256");
    push(&ada, "1.0.3", Some("own"));
    stops(&user, &[&was, &format!("signed by {key} now")]);
    push(&ada, "1.0.4", Some("./ada.pem"));
    stops(&user, &[&was, "signed by SHA256:"]);
    push(&ada, "1.0.5", None);
    stops(&user, &[&was, "not signed now"]);
    // Nobody is believed any more whose root is not trusted any more.
    push_certified(&ada, "1.0.6", "ada");
    user.tool("key remove acme").ok();
    stops(&user, &[&was, "not signed now"]);

    // And a certificate in place of a key.
    let other = registry.visitor();
    trust(&other, &ada, "acme");
    load(&other, "ada/adder@1.0.3", &[]);
    let moved = other.run(["load", TOOL]);
    says(&moved, 3, &format!("was signed by {key} when you approved"));
}

/// None of these counts, and each says why.
fn not_counting() {
    let registry = RegistryProcess::start();
    let ada = registry.member("ada");
    certify(&ada, "acme", "ada", "ada@acme.example", "");
    ada.run(["key", "trust", "acme", "acme.pem"]).ok();
    for (fault, reason) in [
        ("expired", "was not valid when it signed this"),
        ("usage", "it does not say that its key may sign"),
        (
            "authority",
            "the path to its root is wrong: CaUsedAsEndEntity",
        ),
        ("chain", "the path to its root is wrong: InvalidSignature"),
        ("leaf", "the path to its root is wrong: InvalidSignature"),
        ("names", "a certificate that has several names"),
    ] {
        let name = format!("with-{fault}");
        certify(&ada, "acme", &name, "ada@acme.example", fault);
        version(&ada, "1.0.0");
        sign_by_model_signing(&ada, &name);
        let inspected = ada.run(["inspect", "./adder"]).ok();
        let unsigned = inspected.starts_with("adder 1.0.0, not signed\n");
        assert!(
            unsigned && inspected.contains(reason),
            "{fault}: {inspected}"
        );
    }
    // A certificate whose names could be read in two ways, or look like others.
    for subject in ["ada by acme", "ad\u{430}"] {
        certify(&ada, "acme", "odd", subject, "");
        version(&ada, "1.0.0");
        sign_by_model_signing(&ada, "odd");
        let inspected = ada.run(["inspect", "./adder"]).ok();
        let reason = "its name is not one by which a signer can be known";
        assert!(inspected.contains(reason), "{inspected}");
    }
}

/// Signs the package in `adder` with OpenSSF's program.
#[track_caller]
fn sign_by_model_signing(home: &Home, name: &str) {
    let chain = fs::read_to_string(home.work().join(format!("{name}.chain.pem")));
    let chain = chain.expect("a chain");
    let end = "-----END CERTIFICATE-----\n";
    let (leaf, between) = chain.split_once(end).expect("two certificates");
    home.write("leaf.pem", format!("{leaf}{end}"));
    home.write("between.pem", between);
    let key = format!("{name}.pem");
    let line = ["sign", "certificate", "--private_key", &key];
    let with = [
        "--signing_certificate",
        "leaf.pem",
        "--certificate_chain",
        "between.pem",
    ];
    let place = ["--signature", "adder/model.sig", "adder"];
    said(&mut model_signing(
        home,
        &[&line[..], &with, &place].concat(),
    ));
}

/// A package that was changed after it was signed is refused, whether its root is trusted or not.
fn changed() {
    let home = Home::new();
    certify(&home, "acme", "ada", "ada@acme.example", "");
    version(&home, "1.0.0");
    sign_by_model_signing(&home, "ada");
    let signed = fs::read(home.work().join("adder/model.sig")).expect("a signature");
    let edit = |edit: &dyn Fn(&mut Value)| {
        let mut bundle: Value = serde_json::from_slice(&signed).expect("JSON");
        edit(&mut bundle);
        home.write("adder/model.sig", bundle.to_string());
    };
    for _ in 0..2 {
        home.write("adder/model.sig", &signed);
        let card = fs::read(home.work().join("adder/README.md")).expect("a card");
        home.write("adder/README.md", "Another.");
        is_refused(&home, "signs another README.md than the package has");
        home.write("adder/README.md", card);
        // The key of somebody, under a name of somebody else's.
        certify(&home, "acme", "eve", "eve@acme.example", "");
        let other = fs::read_to_string(home.work().join("eve.chain.pem")).expect("a chain");
        let body = other
            .lines()
            .skip(1)
            .take_while(|line| !line.starts_with('-'));
        let other: String = body.collect();
        edit(&|it| {
            let chain = &mut it["verificationMaterial"]["x509CertificateChain"];
            chain["certificates"][0]["rawBytes"] = json!(other);
        });
        is_refused(&home, "was not made with the key");
        edit(&|it| {
            it["verificationMaterial"]["x509CertificateChain"]["certificates"] = json!([]);
        });
        is_refused(&home, "it has not between 1 and 8 certificates");
        edit(&|it| it["verificationMaterial"]["publicKey"] = json!({ "hint": "x" }));
        is_refused(&home, "exactly one kind of key material");
        home.write("adder/model.sig", &signed);
        home.write("adder/signer.pem", "a key");
        is_refused(
            &home,
            "it has a certificate, and the package a key beside it",
        );
        fs::remove_file(home.work().join("adder/signer.pem")).expect("it is there");
        // Entries of a log make it a keyless signature, which no authority of files vouches for.
        edit(&|it| it["verificationMaterial"]["tlogEntries"] = json!([{}]));
        assert_eq!(title(&home, "./adder"), "adder 1.0.0, not signed");
        let known = home.run(["key", "trust", "acme", "acme.pem"]);
        home.write("adder/model.sig", &signed);
        assert!(title(&home, "./adder").contains("signed by ada@acme.example, under acme"));
        drop(known);
    }
}

fn model_signing_s() {
    let (registry, ada) = certified();
    let home = Home::new();
    for file in ["tool.toml", "tool.wasm", "README.md", "model.sig"] {
        let place = format!("{}/{TOOL}/resolve/v1.0.0/{file}", registry.url());
        home.write(&format!("adder/{file}"), get(&place));
    }
    home.write(
        "acme.pem",
        fs::read(ada.work().join("acme.pem")).expect("a root"),
    );
    let line = ["verify", "certificate", "--certificate_chain", "acme.pem"];
    let line = [&line[..], &["--signature", "adder/model.sig", "adder"]].concat();
    let verified = said(&mut model_signing(&home, &line));
    assert!(verified.contains("Verification succeeded"), "{verified}");
    home.write("adder/README.md", "Another.");
    let refused = model_signing(&home, &line).output().expect("it starts");
    assert!(!refused.status.success());

    // The other way: what its program signed is published as it lies there, and verified.
    certify(&ada, "acme", "hsm", "CN of a module", "");
    version(&ada, "1.0.1");
    sign_by_model_signing(&ada, "hsm");
    let user = registry.visitor();
    let root = trust(&user, &ada, "acme");
    says(
        &ada.tool("push ada/adder -C adder"),
        0,
        "1.0.1 pushed, not signed: http",
    );
    assert_eq!(
        title(&user, TOOL),
        format!("adder 1.0.1, signed by CN=CN of a module, under acme ({root})")
    );
}

fn roots_are_kept() {
    let home = Home::new();
    certify(&home, "acme", "ada", "ada@acme.example", "");
    new_key(&home, "release", "p256");
    let trust = |name: &str, file: &str| home.run(["key", "trust", name, file]);
    says(
        &trust("release", "acme.pem"),
        1,
        "a key called `release` already",
    );
    trust("acme", "acme.pem").ok();
    says(
        &trust("again", "acme.pem"),
        1,
        "a key called `acme` already",
    );
    let made = home.run(["key", "new", "acme"]);
    says(&made, 1, "a key called `acme` already");
    let list = home.tool("key list").ok();
    assert!(list.contains("acme     certificate authority"), "{list}");
    assert!(
        home.tool("key show acme")
            .ok()
            .contains("BEGIN CERTIFICATE")
    );
    let both = fs::read_to_string(home.work().join("ada.chain.pem")).expect("a chain");
    home.write("both.pem", &both);
    says(
        &trust("both", "both.pem"),
        1,
        "not exactly one BEGIN CERTIFICATE",
    );
    let leaf = both.split_inclusive("END CERTIFICATE-----\n").next();
    home.write("leaf.pem", leaf.expect("a certificate"));
    says(
        &trust("leaf", "leaf.pem"),
        1,
        "not of a certificate authority",
    );
    home.write("odd.json", "{}");
    says(
        &trust("odd", "odd.json"),
        1,
        "this is not a root of trust: ",
    );
    home.write("long.pem", " ".repeat((256 << 10) + 1));
    says(&trust("long", "long.pem"), 1, "");
    version(&home, "1.0.0");
    certify(&home, "acme", "eve", "eve@acme.example", "");
    let line = "push ada/adder -C adder --dry-run --sign ./ada.pem --certificate eve.chain.pem";
    says(
        &home.tool(line),
        3,
        "its first certificate is for another key",
    );
    home.tool("key remove acme").ok();
    assert!(!home.tool("key list").ok().contains("acme"));
}
