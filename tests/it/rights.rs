//! Tests of `tool grant` and `tool revoke`: more rights need consent, and fewer hold at once.
//! Nobody else finds a tool's storage and variables.

use std::path::PathBuf;

use serde_json::json;
use tool_hub_host::authoring::derive_manifest;
use tool_hub_manifest::{Methods, VariableRequest};

use crate::support::adder::adder;
use crate::support::loading::{digest, load};
use crate::support::{Home, Need, Ran, Terminal, Test, guests, test};

pub(crate) fn tests() -> Vec<Test> {
    vec![
        test("rights::granted_and_revoked", granted_and_revoked).needs(&[Need::RustGuests]),
        test("rights::kept_apart", kept_apart).needs(&[Need::RustGuests]),
        test("rights::what_a_tool_logs", what_a_tool_logs).needs(&[Need::RustGuests]),
        test("rights::granted_at_a_terminal", granted_at_a_terminal),
        test("rights::no_more_than_asked", no_more_than_asked),
        test("rights::by_method", by_method),
        test("rights::revoked_means_revoked", revoked_means_revoked),
        test("rights::no_former_lock_is_approved", no_former_lock),
        test(
            "rights::directories_by_their_real_path",
            directories_by_their_real_path,
        ),
    ]
}

fn tally() -> String {
    guests::built("tally").to_string_lossy().into_owned()
}

#[track_caller]
fn refused(ran: &Ran) -> String {
    assert_eq!(ran.code(), 3, "{}{}", ran.stdout(), ran.stderr());
    ran.stderr()
}

fn add(user: &Home) -> Ran {
    user.tool("call tally.add counter=tea")
}

fn granted_and_revoked() {
    let user = Home::new();
    load(&user, &tally(), &[]);
    let said = refused(&add(&user));
    assert!(
        said.contains("tool `tally` was refused storage: it is not granted"),
        "{said}"
    );
    assert!(
        said.contains("hint: a person can grant it: tool grant tally --allow-storage\n"),
        "{said}"
    );

    // What was never loaded is granted more where it is called.
    let (path, whole) = (tally(), digest(&user, &tally()));
    let said = refused(&user.run(["call", &path, "add", "counter=tea", "--approve", &whole]));
    let command = format!("hint: a person can grant it: tool call {path} --allow-storage\n");
    assert!(said.contains(&command), "{said}");

    // Nobody is there to ask, and the wrong digest is no consent.
    let said = refused(&user.tool("grant tally --allow-storage"));
    assert!(
        said.contains("`tally` is not approved, and nobody is there to ask"),
        "{said}"
    );
    let other = format!("sha256:{}", "0".repeat(64));
    refused(&user.run(["grant", "tally", "--allow-storage", "--approve", &other]));
    refused(&add(&user));

    let digest = digest(&user, &tally());
    let grant = ["grant", "tally", "--allow-storage", "--approve", &digest];
    let granted = user.run(grant);
    granted.ok();
    assert!(
        granted.stderr().ends_with("tally may use storage\n"),
        "{}",
        granted.stderr()
    );
    assert_eq!(add(&user).ok().trim(), "1");
    assert_eq!(add(&user).ok().trim(), "2");
    let again = user.tool("grant tally --allow-storage");
    again.ok();
    assert!(
        again.stderr().contains("granted already"),
        "{}",
        again.stderr()
    );

    let revoked = user.tool("revoke tally --storage --json").json();
    assert_eq!(revoked, json!({ "name": "tally", "grants": {} }));
    refused(&add(&user));
    user.run(grant).ok();
    assert_eq!(add(&user).ok().trim(), "3", "what it kept stayed");
    let totals = user.tool("call tally.totals --json").json();
    assert_eq!(
        totals["structured"],
        json!([{ "counter": "tea", "total": 3 }])
    );
    assert_eq!(
        user.tool("call tally.forget counter=tea").ok().trim(),
        "true"
    );
    assert_eq!(add(&user).ok().trim(), "1");

    user.tool("remove tally").ok();
    load(&user, &tally(), &["--allow-storage"]);
    assert_eq!(add(&user).ok().trim(), "2", "removing is not forgetting");
    let removed = user.tool("remove tally --storage");
    removed.ok();
    assert!(
        removed.stderr().ends_with("deleted its storage\n"),
        "{}",
        removed.stderr()
    );
    load(&user, &tally(), &["--allow-storage"]);
    assert_eq!(add(&user).ok().trim(), "1");
}

/// The same component from two places is two tools.
fn kept_apart() {
    let user = Home::new();
    let dist = PathBuf::from(tally()).join("dist");
    for file in ["tool.toml", "tool.wasm", "sbom.cdx.json"] {
        let contents = std::fs::read(dist.join(file)).expect("a file of the package");
        user.write(&format!("copy/{file}"), contents);
    }
    load(&user, &tally(), &["--allow-storage"]);
    load(&user, "./copy", &["--allow-storage", "--as", "copy"]);
    assert_eq!(add(&user).ok().trim(), "1");
    assert_eq!(add(&user).ok().trim(), "2");
    assert_eq!(user.tool("call copy.add counter=tea").ok().trim(), "1");
    // Under another name it is the same one.
    load(&user, &tally(), &["--allow-storage", "--as", "again"]);
    assert_eq!(user.tool("call again.add counter=tea").ok().trim(), "3");
    let storage = user.tool_home().join("storage");
    let kept = std::fs::read_dir(storage).expect("a directory");
    let databases = kept.filter(|entry| {
        let name = entry.as_ref().expect("an entry").file_name();
        name.to_string_lossy().ends_with(".sqlite3")
    });
    assert_eq!(databases.count(), 2);
}

fn what_a_tool_logs() {
    let user = Home::new().with("TOOL_HUB_LOG", "tool_hub_host::guest=info");
    load(&user, &tally(), &["--allow-storage"]);
    let ran = add(&user);
    assert_eq!(ran.ok().trim(), "1", "the log is no part of the answer");
    let said = ran.stderr();
    for part in ["INFO", "tea grew by 1 to 1", "context=\"add\"", "tally"] {
        assert!(said.contains(part), "{part} is not in:\n{said}");
    }
}

/// A person with the package of a tool that adds and asks for much.
fn with_asking() -> Home {
    let home = Home::new();
    let mut manifest = derive_manifest(&adder(), "adder".parse().expect("a name")).expect("a tool");
    let asked = &mut manifest.capabilities;
    let origin = |text: &str| text.parse().expect("an origin");
    asked
        .network
        .insert(origin("https://any.example"), Methods::Any);
    let methods = ["GET", "HEAD"].map(|method| method.parse().expect("a method"));
    asked.network.insert(
        origin("https://read.example"),
        Methods::Only(methods.into()),
    );
    asked.variables.push(VariableRequest {
        name: "API_KEY".parse().expect("a name"),
        secret: true,
        why: String::new(),
    });
    home.write("adder/tool.toml", manifest.to_toml());
    home.write("adder/tool.wasm", adder());
    home
}

fn grants(home: &Home) -> serde_json::Value {
    home.tool("list --json").json()["tools"][0]["grants"].clone()
}

const QUESTION: &str = "with these rights? Type yes to approve: ";

fn granted_at_a_terminal() {
    let home = with_asking();
    load(&home, "./adder", &[]);
    let granting = |arguments: &str| Terminal::start(home.command(arguments.split(' ')));

    let mut terminal = granting("grant adder --allow-var API_KEY");
    terminal.wait_for("Asks for");
    terminal.wait_for("It may then read $API_KEY");
    terminal.wait_for(QUESTION);
    terminal.answer("y");
    terminal.wait_for("Type the whole word yes to approve: ");
    terminal.answer("y");
    assert_eq!(terminal.end().status.code(), Some(3), "only the whole word");
    assert_eq!(grants(&home), json!({}));

    let mut terminal = granting("grant adder --allow-var API_KEY");
    terminal.wait_for(QUESTION);
    terminal.answer("yes");
    let ended = terminal.end();
    assert_eq!(ended.status.code(), Some(0), "{}", ended.shown);
    assert!(!ended.shown.contains("any.example?"), "{}", ended.shown);
    assert_eq!(grants(&home), json!({ "variables": ["API_KEY"] }));

    // Without a flag, everything is asked about that is not granted.
    let mut terminal = granting("grant adder");
    for (question, answer) in [
        ("Allow requests to https://any.example? [y/N] ", "n"),
        (
            "Allow requests to https://read.example (GET HEAD)? [y/N] ",
            "y",
        ),
        (QUESTION, "yes"),
    ] {
        terminal.wait_for(question);
        terminal.answer(answer);
    }
    assert_eq!(terminal.end().status.code(), Some(0));
    let read = json!({ "origin": "https://read.example", "methods": ["GET", "HEAD"] });
    assert_eq!(
        grants(&home),
        json!({ "network": [read], "variables": ["API_KEY"] })
    );
}

fn no_more_than_asked() {
    let home = with_asking();
    load(&home, "./adder", &[]);
    let digest = digest(&home, "./adder");
    for (flag, value, says) in [
        (
            "--allow-network",
            "https://other.example",
            "does not ask for network access",
        ),
        (
            "--allow-network",
            "https://read.example=GET,POST",
            "the tool asks for https://read.example with GET HEAD, not with GET POST",
        ),
        ("--allow-var", "HOME", "does not ask for variable HOME"),
        (
            "--allow-dir",
            "notes=.",
            "does not ask for a directory called `notes`",
        ),
    ] {
        let said = refused(&home.run(["grant", "adder", flag, value, "--approve", &digest]));
        assert!(said.contains(says), "{said}");
    }
    let said = refused(&home.run(["grant", "adder", "--allow-storage", "--approve", &digest]));
    assert!(said.contains("does not ask for storage"), "{said}");
    assert_eq!(grants(&home), json!({}));
    assert_eq!(home.tool("grant nobody --allow-storage").code(), 1);
}

fn by_method() {
    let home = with_asking();
    let get = "https://any.example=GET";
    load(&home, "./adder", &["--allow-network", get]);
    let bound = |methods: &[&str]| json!([{ "origin": "https://any.example", "methods": methods }]);
    assert_eq!(grants(&home)["network"], bound(&["GET"]));
    let digest = digest(&home, "./adder");
    let grant = |network: &str| {
        home.run([
            "grant",
            "adder",
            "--allow-network",
            network,
            "--approve",
            &digest,
        ])
        .ok();
    };
    grant("https://any.example=PUT");
    assert_eq!(grants(&home)["network"], bound(&["GET", "PUT"]));
    grant("https://any.example");
    assert_eq!(grants(&home)["network"], json!(["https://any.example"]));
    assert_eq!(
        home.tool("grant adder --allow-network https://any.example=get")
            .code(),
        1,
        "methods are written as they are sent"
    );
}

fn revoked_means_revoked() {
    let home = with_asking();
    load(
        &home,
        "./adder",
        &[
            "--allow-var",
            "API_KEY",
            "--allow-network",
            "https://any.example",
        ],
    );
    let lock = home.tool_home().join("toolbox.lock");
    let before = std::fs::read(&lock).expect("a lock");

    let wrong = home.tool("revoke adder --var API_KEY --network https://read.example");
    assert_eq!(wrong.code(), 1);
    assert!(
        wrong.stderr().contains(
            "`adder` was never granted network https://read.example; nothing was changed\nhint: it may reach https://any.example, read $API_KEY"
        ),
        "{}",
        wrong.stderr()
    );
    assert_eq!(std::fs::read(&lock).expect("a lock"), before);
    assert_eq!(home.tool("revoke adder").code(), 1, "it says what");

    home.tool("revoke adder --var API_KEY").ok();
    assert_eq!(grants(&home), json!({ "network": ["https://any.example"] }));
    assert_eq!(home.tool("call adder.add a=1 b=2").ok().trim(), "3");

    // An old lock, out of a checkout or a backup, does not bring it back.
    std::fs::write(&lock, before).expect("the old lock");
    let said = refused(&home.tool("call adder.add a=1 b=2"));
    assert!(said.contains("but not with your approval"), "{said}");
    load(&home, "./adder", &[]);
    home.tool("revoke adder --all").code();
    assert_eq!(grants(&home), json!({}));
}

/// Only the last of all locks that a toolbox had is approved.
fn no_former_lock() {
    let home = with_asking();
    let files = ["toolbox.toml", "toolbox.lock"].map(|name| home.tool_home().join(name));
    let mut former = Vec::new();
    let mut keep = || {
        former.push(
            files
                .each_ref()
                .map(|file| std::fs::read(file).expect("it")),
        )
    };
    load(&home, "./adder", &["--allow-var", "API_KEY"]);
    keep();
    load(
        &home,
        "./adder",
        &["--allow-network", "https://any.example"],
    );
    keep();
    home.tool("revoke adder --all").ok();
    let last = std::fs::read(&files[1]).expect("a lock");
    let put = |contents: &[Vec<u8>; 2]| {
        for (file, contents) in files.iter().zip(contents) {
            std::fs::write(file, contents).expect("a file");
        }
    };
    for before in &former {
        put(before);
        let said = refused(&home.tool("call adder.add a=1 b=2"));
        assert!(said.contains("but not with your approval"), "{said}");
        assert_eq!(home.tool("verify").code(), 3);
    }
    put(&[former[0][0].clone(), last.clone()]);
    assert_eq!(home.tool("call adder.add a=1 b=2").ok().trim(), "3");
    // Nor is what was removed.
    home.tool("remove adder").ok();
    put(&[former[0][0].clone(), last]);
    let said = refused(&home.tool("call adder.add a=1 b=2"));
    assert!(said.contains("but not with your approval"), "{said}");
}

fn directories_by_their_real_path() {
    let home = Home::new();
    let mut manifest = derive_manifest(&adder(), "adder".parse().expect("a name")).expect("a tool");
    manifest
        .capabilities
        .directories
        .push(tool_hub_manifest::DirectoryRequest {
            name: "notes".parse().expect("a name"),
            access: tool_hub_manifest::Access::Read,
            why: String::new(),
        });
    home.write("adder/tool.toml", manifest.to_toml());
    home.write("adder/tool.wasm", adder());
    let notes = home.work().join("notes");
    std::fs::create_dir(&notes).expect("a directory");
    let real = notes.canonicalize().expect("a directory");
    std::os::unix::fs::symlink(&notes, home.work().join("link")).expect("a link");
    load(&home, "./adder", &["--allow-dir", "notes=link"]);
    assert_eq!(grants(&home)["directories"]["notes"]["path"], json!(real));

    // Whoever puts a link there afterwards changes what the path means.
    std::fs::rename(&notes, home.work().join("moved")).expect("a rename");
    std::os::unix::fs::symlink(home.tool_home(), &notes).expect("a link");
    let ran = home.tool("call adder.add a=1 b=2");
    assert_eq!(ran.code(), 1, "{}", ran.stderr());
    assert!(
        ran.stderr().contains("grant that path itself"),
        "{}",
        ran.stderr()
    );

    let digest = digest(&home, "./adder");
    for (path, says) in [
        (
            "~",
            "the home directory, which is never given to a tool as a whole",
        ),
        ("/", "the root directory, which is never given to a tool"),
        ("..", "never given to a tool"),
        ("/proc/self", "which is never given to a tool"),
        (
            &*home.tool_home().to_string_lossy(),
            "never given to a tool",
        ),
        ("nowhere", "No such file"),
    ] {
        let directory = format!("notes={path}");
        let ran = home.run([
            "load",
            "./adder",
            "--allow-dir",
            &directory,
            "--approve",
            &digest,
        ]);
        assert_ne!(ran.code(), 0, "{path}");
        assert!(ran.stderr().contains(says), "{path}: {}", ran.stderr());
    }
}
