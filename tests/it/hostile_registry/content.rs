//! Attacks on what a version is: its files, its tag, and its signature.

use serde_json::Value;

use super::{Attack, Scene, file_is, refs_are, without_file};
use crate::signatures::published::{get, new_key};
use crate::support::{Test, test};

pub(crate) fn tests() -> Vec<Test> {
    vec![
        test("hostile_registry::other_files", other_files),
        test("hostile_registry::other_signatures", other_signatures),
    ]
}

/// The commit that a tag names.
fn commit_of(refs: &Value, tag: &str) -> Value {
    let mut tags = refs["tags"].as_array().into_iter().flatten();
    let found = tags.find(|it| it["name"] == tag);
    found.expect("a tag")["targetCommit"].clone()
}

fn other_files() {
    let scene = Scene::new();
    let flipped = file_is("tool.wasm", |answer| answer.body[40] ^= 1);
    let shorter = file_is("tool.wasm", |answer| answer.body.truncate(40));
    let described = file_is("tool.toml", |answer| {
        answer.replace("schema = 1", "schema =1 ");
    });
    let old_manifest = {
        let url = scene.published.registry.url();
        let old = get(&format!("{url}/ada/adder/resolve/v1.0.0/tool.toml"));
        file_is("tool.toml", move |answer| answer.body.clone_from(&old))
    };
    let moved = refs_are(|refs| {
        let commit = commit_of(refs, "v1.0.0");
        for tag in refs["tags"].as_array_mut().into_iter().flatten() {
            tag["targetCommit"] = commit.clone();
        }
    });
    scene.meet(&[
        Attack::on_update("a component with another bit", flipped, "digest"),
        Attack::on_update(
            "half a component",
            shorter,
            "40 bytes came, 219 were announced",
        ),
        Attack::on_update(
            "another manifest",
            described,
            "as the manifest, and the registry sent",
        ),
        Attack::on_update(
            "the manifest of an older version",
            old_manifest,
            "is tagged 1.1.0, but the manifest there says version 1.0.0",
        ),
        Attack::on_update(
            "a tag that moved to an older commit",
            moved,
            "ada/adder is tagged 1.1.0, but the manifest there says version 1.0.0",
        ),
    ]);
}

fn other_signatures() {
    let scene = Scene::new();
    let registry = &scene.published.registry;
    let eve = registry.member("eve");
    new_key(&eve, "eve", "p256");
    let pem = eve.tool("key show eve").ok();
    let older = get(&format!(
        "{}/ada/adder/resolve/v1.0.0/model.sig",
        registry.url()
    ));
    scene.meet(&[
        Attack::on_update(
            "no signature",
            without_file("model.sig"),
            "and is not signed now",
        ),
        Attack::on_update(
            "the signature of an older version",
            file_is("model.sig", move |answer| answer.body.clone_from(&older)),
            "signs another tool.toml than the package has",
        ),
        Attack::on_update(
            "a key in place of the author's",
            file_is("signer.pem", move |answer| {
                answer.body = pem.clone().into_bytes()
            }),
            "the signature of ada/adder",
        ),
        Attack::on_update(
            "a signature of other bytes",
            file_is("model.sig", |answer| {
                answer.replace("\"payload\":\"e", "\"payload\":\"f")
            }),
            "the signature of ada/adder",
        ),
        Attack::on_update(
            "a card that nobody signed",
            file_is("README.md", |answer| answer.replace("# adder", "# abber")),
            "signs another README.md than the package has",
        ),
    ]);
}
