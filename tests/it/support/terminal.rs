//! A person at a terminal: a command in a pseudo-terminal, what it shows, the keys pressed.

use std::io::{Read as _, Write as _};
use std::process::{Child, Command, ExitStatus};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use pty_process::Size;
use pty_process::blocking::Pty;
use rustix::termios::{LocalModes, tcgetattr};

/// How long a person waits for what they expect to see. Compilers are among what is run.
const PATIENCE: Duration = Duration::from_secs(420);
/// The longest wait before the command is asked again whether it has ended.
const POLL: Duration = Duration::from_millis(50);
/// The longest wait for the output of a command that has ended.
const LAST_OUTPUT: Duration = Duration::from_millis(500);

pub(crate) const CTRL_C: &str = "\u{3}";
pub(crate) const CTRL_D: &str = "\u{4}";

/// A running command and its terminal. It ends when it goes out of scope.
pub(crate) struct Terminal {
    child: Child,
    pty: Arc<Pty>,
    output: Receiver<Vec<u8>>,
    shown: Vec<u8>,
    /// How much of it was waited for.
    seen: usize,
}

/// A command that ended, and everything that its terminal showed.
pub(crate) struct Ended {
    pub(crate) status: ExitStatus,
    pub(crate) shown: String,
}

impl Terminal {
    /// Starts `command` as the only program of a terminal, which controls it.
    #[track_caller]
    pub(crate) fn start(mut command: Command) -> Self {
        command.env("TERM", "xterm-256color");
        let (pty, pts) = pty_process::blocking::open().expect("a pseudo-terminal");
        pty.resize(Size::new(50, 160)).expect("a size");
        let child = pty_process::blocking::Command::from(command)
            .spawn(pts)
            .expect("the command starts");
        let pty = Arc::new(pty);
        Self {
            child,
            output: watch(Arc::clone(&pty)),
            pty,
            shown: Vec::new(),
            seen: 0,
        }
    }

    /// Waits until `text` is shown, after what was waited for before.
    #[track_caller]
    pub(crate) fn wait_for(&mut self, text: &str) {
        let found = self.wait_for_any(&[text]);
        assert!(
            found.is_some(),
            "the command ended without {text:?}:\n{}",
            self.text()
        );
    }

    /// As [`Self::wait_for`], for the first of several texts: which one it was, or nothing
    /// when the command ended without any.
    #[track_caller]
    pub(crate) fn wait_for_any(&mut self, texts: &[&str]) -> Option<usize> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some((which, end)) = first_of(texts, &self.shown[self.seen..]) {
                self.seen += end;
                return Some(which);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            match self.output.recv_timeout(left) {
                Ok(bytes) => self.shown.extend(bytes),
                Err(RecvTimeoutError::Disconnected) => return None,
                Err(RecvTimeoutError::Timeout) => {
                    panic!("neither of {texts:?} was shown in time:\n{}", self.text())
                }
            }
        }
    }

    /// Waits until keys are not shown, as a question for a secret has it.
    #[track_caller]
    pub(crate) fn wait_until_keys_are_hidden(&self) {
        let deadline = Instant::now() + PATIENCE;
        while self.shows_keys() {
            assert!(Instant::now() < deadline, "keys are shown");
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// Whether the terminal shows keys that are pressed.
    #[track_caller]
    pub(crate) fn shows_keys(&self) -> bool {
        let modes = tcgetattr(&*self.pty).expect("a terminal").local_modes;
        modes.contains(LocalModes::ECHO)
    }

    /// Presses keys.
    #[track_caller]
    pub(crate) fn press(&self, keys: &str) {
        (&*self.pty)
            .write_all(keys.as_bytes())
            .expect("the terminal takes keys");
    }

    /// Types a line and presses Enter.
    #[track_caller]
    pub(crate) fn answer(&self, line: &str) {
        self.press(&format!("{line}\r"));
    }

    /// What was shown so far.
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.shown).into_owned()
    }

    fn has_ended(&mut self) -> bool {
        let status = self.child.try_wait().expect("the command was started");
        status.is_some()
    }

    /// Waits until the command ends.
    #[track_caller]
    pub(crate) fn end(mut self) -> Ended {
        let deadline = Instant::now() + PATIENCE;
        // A program that another test starts at the wrong moment has a copy of the terminal and
        // keeps it open. The last output of the command may come after its end.
        let mut has_ended = false;
        loop {
            let wait = if has_ended { LAST_OUTPUT } else { POLL };
            match self.output.recv_timeout(wait) {
                Ok(bytes) => self.shown.extend(bytes),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) if has_ended => break,
                Err(RecvTimeoutError::Timeout) => {
                    has_ended = self.has_ended();
                    assert!(
                        has_ended || Instant::now() < deadline,
                        "the command has not ended:\n{}",
                        self.text()
                    );
                }
            }
        }
        Ended {
            status: self.child.wait().expect("the command was started"),
            shown: self.text(),
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // It may have ended by itself; then there is nothing to end.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Reads what is shown until nobody holds the terminal open any more, which some systems
/// call an error and others an end.
fn watch(pty: Arc<Pty>) -> Receiver<Vec<u8>> {
    let (sender, output) = channel();
    thread::spawn(move || {
        let mut buffer = [0; 4096];
        while let Ok(read @ 1..) = (&*pty).read(&mut buffer) {
            if sender.send(buffer[..read].to_owned()).is_err() {
                return;
            }
        }
    });
    output
}

/// Which of `texts` comes first in `bytes`, and where it ends.
fn first_of(texts: &[&str], bytes: &[u8]) -> Option<(usize, usize)> {
    let places = texts.iter().enumerate().filter_map(|(which, text)| {
        let start = bytes
            .windows(text.len())
            .position(|window| window == text.as_bytes())?;
        Some((start, (which, start + text.len())))
    });
    places.min().map(|(_, found)| found)
}
