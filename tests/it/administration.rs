//! Tests of the commands that administer a registry: tokens, quotas, and errors for mistakes.
//! A mistyped directory does not become a registry.

use std::net::TcpListener;

use serde_json::{Value, json};

use crate::support::ran::check;
use crate::support::{Home, Need, Ran, RegistryProcess, Test, guests, test};

pub(crate) fn tests() -> Vec<Test> {
    vec![
        test("administration::names_and_ids", names_and_ids),
        test("administration::directories", directories),
        test("administration::a_port_in_use", a_port_in_use),
        test("administration::a_token_for_no_day", a_token_for_no_day),
        test("administration::tokens_are_listed", tokens_are_listed),
        test("administration::a_token_for_one_repo", a_token_for_one_repo)
            .needs(&[Need::RustGuests]),
        test(
            "administration::quotas_are_shown_and_set",
            quotas_are_shown_and_set,
        ),
        test("administration::a_quota_is_kept", a_quota_is_kept).needs(&[Need::RustGuests]),
        test("administration::what_is_mistyped", what_is_mistyped),
        test("administration::shells_complete_it", shells_complete_it),
        test("administration::users_need_no_data", users_need_no_data),
    ]
}

fn with_ada() -> Home {
    let home = Home::new();
    home.tool("registry user add ada").ok();
    home
}

fn names_and_ids() {
    let home = with_ada();
    let taken = home.tool("registry user add Ada");
    check("registry_name_taken", &taken, 1);
    let nobody = home.tool("registry token create bob");
    check("registry_no_such_user", &nobody, 1);
    let nothing = home.tool("registry token revoke 9999");
    check("registry_no_such_token", &nothing, 1);
}

fn directories() {
    let home = Home::new();
    home.write("file", "");
    home.write("occupied/registry.sqlite", "this is no database");
    let before = home.files();
    for line in [
        "user list",
        "token list ada",
        "token create ada",
        "org member acme ada",
    ] {
        let ran = home.tool(&format!("registry --data tpyo {line}"));
        check("registry_not_there", &ran, 1);
    }
    let file = home.tool("registry --data file user list");
    check("registry_not_a_directory", &file, 1);
    let occupied = home.tool("registry --data occupied user list");
    check("registry_not_a_database", &occupied, 1);
    assert_eq!(home.files(), before);
    home.tool("registry --data new user add ada").ok();
    assert!(
        home.tool("registry --data new user list")
            .ok()
            .contains("ada")
    );
}

fn a_port_in_use() {
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = taken.local_addr().expect("an address");
    let ran: Ran = Home::new().tool(&format!("registry serve --listen {address}"));
    check("registry_port_in_use", &ran, 1);
}

/// A token that is refused from the start is of no use to anybody.
fn a_token_for_no_day() {
    let home = with_ada();
    let refused = home.tool("registry token create ada --expires-days 0");
    assert_eq!(refused.code(), 1, "{}", refused.stderr());
    assert!(
        refused.stderr().contains("0 is not in 1..=65535"),
        "{}",
        refused.stderr()
    );
    let tokens = home.tool("registry token list ada --json").json();
    assert_eq!(tokens["tokens"], serde_json::json!([]));
}

fn tokens_are_listed() {
    let home = with_ada();
    home.tool("registry token create ada --name all").ok();
    home.tool("registry token create ada --name few --role read --repo ada/a --repo Acme/* --expires-days 2")
        .ok();
    let tokens = home.tool("registry token list ada --json").json();
    let token = |which: usize, key: &str| tokens["tokens"][which][key].clone();
    assert_eq!(token(0, "repos"), Value::Null);
    assert_eq!(token(0, "expires"), Value::Null);
    assert_eq!(token(1, "repos"), json!(["ada/a", "acme/*"]));
    assert_eq!(token(1, "role"), "read");
    let expires = token(1, "expires");
    let expires = expires.as_str().expect("an instant");
    assert!(expires.ends_with('Z'), "{expires}");

    let listed = home.tool("registry token list ada").ok();
    let mut lines = listed
        .lines()
        .map(|line| {
            line.split("  ")
                .map(str::trim)
                .filter(|cell| !cell.is_empty())
        })
        .map(Iterator::collect::<Vec<_>>);
    let mut line = || lines.next().expect("a line");
    assert_eq!(line(), ["ID", "NAME", "ROLE", "REPOS", "EXPIRES", "STATE"]);
    assert_eq!(line()[1..], ["all", "write", "all", "never", "good"]);
    let day = &expires[..10];
    assert_eq!(line()[1..], ["few", "read", "ada/a, acme/*", day, "good"]);
}

/// The token opens the repo that it was made for, and no other of its user's.
fn a_token_for_one_repo() {
    let registry = RegistryProcess::start();
    registry.user("ada");
    let made = registry
        .operator()
        .tool("registry token create ada --repo ada/calculator --quiet");
    let home = registry.visitor();
    home.run_with_input("login --token-stdin", &made.ok()).ok();
    let project = guests::built("calculator");
    let push = |repo: &str| home.run(["push", repo, "-C", &project.to_string_lossy()]);
    let elsewhere = push("ada/other");
    assert_eq!(elsewhere.code(), 1, "{}", elsewhere.stderr());
    push("ada/calculator").ok();
    let found = home.tool("search --json").json();
    let tools = found["tools"].as_array().expect("tools");
    assert_eq!(tools.len(), 1, "{found}");
}

fn quotas_are_shown_and_set() {
    let home = with_ada();
    home.tool("registry org add acme").ok();
    let none = home.tool("registry user quota ada").ok();
    assert_eq!(none, "OWNER  USED  QUOTA\nada    0 B   none\n");
    let set = home.tool("registry org quota acme 20GiB").ok();
    assert_eq!(set, "OWNER  USED  QUOTA\nacme   0 B   20 GiB\n");
    let kept = home.tool("registry org quota acme --json").json();
    let expect = json!({ "owner": "acme", "used_bytes": 0, "quota_bytes": 20u64 << 30 });
    assert_eq!(kept, expect);
    let taken = home.tool("registry org quota acme none --json").json();
    assert_eq!(taken["quota_bytes"], Value::Null);
}

fn a_quota_is_kept() {
    let registry = RegistryProcess::start();
    let author = registry.member("ada");
    let operator = registry.operator();
    operator.tool("registry user quota ada 1kB").ok();
    let project = guests::built("calculator");
    let push = || author.run(["push", "-C", &project.to_string_lossy()]);
    let refused = push();
    assert_ne!(refused.code(), 0);
    let said = refused.stderr();
    assert!(said.contains("Storage limit reached"), "{said}");
    operator.tool("registry user quota ada none").ok();
    push().ok();

    let lowered = operator.tool("registry user quota ada 1kB");
    let used = lowered.ok();
    assert!(used.contains("ada    ") && !used.contains(" 0 B"), "{used}");
    let said = lowered.stderr();
    assert!(
        said.contains("warning: ada keeps more than the quota allows"),
        "{said}"
    );
}

fn what_is_mistyped() {
    let home = with_ada();
    let pattern = home.tool("registry token create ada --repo calculator");
    check("registry_not_a_repo", &pattern, 1);
    let size = home.tool("registry user quota ada 20G");
    check("registry_not_a_size", &size, 1);
    let nobody = home.tool("registry user quota bob");
    check("registry_no_such_owner", &nobody, 1);
    let repos: String = (0..51)
        .map(|index| format!(" --repo ada/r{index}"))
        .collect();
    let many = home.tool(&format!("registry token create ada{repos}"));
    check("registry_too_many_repos", &many, 1);
    let tokens = home.tool("registry token list ada --json").json();
    assert_eq!(tokens["tokens"], json!([]), "nothing was made on the way");
}

fn shells_complete_it() {
    let script = Home::new().tool("completions bash").ok();
    for (after, offers) in [
        (
            "tool__subcmd__registry__subcmd__token__subcmd__create)",
            "--repo",
        ),
        ("tool__subcmd__registry__subcmd__org)", "quota"),
        ("tool__subcmd__registry__subcmd__user)", "quota"),
    ] {
        let (_, case) = script.split_once(&format!(" {after}\n")).expect(after);
        let words = case.lines().next().expect("the words on offer");
        assert!(
            words.split([' ', '"']).any(|word| word == offers),
            "{words}"
        );
    }
}

/// Commands that reach a registry over HTTP have no options for the place of its data.
fn users_need_no_data() {
    let home = Home::new();
    for (command, is_for_users) in [
        ("scrub", false),
        ("monitor", true),
        ("log", true),
        ("publisher", true),
        ("publisher add", true),
    ] {
        let help = home.tool(&format!("registry {command} --help")).ok();
        for option in ["--data", "--database", "--storage"] {
            let told = help.contains(&format!("{option} <"));
            assert_eq!(told, !is_for_users, "{command}: {help}");
        }
    }
    // They are passed over, as before the name of the command.
    let nowhere = "monitor http://127.0.0.1:9";
    for line in [format!("--data x {nowhere}"), format!("{nowhere} --data x")] {
        let ran = home.tool(&format!("registry {line}"));
        assert_eq!(ran.code(), 1, "{}", ran.stderr());
        assert!(ran.stderr().contains("127.0.0.1:9"), "{}", ran.stderr());
    }
}
