//! Yanks where the log is a data set, which has them some time after the registry.

use super::{Scene, write};
use crate::support::loading::load;
use crate::support::ran::says;

pub(super) fn yanks_are_followed() {
    let scene = Scene::new();
    let (user, ada) = (scene.user(), &scene.ada);
    load(&user, "ada/adder", &[]);
    // A yank that came and went before the log saw it.
    let yank = ["yank", "ada/adder@1.0.0", "--reason", "slow"];
    ada.run(yank).ok();
    says(&user.tool("update"), 0, "was yanked as broken: slow");
    ada.tool("yank ada/adder@1.0.0 --undo").ok();
    user.tool("update").ok();

    ada.run(yank).ok();
    assert_eq!(write(&scene.acme, "ada/adder")["new_records"], 1);
    says(
        &user.tool("load ada/adder@1.0.0"),
        3,
        "was yanked as broken: slow",
    );
    // The log has the yank until it has its taking back.
    ada.tool("yank ada/adder@1.0.0 --undo").ok();
    let gone = "the yank of ada/adder 1.0.0 is gone";
    says(&user.tool("load ada/adder"), 3, gone);
    says(
        &scene.user().tool("load ada/adder"),
        3,
        "was yanked as broken, and the registry does not",
    );
    assert_eq!(write(&scene.acme, "ada/adder")["new_records"], 1);
    user.tool("load ada/adder").ok();
    user.tool("verify --log").ok();
}

/// A version that was yanked as malicious stays refused until the log has a later record.
pub(super) fn a_malicious_version_is_held() {
    let scene = Scene::new();
    let (user, ada) = (scene.user(), &scene.ada);
    load(&user, "ada/adder", &[]);
    let yank_as = |severity: &str| {
        let line = ["yank", "ada/adder@1.0.0", "--severity", severity];
        ada.run([&line[..], &["--reason", "it steals"]].concat())
            .ok();
    };
    let call = || user.tool("call adder.add a=1 b=2");
    let held = "was yanked as malicious: it steals";
    // It came and went before the log saw it.
    yank_as("malicious");
    says(&user.tool("update"), 3, held);
    ada.tool("yank ada/adder@1.0.0 --undo").ok();
    assert_eq!(write(&scene.acme, "ada/adder")["new_records"], 0);
    says(&user.tool("update"), 3, held);
    says(&user.tool("inspect ada/adder"), 3, held);
    says(&call(), 3, held);
    // Whoever did not hear of it is not concerned.
    load(&scene.user(), "ada/adder", &[]);

    // The log has it, and then that it is milder.
    yank_as("malicious");
    assert_eq!(write(&scene.acme, "ada/adder")["new_records"], 1);
    says(&user.tool("update"), 3, held);
    yank_as("broken");
    says(&user.tool("update"), 3, held);
    says(&call(), 3, held);
    assert_eq!(write(&scene.acme, "ada/adder")["new_records"], 1);
    says(&user.tool("update"), 0, "was yanked as broken: it steals");
    assert_eq!(call().ok(), "3\n");
    user.tool("verify --log").ok();

    // It is worse at once, although the log does not have that yet.
    yank_as("vulnerable");
    says(
        &user.tool("update"),
        0,
        "was yanked as vulnerable: it steals",
    );
    says(&call(), 0, "was yanked as vulnerable: it steals");
    yank_as("malicious");
    says(&user.tool("update"), 3, held);
    ada.tool("yank ada/adder@1.0.0 --undo").ok();
    assert_eq!(write(&scene.acme, "ada/adder")["new_records"], 1);
    says(&user.tool("update"), 0, "adder: current at 1.0.0");
    assert_eq!(call().ok(), "3\n");
}
