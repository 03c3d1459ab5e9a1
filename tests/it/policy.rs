//! Tests of `policy.toml`: what its rules refuse, and that nobody but its author loosens it.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use serde_json::{Value, json};

use crate::dependencies;
use crate::mirrors::{lead, mirroring};
use crate::signatures::published::{Published, TOOL, listed, new_key, push};
use crate::support::adder::adder;
use crate::support::client::call;
use crate::support::loading::{digest, load};
use crate::support::ran::says;
use crate::support::{Client, Home, Need, Ran, RegistryProcess, Test, test};

pub(crate) fn tests() -> Vec<Test> {
    vec![
        test("policy::rules_are_enforced", rules_are_enforced),
        test("policy::mirrors_are_judged", mirrors_are_judged),
        test("policy::dependencies_are_judged", dependencies_are_judged),
        test("policy::nobody_loosens_it", nobody_loosens_it).needs(&[Need::Namespaces]),
    ]
}

fn write(user: &Home, text: &str) {
    fs::create_dir_all(user.tool_home()).expect("a directory");
    fs::write(user.tool_home().join("policy.toml"), text).expect("a policy");
}

const SUM: &str = "call adder.add a=1 b=2";

fn rules_are_enforced() {
    let published = Published::new();
    let (ada, signer) = (&published.ada, &published.signer);
    let user = published.registry.visitor();
    let strict = format!(
        "contact = 'security@acme.example'\n[sources]\nregistries = [{:?}]\nrepos = ['ada/*']\nfiles = false\n\
         [signers]\nallowed = ['{signer}']\n[capabilities]\nnetwork = []\nmemory_mib = 256\n",
        published.registry.url()
    );
    write(&user, &strict);

    // What passes is loaded, served and explained.
    load(&user, TOOL, &[]);
    assert_eq!(user.tool(SUM).ok(), "3\n");
    let explained = user.tool("policy explain adder --json").json();
    assert_eq!(explained["passes"], true, "{explained}");
    let rules: Vec<&str> = explained["policies"][0]["rules"]
        .as_array()
        .expect("rules")
        .iter()
        .filter_map(|rule| rule["rule"].as_str())
        .collect();
    let names = "sources.registries sources.repos signers.allowed capabilities.network capabilities.memory_mib";
    assert_eq!(rules.join(" "), names);
    let doctor = user.tool("doctor --json");
    let doctor: Value = serde_json::from_str(&doctor.stdout()).expect("JSON");
    let findings = doctor["findings"].as_array().expect("findings");
    let finding = findings
        .iter()
        .find(|it| it["what"] == "policy")
        .expect("a finding");
    let shown = explained["policies"][0]["digest"]
        .as_str()
        .expect("a digest");
    assert!(
        finding["says"]
            .as_str()
            .is_some_and(|it| it.contains(shown)),
        "{finding}"
    );

    // A package by another key is refused, however much that looks like the right one.
    let other = new_key(ada, "re1ease", "p256");
    push(ada, "1.0.1", Some("re1ease"));
    let approve = digest(&user, TOOL);
    let refused = user.run(["load", TOOL, "--approve", &approve, "--signer", &other]);
    says(
        &refused,
        3,
        "ada/adder is refused by the rule `signers.allowed` of ",
    );
    says(
        &refused,
        3,
        &format!("expected a signature by {signer}, found {other}"),
    );
    says(&refused, 3, "hint: ask security@acme.example");
    says(&user.tool("update"), 3, "`signers.allowed`");
    assert_eq!(listed(&user)["version"], "1.0.0");
    user.write("adder.wasm", adder());
    says(&user.tool("load ./adder.wasm"), 3, "`sources.files`");
    says(
        &user.tool("call ./adder.wasm add a=1 b=2"),
        3,
        "`sources.files`",
    );
    let elsewhere = ["load", TOOL, "--endpoint", "http://localhost:9"];
    // A registry that is not allowed is not even asked.
    says(&user.run(elsewhere), 3, "`sources.registries`");
    let only = ["serve", "--only", TOOL, "--approve", &approve];
    says(&user.run(only), 3, "`signers.allowed`");

    // A server that runs follows the file: what is not allowed any more goes, and everything goes
    // when the file cannot be read.
    let mut client = Client::start(user.command(["serve"]));
    assert_eq!(
        call(&mut client, "adder__add", json!({ "a": 1, "b": 2 })),
        3
    );
    let is_told_of = |client: &mut Client, count: usize| {
        while client.tools().len() != count {
            client.hear_of_a_change();
        }
    };
    write(&user, &strict.replace("ada/*", "bob/*"));
    is_told_of(&mut client, 0);
    let params = json!({ "name": "adder__add", "arguments": { "a": 1, "b": 2 } });
    let told = client.answer("tools/call", params).to_string();
    assert!(
        told.contains("the policy of this machine does not allow it"),
        "{told}"
    );
    assert!(!told.contains("bob"), "{told}");
    says(&user.tool(SUM), 3, "expected bob/*, found ada/adder");
    let explained = user.tool("policy explain adder");
    assert_eq!(explained.code(), 3, "{}", explained.stderr());
    assert!(
        explained.stdout().contains("refused"),
        "{}",
        explained.stdout()
    );
    write(&user, &strict);
    is_told_of(&mut client, 2);
    write(&user, &strict.replace("allowed", "alowed"));
    is_told_of(&mut client, 0);
    client.leave();
    for command in [
        SUM,
        "serve",
        "update",
        "list",
        "policy explain",
        "load ada/adder",
    ] {
        says(
            &user.tool(command),
            3,
            "a policy cannot be read, so nothing may be used",
        );
        says(&user.tool(command), 3, "unknown field `alowed`");
    }
    assert_eq!(user.tool("doctor").code(), 1);

    // Rights have ceilings: of what was granted, and of what the manifest says of limits.
    write(&user, "capabilities.memory_mib = 64");
    says(
        &user.tool(SUM),
        3,
        "expected at most 64 MiB a call, in the manifest, found 256 MiB",
    );
    write(&user, "versions.min_age_days = 1");
    let young = "expected at least 1 days since it was published, found 0 days";
    says(&user.tool(SUM), 3, young);
    write(
        &user,
        "signers.required = true\nversions.refuse_yanked = 'broken'",
    );
    assert_eq!(user.tool(SUM).ok(), "3\n");
    ada.run(["yank", "ada/adder@1.0.0", "--reason", "it forgets to carry"])
        .ok();
    user.tool("inspect ada/adder");
    says(&user.tool(SUM), 3, "`versions.refuse_yanked`");
}

/// The mirror that a user names in a registry's place has to be on the list itself.
fn mirrors_are_judged() {
    let published = Published::new();
    let registry = published.registry.url();
    let mirror = RegistryProcess::serve(mirroring(registry), &[]);
    let user = published.registry.visitor();
    write(&user, &format!("sources.registries = [{registry:?}]\n"));
    load(&user, TOOL, &[]);
    lead(&user, registry, mirror.url());
    let found = format!(
        "found {}/, which `mirrors` in config.toml names",
        mirror.url()
    );
    for command in [&format!("load {TOOL}"), "update", SUM] {
        let refused = user.tool(command);
        says(&refused, 3, "`sources.registries` of ");
        says(
            &refused,
            3,
            "policy.toml: expected no mirror, or one of these: ",
        );
        says(&refused, 3, &found);
        says(
            &refused,
            3,
            "hint: use a registry that the rule names; `mirrors`",
        );
    }
    let explained = user.tool("policy explain adder");
    assert_eq!(explained.code(), 3, "{}", explained.stderr());
    assert!(
        explained.stdout().contains(mirror.url()),
        "{}",
        explained.stdout()
    );
    let both = format!("sources.registries = [{registry:?}, {:?}]\n", mirror.url());
    write(&user, &both);
    assert_eq!(user.tool(SUM).ok(), "3\n");
    load(&user, TOOL, &[]);
}

/// A policy is held against what a tool calls, too, and every command says which tool it refuses.
fn dependencies_are_judged() {
    let (registry, _ada) = dependencies::published();
    let user = registry.visitor();
    load(&user, "ada/forecast", &[]);
    let whole = digest(&user, "ada/forecast");
    let grant = "grant forecast.units --allow-var UNITS_KEY --approve";
    user.run(grant.split(' ').chain([whole.as_str()])).ok();
    let explained = user.tool("policy explain forecast");
    says(&explained, 0, "no policy is in force");

    write(&user, "capabilities.variables = []");
    let why = "`forecast.units` is refused by the rule `capabilities.variables`";
    let call = user.tool("call forecast x=1");
    says(&call, 3, why);
    says(&call, 3, "expected nothing, found UNITS_KEY");
    let explained = user.tool("policy explain forecast");
    says(
        &explained,
        3,
        "`forecast` is refused because of forecast.units",
    );
    let shown = explained.stdout();
    assert!(
        shown.contains("forecast.units  capabilities.variables  refused"),
        "{shown}"
    );
    let explained = user.tool("policy explain forecast --json");
    assert_eq!(explained.code(), 3);
    let json: Value = serde_json::from_str(&explained.stdout()).expect("JSON");
    assert_eq!(json["passes"], false, "{json}");
    assert_eq!(json["policies"][0]["rules"][0]["passes"], true, "{json}");
    let units = &json["dependencies"][0];
    assert_eq!(
        (&units["tool"], &units["passes"]),
        (&json!("forecast.units"), &json!(false))
    );
    let verified = user.tool("verify");
    says(
        &verified,
        3,
        "hint: ask whoever wrote the policy; all rules are shown by: tool policy explain",
    );
    assert!(
        !verified.stderr().contains("load it again"),
        "{}",
        verified.stderr()
    );

    write(&user, "capabilities.variables = ['UNITS_KEY']");
    says(
        &user.tool("policy explain forecast"),
        0,
        "`forecast` passes every rule",
    );
    let units = "sources.repos = ['ada/forecast']";
    write(&user, units);
    says(
        &user.tool("policy explain forecast"),
        3,
        "because of forecast.units",
    );
    let inspected = user.tool("inspect ada/forecast");
    says(&inspected, 0, "warning: ada/units");
    says(&inspected, 0, "all rules are shown by: tool policy explain");
    assert!(
        !inspected.stderr().contains("load it with"),
        "{}",
        inspected.stderr()
    );
}

/// Runs a line at a shell on a machine whose administrator wrote `policy`, with modes of the file
/// and of its directory.
fn on_a_machine(user: &Home, policy: &str, modes: [u32; 2], line: &str) -> Ran {
    let written = user.write("policy.toml", policy);
    fs::set_permissions(&written, fs::Permissions::from_mode(0o600)).expect("a mode");
    let [file, directory] = modes.map(|mode| format!("{mode:o}"));
    // Nothing of the real /etc is touched: the mounts are seen by these processes only.
    let script = format!(
        "mkdir -p etc && mount --rbind /etc etc && mount -t tmpfs none /etc && \
         ln -s \"$PWD\"/etc/* /etc/ && rm -f /etc/tool-hub && mkdir /etc/tool-hub && \
         cp policy.toml /etc/tool-hub/ && chmod {file} /etc/tool-hub/policy.toml && chmod {directory} /etc/tool-hub && {line}"
    );
    let mut command = user.program_among("unshare", &[]);
    command.args(["--map-root-user", "--mount", "sh", "-c", &script]);
    user.ran(command)
}

fn nobody_loosens_it() {
    let published = Published::new();
    let user = published.user();
    let usual = [0o644, 0o755];
    let run = |policy: &str, line: &str| on_a_machine(&user, policy, usual, line);
    let sum = format!("tool {SUM}");
    assert_eq!(run("", &sum).ok(), "3\n");
    let nobody = "sources.repos = []";
    let why = "is refused by the rule `sources.repos` of /etc/tool-hub/policy.toml";
    says(&run(nobody, &sum), 3, why);

    // Not a file of the user's or of a project's, nor a variable, loosens what the machine says.
    write(&user, "sources.repos = ['ada/*']");
    user.write("toolbox.toml", "");
    says(
        &run(nobody, "cd / && tool policy explain adder"),
        3,
        "/etc/tool-hub/policy.toml",
    );
    fs::remove_file(user.work().join("toolbox.toml")).expect("a file");
    let approve = digest(&user, TOOL);
    for variables in [
        "TOOL_HUB_HOME=$HOME/elsewhere",
        "TOOL_HUB_HOME= XDG_CONFIG_HOME=$HOME/a XDG_DATA_HOME=$HOME/b",
        "TOOL_HUB_POLICY=/dev/null TOOL_HUB_HOME=$HOME/elsewhere",
    ] {
        let line = format!("{variables} tool load {TOOL} --approve {approve}");
        says(&run(nobody, &line), 3, why);
    }
    // The user's own file forbids more.
    write(&user, "capabilities.memory_mib = 1");
    says(
        &run("sources.repos = ['ada/*']", &sum),
        3,
        "`capabilities.memory_mib`",
    );
    fs::remove_file(user.tool_home().join("policy.toml")).expect("a file");

    // A file that others could have put there is not believed, and nothing is used meanwhile.
    for modes in [[0o666, 0o755], [0o644, 0o777]] {
        let swapped = on_a_machine(&user, "sources.repos = ['ada/*']", modes, &sum);
        says(
            &swapped,
            3,
            "a policy cannot be read, so nothing may be used",
        );
        says(&swapped, 3, "cannot be trusted");
    }
    says(
        &run("sources = 1", &sum),
        3,
        "a policy cannot be read, so nothing may be used",
    );
    let listed = run(nobody, "tool doctor --json");
    assert!(
        listed
            .stdout()
            .contains("/etc/tool-hub/policy.toml with the digest sha256:"),
        "{}",
        listed.stdout()
    );
}
