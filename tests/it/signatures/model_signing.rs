//! Tests with OpenSSF's own program: it accepts what `tool` signs, and `tool` what it signs.

use std::process::Command;

use super::published::{FILES, Published, TOOL, get, is_refused, new_key, push, title, version};
use crate::public_clients::{packages, said};
use crate::support::loading::load;
use crate::support::ran::says;
use crate::support::{Home, Need, RegistryProcess, Test, test};

pub(crate) fn tests() -> Vec<Test> {
    let tests = [
        test("signatures::model_signing_agrees", model_signing_agrees),
        test(
            "signatures::model_signing_signs_what_is_loaded",
            model_signing_signs,
        ),
        test("signatures::model_signing_s_curves", model_signing_s_curves),
    ];
    let needs = |test: Test| test.needs(&[Need::PythonPackages]);
    tests.into_iter().map(needs).collect()
}

/// OpenSSF's own program.
pub(crate) fn model_signing(home: &Home, arguments: &[&str]) -> Command {
    let mut command = python(home);
    command.args(["-m", "model_signing"]).args(arguments);
    command
}

/// Python with OpenSSF's program and what it depends on.
pub(crate) fn python(home: &Home) -> Command {
    // The second is one of its dependencies, which its package does not name.
    let installed = packages::python(&["model-signing==1.1.1", "pyOpenSSL==26.4.0"]);
    let mut command = Command::new("python3");
    command
        .env("PYTHONPATH", installed)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .current_dir(home.work());
    command
}

/// Makes a key on a curve, in `key.pem` and `adder/signer.pem`.
const NEW_KEY: &str = r#"
import sys
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

PEM = serialization.Encoding.PEM
PKCS8, SPKI = serialization.PrivateFormat.PKCS8, serialization.PublicFormat.SubjectPublicKeyInfo
key = ec.generate_private_key(getattr(ec, sys.argv[1])())
with open("key.pem", "wb") as file:
    file.write(key.private_bytes(PEM, PKCS8, serialization.NoEncryption()))
with open("adder/signer.pem", "wb") as file:
    file.write(key.public_key().public_bytes(PEM, SPKI))
"#;

fn model_signing_s_curves() {
    let home = Home::new();
    version(&home, "1.0.0");
    for curve in ["SECP384R1", "SECP521R1"] {
        said(python(&home).args(["-c", NEW_KEY, curve]));
        let key = ["sign", "key", "--private_key", "key.pem"];
        let place = ["--signature", "adder/model.sig", "adder"];
        said(&mut model_signing(&home, &[&key[..], &place].concat()));
        let title = title(&home, "./adder");
        assert!(
            title.starts_with("adder 1.0.0, signed by SHA256:"),
            "{title}"
        );
    }
    // A curve that neither knows.
    said(python(&home).args(["-c", NEW_KEY, "SECP256K1"]));
    is_refused(
        &home,
        "its signer.pem: this is not a public key: its kind is not P-256",
    );
}

fn verifies(home: &Home) -> Command {
    let key = ["--public_key", "adder/signer.pem"];
    let line = [
        &["verify", "key"],
        &key[..],
        &["--signature", "adder/model.sig", "adder"],
    ];
    model_signing(home, &line.concat())
}

fn model_signing_agrees() {
    let published = Published::new();
    let home = published.downloaded();
    let verified = said(&mut verifies(&home));
    assert!(verified.contains("Verification succeeded"), "{verified}");
    home.write("adder/README.md", "Another.");
    let refused = verifies(&home).output().expect("it starts");
    assert!(!refused.status.success());

    // It has no Ed25519, so whoever wants to be verified by it takes another kind of key.
    new_key(&published.ada, "edwards", "ed25519");
    push(&published.ada, "1.0.1", Some("edwards"));
    let home = Home::new();
    for file in FILES {
        let place = format!("{}/{TOOL}/resolve/v1.0.1/{file}", published.registry.url());
        home.write(&format!("adder/{file}"), get(&place));
    }
    title(&home, "./adder");
    let refused = verifies(&home).output().expect("it starts");
    assert!(!refused.status.success());
}

fn model_signing_signs() {
    let registry = RegistryProcess::start();
    let ada = registry.member("ada");
    let signer = new_key(&ada, "release", "p256");
    version(&ada, "1.0.0");
    let private = ada.tool_home().join("keys/release.pem");
    let sign = || {
        let key = ["--private_key", &*private.to_string_lossy()].map(str::to_owned);
        let line = [
            "sign",
            "key",
            &key[0],
            &key[1],
            "--signature",
            "adder/model.sig",
            "adder",
        ];
        said(&mut model_signing(&ada, &line));
    };
    // Without the public key beside it, the signature is of a key that others do not know.
    sign();
    assert_eq!(
        title(&ada, "./adder"),
        format!("adder 1.0.0, signed by release ({signer})")
    );
    ada.tool("push ada/adder -C adder").ok();
    let user = registry.visitor();
    let inspected = user.run(["inspect", TOOL]).ok();
    let warning = "warning: it has a signature that was not verified: model.sig is of a key";
    assert!(
        inspected.starts_with("adder 1.0.0, not signed\n"),
        "{inspected}"
    );
    assert!(inspected.contains(warning), "{inspected}");
    user.write("release.pem", ada.tool("key show release").ok());
    user.tool("key trust ada release.pem").ok();
    assert_eq!(
        title(&user, TOOL),
        format!("adder 1.0.0, signed by ada ({signer})")
    );

    version(&ada, "1.0.1");
    ada.write("adder/signer.pem", ada.tool("key show release").ok());
    sign();
    let pushed = ada.tool("push ada/adder -C adder");
    says(&pushed, 0, &format!("signed by release ({signer})"));
    let stranger = registry.visitor();
    assert_eq!(
        title(&stranger, TOOL),
        format!("adder 1.0.1, signed by {signer}")
    );
    load(&stranger, TOOL, &["--signer", &signer]);
}
