//! A server process on a free port of the loopback address, which prints its URL when it is ready.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, ChildStdout, Command, Stdio};

/// A running server. It ends when it goes out of scope.
pub(crate) struct Server {
    process: Child,
    /// Kept open, so that the process can go on printing.
    _stdout: BufReader<ChildStdout>,
    url: String,
}

impl Server {
    /// Starts `command` and waits for the line with its URL.
    #[track_caller]
    pub(crate) fn start(mut command: Command) -> Self {
        let mut process = command
            .stdout(Stdio::piped())
            .spawn()
            .expect("the server starts");
        let mut line = String::new();
        let mut stdout = BufReader::new(process.stdout.take().expect("a pipe"));
        stdout
            .read_line(&mut line)
            .expect("the server says where it is");
        let server = Self {
            process,
            _stdout: stdout,
            url: line.trim().to_owned(),
        };
        assert!(server.url.starts_with("http://127.0.0.1:"), "{line:?}");
        server
    }

    /// Where it is.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself; then there is nothing to end.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
