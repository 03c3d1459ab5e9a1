//! Tests of credentials in the keyring of the system: GNOME's, on a bus of the test's own.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, Command, Stdio};

use crate::support::ran::says;
use crate::support::{Home, Need, Test, test};

pub(crate) fn tests() -> Vec<Test> {
    vec![
        test(
            "keyring::keeps_what_the_file_held",
            keeps_what_the_file_held,
        )
        .needs(&[Need::SecretService]),
        test("keyring::there_is_none", there_is_none),
    ]
}

/// A bus with a keyring that is unlocked. Both end when this goes out of scope.
struct Session {
    bus: Child,
    keyring: Child,
    address: String,
}

impl Session {
    fn start(home: &Home) -> Self {
        let mut bus = Command::new("dbus-daemon")
            .args(["--session", "--nofork", "--print-address"])
            .env("HOME", home.path())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a bus");
        let mut address = String::new();
        BufReader::new(bus.stdout.take().expect("a pipe"))
            .read_line(&mut address)
            .expect("the bus says where it is");
        let address = address.trim().to_owned();
        let mut keyring = Command::new("gnome-keyring-daemon")
            .args(["--foreground", "--unlock", "--components=secrets"])
            .env("HOME", home.path())
            .env("XDG_DATA_HOME", home.path().join("data"))
            .env("XDG_RUNTIME_DIR", home.path())
            .env("DBUS_SESSION_BUS_ADDRESS", &address)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("a keyring");
        let mut password = keyring.stdin.take().expect("a pipe");
        password.write_all(b"of the test").expect("a pipe");
        drop(password);
        // It says where its socket is once it is on the bus.
        let mut line = String::new();
        BufReader::new(keyring.stdout.take().expect("a pipe"))
            .read_line(&mut line)
            .expect("the keyring starts");
        Self {
            bus,
            keyring,
            address,
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        for process in [&mut self.keyring, &mut self.bus] {
            let _ = process.kill();
            let _ = process.wait();
        }
    }
}

const SECRET: &str = "sk-canary-4f1c9d";

fn keeps_what_the_file_held() {
    let home = Home::new();
    let session = Session::start(&home);
    let bus = [("DBUS_SESSION_BUS_ADDRESS", session.address.as_str())];
    let run = |line: &str| {
        let words: Vec<&str> = line.split(' ').collect();
        home.run_with(&words, &bus)
    };
    let file = home.tool_home().join("credentials.toml");
    let set = "credential set KEY --origin https://a.example --stdin";
    home.run_with_input(set, SECRET).ok();
    assert!(
        std::fs::read_to_string(&file)
            .expect("a file")
            .contains(SECRET)
    );
    says(&run("credential store"), 0, "");
    says(
        &run("credential store keyring"),
        0,
        "in the keyring of the system now",
    );
    let left = std::fs::read_to_string(&file).expect("a file");
    assert_eq!(left.trim(), "keyring = true");
    assert_eq!(run("credential list").ok(), "KEY for https://a.example\n");
    // Another home's are others.
    let other = Home::new();
    let moved = other.run_with(&["credential", "store", "keyring"], &bus);
    moved.ok();
    assert_eq!(other.run_with(&["credential", "list"], &bus).ok(), "");
    // Without the bus there is an error, and nothing is lost.
    let unreachable = home.tool("credential list");
    says(
        &unreachable,
        1,
        "this system has no keyring that can be reached from here",
    );
    assert_eq!(run("credential list").ok(), "KEY for https://a.example\n");
    run("credential store file").ok();
    assert!(
        std::fs::read_to_string(&file)
            .expect("a file")
            .contains(SECRET)
    );
    assert_eq!(
        home.tool("credential list").ok(),
        "KEY for https://a.example\n"
    );
}

fn there_is_none() {
    let home = Home::new().with("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere/bus");
    let set = "credential set KEY --origin https://a.example --stdin";
    home.run_with_input(set, SECRET).ok();
    let moved = home.tool("credential store keyring");
    says(
        &moved,
        1,
        "this system has no keyring that can be reached from here",
    );
    says(&moved, 1, "on a server credentials are kept in a file");
    let listed = home.tool("credential list").ok();
    assert_eq!(listed, "KEY for https://a.example\n");
}
