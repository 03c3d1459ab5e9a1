//! `Ran`: a command that has ended, with its output, and assertions on its exit code and output.

use std::path::PathBuf;
use std::process::Output;

/// A command that ended.
pub(crate) struct Ran {
    pub(super) output: Output,
    /// The home of its user, which snapshots do not show.
    pub(super) home: PathBuf,
}

impl Ran {
    pub(crate) fn code(&self) -> i32 {
        self.output
            .status
            .code()
            .expect("the command was not killed")
    }

    pub(crate) fn stdout(&self) -> String {
        String::from_utf8(self.output.stdout.clone()).expect("standard output is UTF-8")
    }

    pub(crate) fn stderr(&self) -> String {
        String::from_utf8(self.output.stderr.clone()).expect("standard error is UTF-8")
    }

    /// Asserts that it ended well, and gives its standard output.
    #[track_caller]
    pub(crate) fn ok(&self) -> String {
        assert_eq!(
            self.code(),
            0,
            "stdout:\n{}\nstderr:\n{}",
            self.stdout(),
            self.stderr()
        );
        self.stdout()
    }

    /// Asserts that it ended well, and reads its standard output as JSON.
    #[track_caller]
    pub(crate) fn json(&self) -> serde_json::Value {
        let text = self.ok();
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("not JSON ({error}):\n{text}"))
    }

    /// Exit code, standard output and standard error in one text, with what differs from run
    /// to run replaced: digests, commits, ports, temporary directories.
    pub(crate) fn snapshot(&self) -> String {
        let text = format!(
            "exit: {}\n--- stdout\n{}--- stderr\n{}",
            self.code(),
            self.stdout(),
            self.stderr()
        );
        let home = self.home.display().to_string();
        mask(&text.replace(&home, "[home]"))
    }
}

/// Asserts the exit code, and that standard error has `expect` in it.
#[track_caller]
pub(crate) fn says(ran: &Ran, code: i32, expect: &str) {
    assert_eq!(ran.code(), code, "{}", ran.stderr());
    assert!(ran.stderr().contains(expect), "{}", ran.stderr());
}

/// Compares what a command said with the snapshot called `name`, and its exit code.
#[track_caller]
pub(crate) fn check(name: &str, ran: &Ran, code: i32) {
    assert_eq!(
        ran.code(),
        code,
        "stdout:\n{}\nstderr:\n{}",
        ran.stdout(),
        ran.stderr()
    );
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_snapshot_path(crate::support::root().join("tests/it/snapshots"));
    settings.bind(|| insta::assert_snapshot!(name, ran.snapshot()));
}

/// Replaces digests, commits and ports.
fn mask(text: &str) -> String {
    let mut masked = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(|c: char| c.is_ascii_hexdigit()) {
        let (before, from) = rest.split_at(start);
        masked.push_str(before);
        let end = from
            .find(|c: char| !c.is_ascii_hexdigit())
            .unwrap_or(from.len());
        let (word, after) = from.split_at(end);
        match word.len() {
            64 => masked.push_str("[digest]"),
            40 => masked.push_str("[commit]"),
            32 => masked.push_str("[request]"),
            _ if masked.ends_with("127.0.0.1:") || masked.ends_with("0.0.0.0:") => {
                masked.push_str("[port]")
            }
            _ => masked.push_str(word),
        }
        rest = after;
    }
    masked.push_str(rest);
    masked
}
