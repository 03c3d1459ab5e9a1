//! Tests of mirrors of a registry: of those who run one, and of users who are led to one.

use std::path::Path;

use crate::support::adder::{adder, package};
use crate::support::loading::load;
use crate::support::proxy::{Stalling, Switching};
use crate::support::ran::says;
use crate::support::{Home, RegistryProcess, Test, files, test};

pub(crate) fn tests() -> Vec<Test> {
    vec![
        test("mirrors::the_registry_dies", the_registry_dies),
        test(
            "mirrors::a_lying_mirror_is_refused",
            a_lying_mirror_is_refused,
        ),
        test(
            "mirrors::another_log_is_not_followed",
            another_log_is_not_followed,
        ),
        test("mirrors::it_is_killed_on_the_way", it_is_killed_on_the_way),
    ]
}

fn push(author: &Home, version: &str, description: &str) {
    package(author, "adder", |manifest| {
        manifest.version = version.parse().expect("a version");
        manifest.description = description.to_owned();
    });
    author.tool("push -C adder").ok();
}

/// Whoever runs a mirror of the registry at `upstream`, which was copied once.
pub(crate) fn mirroring(upstream: &str) -> Home {
    let operator = Home::new();
    operator
        .run(["registry", "mirror", upstream, "--once"])
        .ok();
    operator
}

/// Has this person ask the mirror in place of the registry.
pub(crate) fn lead(user: &Home, registry: &str, mirror: &str) {
    user.configure(&format!("[mirrors]\n\"{registry}\" = \"{mirror}\"\n"));
}

fn call(user: &Home) -> String {
    user.tool("call adder add a=2 b=3").ok()
}

fn the_registry_dies() {
    let registry = RegistryProcess::start();
    let upstream = registry.url().to_owned();
    let ada = registry.member("ada");
    push(&ada, "1.0.0", "Adds.");
    push(&ada, "1.1.0", "Adds.");
    // A lock that was made with the registry itself, by somebody who has a token for it.
    let early = registry.member("eve");
    load(&early, "ada/adder@1.0.0", &[]);

    let mirror = RegistryProcess::serve(mirroring(&upstream), &[]);
    push(&ada, "1.2.0", "Adds two numbers.");
    ada.run(["yank", "ada/adder@1.1.0", "--reason", "It fails."])
        .ok();
    let again = ["registry", "mirror", &upstream, "--once", "--json"];
    let second = mirror.operator().run(again).json();
    // Of what is new only the manifest and releases.toml are fetched: the code is the same.
    for (what, count) in [
        ("versions", 1),
        ("files", 2),
        ("records", 4),
        ("new_records", 2),
    ] {
        assert_eq!(second[what], count, "{what}: {second}");
    }
    let third = mirror.operator().run(again).json();
    for what in ["versions", "files", "bytes", "new_records"] {
        assert_eq!(third[what], 0, "{what}: {third}");
    }
    let refused = ada.run_with(&["push", "-C", "adder"], &[("HF_ENDPOINT", mirror.url())]);
    assert_eq!(refused.code(), 1, "{}", refused.stderr());
    drop(registry);

    let late = Home::new().with("HF_ENDPOINT", &upstream);
    says(&late.tool("inspect ada/adder"), 1, &upstream);
    lead(&late, &upstream, "http://127.0.0.1:9");
    let lost = late.tool("inspect ada/adder");
    says(
        &lost,
        1,
        "`mirrors` in config.toml sends requests for http://",
    );
    says(&lost, 1, " to http://127.0.0.1:9/");
    for user in [&early, &late] {
        lead(user, &upstream, mirror.url());
    }
    load(&late, "ada/adder", &[]);
    assert_eq!(call(&late).trim(), "5");
    assert_eq!(call(&early).trim(), "5");
    let lock = std::fs::read_to_string(late.tool_home().join("toolbox.lock")).expect("the lock");
    assert!(
        lock.contains(&upstream) && !lock.contains(mirror.url()),
        "{lock}"
    );
    let known = std::fs::read_to_string(late.tool_home().join("known_logs.toml"));
    let known = known.expect("the known logs");
    assert!(
        known.contains(&upstream) && !known.contains(mirror.url()),
        "{known}"
    );
    says(&late.tool("load ada/adder@1.1.0"), 3, "yanked");
    let inspected = late.tool("inspect ada/adder --json").json();
    assert_eq!(inspected["origin"]["log_index"], 2, "{inspected}");
    for (user, index) in [(&early, 0), (&late, 2)] {
        let verified = user.tool("verify --log --json").json();
        assert_eq!(verified["tools"][0]["log"]["index"], index, "{verified}");
    }
    early.tool("update --accept-code").ok();
    assert_eq!(
        early.tool("list --json").json()["tools"][0]["version"],
        "1.0.0"
    );
    // Those who know the mirror alone have the same log, of the same key.
    let direct = mirror.visitor();
    load(&direct, "ada/adder", &[]);
    direct.tool("verify --log").ok();
}

/// A byte of the file below `directory` that holds exactly `bytes`.
fn flip(directory: &Path, bytes: &[u8]) {
    let mut found = files(directory).into_iter();
    let found = found.find(|path| std::fs::read(path).is_ok_and(|found| found == bytes));
    let found = found.expect("the file");
    let mut changed = bytes.to_vec();
    changed[bytes.len() / 2] ^= 1;
    std::fs::write(found, changed).expect("a file to change");
}

fn a_lying_mirror_is_refused() {
    let registry = RegistryProcess::start();
    let token = registry.user("ada");
    let ada = registry.signed_in(&token);
    push(&ada, "1.0.0", "Adds.");
    let operator = registry.operator();
    operator.tool("registry backup copy").ok();
    let copy = operator.work().join("copy");
    push(&ada, "1.1.0", "Adds.");
    let user = registry.visitor();
    load(&user, "ada/adder", &[]);

    // One that follows another history, or lags behind what was seen, or has a log of its own.
    let forked = RegistryProcess::restored(&copy);
    push(
        &forked.signed_in(&token),
        "1.1.0",
        "Adds, and does something else.",
    );
    let another = RegistryProcess::start();
    push(&another.member("ada"), "1.1.0", "Adds.");
    let earlier = RegistryProcess::restored(&copy);
    for (upstream, expect) in [
        (
            &forked,
            "does not begin with the 2 records that were seen before",
        ),
        (&earlier, "the log has 1 records, and had 2 before"),
        (&another, "another key signs it than before"),
    ] {
        let mirror = RegistryProcess::serve(mirroring(upstream.url()), &[]);
        lead(&user, registry.url(), mirror.url());
        says(&user.tool("inspect ada/adder"), 3, expect);
    }
    // One that changes the code.
    let mirror = RegistryProcess::serve(mirroring(registry.url()), &[]);
    flip(&mirror.operator().tool_home(), &adder());
    let fresh = registry.visitor();
    lead(&fresh, registry.url(), mirror.url());
    says(&fresh.tool("load ada/adder"), 3, "digest");
    assert!(!fresh.tool_home().join("toolbox.lock").exists());
}

fn another_log_is_not_followed() {
    let registry = RegistryProcess::start();
    let token = registry.user("ada");
    push(&registry.signed_in(&token), "1.0.0", "Adds.");
    registry.operator().tool("registry backup copy").ok();
    let copy = registry.operator().work().join("copy");
    push(&registry.signed_in(&token), "1.1.0", "Adds.");
    let wire = Switching::start(registry.url());
    let mirror = RegistryProcess::serve(mirroring(wire.url()), &[]);
    let user = mirror.visitor();
    load(&user, "ada/adder", &[]);

    let earlier = RegistryProcess::restored(&copy);
    let another = RegistryProcess::start();
    let once = ["registry", "mirror", wire.url(), "--once"];
    let follow = |leads_to: &str, expect: &str| {
        wire.lead_to(leads_to);
        let refused = mirror.operator().run(once);
        says(&refused, 3, "is not followed any more");
        says(&refused, 3, expect);
        says(
            &refused,
            3,
            "hint: nothing was taken, and what was copied before is served on",
        );
        user.tool("verify --log").ok();
    };
    follow(earlier.url(), "it has 1 records, and had 2 before");
    push(
        &earlier.signed_in(&token),
        "1.1.0",
        "Adds, and does something else.",
    );
    follow(
        earlier.url(),
        "its 2 records do not begin with the 2 that were taken before",
    );
    follow(another.url(), "its key is ");
    wire.lead_to(registry.url());
    push(&registry.signed_in(&token), "1.2.0", "Adds.");
    mirror.operator().run(once).ok();
    user.tool("update --accept-code").ok();
    let version = user.tool("list --json").json()["tools"][0]["version"].clone();
    assert_eq!(version, "1.2.0");

    let own = registry
        .operator()
        .run(["registry", "mirror", another.url(), "--once"]);
    says(&own, 1, "this registry has accounts or a log of its own");
    let other = mirror
        .operator()
        .run(["registry", "mirror", another.url(), "--once"]);
    says(&other, 1, "this registry is a mirror of ");
}

fn it_is_killed_on_the_way() {
    let registry = RegistryProcess::start();
    let ada = registry.member("ada");
    push(&ada, "1.0.0", "Adds.");
    let wire = Stalling::start(registry.url(), "tool.wasm");
    let operator = Home::new();
    let follow = ["registry", "mirror", wire.url(), "--interval", "1"];
    let mut process = operator.command(follow).spawn().expect("the mirror starts");
    wire.wait();
    process.kill().expect("it is killed");
    process.wait().expect("it ends");

    let mirror = RegistryProcess::serve(operator, &[]);
    let user = mirror.visitor();
    let missing = user.tool("inspect ada/adder");
    assert_eq!(missing.code(), 1, "{}", missing.stderr());
    wire.let_pass();
    let once = ["registry", "mirror", wire.url(), "--once"];
    mirror.operator().run(once).ok();
    load(&user, "ada/adder", &[]);
    user.tool("verify --log").ok();
    mirror.operator().tool("registry scrub").ok();
}
