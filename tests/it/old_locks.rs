//! Tests of locks that were written before signers and logs were recorded in them.

use std::sync::Arc;

use crate::hostile_registry::wire::Wire;
use crate::hostile_registry::{both, without_file};
use crate::signatures::published::{Published, TOOL, push};
use crate::support::loading::load;
use crate::support::ran::says;
use crate::support::{Home, Test, test};

pub(crate) fn tests() -> Vec<Test> {
    vec![test(
        "old_locks::are_read_and_upgraded",
        are_read_and_upgraded,
    )]
}

/// A registry from before there were logs, and a package from before there were signatures, leave
/// the lock that a version of `tool` from before them wrote.
fn are_read_and_upgraded() {
    let published = Published::new();
    let wire = Wire::start(published.registry.url());
    wire.lies(both(
        without_file("model.sig"),
        Arc::new(|asked, answer| {
            if asked.contains("/log?") {
                answer.is_missing();
            }
        }),
    ));
    let user = Home::new().with("HF_ENDPOINT", wire.url());
    load(&user, TOOL, &[]);
    let lock = || {
        let lock = user.tool_home().join("toolbox.lock");
        std::fs::read_to_string(lock).expect("the lock")
    };
    let old = lock();
    assert!(!old.contains("logged") && !old.contains("signer"), "{old}");

    // It goes on with a registry that has both.
    wire.lies(Arc::new(|_, _| {}));
    assert_eq!(user.tool("call adder.add a=1 b=2").ok(), "3\n");
    assert!(user.tool("verify").ok().contains("ok"));
    let logged = user.tool("verify --log").ok();
    assert!(logged.contains("ok, record 0 of the log"), "{logged}");

    // A signer is new to the user, who is asked once, whatever the version.
    let signed = format!("+ signer: {}", published.signer);
    says(&user.tool("update"), 3, &signed);
    push(&published.ada, "1.1.0", Some("release"));
    says(&user.tool("update --accept-code"), 3, &signed);
    assert_eq!(lock(), old);
    load(&user, "adder", &["--signer", &published.signer]);
    let new = lock();
    assert!(new.starts_with(&old[..old.find("version").expect("a version")]));
    assert!(new.contains("[tools.adder.logged]\nindex = 2\n"), "{new}");
    let signer = format!("signer = \"{}\"", published.signer);
    assert!(new.contains(&signer), "{new}");
    assert_eq!(user.tool("call adder.add a=1 b=2").ok(), "3\n");
}
