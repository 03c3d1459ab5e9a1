//! Tests of repos that are moved, or deleted and published again, as their users see it.

use std::process::Command;

use crate::logs::push;
use crate::support::adder::package;
use crate::support::loading::{digest, load};
use crate::support::ran::says;
use crate::support::{Home, RegistryProcess, Test, test};
use crate::yanks::{STOLEN, yank};

pub(crate) fn tests() -> Vec<Test> {
    vec![
        test("moved_repos::a_yank_goes_along", a_yank_goes_along),
        test("moved_repos::a_tool_is_restored", a_tool_is_restored),
    ]
}

/// An owner and a registry where that owner published two versions of the tool that adds.
struct Scene {
    registry: RegistryProcess,
    token: String,
    ada: Home,
}

impl Scene {
    fn start() -> Self {
        let registry = RegistryProcess::start();
        let token = registry.user("ada");
        let ada = registry.signed_in(&token);
        push(&ada, "1.0.0", "Adds.");
        push(&ada, "1.1.0", "Adds.");
        Self {
            registry,
            token,
            ada,
        }
    }

    /// The status that the registry answers with.
    fn send(&self, method: &str, path: &str, body: &str) -> String {
        let sent = Command::new("curl")
            .args(["--silent", "--max-time", "30", "--request", method])
            .args(["--output", "/dev/null", "--write-out", "%{http_code}"])
            .args(["--header", &format!("authorization: Bearer {}", self.token)])
            .args(["--json", body])
            .arg(format!("{}/api/repos/{path}", self.registry.url()))
            .output();
        let sent = sent.expect("curl starts").stdout;
        String::from_utf8(sent).expect("a status")
    }

    fn delete(&self) {
        let deleted = self.send("DELETE", "delete", r#"{"name":"ada/adder"}"#);
        assert_eq!(deleted, "200");
    }
}

/// Whoever has the tool by its former name asks under that, and hears of every yank.
fn a_yank_goes_along() {
    let scene = Scene::start();
    let Scene { registry, ada, .. } = &scene;
    let user = registry.visitor();
    load(&user, "ada/adder", &[]);
    let names = r#"{"fromRepo":"ada/adder","toRepo":"ada/sums","type":"model"}"#;
    assert_eq!(scene.send("POST", "move", names), "200");
    let moved = "ada/adder was moved and is ada/sums today";
    says(&user.tool("update"), 3, moved);
    let verified = user.tool("verify --log").ok();
    assert!(verified.contains("ok, record 1 of the log"), "{verified}");

    // No decoy takes the former name.
    let decoy = r#"{"name":"ada/adder"}"#;
    assert_eq!(scene.send("POST", "create", decoy), "409");
    says(
        &ada.run([&["yank", "ada/adder@1.1.0"], &STOLEN[..]].concat()),
        3,
        moved,
    );
    ada.run([&["yank", "ada/sums@1.1.0"], &STOLEN[..]].concat())
        .ok();
    assert_eq!(user.tool("call adder.add a=1 b=2").ok(), "3\n");
    let malicious = "was yanked as malicious: it sends keys away";
    says(&user.tool("update"), 3, malicious);
    says(&user.tool("call adder.add a=1 b=2"), 3, malicious);
    // The version is malicious; its registry is not accused of anything.
    let verified = user.tool("verify --log");
    says(
        &verified,
        3,
        "another version is taken in place of a malicious one",
    );
    let told = verified.stdout() + &verified.stderr();
    assert!(!told.contains("the log of "), "{told}");
    let read = user.tool("registry monitor");
    assert!(read.stdout().contains("malicious"), "{}", read.stdout());
    let told = read.stderr();
    assert!(!told.contains("the log of http"), "{told}");

    ada.tool("yank ada/sums@1.1.0 --undo").ok();
    says(&user.tool("update"), 3, moved);
    assert_eq!(user.tool("call adder.add a=1 b=2").ok(), "3\n");
}

/// A repo that was deleted by mistake is published again, without a word of its yanks. Nobody
/// accuses its registry, and a malicious version stays away.
fn a_tool_is_restored() {
    let scene = Scene::start();
    let Scene { registry, ada, .. } = &scene;
    let user = registry.visitor();
    load(&user, "ada/adder", &[]);
    yank(ada, &["--reason", "it forgets to carry"]);
    user.tool("update").ok();
    scene.delete();
    push(ada, "1.0.0", "Adds.");
    push(ada, "1.1.0", "Adds.");
    load(&registry.visitor(), "ada/adder@1.1.0", &[]);
    let updated = user.tool("update");
    assert!(
        !updated.stderr().contains("cannot be trusted"),
        "{}",
        updated.stderr()
    );
    let verified = user.tool("verify --log").ok();
    assert!(verified.contains("ok, record"), "{verified}");

    yank(ada, &STOLEN);
    scene.delete();
    push(ada, "1.0.0", "Adds.");
    let older = digest(&registry.visitor(), "ada/adder");
    package(ada, "adder", |manifest| {
        manifest.version = "1.1.0".parse().expect("a version");
        manifest.description = "Adds.".to_owned();
    });
    let refused = ada.tool("push -C adder");
    says(
        &refused,
        1,
        "version 1.1.0 of ada/adder was yanked as malicious",
    );
    assert_eq!(digest(&registry.visitor(), "ada/adder"), older);
}
