//! Tests of a registry's transparency log as its users see it: loading checks and follows it.

use std::sync::Arc;

use serde_json::json;

use crate::dependencies;
use crate::hostile_registry::wire::Wire;
use crate::signatures::published::{self as signed, Published, new_key};
use crate::support::adder::package;
use crate::support::loading::{digest, load};
use crate::support::proxy::Switching;
use crate::support::ran::says;
use crate::support::{Home, RegistryProcess, Test, test};

pub(crate) fn tests() -> Vec<Test> {
    vec![
        test("logs::a_log_is_followed", a_log_is_followed),
        test(
            "logs::another_history_is_refused",
            another_history_is_refused,
        ),
        test("logs::new_versions_wait", new_versions_wait),
        test(
            "logs::a_new_version_mends_a_yanked_one",
            a_yanked_one_is_mended,
        ),
        test(
            "logs::an_author_s_exact_version_waits_too",
            an_author_s_exact_version_waits_too,
        ),
        test("logs::where_there_is_none", where_there_is_none),
        test("logs::the_whole_log_is_read", the_whole_log_is_read),
        test("logs::changed_signers_are_told", changed_signers_are_told),
    ]
}

pub(crate) fn push(author: &Home, version: &str, description: &str) {
    package(author, "adder", |manifest| {
        manifest.version = version.parse().expect("a version");
        manifest.description = description.to_owned();
    });
    author.tool("push -C adder").ok();
}

fn a_log_is_followed() {
    let registry = RegistryProcess::start();
    let ada = registry.member("ada");
    push(&ada, "1.0.0", "Adds.");
    push(&ada, "1.1.0", "Adds.");
    let user = registry.visitor();
    load(&user, "ada/adder", &[]);
    let lock = user.tool_home().join("toolbox.lock");
    let lock = std::fs::read_to_string(lock).expect("the lock");
    assert!(
        lock.contains("[tools.adder.logged]\nindex = 1\nat = \"20"),
        "{lock}"
    );
    let inspected = user.tool("inspect ada/adder").ok();
    assert!(inspected.contains(" by the registry's log"), "{inspected}");
    assert_eq!(
        user.tool("inspect ada/adder --json").json()["origin"]["log_index"],
        1
    );
    let verified = user.tool("verify --log").ok();
    assert!(
        verified.contains("ok, record 1 of the log, of 20"),
        "{verified}"
    );
    let verified = user.tool("verify --log --json").json();
    assert_eq!(verified["tools"][0]["log"]["index"], 1, "{verified}");
    push(&ada, "1.2.0", "Adds.");
    user.tool("update --accept-code").ok();
    let verified = user.tool("verify --log --json").json();
    assert_eq!(verified["tools"][0]["log"]["index"], 2, "{verified}");
}

/// A registry that shows its users another history than before: an old backup, a fork of it, and
/// another registry altogether.
fn another_history_is_refused() {
    let registry = RegistryProcess::start();
    let token = registry.user("ada");
    let ada = registry.signed_in(&token);
    push(&ada, "1.0.0", "Adds.");
    let operator = registry.operator();
    operator.tool("registry backup copy").ok();
    let copy = operator.work().join("copy");
    push(&ada, "1.1.0", "Adds.");

    let wire = Switching::start(registry.url());
    let user = Home::new().with("HF_ENDPOINT", wire.url());
    load(&user, "ada/adder", &[]);

    let earlier = RegistryProcess::restored(&copy);
    wire.lead_to(earlier.url());
    for command in ["load ada/adder", "inspect ada/adder"] {
        let refused = user.tool(command);
        says(&refused, 3, "the log has 1 records, and had 2 before");
        says(
            &refused,
            3,
            "hint: nothing was loaded; tell whoever runs the registry",
        );
        says(&refused, 3, "hint: if it was set up anew");
    }
    // A version that is not there any more is nothing that a log could be asked about.
    let missing = "ada/adder has no version that meets `^1.1.0`; there are 1.0.0";
    says(&user.tool("update"), 1, missing);
    let refused = user.tool("verify --log");
    says(&refused, 3, "adder cannot be trusted as it is");

    let forked = earlier.signed_in(&token);
    push(&forked, "1.1.0", "Adds, and does something else.");
    let refused = user.tool("load ada/adder");
    let expect = "the log of 2 records does not begin with the 2 records that were seen before";
    says(&refused, 3, expect);
    // Whoever forgets what was seen then would believe the fork.
    assert!(!refused.stderr().contains("set up anew"));

    let another = RegistryProcess::start();
    push(&another.member("ada"), "1.1.0", "Adds.");
    wire.lead_to(another.url());
    let refused = user.tool("load ada/adder");
    says(&refused, 3, "another key signs it than before");
    let known = user.tool_home().join("known_logs.toml");
    says(&refused, 3, &known.display().to_string());

    wire.lead_to(registry.url());
    user.tool("load adder").ok();
    user.tool("verify --log").ok();
}

/// Versions that were published a moment ago, for a user who did not say that they may be new.
fn new_versions_wait() {
    let registry = RegistryProcess::start();
    let ada = registry.member("ada");
    push(&ada, "1.0.0", "Adds.");
    push(&ada, "1.1.0", "Adds.");
    let again = ada.tool("push -C adder");
    says(
        &again,
        0,
        "run: tool load ada/adder --allow-new; once it is",
    );
    let user = registry.visitor();
    let config = user.tool_home().join("config.toml");
    std::fs::remove_file(config).expect("config.toml");
    let newest = digest(&user, "ada/adder");
    let hint = format!("hint: load it with: tool load ada/adder --allow-new --approve {newest}");
    says(&user.tool("inspect ada/adder"), 0, &hint);
    let approve = ["--approve", newest.as_str()];

    let refused = user.run([&["load", "ada/adder"], &approve[..]].concat());
    says(&refused, 3, "ada/adder 1.1.0 was published at 20");
    says(
        &refused,
        3,
        ", and versions are taken when they are 3 days old",
    );
    says(
        &refused,
        3,
        "hint: wait until others have used it, or take it now with --allow-new",
    );
    let exact = user.run([&["load", "ada/adder@1.1.0"], &approve[..]].concat());
    assert_eq!(exact.code(), 0, "{}", exact.stderr());
    user.tool("remove adder").ok();
    user.run([&["load", "ada/adder", "--allow-new"], &approve[..]].concat())
        .ok();
    let lock = std::fs::read_to_string(user.tool_home().join("toolbox.lock")).expect("the lock");
    assert!(lock.contains("taken_new = true"), "{lock}");

    // The one in use is no longer asked about, and a newer one waits.
    push(&ada, "1.2.0", "Adds.");
    let waits = user.tool("update");
    says(&waits, 0, "adder: current at 1.1.0");
    says(&waits, 0, "ada/adder 1.2.0 was published at 20");
    says(&waits, 0, "1.1.0 is taken in its place");
    user.tool("update --allow-new").ok();
    let version = user.tool("list --json").json()["tools"][0]["version"].clone();
    assert_eq!(version, "1.2.0");
}

/// The only version that is old enough was yanked, and the one that mends it is a moment old.
fn a_yanked_one_is_mended() {
    let registry = RegistryProcess::start();
    let ada = registry.member("ada");
    push(&ada, "1.0.0", "Adds.");
    let yank = ["yank", "ada/adder@1.0.0", "--reason", "a hole"];
    ada.run([&yank[..], &["--severity", "vulnerable"]].concat())
        .ok();
    push(&ada, "1.0.1", "Adds.");
    let user = registry.visitor();
    let config = user.tool_home().join("config.toml");
    std::fs::remove_file(config).expect("config.toml");
    let refused = user.tool("load ada/adder");
    says(&refused, 3, "ada/adder 1.0.1 was published at 20");
    says(&refused, 3, "take it now with --allow-new");
}

/// The author of a tool names a version of a moment ago exactly, which only a user may do.
fn an_author_s_exact_version_waits_too() {
    let (registry, ada) = dependencies::published();
    let forecast = dependencies::adds("forecast", &["units"]);
    let exactly = [("units", "=1.2.0")];
    dependencies::publish(&ada, "forecast", "1.1.0", &forecast, &exactly, |_| {});
    let user = registry.visitor();
    let config = user.tool_home().join("config.toml");
    std::fs::remove_file(config).expect("config.toml");
    let whole = digest(&user, "ada/forecast@1.1.0");
    let inspected = user.tool("inspect ada/forecast@1.1.0");
    says(
        &inspected,
        0,
        "tool load ada/forecast@1.1.0 --allow-new --approve",
    );
    let load = ["load", "ada/forecast@1.1.0", "--approve", &whole];
    let refused = user.run(load);
    says(
        &refused,
        3,
        "`units`, on which `forecast` depends, cannot be had",
    );
    says(&refused, 3, "ada/units 1.2.0 was published at 20");
    says(
        &refused,
        3,
        "hint: wait until others have used it, or take it now with --allow-new",
    );
    assert!(
        !refused.stderr().contains("named exactly"),
        "{}",
        refused.stderr()
    );
    user.run([&load[..], &["--allow-new"]].concat()).ok();
    // What is in use stays.
    says(&user.tool("update"), 0, "forecast: pinned to 1.1.0");
}

/// An address at which a registry shows no log.
fn without_log(registry: &RegistryProcess) -> Wire {
    let wire = Wire::start(registry.url());
    wire.lies(Arc::new(|asked, answer| {
        if asked.contains("/log?") {
            answer.is_missing();
        }
    }));
    wire
}

/// A registry without a log, or one that hides it from a new user: nobody knows how old a version
/// is, and that is said in a line where one was chosen.
fn where_there_is_none() {
    let registry = RegistryProcess::start();
    let ada = registry.member("ada");
    push(&ada, "1.0.0", "Adds.");
    let wire = without_log(&registry);
    let user = Home::new().with("HF_ENDPOINT", wire.url());
    let newest = digest(&user, "ada/adder");
    let load = |tool: &str| {
        let loaded = user.run(["load", tool, "--approve", &newest]);
        assert_eq!(loaded.code(), 0, "{}", loaded.stderr());
        let said = loaded.stderr();
        said.matches("keeps no log").count()
    };
    // Whoever takes versions at any age is told nothing.
    assert_eq!(load("ada/adder"), 0);
    let config = user.tool_home().join("config.toml");
    std::fs::remove_file(config).expect("config.toml");
    assert_eq!(load("ada/adder@1.0.0"), 0);
    assert_eq!(load("ada/adder"), 1);
    let line = format!(
        "{}/ keeps no log, so the age of its versions is not known\n",
        wire.url()
    );
    says(&user.tool("inspect ada/adder"), 0, &line);
    assert!(!user.tool("update").stderr().contains("keeps no log"));
    let quiet = user.run(["load", "ada/adder", "--approve", &newest, "--quiet"]);
    assert!(!quiet.stderr().contains("keeps no log"));

    // Of a tool and what it depends on it is said once.
    let (registry, _ada) = dependencies::published();
    let wire = without_log(&registry);
    let user = Home::new().with("HF_ENDPOINT", wire.url());
    let config = user.tool_home().join("config.toml");
    std::fs::remove_file(config).expect("config.toml");
    let said = user.tool("inspect ada/forecast").stderr();
    assert_eq!(said.matches("keeps no log").count(), 1, "{said}");
}

/// Whoever reads all of the log is told what happened, and each time only what is new.
fn the_whole_log_is_read() {
    let registry = RegistryProcess::start();
    let ada = registry.member("ada");
    push(&ada, "1.0.0", "Adds.");
    push(&registry.member("eve"), "1.0.0", "Adds, too.");
    ada.tool("push ada/secret -C adder --private").ok();
    let user = registry.visitor();
    load(&user, "ada/adder", &[]);
    let read = user.tool("registry monitor");
    says(&read, 0, "3 records of tool-hub-registry/");
    says(
        &read,
        0,
        ", 3 of them new; they hash to the root that was signed at 20",
    );
    let shown = read.stdout();
    assert!(shown.contains("0       20"), "{shown}");
    assert!(
        shown.contains("ada/adder  1.0.0    published, commit "),
        "{shown}"
    );
    assert!(
        !shown.contains("eve") && !shown.contains("secret"),
        "{shown}"
    );
    assert!(shown.contains("adder  1.0.0    ok, record 0"), "{shown}");

    // One who names repos is told of these, and a stranger learns nothing of private ones.
    let stranger = registry.visitor();
    let all = [
        "registry",
        "monitor",
        registry.url(),
        "--of",
        "eve/*",
        "--of",
        "ada/*",
        "--json",
    ];
    let all = stranger.run(all).json();
    assert_eq!(
        (all["records"].clone(), all["tools"].clone()),
        (3.into(), serde_json::json!([]))
    );
    let repos: Vec<_> = all["events"]
        .as_array()
        .expect("events")
        .iter()
        .map(|it| it["record"]["repo"].clone())
        .collect();
    assert_eq!(repos, ["ada/adder", "eve/adder"]);

    // An honest yank is told, and is no fault.
    ada.run([
        "yank",
        "ada/adder@1.0.0",
        "--severity",
        "vulnerable",
        "--reason",
        "leaks",
    ])
    .ok();
    let yanked = user.tool("registry monitor");
    says(&yanked, 0, "4 records of ");
    says(&yanked, 0, ", 1 of them new");
    let shown = yanked.stdout();
    assert!(shown.contains("yanked as vulnerable"), "{shown}");
    assert!(!shown.contains("published"), "{shown}");
    assert!(
        shown.contains("ok, record 0, yanked as vulnerable"),
        "{shown}"
    );
    let listed = user.tool("list --json").json();
    assert_eq!(
        listed["tools"][0]["yanked"]["severity"], "vulnerable",
        "{listed}"
    );

    let elsewhere = user.tool("registry monitor http://127.0.0.1:1");
    says(&elsewhere, 1, "cannot read the log");
    says(
        &user.tool("registry monitor --of adder"),
        1,
        "owner/prefix-*",
    );
}

/// Somebody else publishes in an author's name, with another key and then with none.
fn changed_signers_are_told() {
    let published = Published::new();
    let (ada, signer) = (&published.ada, &published.signer);
    let watch = |author: &Home| {
        let watched = author.tool("registry monitor --of ada/*").stdout();
        let rows = watched.lines().filter(|row| row.contains("signed"));
        let rows = rows.map(|row| row.split("  ").last().expect("a column").trim().to_owned());
        rows.collect::<Vec<_>>()
    };
    assert_eq!(watch(ada), [format!("signed by {signer}")]);
    let another = "warning: the version before was signed with another key";
    let pushed = signed::push(ada, "1.0.1", Some("release")).stderr();
    assert!(!pushed.contains(another), "{pushed}");
    assert_eq!(watch(ada), [""; 0]);

    let eves = new_key(ada, "eve", "p256");
    says(&signed::push(ada, "1.1.0", Some("eve")), 0, another);
    assert_eq!(watch(ada), [format!("signed by {eves}")]);
    signed::push(ada, "1.2.0", None);
    assert_eq!(watch(ada), ["not signed"]);

    // Of what was read at once, it is told who signed before.
    let told = ada.tool("registry monitor --of ada/* --again").ok();
    for changed in [
        format!("signed by {eves}, and before signed by {signer}"),
        format!("not signed, and before signed by {eves}"),
    ] {
        assert!(told.contains(&changed), "{told}");
    }
    let told = ada
        .tool("registry monitor --of ada/* --again --json")
        .json();
    let signers: Vec<_> = told["events"]
        .as_array()
        .expect("events")
        .iter()
        .filter(|event| event["record"]["kind"] == "signer")
        .map(|event| (&event["record"]["signer"], &event["signer_before"]))
        .collect();
    let [signer, eves] = [signer, &eves].map(|key| json!({ "key": key }));
    let none = json!(null);
    assert_eq!(
        signers,
        [(&signer, &none), (&eves, &signer), (&none, &eves)]
    );
    for (version, record) in [("1.0.1", 2), ("1.2.0", 5)] {
        let user = published.registry.visitor();
        load(&user, &format!("ada/adder@{version}"), &[]);
        let verified = user.tool("verify --log").ok();
        let logged = format!(", record {record} of the log, of ");
        assert!(
            verified.contains(" ok, ") && verified.contains(&logged),
            "{verified}"
        );
        let held = user.tool("registry monitor").ok();
        assert!(held.contains(&format!("ok, record {record}")), "{held}");
    }
}
