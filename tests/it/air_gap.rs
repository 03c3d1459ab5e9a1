//! Tests of bundles: tools are carried to a machine that reaches no registry, and verified there.

mod carried;
mod damaged;
mod hostile;
pub(crate) mod opened;

use std::fs;
use std::path::{Path, PathBuf};

use axum::body::Body;
use axum::response::Response;
use serde_json::{Value, json};
use tool_hub_manifest::Lock;

use crate::signatures::published::{Published, TOOL, new_key, push};
use crate::support::loading::load;
use crate::support::proxy::Switching;
use crate::support::ran::says;
use crate::support::website::Website;
use crate::support::{Home, Need, RegistryProcess, Test, guests, test};
use opened::Opened;

pub(crate) fn tests() -> Vec<Test> {
    let here = vec![
        test("air_gap::tools_are_carried", tools_are_carried)
            .needs(&[Need::RustGuests, Need::PythonGuest]),
        test(
            "air_gap::nothing_of_the_user_goes_in",
            nothing_of_the_user_goes_in,
        ),
        test("air_gap::the_registry_is_back", the_registry_is_back),
        test("air_gap::some_are_left_out", some_are_left_out),
        test("air_gap::advisories_are_carried", advisories_are_carried),
    ];
    [here, damaged::tests(), hostile::tests()].concat()
}

/// An address where nobody answers.
pub(crate) const NOBODY: &str = "http://127.0.0.1:9";

/// A machine that reaches no registry.
pub(crate) fn alone() -> Home {
    Home::new().with("HF_ENDPOINT", NOBODY)
}

/// Has `user` write all tools into a bundle.
#[track_caller]
pub(crate) fn bundle(user: &Home) -> PathBuf {
    user.tool("bundle -o carried.tools").ok();
    user.work().join("carried.tools")
}

/// Loads the tool called `name` from the bundle at `path`, by the digest that its inspection shows.
#[track_caller]
pub(crate) fn load_from(home: &Home, path: &Path, name: &str) {
    let path = path.to_str().expect("a path");
    let shown = home.run(["inspect", path, name, "--json"]).json();
    let digest = shown["digest"].as_str().expect("a digest").to_owned();
    home.run(["load", path, name, "--approve", &digest]).ok();
}

fn tools_are_carried() {
    let registry = RegistryProcess::start();
    let ada = registry.member("ada");
    let signer = new_key(&ada, "release", "ed25519");
    let rust = guests::built("text-stats");
    ada.run(["push", "-C", &rust.to_string_lossy(), "--sign", "release"])
        .ok();
    ada.tool("new greeter --lang python").ok();
    ada.tool("build greeter").ok();
    ada.tool("push -C greeter").ok();
    let user = registry.visitor();
    load(&user, "ada/text-stats", &[]);
    load(&user, "ada/greeter", &[]);
    let path = bundle(&user);
    let opened = Opened::read(&path);
    assert!(
        opened.index.contains("\"interpreter.wasm\" = "),
        "{}",
        opened.index
    );
    // The same tools give the same bytes as long as the log shows the same state.
    user.tool("bundle text_stats greeter -o again.tools").ok();
    drop(registry);

    let home = alone();
    let listed = home.run(["inspect", &path.to_string_lossy()]).ok();
    for expect in ["ada/text-stats", "ada/greeter", &signer, ", not signed"] {
        assert!(listed.contains(expect), "{listed}");
    }
    let verified = home.run(["verify", &path.to_string_lossy()]).ok();
    let expect = "in a log that was not seen here";
    assert!(verified.contains(expect), "{verified}");
    assert!(!home.tool_home().join("toolbox.lock").exists());

    let refused = home.run(["load", &*path.to_string_lossy()]);
    says(&refused, 3, "is not approved, and nobody is there to ask");
    assert!(!home.tool_home().join("toolbox.lock").exists());
    for name in ["text-stats", "ada/greeter"] {
        load_from(&home, &path, name);
    }
    fs::remove_file(&path).expect("the bundle");
    let counted = home.run(["call", "text_stats.count_words", "text=one two three"]);
    assert_eq!(counted.ok(), "3\n");
    let greeted = home.run(["call", "greeter", "name=Ada"]).ok();
    assert!(greeted.contains("Ada"), "{greeted}");

    let lock = fs::read_to_string(home.tool_home().join("toolbox.lock")).expect("a lock");
    let lock: Lock = lock.parse().expect("a lock");
    let theirs = fs::read_to_string(user.tool_home().join("toolbox.lock")).expect("a lock");
    let theirs: Lock = theirs.parse().expect("a lock");
    for (key, tool) in &lock.tools {
        let other = &theirs.tools[key];
        assert_eq!((&tool.source, &tool.signer), (&other.source, &other.signer));
        assert_eq!((tool.pin(), &tool.logged), (other.pin(), &other.logged));
    }
    let signers = lock.tools.values().filter_map(|it| it.signer.clone());
    assert_eq!(
        signers.map(|it| it.to_string()).collect::<Vec<_>>(),
        [signer]
    );
    // Nothing of a log in a stranger's file is kept.
    assert!(!home.tool_home().join("known_logs.toml").exists());
    home.tool("verify").ok();
}

fn nothing_of_the_user_goes_in() {
    let published = Published::new();
    let user = published.user();
    let secret = "a text for agents of this user";
    let toolbox = user.tool_home().join("toolbox.toml");
    let text = fs::read_to_string(&toolbox).expect("a toolbox");
    let text = format!("{text}\n[tools.adder.functions.add]\ndescription = \"{secret}\"\n");
    fs::write(&toolbox, text).expect("a toolbox");
    load(&user, "adder", &[]);
    let opened = Opened::read(&bundle(&user));
    let home = user.path().display().to_string();
    for bytes in [opened.index.as_bytes()]
        .into_iter()
        .chain(opened.files.values().map(|it| &it[..]))
    {
        let text = String::from_utf8_lossy(bytes);
        for private in [secret, &home, "grants", "approval", "consent"] {
            assert!(!text.contains(private), "{private} in {text}");
        }
    }
}

/// Once there is a network again, the registry is asked as if the tool had come from it.
fn the_registry_is_back() {
    let published = Published::new();
    let wire = Switching::start(published.registry.url());
    let user = Home::new().with("HF_ENDPOINT", wire.url());
    load(&user, TOOL, &[]);
    let path = bundle(&user);
    wire.lead_to(NOBODY);
    let home = Home::new().with("HF_ENDPOINT", wire.url());
    load_from(&home, &path, "adder");
    says(&home.tool("update"), 1, "error: ");
    let unasked = home.tool("verify --log");
    says(&unasked, 1, "the log was not asked for adder");
    says(&unasked, 1, "nothing was found against what is here");
    let table = unasked.stdout();
    assert!(table.contains("log not asked: cannot"), "{table}");
    assert_eq!(home.tool("call adder.add a=20 b=22").ok(), "42\n");

    wire.lead_to(published.registry.url());
    let verified = home.tool("verify --log").ok();
    assert!(verified.contains("record 0 of the log"), "{verified}");
    assert!(home.tool_home().join("known_logs.toml").exists());
    push(&published.ada, "1.0.1", Some("release"));
    says(&home.tool("update"), 0, "adder: updated at 1.0.1");
}

fn some_are_left_out() {
    let published = Published::new();
    let user = published.user();
    user.write("other.wasm", crate::support::adder::adder());
    load(&user, "./other.wasm", &["--as", "other"]);
    let written = user.tool("bundle -o x.tools --json");
    says(
        &written,
        0,
        "left out, because they are of no registry: other",
    );
    let tools = written.json()["tools"].clone();
    assert_eq!(tools.as_array().map(Vec::len), Some(1));
    assert_eq!(tools[0]["repo"], json!(TOOL));
    let audited = user.tool("audit --source ./x.tools");
    says(&audited, 0, "x.tools has no advisory about a tool");
    let named = user.tool("bundle other -o y.tools");
    says(
        &named,
        1,
        "`other` is of no registry, and cannot be in a bundle",
    );
    says(
        &user.tool("bundle -o x.zip"),
        1,
        "the name of a bundle ends in .tools",
    );
    says(
        &user.tool("load x.tools adder greeter"),
        1,
        "it has no tool called `greeter`",
    );
    says(
        &user.tool("load x.tools greeter"),
        1,
        "hint: there are: ada/adder",
    );
    user.tool("remove adder").ok();
    says(
        &user.tool("bundle -o y.tools"),
        1,
        "it would hold no tool of a registry",
    );
    assert!(!user.work().join("y.tools").exists());
}

/// Advisories travel with the tools, and are read there by whatever takes sources of them.
fn advisories_are_carried() {
    let published = Published::new();
    let about = |id: &str, package: &str| {
        json!({
            "schema_version": "1.7.0",
            "id": id,
            "modified": "2026-11-27T12:00:00Z",
            "summary": "It forgets to carry.",
            "severity": [{ "type": "CVSS_V3", "score": "CVSS:3.1/AV:N/AC:L/PR:N/UI:R/S:U/C:H/I:H/A:N" }],
            "affected": [{
                "package": { "ecosystem": "tool-hub", "name": package },
                "ranges": [{ "type": "SEMVER", "events": [{ "introduced": "0" }] }],
            }],
        })
    };
    let all = json!([about("X-1", TOOL), about("X-2", "ada/other")]);
    let website = Website::start(move |_| Response::new(Body::from(all.to_string())));
    let user = published.registry.visitor();
    let source = format!("{}/all.json", website.origin());
    user.configure(&format!("advisories = [{source:?}]\n"));
    load(&user, TOOL, &[]);
    let path = bundle(&user);
    drop((published, website));

    let home = alone();
    let shown = path.to_str().expect("a path");
    let inspected = home.run(["inspect", shown, "--json"]).json();
    let digest = inspected["digest"].as_str().expect("a digest");
    let loaded = home.run(["load", shown, "--approve", digest]);
    says(
        &loaded,
        0,
        "warning: ada/adder 1.0.0 is affected by X-1 (high)",
    );
    let way = format!("hint: see all with: tool audit --source {shown}; to be told at each call");
    says(&loaded, 0, &way);
    let audited = home.run(["audit", "--source", shown]);
    says(&audited, 3, "1 tool is affected by advisories");
    assert!(audited.stdout().contains("X-1"), "{}", audited.stdout());
    let audited = home.run(["audit", "--source", shown, "--json"]);
    let audited: Value = serde_json::from_str(&audited.stdout()).expect("JSON");
    assert_eq!(audited["sources"][0]["advisories"], 2, "{audited}");

    // As a source of config.toml it counts at each call; by its name alone, too.
    assert_eq!(home.tool("call adder.add a=1 b=2").stderr(), "");
    fs::copy(&path, home.work().join("x.tools")).expect("a bundle");
    says(
        &home.tool("audit --source x.tools"),
        3,
        "1 tool is affected",
    );
    home.configure(&format!("advisories = [{shown:?}]\n"));
    home.tool("audit");
    says(
        &home.tool("call adder.add a=1 b=2"),
        0,
        "is affected by X-1",
    );

    // Under another name it is not taken for an archive in which nothing is.
    fs::copy(&path, home.work().join("x.zip")).expect("a bundle");
    let bytes = fs::read(&path).expect("a bundle");
    let website = Website::start(move |_| Response::new(Body::from(bytes.clone())));
    for source in [
        "./x.zip".to_owned(),
        format!("{}/all.zip", website.origin()),
    ] {
        let refused = home.run(["audit", "--source", &source]);
        says(
            &refused,
            1,
            "is a bundle of tools: to read the advisories in it, name a path",
        );
    }
    // Nor is one that somebody changed.
    let mut changed = Opened::read(&path);
    let member = changed.files.values_mut().find(|it| it.starts_with(b"["));
    member.expect("advisories").extend(b" ");
    let changed = changed.write(&home.work().join("changed.tools"));
    let refused = home.run(["audit", "--source", changed.to_str().expect("a path")]);
    says(&refused, 1, "was changed: it has digest");
    fs::write(home.work().join("no.tools"), "PK").expect("a file");
    let refused = home.tool("audit --source ./no.tools");
    says(&refused, 1, "it is not a whole bundle of tools");

    // One that refuses a version says where it is from.
    let mut worse = Opened::read(&path);
    worse.forge("X-1", |text| text.replacen("\"high\"", "\"critical\"", 1));
    let worse = worse.write(&home.work().join("worse.tools"));
    let worse = worse.to_str().expect("a path");
    let refused = alone().run(["load", worse]);
    says(
        &refused,
        3,
        "ada/adder 1.0.0 is refused by the advisory X-1 (critical)",
    );
    says(&refused, 3, &format!("hint: read what X-1 says in {worse}"));
}
