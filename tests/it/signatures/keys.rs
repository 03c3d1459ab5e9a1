//! Tests of `tool key`: keys are made, listed, shown, named and removed, and private by mode.

use std::fs;
use std::path::Path;

use serde_json::json;

use super::published::new_key;
use crate::support::adder::package;
use crate::support::ran::says;
use crate::support::{Home, Test, test};

pub(crate) fn tests() -> Vec<Test> {
    vec![test("signatures::keys_are_kept", keys_are_kept)]
}

fn keys_are_kept() {
    use std::os::unix::fs::PermissionsExt as _;
    let home = Home::new();
    says(
        &home.tool("key list"),
        0,
        "hint: make one with: tool key new NAME",
    );
    let signer = new_key(&home, "release", "p256");
    let directory = home.tool_home().join("keys");
    let mode = |path: &Path| fs::metadata(path).expect("it").permissions().mode() & 0o777;
    let private = directory.join("release.pem");
    assert_eq!(mode(&private), 0o600);
    says(
        &home.tool("key new release"),
        1,
        "there is a key called `release`",
    );
    says(&home.tool("key new ../x"), 1, "is not the name of a key");

    let shown = home.tool("key show release");
    says(&shown, 0, &format!("P-256 {signer}"));
    let pem = shown.stdout();
    assert!(pem.starts_with("-----BEGIN PUBLIC KEY-----\n"), "{pem}");
    says(
        &home.tool("key show releases"),
        1,
        "did you mean `release`?",
    );

    // Another user calls the key by a name, and cannot sign with it.
    let other = Home::new();
    other.write("ada.pem", &pem);
    says(&other.tool("key trust ada ada.pem"), 0, "is shown as ada");
    says(
        &other.tool("key trust eve ada.pem"),
        1,
        "there is a key called `ada`",
    );
    let list = other.tool("key list --json").json();
    let expect = json!({ "keys": [{
        "name": "ada",
        "kind": "P-256",
        "can_sign": false,
        "fingerprint": signer,
        "public_key": pem,
    }], "roots": [] });
    assert_eq!(list, expect);
    package(&other, "adder", |_| ());
    let signs = other.tool("push ada/adder -C adder --sign ada");
    says(&signs, 1, "`ada` is somebody else's key");
    other.write("no.pem", "x");
    says(
        &other.tool("key trust no no.pem"),
        1,
        "this is not a public key",
    );

    // A key that others can read is not used.
    fs::set_permissions(&private, fs::Permissions::from_mode(0o640)).expect("a mode");
    package(&home, "adder", |_| ());
    let signs = home.tool("push ada/adder -C adder --sign release");
    says(&signs, 3, "can be read by others than you");
    says(&signs, 3, "hint: run: chmod 600 ");

    says(
        &home.tool("key remove release"),
        1,
        "tool key remove release --private",
    );
    home.tool("key remove release --private").ok();
    assert_eq!(fs::read_dir(directory).expect("it").count(), 0);
    other.tool("key remove ada").ok();
    says(
        &other.tool("key show ada"),
        1,
        "there is no key called `ada`",
    );
}
