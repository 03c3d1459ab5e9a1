//! The canaries that no guest may reach: a file, a server, a variable and another tool's secret.
//! Each holds a marker that is random, so that it can be found wherever it turns up.

use std::fs;
use std::net::{TcpListener, UdpSocket};
use std::path::PathBuf;

use tempfile::TempDir;

/// The variable of the process that holds a marker.
pub(crate) const VARIABLE: &str = "TOOL_HUB_CANARY";
/// The text that guests write to their standard output, which is no canary but must not get out
/// either.
pub(crate) const GUEST_OUTPUT: &str = "forged-by-the-guest";

/// A new marker.
pub(crate) fn marker(of: &str) -> String {
    let mut bytes = [0; 8];
    getrandom::fill(&mut bytes).unwrap();
    format!("canary-{of}-{:016x}", u64::from_le_bytes(bytes))
}

/// The canaries of one process.
pub(crate) struct Canaries {
    directory: TempDir,
    file_marker: String,
    variable_marker: String,
    secret_marker: String,
    server: TcpListener,
    datagrams: UdpSocket,
}

impl Canaries {
    pub(crate) fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let file_marker = marker("file");
        fs::write(directory.path().join("canary"), &file_marker).unwrap();
        let server = TcpListener::bind("127.0.0.1:0").unwrap();
        server.set_nonblocking(true).unwrap();
        let datagrams = UdpSocket::bind(server.local_addr().unwrap()).unwrap();
        datagrams.set_nonblocking(true).unwrap();
        Self {
            directory,
            file_marker,
            variable_marker: std::env::var(VARIABLE).expect("the canary of the environment"),
            secret_marker: marker("secret"),
            server,
            datagrams,
        }
    }

    /// The file outside of every grant.
    pub(crate) fn file(&self) -> PathBuf {
        self.directory.path().join("canary")
    }

    /// The port of the server.
    pub(crate) fn port(&self) -> u16 {
        self.server.local_addr().unwrap().port()
    }

    /// The secret that another tool is granted.
    pub(crate) fn secret(&self) -> &str {
        &self.secret_marker
    }

    /// Asserts that `text`, which came from a guest, holds no marker.
    #[track_caller]
    pub(crate) fn absent_from(&self, text: &str) {
        for marker in [
            &self.file_marker,
            &self.variable_marker,
            &self.secret_marker,
        ] {
            assert!(!text.contains(marker), "a guest has told {marker}");
        }
    }

    /// Asserts that nobody touched any of them.
    pub(crate) fn untouched(&self) {
        assert_eq!(fs::read_to_string(self.file()).unwrap(), self.file_marker);
        let entries = fs::read_dir(self.directory.path()).unwrap().count();
        assert_eq!(entries, 1, "something was made beside the canary");
        let nobody = std::io::ErrorKind::WouldBlock;
        assert_eq!(self.server.accept().unwrap_err().kind(), nobody);
        let datagram = self.datagrams.recv(&mut [0; 1]);
        assert_eq!(datagram.unwrap_err().kind(), nobody);
    }
}
