//! Starts nginx on a directory of files, with a temporary configuration, and stops it on drop.

use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// Longest wait for nginx to listen.
const START_MAX: Duration = Duration::from_secs(10);

/// A running nginx that serves one directory. It ends with this value.
pub(crate) struct Nginx {
    pub(crate) address: SocketAddr,
    child: Child,
    _directory: TempDir,
}

impl Nginx {
    /// Serves the files of `root`, or says what to do when that cannot be.
    pub(crate) fn start(root: &Path) -> Result<Self, String> {
        let directory = tempfile::tempdir().map_err(|error| error.to_string())?;
        let address = free_address();
        let configuration = directory.path().join("nginx.conf");
        let text = configure(directory.path(), root, address);
        #[expect(
            clippy::disallowed_methods,
            reason = "a temporary file need not survive a crash"
        )]
        std::fs::write(&configuration, text).map_err(|error| error.to_string())?;
        let child = Command::new("nginx")
            .arg("-c")
            .arg(&configuration)
            .arg("-p")
            .arg(directory.path())
            .args(["-e", "stderr"])
            .stdin(Stdio::null())
            .spawn()
            .map_err(|error| {
                format!("nginx cannot be started ({error}): this benchmark compares the registry with it. Install it with `apt-get install nginx-light`, or another package that puts it on the search path")
            })?;
        let nginx = Self {
            address,
            child,
            _directory: directory,
        };
        let started = Instant::now();
        while TcpStream::connect(address).is_err() {
            if started.elapsed() > START_MAX {
                return Err(format!("nginx does not listen on {address}"));
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(nginx)
    }

    /// The process that started the workers.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Nginx {
    fn drop(&mut self) {
        // The master process ends its workers.
        let id = self.child.id().to_string();
        let _ = Command::new("kill").args(["-QUIT", &id]).status();
        let _ = self.child.wait();
    }
}

fn free_address() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    listener.local_addr().expect("a bound address")
}

/// Two workers, as the registry has two threads on two cores, and no log of requests, which the
/// registry's process writes none of either.
fn configure(directory: &Path, root: &Path, address: SocketAddr) -> String {
    let as_root = directory
        .metadata()
        .is_ok_and(|directory| directory.uid() == 0);
    // As root nginx would become a user that may not read what lies in a temporary directory.
    let user = if as_root { "user root;" } else { "" };
    let at = directory.display();
    let root = root.display();
    format!(
        "{user}
        worker_processes 2;
        daemon off;
        pid {at}/pid;
        error_log stderr warn;
        events {{ worker_connections 512; }}
        http {{
            access_log off;
            sendfile on;
            tcp_nopush on;
            keepalive_requests 1000000000;
            client_body_temp_path {at}/body;
            proxy_temp_path {at}/proxy;
            fastcgi_temp_path {at}/fastcgi;
            uwsgi_temp_path {at}/uwsgi;
            scgi_temp_path {at}/scgi;
            default_type application/octet-stream;
            server {{ listen {address}; root {root}; }}
        }}
        "
    )
}
