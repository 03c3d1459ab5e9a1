//! Tests of approvals signed with SSH keys, which no program with a shell can forge.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use tool_hub_manifest::{Lock, ToolKey};

use crate::support::adder::adder;
use crate::support::loading::digest;
use crate::support::{Home, Need, Ran, Test, test};

pub(crate) fn tests() -> Vec<Test> {
    vec![
        test("signed::approved_by_an_agents_key", approved_by_a_key).needs(&[Need::Ssh]),
        test("signed::forged_records", forged_records).needs(&[Need::Ssh]),
        test("signed::taken_back_by_the_key_alone", taken_back).needs(&[Need::Ssh]),
        test("signed::less_is_in_force_at_once", less_is_in_force).needs(&[Need::Ssh]),
        test("signed::a_file_is_not_called_unsigned", not_called_unsigned).needs(&[Need::Ssh]),
        test("signed::no_command_writes_the_setting", not_written).needs(&[Need::Ssh]),
        test("signed::tests_get_no_rights", tests_get_no_rights).needs(&[Need::Ssh]),
    ]
}

/// An ssh-agent with a key that is in no file. It is stopped on drop.
struct Agent {
    process: std::process::Child,
    socket: PathBuf,
    public: PathBuf,
}

impl Agent {
    fn start(home: &Home, kind: &str) -> Self {
        let private = home.path().join(format!("id_{kind}"));
        ran(Command::new("ssh-keygen")
            .args(["-q", "-t", kind, "-N", "", "-C", "ada", "-f"])
            .arg(&private));
        let socket = home.path().join(format!("agent_{kind}"));
        let process = Command::new("ssh-agent")
            .args(["-D", "-a"])
            .arg(&socket)
            .stdout(std::process::Stdio::null())
            .spawn()
            .expect("ssh-agent starts");
        let agent = Self {
            process,
            socket,
            public: private.with_extension("pub"),
        };
        let begun = std::time::Instant::now();
        // The socket is there before anybody listens at it.
        while std::os::unix::net::UnixStream::connect(&agent.socket).is_err() {
            assert!(begun.elapsed().as_secs() < 30, "ssh-agent does not listen");
            std::thread::yield_now();
        }
        agent.add(&["-q", &private.to_string_lossy()]);
        fs::remove_file(private).expect("a private key");
        agent
    }

    fn add(&self, arguments: &[&str]) {
        let mut add = Command::new("ssh-add");
        ran(add.args(arguments).env("SSH_AUTH_SOCK", &self.socket));
    }

    /// Runs `tool` with access to this agent.
    fn tool(&self, home: &Home, arguments: &[&str]) -> Ran {
        let socket = self.socket.to_string_lossy();
        home.run_with(arguments, &[("SSH_AUTH_SOCK", &*socket)])
    }

    fn requires(&self, home: &Home) {
        let key = self.public.to_string_lossy();
        home.run(["approvals", "require", &*key]).ok();
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[track_caller]
fn ran(command: &mut Command) {
    let output = command.output().expect("the program starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {said}");
}

fn with_adder() -> Home {
    let home = Home::new();
    home.write("adder.wasm", adder());
    home.write("other.wasm", adder());
    home
}

const CALL: &str = "call adder.add a=20 b=22";

fn load(digest: &str) -> [&str; 4] {
    ["load", "./adder.wasm", "--approve", digest]
}

#[track_caller]
fn refused(ran: &Ran, says: &str) {
    assert_eq!(ran.code(), 3, "{}", ran.stderr());
    assert!(ran.stderr().contains(says), "{says:?} in {}", ran.stderr());
}

fn approved_by_a_key() {
    for kind in ["ed25519", "ecdsa"] {
        let home = with_adder();
        let agent = Agent::start(&home, kind);
        let digest = digest(&home, "./adder.wasm");
        home.run(load(&digest)).ok();
        agent.requires(&home);
        // The earlier approval is not signed.
        refused(
            &home.tool(CALL),
            "is not approved with a signature of SHA256:",
        );
        let list = home.tool("list").ok();
        assert!(list.contains("not signed"), "{list}");
        assert_eq!(home.tool("verify").code(), 3);
        let doctor = home.tool("doctor").stdout();
        assert!(doctor.contains("signed by SHA256:"), "{doctor}");
        // Without the agent nobody can approve, not even with the flag.
        let before = fs::read_to_string(home.tool_home().join("approvals.toml")).expect("it");
        refused(&home.run(load(&digest)), "no signature by SHA256:");
        agent.tool(&home, &load(&digest)).ok();
        assert_eq!(home.tool(CALL).ok().trim(), "42");
        home.tool("verify").ok();
        // A key that was removed from the agent cannot sign any more.
        agent.add(&["-q", "-D"]);
        fs::write(home.tool_home().join("approvals.toml"), before).expect("it");
        refused(
            &agent.tool(&home, &load(&digest)),
            "no signature by SHA256:",
        );
        refused(&home.tool(CALL), "not approved with a signature");
    }
}

/// The attacker can write all of the user's files, and has every signature ever made.
fn forged_records() {
    let home = with_adder();
    let agent = Agent::start(&home, "ed25519");
    agent.requires(&home);
    let others_digest = digest(&home, "./other.wasm");
    let digest = digest(&home, "./adder.wasm");
    agent.tool(&home, &load(&digest)).ok();
    let other = [
        "load",
        "./other.wasm",
        "--approve",
        &others_digest,
        "--as",
        "other",
    ];
    let (lock, approvals) = (
        home.tool_home().join("toolbox.lock"),
        home.tool_home().join("approvals.toml"),
    );
    let (good_lock, good) = (text(&lock), text(&approvals));
    let record = |name: &str| -> String {
        let lock: Lock = text(&lock).parse().expect("a lock");
        let key: ToolKey = name.parse().expect("a key");
        lock.tools[&key].digest().to_string()
    };
    let signed = record("adder");

    // The record is edited and its digest added to the approvals: with the signature of the old
    // record, with none, and with one of another key.
    let edited = good_lock.replace(
        "[tools.adder.grants]",
        "[tools.adder.grants]\nstorage = true",
    );
    assert_ne!(edited, good_lock);
    fs::write(&lock, edited).expect("a lock");
    let forged = record("adder");
    assert_ne!(forged, signed);
    let stranger = Agent::start(&home, "ecdsa");
    let by_a_stranger = signature(
        &stranger,
        &format!("approve the record {forged}\n"),
        "tool-hub-approval",
    );
    let own = signature(&agent, &format!("approve the record {forged}\n"), "git");
    let listed = good.replace(
        &format!("[\"{signed}\"]"),
        &format!("[\"{signed}\", \"{forged}\"]"),
    );
    assert_ne!(listed, good);
    for approvals_file in [
        listed.clone(),
        good.replace(&signed, &forged),
        format!("{listed}\"{forged}\" = '''\n{by_a_stranger}'''\n"),
        format!("{listed}\"{forged}\" = '''\n{own}'''\n"),
        format!("{listed}\"{forged}\" = \"\"\n"),
    ] {
        fs::write(&approvals, approvals_file).expect("approvals");
        refused(&home.tool(CALL), "not approved with a signature");
        refused(&home.tool("verify"), "adder");
    }
    // Another tool with the signature of this one.
    fs::write(&lock, &good_lock).expect("a lock");
    fs::write(&approvals, &good).expect("approvals");
    refused(&home.run(other), "no signature by SHA256:");
    agent.tool(&home, &other).ok();
    let of_both = text(&approvals);
    let signed_other = record("other");
    fs::write(
        &approvals,
        of_both
            .replace(&signed, "sha256:swap")
            .replace(&signed_other, &signed)
            .replace("sha256:swap", &signed_other),
    )
    .expect("approvals");
    refused(&home.tool(CALL), "not approved with a signature");
    refused(
        &home.tool("call other.add a=1 b=2"),
        "not approved with a signature",
    );
    // The signed approval is still valid.
    fs::write(&approvals, of_both).expect("approvals");
    assert_eq!(home.tool(CALL).ok().trim(), "42");
}

fn text(path: &std::path::Path) -> String {
    fs::read_to_string(path).expect("a file")
}

fn signature(agent: &Agent, statement: &str, namespace: &str) -> String {
    let place = agent.socket.with_extension("statement");
    fs::write(&place, statement).expect("a file");
    let signed = place.with_extension("statement.sig");
    let _ = fs::remove_file(&signed);
    ran(Command::new("ssh-keygen")
        .args(["-q", "-Y", "sign", "-n", namespace, "-f"])
        .arg(&agent.public)
        .arg(&place)
        .env("SSH_AUTH_SOCK", &agent.socket));
    text(&signed)
}

fn taken_back() {
    let home = with_adder();
    let agent = Agent::start(&home, "ed25519");
    let stranger = Agent::start(&home, "ecdsa");
    assert_eq!(home.tool("approvals release").code(), 1);
    agent.requires(&home);
    let release = ["approvals", "release"];
    refused(&home.run(release), "no signature by SHA256:");
    refused(&stranger.tool(&home, &release), "no signature by SHA256:");
    let key = stranger.public.to_string_lossy().into_owned();
    refused(&home.run(["approvals", "require", &key]), "already");
    let digest = digest(&home, "./adder.wasm");
    refused(
        &stranger.tool(&home, &load(&digest)),
        "no signature by SHA256:",
    );
    agent.tool(&home, &release).ok();
    home.run(load(&digest)).ok();
    // Files without a key that can sign are refused.
    for (name, key) in [("none.pub", "ssh-ed25519 AAAA"), ("words.pub", "hello")] {
        home.write(name, key);
        assert_eq!(home.run(["approvals", "require", name]).code(), 1, "{name}");
    }
    home.tool(CALL).ok();
}

/// Removing rights takes effect without a signature, but then the tool does not run until somebody
/// signs.
fn less_is_in_force() {
    let home = with_adder();
    let agent = Agent::start(&home, "ed25519");
    agent.requires(&home);
    let digest = digest(&home, "./adder.wasm");
    agent.tool(&home, &load(&digest)).ok();
    refused(&home.tool("revoke adder --all"), "no signature by SHA256:");
    refused(&home.tool(CALL), "not approved");
    agent.tool(&home, &load(&digest)).ok();
    agent.tool(&home, &["revoke", "adder", "--all"]).ok();
    assert_eq!(home.tool(CALL).ok().trim(), "42");
}

/// A call by path, and work on a project, record nothing that could be signed, so there is none.
fn not_called_unsigned() {
    let home = with_adder();
    let agent = Agent::start(&home, "ed25519");
    let digest = digest(&home, "./adder.wasm");
    let call = [
        "call",
        "./adder.wasm",
        "add",
        "a=20",
        "b=22",
        "--approve",
        &digest,
    ];
    assert_eq!(home.run(call).ok().trim(), "42");
    agent.requires(&home);
    for ran in [home.run(call), agent.tool(&home, &call)] {
        refused(&ran, "requires approvals to be signed");
        assert!(ran.stderr().contains("tool load ./adder.wasm"));
    }
    refused(&home.tool("dev"), "requires approvals to be signed");
}

/// A test of a package needs no consent, so it is no way to rights that nobody signed.
fn tests_get_no_rights() {
    let home = with_adder();
    let agent = Agent::start(&home, "ed25519");
    agent.requires(&home);
    home.tool("test ./adder.wasm").ok();
    for flag in ["--allow-dir", "--allow-var"] {
        let named = if flag == "--allow-dir" {
            "notes=."
        } else {
            "KEY"
        };
        let ran = home.run(["test", "./adder.wasm", flag, named]);
        refused(&ran, "requires approvals to be signed");
    }
}

/// Bytes that a tool chooses go neither over what was approved nor over the toolbox, whatever
/// way leads there.
fn not_written() {
    let home = with_adder();
    home.write("toolbox.toml", "");
    let agent = Agent::start(&home, "ed25519");
    let digest = digest(&home, "./adder.wasm");
    agent.requires(&home);
    agent.tool(&home, &load(&digest)).ok();
    let approvals = home.tool_home().join("approvals.toml");
    std::os::unix::fs::symlink(home.tool_home(), home.work().join("elsewhere")).expect("a link");
    std::os::unix::fs::symlink(&approvals, home.work().join("notes.txt")).expect("a link");
    fs::create_dir(home.work().join(".git")).expect("a directory");
    let before = text(&approvals);
    let toolbox = text(&home.work().join("toolbox.toml"));
    let places = [
        &*approvals.to_string_lossy(),
        "elsewhere/approvals.toml",
        "elsewhere/new.toml",
        "notes.txt",
        "toolbox.toml",
        "TOOLBOX.toml",
        ".git/hooks",
        ".mcp.json",
    ];
    for place in places {
        let says = "tools or other programs are set up there";
        refused(&home.tool(&format!("{CALL} --output {place}")), says);
        refused(&home.tool(&format!("serve --audit {place}")), says);
    }
    assert_eq!(text(&approvals), before);
    assert_eq!(text(&home.work().join("toolbox.toml")), toolbox);
    assert!(!home.work().join(".mcp.json").exists());
    assert_eq!(home.tool(CALL).ok().trim(), "42");
}
