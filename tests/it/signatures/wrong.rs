//! Tests of wrong signatures: edited files, other keys, other packages and versions.

use std::fs;

use super::published::{FILES, Published, TOOL, get, is_refused, new_key, push, title};
use crate::support::adder::package;
use crate::support::proxy::Flipping;
use crate::support::ran::says;
use crate::support::{Home, Test, test};

pub(crate) fn tests() -> Vec<Test> {
    vec![
        test("signatures::wrong_ones", wrong_ones),
        test("signatures::changed_on_the_wire", changed_on_the_wire),
    ]
}

fn wrong_ones() {
    let published = Published::new();
    let honest = published.downloaded();
    let signer = &published.signer;
    assert_eq!(
        title(&honest, "./adder"),
        format!("adder 1.0.0, signed by {signer}")
    );
    let changed = |file: &str, edit: &dyn Fn(String) -> String, expect: &str| {
        let home = published.downloaded();
        let path = home.work().join("adder").join(file);
        let text = fs::read_to_string(&path).expect("a file");
        let edited = edit(text.clone());
        assert_ne!(edited, text);
        fs::write(&path, edited).expect("a file");
        is_refused(&home, expect);
    };
    changed(
        "README.md",
        &|text| text + "More.\n",
        "signs another README.md than the package has",
    );
    changed(
        "tool.toml",
        &|text| format!("# More.\n{text}"),
        "signs another tool.toml than the package has",
    );
    changed(
        "signer.pem",
        &|text| format!("More.\n{text}"),
        "signs another signer.pem than the package has",
    );
    changed(
        "model.sig",
        &|text| text.replacen("\"payload\":\"e", "\"payload\":\"f", 1),
        "was not made with the key",
    );
    changed("model.sig", &|text| text + "{}", "its bundle");
    changed("model.sig", &|_| String::new(), "its bundle");
    let home = published.downloaded();
    home.write("adder/model.sig", " ".repeat((64 << 10) + 1));
    says(&home.tool("load ./adder"), 1, "more than 65536 bytes");

    // Files that are there and not signed, or signed and not there.
    let home = published.downloaded();
    fs::remove_file(home.work().join("adder/README.md")).expect("a file");
    is_refused(&home, "signs `README.md`, which the package does not have");

    // Somebody else's key, and somebody else's signature with it.
    let eve = published.registry.member("eve");
    new_key(&eve, "eve", "p256");
    let pem = eve.tool("key show eve").ok();
    let home = published.downloaded();
    home.write("adder/signer.pem", &pem);
    is_refused(&home, "is not of SHA256:");
    package(&eve, "adder", |_| ());
    eve.tool("push -C adder --sign eve").ok();
    for file in ["model.sig", "signer.pem"] {
        let place = format!("{}/eve/adder/resolve/main/{file}", published.registry.url());
        home.write(&format!("adder/{file}"), get(&place));
    }
    is_refused(&home, "signs another tool.toml than the package has");

    // The signature of an older version of the same tool, by the same key.
    push(&published.ada, "1.0.1", Some("release"));
    let home = published.downloaded();
    let place = format!(
        "{}/{TOOL}/resolve/v1.0.1/tool.toml",
        published.registry.url()
    );
    home.write("adder/tool.toml", get(&place));
    is_refused(&home, "signs another tool.toml than the package has");
    // Nor is such a package published.
    let member = published.registry.member("bob");
    for file in FILES {
        let bytes = fs::read(home.work().join("adder").join(file)).expect("a file");
        member.write(&format!("adder/{file}"), bytes);
    }
    says(&member.tool("push -C adder"), 3, "the signature of ");
}

fn changed_on_the_wire() {
    let published = Published::new();
    for file in ["model.sig", "README.md", "signer.pem"] {
        let place = format!("{}/{TOOL}/resolve/v1.0.0/{file}", published.registry.url());
        let bytes = get(&place);
        let middle = bytes.len() / 2;
        let wire = Flipping::start(
            published.registry.url(),
            &bytes[middle..bytes.len().min(middle + 40)],
        );
        let user = Home::new().with("HF_ENDPOINT", wire.url());
        let refused = user.run(["load", TOOL]);
        assert!(wire.flipped(), "{file}: {}", refused.stderr());
        says(&refused, 3, "the signature of ada/adder does not count");
        says(&refused, 3, "hint: nothing was loaded");
        assert!(!user.tool_home().join("toolbox.lock").exists());
    }
}
