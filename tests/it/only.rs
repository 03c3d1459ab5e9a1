//! Tests of `tool serve --only`: one tool without a toolbox, approved by its digest in a flag.

use serde_json::json;

use crate::support::adder::adder;
use crate::support::client::call;
use crate::support::loading::{digest, publish};
use crate::support::{Client, Home, Need, RegistryProcess, Test, test};

pub(crate) fn tests() -> Vec<Test> {
    vec![
        test("only::a_tool_of_a_registry", a_tool_of_a_registry).needs(&[Need::RustGuests]),
        test("only::a_component_at_a_path", a_component_at_a_path),
        test(
            "only::the_rights_are_in_the_flags",
            the_rights_are_in_the_flags,
        )
        .needs(&[Need::RustGuests]),
        test("only::what_is_refused", what_is_refused).needs(&[Need::RustGuests]),
    ]
}

fn a_tool_of_a_registry() {
    let registry = RegistryProcess::start();
    let repo = publish(&registry, "text-stats");
    let approved = digest(&registry.visitor(), &repo);
    let user = registry.visitor();
    let serve = || user.command(["serve", "--only", &repo, "--approve", &approved]);

    let mut client = Client::start(serve());
    assert!(
        client
            .tools()
            .contains(&"text_stats__count_words".to_owned())
    );
    let text = json!({ "text": "one two three" });
    let words = call(&mut client, "text_stats__count_words", text.clone());
    assert_eq!(words, 3);
    client.leave();
    for file in ["toolbox.toml", "toolbox.lock", "approvals.toml"] {
        assert!(!user.tool_home().join(file).exists(), "{file}");
    }

    // What was pulled once needs no registry.
    drop(registry);
    let mut client = Client::start(serve());
    assert_eq!(call(&mut client, "text_stats__count_words", text), 3);
    client.leave();
    let other = user.run([
        "serve",
        "--only",
        "other/text-stats",
        "--approve",
        &approved,
    ]);
    assert_ne!(other.code(), 0, "another repo's package");
}

fn a_component_at_a_path() {
    let home = Home::new();
    let path = home.write("adder.wasm", adder());
    let path = path.to_string_lossy();
    let approved = digest(&home, &path);
    let mut client =
        Client::start(home.command(["serve", "--only", &path, "--approve", &approved]));
    assert_eq!(client.tools(), ["adder__add", "adder__sum_up"]);
    client.leave();
}

fn the_rights_are_in_the_flags() {
    let registry = RegistryProcess::start();
    let repo = publish(&registry, "tally");
    let user = registry.visitor();
    let approved = digest(&user, &repo);
    let serve = |flags: &[&str]| {
        let command = ["serve", "--only", &repo, "--approve", &approved];
        Client::start(user.command([&command, flags].concat()))
    };
    let tea = json!({ "counter": "tea" });
    for expected in [1, 2] {
        let mut client = serve(&["--allow-storage"]);
        assert_eq!(call(&mut client, "tally__add", tea.clone()), expected);
        client.leave();
    }
    let mut client = serve(&[]);
    let refused = call(&mut client, "tally__add", tea);
    let refused = refused.as_str().expect("a failure");
    assert!(refused.contains("storage"), "{refused}");
    client.leave();
}

fn what_is_refused() {
    let registry = RegistryProcess::start();
    let repo = publish(&registry, "text-stats");
    let user = registry.visitor();
    let approved = digest(&user, &repo);
    let other = format!("sha256:{}", "0".repeat(64));
    let version = format!("{repo}@^7");
    for (arguments, code, expected) in [
        (
            &["--only", &repo, "--approve", &other][..],
            3,
            "the approval names sha256:000",
        ),
        (&["--only", &repo], 1, "--approve"),
        (&["--approve", &approved], 1, "--only names none"),
        (&["--allow-storage"], 1, "--only names none"),
        (
            &["--only", &repo, "--approve", &approved, "--allow-storage"],
            3,
            "storage",
        ),
        (
            &["--only", &repo, "--approve", &approved, "--toolbox", "."],
            1,
            "--toolbox",
        ),
        (&["--only", &version, "--approve", &approved], 1, "7"),
    ] {
        let ran = user.run([&["serve"], arguments].concat());
        assert_eq!(ran.code(), code, "{arguments:?}: {}", ran.stderr());
        let told = ran.stderr();
        assert!(told.contains(expected), "{arguments:?}: {told}");
    }
}
