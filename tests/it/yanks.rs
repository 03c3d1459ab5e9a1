//! Tests of versions that were yanked, and of tools that are deprecated.

use serde_json::json;
use tool_hub_manifest::Version;

use crate::support::adder::package;
use crate::support::client::call;
use crate::support::loading::{digest, load};
use crate::support::ran::says;
use crate::support::{Client, Home, Ran, RegistryProcess, Test, test};

pub(crate) fn tests() -> Vec<Test> {
    vec![
        test("yanks::a_version_is_passed_over", a_version_is_passed_over),
        test("yanks::who_has_it_goes_on", who_has_it_goes_on),
        test("yanks::a_pinned_one_leads_on", a_pinned_one_leads_on),
        test(
            "yanks::a_malicious_one_is_dropped",
            a_malicious_one_is_dropped,
        ),
        test(
            "yanks::what_follows_a_malicious_one_is_asked_about",
            what_follows_a_malicious_one_is_asked_about,
        ),
        test(
            "yanks::a_malicious_one_without_another",
            a_malicious_one_without_another,
        ),
        test(
            "yanks::a_malicious_one_is_remembered",
            a_malicious_one_is_remembered,
        ),
        test("yanks::only_one_tool_is_served", only_one_tool_is_served),
        test("yanks::one_is_given_back", one_is_given_back),
        test("yanks::one_comes_and_goes_often", one_comes_and_goes_often),
        test(
            "yanks::a_memory_that_cannot_be_read",
            a_memory_that_cannot_be_read,
        ),
        test("yanks::a_tool_is_deprecated", a_tool_is_deprecated),
        test("yanks::mistakes_are_told", mistakes_are_told),
    ]
}

/// A registry on which `ada` published two versions of the tool that adds.
pub(crate) fn published() -> (RegistryProcess, Home) {
    let registry = RegistryProcess::start();
    let ada = registry.member("ada");
    publish(&ada, Version::new(1, 0, 0));
    publish(&ada, Version::new(1, 1, 0));
    (registry, ada)
}

pub(crate) fn yank(author: &Home, more: &[&str]) {
    author
        .run([&["yank", "ada/adder@1.1.0"], more].concat())
        .ok();
}

const WRONG: [&str; 2] = ["--reason", "it forgets to carry"];

fn a_version_is_passed_over() {
    let (registry, ada) = published();
    let user = registry.visitor();
    let newest = digest(&user, "ada/adder");
    yank(&ada, &WRONG);

    let older = digest(&user, "ada/adder");
    assert_ne!(older, newest);
    let loaded = user.run(["load", "ada/adder", "--approve", &older]);
    let told = "warning: ada/adder 1.1.0 was yanked as broken: it forgets to carry\n";
    says(&loaded, 0, told);
    says(&loaded, 0, "1.0.0 is taken in its place");
    assert_eq!(
        user.tool("list --json").json()["tools"][0]["version"],
        "1.0.0"
    );

    let refused = user.tool("load ada/adder@1.1.0");
    says(
        &refused,
        3,
        "ada/adder 1.1.0 was yanked as broken: it forgets to carry",
    );
    says(&refused, 3, "this one nevertheless with --allow-yanked");
    let nevertheless = ["ada/adder@1.1.0", "--allow-yanked", "--approve", &newest];
    says(&user.run([&["load"], &nevertheless[..]].concat()), 0, told);
    let listed = user.tool("list --json").json();
    let expect = json!({ "severity": "broken", "reason": "it forgets to carry" });
    assert_eq!(listed["tools"][0]["yanked"], expect);

    ada.tool("yank ada/adder@1.1.0 --undo").ok();
    assert_eq!(digest(&registry.visitor(), "ada/adder"), newest);
}

fn who_has_it_goes_on() {
    let (registry, ada) = published();
    let user = registry.visitor();
    load(&user, "ada/adder", &[]);
    let instead = ["--severity", "vulnerable", "--replaced-by", "1.0.0"];
    yank(&ada, &[&WRONG[..], &instead].concat());

    // Until the registry is asked, nobody knows.
    assert_eq!(user.tool("call adder.add a=1 b=2").ok(), "3\n");
    let updated = user.tool("update");
    says(&updated, 0, "adder: current at 1.1.0");
    let told = "vulnerable: it forgets to carry; use ada/adder@1.0.0";
    says(
        &updated,
        0,
        &format!("ada/adder 1.1.0 was yanked as {told}"),
    );
    let called = user.tool("call adder.add a=1 b=2");
    says(&called, 0, &format!("`adder` 1.1.0 was yanked as {told}"));
    assert_eq!(called.stdout(), "3\n");
    let verified = user.tool("verify").ok();
    assert!(
        verified.contains(&format!("ok, yanked as {told}")),
        "{verified}"
    );
    says(
        &user.tool("list"),
        0,
        &format!("`adder` 1.1.0 was yanked as {told}"),
    );

    // A newer version is the way on.
    package(&ada, "adder", |manifest| {
        manifest.version = Version::new(1, 1, 1)
    });
    ada.tool("push -C adder").ok();
    says(
        &user.tool("update --accept-code"),
        0,
        "adder: updated at 1.1.1",
    );
    assert_eq!(user.tool("call adder.add a=1 b=2").stderr(), "");
}

pub(crate) fn is_told_of(client: &mut Client, tools: &[&str]) {
    while client.tools() != tools {
        client.hear_of_a_change();
    }
}

/// Has a server ask every second.
pub(crate) fn refresh_often(user: &Home) {
    user.configure("refresh_seconds = 1\n");
}

pub(crate) const STOLEN: [&str; 4] = ["--severity", "malicious", "--reason", "it sends keys away"];
const GONE: &str = "is not offered any more: its version 1.1.0 was withdrawn as malicious";

/// The text of a call's failure, as the agent reads it.
pub(crate) fn refusal(client: &mut Client, function: &str) -> String {
    let arguments = json!({ "a": 1, "b": 2 });
    let answer = client.answer(
        "tools/call",
        json!({ "name": function, "arguments": arguments }),
    );
    answer.to_string()
}

fn a_malicious_one_is_dropped() {
    let (registry, ada) = published();
    let user = registry.visitor();
    load(&user, "ada/adder", &[]);
    refresh_often(&user);
    let told = user.work().join("told");
    let mut serve = user.command(["serve"]);
    serve.stderr(std::fs::File::create(&told).expect("a file"));
    let mut client = Client::start(serve);
    let sum = call(&mut client, "adder__add", json!({ "a": 1, "b": 2 }));
    assert_eq!(sum, 3);

    yank(&ada, &STOLEN);
    is_told_of(&mut client, &[]);
    let told = refusal(&mut client, "adder__add");
    assert!(told.contains(GONE), "{told}");
    assert!(
        !told.contains("it sends keys away"),
        "an owner's words: {told}"
    );
    client.leave();
    let noted = std::fs::read_to_string(user.work().join("told")).expect("the notes");
    let changed = "what owners say of their versions changed; serving 0 functions now";
    assert!(noted.contains(changed), "{noted}");

    let called = user.tool("call adder.add a=1 b=2");
    let expect = "`adder` 1.1.0 of ada/adder was yanked as malicious: it sends keys away";
    says(&called, 3, expect);
    says(
        &called,
        3,
        "take it out of the toolbox with: tool remove adder",
    );
    let verified = user.tool("verify");
    assert_eq!(verified.code(), 3, "{}", verified.stderr());
    assert!(verified.stdout().contains(expect), "{}", verified.stdout());
    says(&user.tool("serve"), 3, expect);
    let other = registry.visitor();
    let nevertheless = other.tool("load ada/adder@1.1.0 --allow-yanked");
    says(&nevertheless, 3, "no version that is malicious is loaded");

    // Another version is approved like any.
    load(&user, "ada/adder", &[]);
    assert_eq!(user.tool("call adder.add a=1 b=2").ok(), "3\n");
}

fn publish(ada: &Home, version: Version) {
    package(ada, "adder", |manifest| manifest.version = version);
    ada.tool("push -C adder").ok();
}

/// Whoever published a malicious version may have published the next one: although nothing but its
/// number is different, a person is asked about it.
fn what_follows_a_malicious_one_is_asked_about() {
    let registry = RegistryProcess::start();
    let ada = registry.member("ada");
    publish(&ada, Version::new(1, 0, 0));
    let [early, late] = [registry.visitor(), registry.visitor()];
    load(&early, "ada/adder", &[]);
    publish(&ada, Version::new(1, 1, 0));
    load(&late, "ada/adder", &[]);
    yank(&ada, &STOLEN);
    publish(&ada, Version::new(1, 1, 1));

    let told = "ada/adder 1.1.0 was yanked as malicious: it sends keys away; whoever published \
                that may have published the newer one too, so it is not taken unasked";
    let version = |home: &Home| home.tool("list --json").json()["tools"][0]["version"].clone();
    early.configure("accept_code = true\n");
    for line in ["update", "update --accept-code"] {
        let stopped = early.tool(line);
        says(&stopped, 3, told);
        says(&stopped, 3, "nobody is there to ask");
        assert_eq!(version(&early), "1.0.0");
    }
    let approve = digest(&early, "ada/adder");
    early.run(["update", "--approve", &approve]).ok();
    assert_eq!(version(&early), "1.1.1");
    // Once approved, it is a version like any.
    publish(&ada, Version::new(1, 1, 2));
    says(&early.tool("update"), 0, "adder: updated at 1.1.2");

    // Who has the malicious one gets no other by an update, before it is known and after that.
    let had = "`adder` 1.1.0 of ada/adder was yanked as malicious: it sends keys away";
    for _ in 0..2 {
        let approve = ["update", "--accept-code", "--approve", &approve];
        for stopped in [late.tool("update --accept-code"), late.run(approve)] {
            says(&stopped, 3, had);
            says(
                &stopped,
                3,
                "take another version with: tool load ada/adder --as adder",
            );
        }
    }
    assert!(late.tool("list").ok().contains("malicious"));
    let shown = late.tool("inspect ada/adder").ok();
    let warned = "warning: ada/adder 1.1.0 was yanked as malicious: it sends keys away; whoever \
                  published that may have published this version too";
    assert!(shown.contains(warned), "{shown}");
    let older = late.tool("inspect ada/adder@1.0.0").ok();
    assert!(!older.contains("malicious"), "{older}");
    says(&late.tool("load ada/adder"), 3, warned);
    load(&late, "ada/adder", &[]);
    assert_eq!(late.tool("call adder.add a=1 b=2").ok(), "3\n");
}

/// There is nothing that an update or a load could take.
fn a_malicious_one_without_another() {
    let registry = RegistryProcess::start();
    let ada = registry.member("ada");
    publish(&ada, Version::new(1, 1, 0));
    let user = registry.visitor();
    load(&user, "ada/adder", &[]);
    yank(&ada, &STOLEN);
    for _ in 0..2 {
        let stopped = user.tool("update");
        says(
            &stopped,
            3,
            "`adder` 1.1.0 of ada/adder was yanked as malicious",
        );
        says(&stopped, 3, "tool remove adder");
    }
    says(
        &user.tool("load ada/adder"),
        3,
        "no version that is malicious is loaded",
    );
    user.tool("remove adder").ok();
}

/// `verify --log` and `bundle` ask the registry, and remember a yank that it tells them of.
fn a_malicious_one_is_remembered() {
    let (registry, ada) = published();
    let users = [registry.visitor(), registry.visitor()];
    for user in &users {
        load(user, "ada/adder", &[]);
    }
    yank(&ada, &STOLEN);
    let told = "was yanked as malicious: it sends keys away";
    let [checks, packs] = &users;
    is_found(&checks.tool("verify --log"));
    says(&packs.tool("bundle -o adder.tools"), 3, told);
    assert!(!packs.work().join("adder.tools").exists());
    drop(registry);
    for user in &users {
        is_found(&user.tool("verify"));
        says(&user.tool("call adder.add a=1 b=2"), 3, told);
    }
}

/// Checks that the table of `tool verify` says that a version is malicious.
#[track_caller]
fn is_found(verified: &Ran) {
    says(verified, 3, "adder cannot be trusted as it is");
    let table = verified.stdout();
    assert!(table.contains("was yanked as malicious"), "{table}");
}

fn only_one_tool_is_served() {
    let (registry, ada) = published();
    let user = registry.visitor();
    refresh_often(&user);
    let approved = digest(&user, "ada/adder");
    let serve = || user.command(["serve", "--only", "ada/adder", "--approve", &approved]);
    let mut client = Client::start(serve());
    assert_eq!(client.tools(), ["adder__add", "adder__sum_up"]);
    yank(&ada, &STOLEN);
    is_told_of(&mut client, &[]);
    let told = refusal(&mut client, "adder__add");
    assert!(told.contains(GONE), "{told}");
    client.leave();
    // It is not taken from the store either, whether the registry answers or not.
    drop(registry);
    let again = user.run(["serve", "--only", "ada/adder", "--approve", &approved]);
    says(&again, 3, "ada/adder 1.1.0 was yanked as malicious");
}

/// Whoever heard that a version is malicious hears of its being given back by an update.
fn one_is_given_back() {
    let (registry, ada) = published();
    let user = registry.visitor();
    load(&user, "ada/adder", &[]);
    yank(&ada, &STOLEN);
    says(&user.tool("update"), 3, "was yanked as malicious");
    ada.tool("yank ada/adder@1.1.0 --undo").ok();
    let hint = "that its owner gave it back is heard of by: tool update adder";
    says(&user.tool("call adder.add a=1 b=2"), 3, hint);
    let listed = user.tool("list").ok();
    assert!(listed.contains("yanked as malicious"), "{listed}");
    says(&user.tool("update"), 0, "adder: current at 1.1.0");
    assert_eq!(user.tool("call adder.add a=1 b=2").ok(), "3\n");
    // Without its registry, what is known counts.
    yank(&ada, &STOLEN);
    user.tool("update");
    drop(registry);
    let told = user.tool("update");
    says(&told, 3, "does not say whether ada/adder was yanked");
    says(&told, 3, "was yanked as malicious: it sends keys away");
}

/// The log has more records of a version than are shown, of which the last one counts.
fn one_comes_and_goes_often() {
    let (registry, ada) = published();
    let user = registry.visitor();
    load(&user, "ada/adder", &[]);
    for _ in 0..51 {
        yank(&ada, &WRONG);
        ada.tool("yank ada/adder@1.1.0 --undo").ok();
    }
    user.tool("update").ok();
    user.tool("verify --log").ok();
    load(&registry.visitor(), "ada/adder@1.1.0", &[]);
    yank(&ada, &STOLEN);
    says(&user.tool("update"), 3, "was yanked as malicious");
    ada.tool("yank ada/adder@1.1.0 --undo").ok();
    says(&user.tool("update"), 0, "adder: current at 1.1.0");
}

/// A server that cannot read which versions were yanked offers nothing until it can.
fn a_memory_that_cannot_be_read() {
    let (registry, _ada) = published();
    let user = registry.visitor();
    load(&user, "ada/adder", &[]);
    let approved = digest(&user, "ada/adder");
    let only = ["serve", "--only", "ada/adder", "--approve", &approved];
    let [mut all, mut one] =
        [&["serve"][..], &only[..]].map(|line| Client::start(user.command(line)));
    let functions = ["adder__add", "adder__sum_up"];
    assert_eq!(all.tools(), functions);
    assert_eq!(one.tools(), functions);
    let memory = user.tool_home().join("known_releases.toml");
    std::fs::write(&memory, "#".repeat((4 << 20) + 1)).expect("a file");
    for client in [&mut all, &mut one] {
        is_told_of(client, &[]);
        let told = refusal(client, "adder__add");
        assert!(told.contains("whether its version was withdrawn"), "{told}");
    }
    says(
        &user.tool("call adder.add a=1 b=2"),
        1,
        "has more than 4194304 bytes",
    );
    std::fs::remove_file(&memory).expect("the file");
    is_told_of(&mut all, &functions);
    assert_eq!(call(&mut all, "adder__add", json!({ "a": 1, "b": 2 })), 3);
    all.leave();
    one.leave();
}

fn a_tool_is_deprecated() {
    let (registry, ada) = published();
    let deprecate = [
        "deprecate",
        "ada/adder",
        "--reason",
        "nobody looks after it",
    ];
    ada.tool("push ada/calculator -C adder").ok();
    let deprecated = ada.run([&deprecate[..], &["--replaced-by", "ada/calculator"]].concat());
    let told = "ada/adder is deprecated: nobody looks after it; use ada/calculator";
    says(&deprecated, 0, told);
    let user = registry.visitor();
    let approved = digest(&user, "ada/adder");
    says(
        &user.run(["load", "ada/adder", "--approve", &approved]),
        0,
        told,
    );
    let undo = "deprecate ada/adder --undo";
    says(&ada.tool(undo), 0, "ada/adder is not deprecated any more\n");
    says(&ada.tool(undo), 0, "ada/adder is not deprecated\n");
    let inspected = user.tool("inspect ada/adder");
    let said = inspected.stderr();
    assert!(!said.contains("deprecated"), "{said}");
}

fn mistakes_are_told() {
    let (registry, ada) = published();
    let absent = ada.run([&["yank", "ada/adder@1.2.0"], &WRONG[..]].concat());
    says(&absent, 1, "ada/adder has no version 1.2.0");
    says(&absent, 1, "it has: 1.1.0, 1.0.0");
    let many = ada.run([&["yank", "ada/adder@^1"], &WRONG[..]].concat());
    says(&many, 1, "`ada/adder@^1` does not name one version");
    says(&ada.tool("yank ada/adder@1.1.0"), 1, "--reason <TEXT>");
    for (instead, expect) in [
        (
            "1.1.0",
            "ada/adder@1.1.0, the version that is yanked itself",
        ),
        ("Ada/Adder@1.1.0", "the version that is yanked itself"),
        ("9.9.9", "`ada/adder@9.9.9`, and there is no such version"),
        ("ada/adder@^9", "there is no such version"),
        ("ada/none", "ada/none"),
    ] {
        let line = ["yank", "ada/adder@1.1.0", "--replaced-by", instead];
        says(&ada.run([&line[..], &WRONG].concat()), 1, expect);
    }
    for (instead, expect) in [
        ("ada/adder", "ada/adder cannot be replaced by itself"),
        ("ada/none", "ada/none"),
    ] {
        let line = ["deprecate", "ada/adder", "--replaced-by", instead];
        says(&ada.run([&line[..], &WRONG].concat()), 1, expect);
    }
    let stranger = registry.member("eve");
    let forbidden = stranger.run([&["yank", "ada/adder@1.1.0"], &WRONG[..]].concat());
    assert_eq!(forbidden.code(), 1, "{}", forbidden.stderr());
    says(
        &ada.tool("yank ada/adder@1.1.0 --undo"),
        0,
        "ada/adder 1.1.0 is not yanked",
    );
    assert!(!digest(&registry.visitor(), "ada/adder").is_empty());
}

/// The hint on a yanked version that the toolbox is pinned to leads to another one.
fn a_pinned_one_leads_on() {
    let (registry, ada) = published();
    let user = registry.visitor();
    load(&user, "ada/adder@1.1.0", &[]);
    yank(&ada, &WRONG);
    let called = user.tool("update");
    says(&called, 0, "adder: pinned to 1.1.0");
    let listed = user.tool("list");
    let way = "it is pinned to this version; take another one with: tool load ada/adder --as adder";
    says(&listed, 0, way);
    load(&user, "ada/adder", &["--as", "adder"]);
    assert_eq!(
        user.tool("list --json").json()["tools"][0]["version"],
        "1.0.0"
    );
    let silent = user.tool("list").stderr();
    assert!(!silent.contains("yanked"), "{silent}");
}
