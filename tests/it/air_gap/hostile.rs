//! Tests of bundles that somebody changed or made up: each is refused, and nothing is loaded.

use std::fs;

use serde_json::Value;

use super::carried::{Carried, is_refused};
use super::opened::Opened;
use super::{NOBODY, alone, bundle, load_from};
use crate::signatures::published::{Published, TOOL, push};
use crate::support::adder::package;
use crate::support::loading::load;
use crate::support::proxy::Switching;
use crate::support::ran::says;
use crate::support::{Home, RegistryProcess, Test, test};

pub(crate) fn tests() -> Vec<Test> {
    vec![
        test("air_gap::an_edited_index", an_edited_index),
        test("air_gap::another_log", another_log),
        test("air_gap::a_fork_and_an_old_state", a_fork_and_an_old_state),
        test("air_gap::yanks_count", yanks_count),
        test("air_gap::new_versions_wait", new_versions_wait),
        test("air_gap::another_signer", another_signer),
        test("air_gap::a_policy_of_places", a_policy_of_places),
    ]
}

fn an_edited_index() {
    let carried = Carried::new();
    let edited = |from: &str, to: &str| {
        let mut edited = carried.opened.clone();
        edited.edit(from, to);
        edited.bytes()
    };
    let check = |from: &str, to: &str, code, expect: &str| {
        carried.is_refused(&edited(from, to), code, expect);
    };
    check(
        "format = 1",
        "format = 2",
        1,
        "format 2 is not known, this version reads format 1",
    );
    check(
        "format = 1",
        "format = 1\ngrants = {}",
        1,
        "unknown field `grants`",
    );
    check("1.0.0", "1.0.1", 3, "is of version 1.0.0");
    check(
        "ada/adder",
        "bob/adder",
        3,
        "its record 0 is about another version",
    );
    check(
        "commit = \"",
        "commit = \"ffffffff",
        1,
        "its bundle.toml cannot be read",
    );
    let signer = format!("signer = \"{}\"", carried.published.signer);
    check(&signer, "", 3, "is signed by SHA256:");
    // The proof of another version, and files of another package.
    push(&carried.published.ada, "2.0.0", Some("release"));
    let newer = carried.published.user();
    let other = Opened::read(&bundle(&newer));
    let record = |opened: &Opened| {
        let line = opened.index.lines().find(|line| line.starts_with("log = "));
        line.expect("a record").to_owned()
    };
    let mut swapped = carried.opened.clone();
    swapped.edit(&record(&carried.opened), &record(&other));
    swapped
        .files
        .retain(|name, _| swapped.index.contains(&name["files/".len()..]));
    for (name, bytes) in &other.files {
        if swapped.index.contains(&name["files/".len()..]) {
            swapped.files.insert(name.clone(), bytes.clone());
        }
    }
    carried.is_refused(&swapped.bytes(), 3, "is about another version");
    let mut twice = carried.opened.clone();
    let tool = twice
        .index
        .split_once("[[tools]]")
        .expect("a tool")
        .1
        .to_owned();
    twice.index.push_str(&format!("\n[[tools]]{tool}"));
    carried.is_refused(&twice.bytes(), 3, "it has ada/adder twice");
    let mut commit = carried.opened.clone();
    let before = commit.index.split_once("commit = \"").expect("a commit").1[..40].to_owned();
    commit.edit(&before, &"0".repeat(40));
    carried.is_refused(
        &commit.bytes(),
        3,
        "as the commit, and the registry sent 00000",
    );
}

/// A log of somebody else for the same registry, for who has seen the true one.
fn another_log() {
    let published = Published::new();
    let wire = Switching::start(published.registry.url());
    let home = Home::new().with("HF_ENDPOINT", wire.url());
    load(&home, TOOL, &[]);
    home.tool("remove adder").ok();
    let impostor = RegistryProcess::start();
    push(&impostor.member("ada"), "1.0.0", None);
    wire.lead_to(impostor.url());
    let victim = Home::new().with("HF_ENDPOINT", wire.url());
    load(&victim, TOOL, &[]);
    let path = bundle(&victim);
    wire.lead_to(NOBODY);
    is_refused(&home, &path, 3, "another key signs it than before");
    let mut silent = Opened::read(&path);
    let line = silent.index.lines().find(|line| line.starts_with("log = "));
    let line = line.expect("a record").to_owned();
    silent.edit(&line, "");
    silent.files.remove(&format!("files/{}", &line[14..78]));
    let path = silent.write(&home.work().join("silent.tools"));
    is_refused(
        &home,
        &path,
        3,
        "it has no record of ada/adder 1.0.0 of the log of",
    );
    // A user who never saw the log is told that all of it is the bundle's word.
    let stranger = alone();
    let shown = stranger.run(["inspect", &path.to_string_lossy()]).ok();
    assert!(
        shown.contains("warning: the bundle has no record of a log"),
        "{shown}"
    );
}

/// States of the log that do not fit to what was seen of it.
fn a_fork_and_an_old_state() {
    let registry = RegistryProcess::start();
    let token = registry.user("ada");
    let ada = registry.signed_in(&token);
    push(&ada, "1.0.0", None);
    registry.operator().tool("registry backup copy").ok();
    let copy = registry.operator().work().join("copy");
    let wire = Switching::start(registry.url());
    let user = Home::new().with("HF_ENDPOINT", wire.url());
    load(&user, TOOL, &[]);
    let old = bundle(&user);
    push(&ada, "1.1.0", None);
    let home = Home::new().with("HF_ENDPOINT", wire.url());
    load(&home, TOOL, &[]);

    let forked = RegistryProcess::restored(&copy);
    let ada = forked.signed_in(&token);
    package(&ada, "adder", |manifest| {
        manifest.version = "1.1.0".parse().expect("a version");
        manifest.description = "Adds, and does something else.".to_owned();
    });
    ada.tool("push -C adder").ok();
    wire.lead_to(forked.url());
    let victim = Home::new().with("HF_ENDPOINT", wire.url());
    load(&victim, TOOL, &[]);
    let path = bundle(&victim);
    wire.lead_to(NOBODY);
    let expect = "the log of 2 records does not begin with the 2 records that were seen before";
    is_refused(&home, &path, 3, expect);

    // An older state is not wrong, and may hide what came since.
    let shown = home.run(["inspect", &old.to_string_lossy()]).ok();
    let expect = "warning: the bundle shows the log at 1 records, and 2 were seen here";
    assert!(shown.contains(expect), "{shown}");
    assert!(shown.contains(" by the registry's log"), "{shown}");
    let known = fs::read_to_string(home.tool_home().join("known_logs.toml")).expect("a log");
    load_from(&home, &old, "adder");
    let after = fs::read_to_string(home.tool_home().join("known_logs.toml")).expect("a log");
    assert_eq!(after, known);
}

fn yanks_count() {
    let published = Published::new();
    let wire = Switching::start(published.registry.url());
    let user = Home::new().with("HF_ENDPOINT", wire.url());
    load(&user, TOOL, &[]);
    let before = bundle(&user);
    let yank = "yank ada/adder@1.0.0 --severity vulnerable --reason leaks";
    published.ada.tool(yank).ok();
    user.tool("list").ok();
    says(
        &user.tool("bundle -o yanked.tools"),
        0,
        "warning: ada/adder 1.0.0 was yanked as vulnerable: leaks",
    );
    let yanked = user.work().join("yanked.tools");
    wire.lead_to(NOBODY);

    // The bundle says so.
    let home = alone();
    let yank_told = "ada/adder 1.0.0 was yanked as vulnerable: leaks";
    is_refused(&home, &yanked, 3, yank_told);
    // Its maker left it out, but for the record in the log.
    let mut hidden = Opened::read(&yanked);
    let rest = hidden.index.find("[tools.releases").expect("a yank");
    hidden.index.truncate(rest);
    let path = hidden.write(&home.work().join("hidden.tools"));
    is_refused(
        &home,
        &path,
        3,
        "was yanked as vulnerable, and the registry does not",
    );
    // Without that record, too, nothing contradicts it. That records may be left out is said.
    hidden.forge("\"checkpoint\"", |text| {
        let mut log: Value = serde_json::from_str(text).expect("records");
        let records = log["records"].as_array_mut().expect("records");
        records.retain(|it| !it["record"].as_str().expect("a record").contains("yank"));
        log.to_string()
    });
    let path = hidden.write(&home.work().join("hidden.tools"));
    let shown = home.run(["inspect", &path.to_string_lossy()]).ok();
    let warning = "warning: the log may have more records of this version than the bundle, such as";
    assert!(shown.contains(warning), "{shown}");
    // It is from before, and this machine knows.
    let knows = Home::new().with("HF_ENDPOINT", wire.url());
    wire.lead_to(published.registry.url());
    knows.run(["inspect", TOOL]).ok();
    wire.lead_to(NOBODY);
    is_refused(&knows, &before, 3, yank_told);
    // It names the same repo and the same registry in other letters.
    let doubled = format!("{}//", wire.url().trim_end_matches('/'));
    for (from, to, told) in [
        (
            "\"ada/adder\"",
            "\"Ada/adder\"",
            "Ada/adder 1.0.0 was yanked",
        ),
        (wire.url(), doubled.as_str(), yank_told),
    ] {
        let mut renamed = Opened::read(&before);
        renamed.edit(from, to);
        let renamed = renamed.write(&knows.work().join("renamed.tools"));
        is_refused(&knows, &renamed, 3, told);
    }
    // A user who takes it nevertheless is told of the yank from then on.
    let shown = home
        .run(["inspect", &yanked.to_string_lossy(), "--json"])
        .json();
    let digest = shown["digest"].as_str().expect("a digest");
    let path = yanked.to_string_lossy();
    home.run(["load", &path, "--allow-yanked", "--approve", digest])
        .ok();
    says(
        &home.tool("call adder.add a=1 b=2"),
        0,
        "was yanked as vulnerable: leaks",
    );
}

fn new_versions_wait() {
    let carried = Carried::new();
    fs::remove_file(carried.home.tool_home().join("config.toml")).expect("config.toml");
    is_too_new(&carried);
    let path = carried.path.to_string_lossy();
    let shown = carried.home.run(["inspect", &path, "--json"]).json();
    let digest = shown["digest"].as_str().expect("a digest");
    let loaded = carried
        .home
        .run(["load", &path, "--allow-new", "--approve", digest]);
    loaded.ok();
    let lock = fs::read_to_string(carried.home.tool_home().join("toolbox.lock")).expect("a lock");
    assert!(lock.contains("taken_new = true"), "{lock}");
}

#[track_caller]
fn is_too_new(carried: &Carried) {
    let refused = carried
        .home
        .run(["load".as_ref(), carried.path.as_os_str()]);
    says(&refused, 3, "its ada/adder 1.0.0 was published at 20");
    says(&refused, 3, "or take it now with --allow-new");
    assert!(!carried.home.tool_home().join("toolbox.lock").exists());
}

fn another_signer() {
    let carried = Carried::new();
    load_from(&carried.home, &carried.path, "adder");
    let impostor = Published::new();
    let wire = carried
        .published
        .registry
        .url()
        .trim_end_matches('/')
        .to_owned();
    let maker = impostor.user();
    // With a second tool the bundle is listed, and the warning is the same.
    package(&impostor.ada, "second", |_| {});
    impostor.ada.tool("push ada/second -C second").ok();
    load(&maker, "ada/second", &[]);
    let mut forged = Opened::read(&bundle(&maker));
    let theirs = impostor.registry.url().trim_end_matches('/').to_owned();
    forged.edit(&theirs, &wire);
    let path = forged.write(&carried.home.work().join("forged.tools"));
    let path = path.to_str().expect("a path");
    let (old, new) = (&carried.published.signer, &impostor.signer);
    let told = format!("`adder` was signed by {old} when you approved it, and is signed by {new}");
    let listed = carried.home.run(["inspect", path]);
    says(&listed, 0, &format!("warning: {told} now"));
    assert_eq!(listed.stderr().matches("warning: `").count(), 1);
    let shown = carried.home.run(["inspect", path, "adder", "--json"]);
    let shown = shown.json();
    let digest = shown["digest"].as_str().expect("a digest");
    let line = ["load", path, "adder", "--approve", digest];
    says(&carried.home.run(line), 3, &told);
}

/// A policy that allows one registry and no files. That a bundle is of that registry, only a log
/// that is known here can prove.
fn a_policy_of_places() {
    let carried = Carried::new();
    let registry = &carried.published.registry;
    let allow = |home: &Home| {
        let policy = format!(
            "[sources]\nregistries = [\"{}\"]\nfiles = false\n",
            registry.url()
        );
        fs::write(home.tool_home().join("policy.toml"), policy).expect("a policy");
    };
    allow(&carried.home);
    let load = ["load".as_ref(), carried.path.as_os_str()];
    says(&carried.home.run(load), 3, "sources.files");
    assert!(!carried.home.tool_home().join("toolbox.lock").exists());

    let known = registry.visitor();
    known.tool("inspect ada/adder").ok();
    allow(&known);
    load_from(&known, &carried.path, "adder");
}
