//! Tests of a log in a data set, as of a registry that keeps none: of who writes it, and of users.

mod yanks;

use serde_json::Value;
use tool_hub_transparency::LogSigner;

use crate::public_clients::{python, said};
use crate::signatures::published::{self as signed, new_key};
use crate::support::adder::package;
use crate::support::loading::{digest, load};
use crate::support::proxy::Switching;
use crate::support::ran::says;
use crate::support::{Home, Need, RegistryProcess, Test, test};

pub(crate) fn tests() -> Vec<Test> {
    vec![
        test("dataset_logs::it_is_followed", it_is_followed),
        test("dataset_logs::new_versions_wait", new_versions_wait),
        test(
            "dataset_logs::yanks_are_followed",
            yanks::yanks_are_followed,
        ),
        test(
            "dataset_logs::a_malicious_version_is_held",
            yanks::a_malicious_version_is_held,
        ),
        test("dataset_logs::anybody_mirrors_it", anybody_mirrors_it).needs(&[Need::PythonPackages]),
        test("dataset_logs::mistakes_are_told", mistakes_are_told),
        test(
            "dataset_logs::a_history_that_went_back_is_not_signed",
            a_history_that_went_back_is_not_signed,
        ),
        test(
            "dataset_logs::two_writers_make_one_log",
            two_writers_make_one_log,
        ),
        test("dataset_logs::signers_are_logged", signers_are_logged),
        test(
            "dataset_logs::whole_owners_are_taken",
            whole_owners_are_taken,
        ),
    ]
}

/// A registry with a tool of Ada's, and its log in a data set of Acme's.
struct Scene {
    registry: RegistryProcess,
    ada: Home,
    acme: Home,
    key: String,
}

impl Scene {
    fn new() -> Self {
        let registry = RegistryProcess::start();
        let (ada, acme) = (registry.member("ada"), registry.member("acme"));
        push(&ada, "1.0.0");
        let begun = write(&acme, "ada/adder --new");
        assert_eq!(begun["records"], 1, "{begun}");
        let key = begun["key"].as_str().expect("a key").to_owned();
        Self {
            registry,
            ada,
            acme,
            key,
        }
    }

    /// A user whose registry has that log.
    fn user(&self) -> Home {
        let user = self.registry.visitor();
        user.configure(&self.config(self.registry.url(), ""));
        user
    }

    /// The lines of `config.toml` for the registry at `url`.
    fn config(&self, url: &str, more: &str) -> String {
        let key = &self.key;
        format!("[logs.\"{url}\"]\ndataset = \"acme/tool-log\"\nkey = \"{key}\"\n{more}")
    }
}

fn push(author: &Home, version: &str) {
    package(author, "adder", |manifest| {
        manifest.version = version.parse().expect("a version");
    });
    author.write("adder/README.md", CARD);
    author.tool("push -C adder").ok();
}

/// A card by which a tool is found.
const CARD: &str = "---\ntags: [tool-hub]\n---\n# adder\n";

/// Writes the log, and reads what is said of it.
#[track_caller]
fn write(acme: &Home, repos: &str) -> Value {
    acme.tool(&write_line(repos)).json()
}

fn write_line(repos: &str) -> String {
    format!("registry log acme/tool-log {repos} --key log.key --json")
}

fn it_is_followed() {
    let scene = Scene::new();
    let user = scene.user();
    load(&user, "ada/adder", &[]);
    let lock = std::fs::read_to_string(user.tool_home().join("toolbox.lock")).expect("the lock");
    assert!(lock.contains("[tools.adder.logged]\nindex = 0\n"), "{lock}");
    let known = user.tool_home().join("known_logs.toml");
    let known = std::fs::read_to_string(known).expect("the logs");
    assert!(known.contains(&scene.key), "{known}");
    let inspected = user.tool("inspect ada/adder").ok();
    assert!(inspected.contains(" by the registry's log"), "{inspected}");
    user.tool("verify --log").ok();
    let monitored = user.tool("registry monitor");
    let (name, _) = scene.key.split_once('+').expect("a name");
    says(&monitored, 0, &format!("1 record of {name}, 1 of them new"));
    assert!(
        monitored.stdout().contains("ok, record 0"),
        "{}",
        monitored.stdout()
    );

    // A version that the log does not have yet is passed over, and refused by its number.
    push(&scene.ada, "1.1.0");
    let waits = user.tool("update --accept-code");
    says(&waits, 0, "has no record of ada/adder 1.1.0 yet");
    says(&waits, 0, "1.0.0 is taken in its place");
    says(&waits, 0, "adder: current at 1.0.0");
    for line in ["load ada/adder@1.1.0", "inspect ada/adder@1.1.0"] {
        let refused = user.tool(line);
        says(
            &refused,
            3,
            "acme/tool-log has no record of ada/adder 1.1.0 yet",
        );
        says(
            &refused,
            3,
            "hint: nothing was loaded; wait until whoever keeps the data set",
        );
    }
    // A tool that the log does not cover is not taken at all.
    let eve = scene.registry.member("eve");
    push(&eve, "1.0.0");
    says(
        &user.tool("load eve/adder --allow-new"),
        3,
        "has no record of eve/adder 1.0.0 yet",
    );

    let written = write(&scene.acme, "ada/adder eve/adder");
    assert_eq!(
        (&written["records"], &written["new_records"]),
        (&3.into(), &2.into())
    );
    user.tool("update --accept-code").ok();
    let verified = user.tool("verify --log --json").json();
    assert_eq!(verified["tools"][0]["log"]["index"], 1, "{verified}");
    load(&user, "eve/adder", &["--as", "other"]);
    let again = write(&scene.acme, "ada/adder eve/adder");
    assert_eq!(again["commit"], Value::Null, "{again}");
    assert_eq!(again["new_records"], 0, "{again}");
}

fn new_versions_wait() {
    let scene = Scene::new();
    let user = scene.user();
    let config = scene.config(scene.registry.url(), "");
    std::fs::write(user.tool_home().join("config.toml"), config).expect("config.toml");
    let approve = digest(&user, "ada/adder");
    let refused = user.run(["load", "ada/adder", "--approve", &approve]);
    says(&refused, 3, "ada/adder 1.0.0 was published at 20");
    let taken = user.run(["load", "ada/adder", "--allow-new", "--approve", &approve]);
    taken.ok();
    let lock = std::fs::read_to_string(user.tool_home().join("toolbox.lock")).expect("the lock");
    assert!(lock.contains("taken_new = true"), "{lock}");
}

/// A copy of the data set by a public client.
const COPY: &str = r#"
import sys
from huggingface_hub import HfApi
source, target, token, directory = sys.argv[1:]
HfApi(endpoint=source, token=False).snapshot_download(
    "acme/tool-log", repo_type="dataset", local_dir=directory)
copy = HfApi(endpoint=target, token=token)
copy.create_repo("eve/copy", repo_type="dataset", exist_ok=True)
copy.upload_folder(repo_id="eve/copy", repo_type="dataset", folder_path=directory,
    ignore_patterns=[".cache/*"])
"#;

fn anybody_mirrors_it() {
    let (scene, elsewhere) = (Scene::new(), RegistryProcess::start());
    let token = elsewhere.user("eve");
    let copy = || {
        let directory = scene.acme.work().join("copy");
        let mut line = python();
        line.args(["-c", COPY, scene.registry.url(), elsewhere.url(), &token]);
        said(line.arg(directory));
    };
    copy();
    let user = scene.registry.visitor();
    let place = format!("endpoint = \"{}\"\n", elsewhere.url());
    let config = scene.config(scene.registry.url(), &place);
    user.configure(&config.replace("= \"acme/tool-log", "= \"eve/copy"));
    load(&user, "ada/adder", &[]);
    user.tool("verify --log").ok();
    // A copy that lags is another state of the same log, and nothing else.
    push(&scene.ada, "1.1.0");
    write(&scene.acme, "ada/adder");
    says(
        &user.tool("update"),
        0,
        "eve/copy has no record of ada/adder 1.1.0 yet",
    );
    copy();
    user.tool("update --accept-code").ok();
    // Whoever has seen the copy goes on with the original.
    user.configure(&scene.config(scene.registry.url(), ""));
    user.tool("verify --log").ok();
}

fn mistakes_are_told() {
    let scene = Scene::new();
    let (user, acme) = (scene.user(), &scene.acme);
    let url = scene.registry.url();
    let config = scene.config(url, "");
    for (wrong, expect) in [
        (
            scene.config(url, "mirror = \"x\"\n"),
            "unknown field `mirror`",
        ),
        (
            config.replace(&scene.key, "a+b+c"),
            "a log's key is name+number+key",
        ),
        (
            config.replace("= \"acme/tool-log", "= \"tool-log"),
            "tool-log",
        ),
    ] {
        user.configure(&wrong);
        says(&user.tool("inspect ada/adder"), 1, expect);
    }
    user.configure(&config.replace("= \"acme/tool-log", "= \"acme/other"));
    let refused = user.tool("load ada/adder");
    says(
        &refused,
        3,
        "the data set acme/other, which is the log, is not there, or is private",
    );

    for (line, code, expect) in [
        (
            "ada/adder --key none.key",
            1,
            "there is no key of the log in",
        ),
        (
            "ada/adder --key log.key --new",
            1,
            "acme/tool-log has a log already",
        ),
        ("ada/none --key log.key", 1, "1 repo could not be looked at"),
        (
            "ada/adder --key open.key",
            3,
            "open.key can be read by others than you",
        ),
        (
            "ada/adder --key wrong.key",
            1,
            "wrong.key holds no private key of a log",
        ),
        (
            "ada/adder --key other.key",
            3,
            "is not signed by the key of the log",
        ),
    ] {
        acme.write_private("wrong.key", "hello");
        acme.write("open.key", other_key());
        acme.write_private("other.key", other_key());
        let ran = acme.tool(&format!("registry log acme/tool-log {line}"));
        says(&ran, code, expect);
    }
    let ran = acme.tool("registry log acme/none ada/adder --key log.key");
    says(&ran, 1, "acme/none is not on ");
    let stranger = scene.registry.visitor();
    stranger.write_private("log.key", key_text(acme));
    push(&scene.ada, "1.1.0");
    says(&stranger.tool(&write_line("ada/adder")), 1, "wants a token");
}

fn key_text(acme: &Home) -> String {
    std::fs::read_to_string(acme.work().join("log.key")).expect("the key")
}

fn other_key() -> String {
    LogSigner::private_key("hub.example/datasets/acme/tool-log", &[7; 32]).expect("a key")
}

fn a_history_that_went_back_is_not_signed() {
    let scene = Scene::new();
    let (ada, acme) = (&scene.ada, &scene.acme);
    scene.registry.operator().tool("registry backup copy").ok();
    let copy = scene.registry.operator().work().join("copy");
    push(ada, "1.1.0");
    write(acme, "ada/adder");
    let user = scene.user();
    load(&user, "ada/adder", &[]);

    let earlier = RegistryProcess::restored(&copy);
    let there = |line: &str| {
        let mut words = vec!["--endpoint", earlier.url()];
        words.extend(line.split_whitespace());
        acme.run(words)
    };
    let token = earlier
        .operator()
        .run(["registry", "token", "create", "acme", "--quiet"])
        .ok();
    let login = format!("--endpoint {} login --token-stdin", earlier.url());
    acme.run_with_input(&login, token.trim()).ok();
    let refused = there(&write_line("ada/adder"));
    says(
        &refused,
        3,
        "acme/tool-log is not the one that was signed here before",
    );
    says(&refused, 3, "the log has 1 records, and had 2 before");
    says(&refused, 3, "hint: nothing was signed");
    // Whoever has the key and no note of what it signed goes on with what there is: a fork, which
    // users find out.
    std::fs::remove_file(acme.work().join("log.key.signed.toml")).expect("the note");
    let eve = earlier.member("eve");
    push(&eve, "1.0.0");
    there(&write_line("eve/adder")).ok();
    let wire = Switching::start(scene.registry.url());
    user.configure(&scene.config(wire.url(), ""));
    let user = user.with("HF_ENDPOINT", wire.url());
    load(&user, "ada/adder", &["--as", "again"]);
    wire.lead_to(earlier.url());
    says(
        &user.tool("load ada/adder"),
        3,
        "the log of 2 records does not begin with the 2 records that were seen before",
    );
}

fn two_writers_make_one_log() {
    let scene = Scene::new();
    for version in ["1.1.0", "1.2.0", "1.3.0"] {
        push(&scene.ada, version);
        let operator = scene.registry.operator();
        let token = operator.tool("registry token create acme --quiet").ok();
        let others: Vec<Home> = (0..2)
            .map(|_| {
                let other = scene.registry.signed_in(token.trim());
                other.write_private("log.key", key_text(&scene.acme));
                other
            })
            .collect();
        let line = write_line("ada/adder");
        let runs = others.iter().map(|other| {
            let mut run = other.command(line.split_whitespace());
            run.stdout(std::process::Stdio::piped());
            run.stderr(std::process::Stdio::piped());
            run.spawn().expect("the command starts")
        });
        let runs: Vec<_> = runs.collect();
        let ended = runs
            .into_iter()
            .map(|run| run.wait_with_output().expect("it ends"));
        let ended: Vec<_> = ended.collect();
        assert!(ended.iter().any(|run| run.status.success()), "{ended:?}");
        for run in ended.iter().filter(|run| !run.status.success()) {
            let said = String::from_utf8_lossy(&run.stderr);
            assert!(
                said.contains("changed by somebody else meanwhile"),
                "{said}"
            );
        }
        for other in &others {
            assert_eq!(write(other, "ada/adder")["new_records"], 0);
        }
    }
    assert_eq!(write(&scene.acme, "ada/adder")["records"], 4);
    let user = scene.user();
    load(&user, "ada/adder@1.3.0", &[]);
    user.tool("verify --log").ok();
}

fn whole_owners_are_taken() {
    let scene = Scene::new();
    let (registry, acme) = (&scene.registry, &scene.acme);
    let eve = registry.member("eve");
    push(&eve, "1.0.0");
    package(&scene.ada, "other", |_| ());
    scene.ada.write("other/README.md", CARD);
    scene.ada.tool("push ada/other -C other").ok();
    // A private tool is nothing for a log that everybody reads, even if the writer may read it.
    package(acme, "secret", |_| ());
    acme.write("secret/README.md", CARD);
    acme.tool("push acme/secret -C secret --private").ok();
    let ran = acme.run([
        "registry",
        "log",
        "acme/tool-log",
        "ada/*",
        "acme/*",
        "--key",
        "log.key",
        "--json",
    ]);
    assert_eq!(ran.json()["records"], 2);
    assert_eq!(write(acme, "--all")["records"], 3);
    let user = scene.user();
    for tool in ["ada/other", "eve/adder"] {
        user.tool(&format!("inspect {tool}")).ok();
    }
}

/// Whoever writes the log reads by whom each version is signed.
fn signers_are_logged() {
    let scene = Scene::new();
    let (ada, acme) = (&scene.ada, &scene.acme);
    let [adas, eves] = ["release", "eve"].map(|name| new_key(ada, name, "p256"));
    signed::push(ada, "1.1.0", Some("release"));
    let written = write(acme, "ada/adder");
    assert_eq!(written["new_records"], 2, "{written}");
    signed::push(ada, "1.2.0", Some("release"));
    signed::push(ada, "1.3.0", Some("eve"));
    signed::push(ada, "1.4.0", None);
    let written = write(acme, "ada/adder");
    assert_eq!(written["new_records"], 5, "{written}");
    assert_eq!(write(acme, "ada/adder")["new_records"], 0);

    let user = scene.user();
    let read = user.tool("registry monitor --of ada/* --json").json();
    let signers: Vec<_> = read["events"]
        .as_array()
        .expect("events")
        .iter()
        .map(|event| &event["record"])
        .filter(|record| record["kind"] == "signer")
        .map(|record| (&record["version"], &record["signer"]["key"]))
        .collect();
    let expect = [
        ("1.1.0", Some(&adas)),
        ("1.3.0", Some(&eves)),
        ("1.4.0", None),
    ];
    let expect = expect.map(|(version, key)| (Value::from(version), Value::from(key.cloned())));
    assert_eq!(
        signers,
        expect
            .iter()
            .map(|(version, key)| (version, key))
            .collect::<Vec<_>>()
    );
    for version in ["1.0.0", "1.1.0", "1.2.0", "1.3.0", "1.4.0"] {
        let user = scene.user();
        load(&user, &format!("ada/adder@{version}"), &[]);
        user.tool("registry monitor").ok();
    }
}
