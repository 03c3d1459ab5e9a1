//! Canaries for guests: a server that counts connections, and a file outside a granted directory.

use std::fs;
use std::io::{self, Read as _, Write as _};
use std::net::{IpAddr, Shutdown, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tempfile::TempDir;

/// A short answer.
pub(crate) const OK: &str = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi";

/// A server on the loopback address. Each connection is a hit and gets one answer.
pub(crate) struct Server {
    port: u16,
    hits: Arc<AtomicUsize>,
    sent: Arc<AtomicUsize>,
}

/// The answer of a server to the head of a request.
type Responder = dyn Fn(&str, &mut TcpStream, &AtomicUsize) -> std::io::Result<()> + Send + Sync;

impl Server {
    /// A server that answers every request with `answer`.
    pub(crate) fn answering(answer: &str) -> Self {
        let answer = answer.as_bytes().to_vec();
        Self::start("127.0.0.1:0", move |_, stream, _| stream.write_all(&answer))
    }

    /// A server at `address` that handles each request with `answer`, which counts what it
    /// sends.
    pub(crate) fn start(
        address: &str,
        answer: impl Fn(&str, &mut TcpStream, &AtomicUsize) -> std::io::Result<()>
        + Send
        + Sync
        + 'static,
    ) -> Self {
        let listener = TcpListener::bind(address).unwrap();
        let port = listener.local_addr().unwrap().port();
        let (hits, sent) = (Arc::<AtomicUsize>::default(), Arc::<AtomicUsize>::default());
        let (seen, counted) = (hits.clone(), sent.clone());
        let answer: Arc<Responder> = Arc::new(answer);
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                seen.fetch_add(1, Ordering::SeqCst);
                let (answer, counted) = (answer.clone(), counted.clone());
                std::thread::spawn(move || serve(stream, &*answer, &counted));
            }
        });
        Self { port, hits, sent }
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// Its origin by address.
    pub(crate) fn origin(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// The number of connections.
    pub(crate) fn hits(&self) -> usize {
        self.hits.load(Ordering::SeqCst)
    }

    /// The bytes that were sent, as far as they were counted.
    pub(crate) fn sent(&self) -> usize {
        self.sent.load(Ordering::SeqCst)
    }
}

fn serve(mut stream: TcpStream, answer: &Responder, sent: &AtomicUsize) {
    let _ = stream.set_read_timeout(Some(Duration::from_secs(20)));
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") && stream.read_exact(&mut byte).is_ok() {
        head.push(byte[0]);
    }
    let head = String::from_utf8_lossy(&head);
    let lower = head.to_ascii_lowercase();
    if lower.contains("content-length:") || lower.contains("transfer-encoding:") {
        // A body may come after the head. Whether it is as long as it says is not looked at.
        let _ = stream.set_read_timeout(Some(Duration::from_millis(200)));
        let _ = io::copy(&mut stream, &mut io::sink());
    }
    let _ = answer(&head, &mut stream, sent);
    // What is closed with something unread breaks off the answer too.
    let _ = stream.shutdown(Shutdown::Write);
    let _ = io::copy(&mut stream, &mut io::sink());
}

/// True if the machine has an address of its own for the second server of a test.
pub(crate) fn has(address: IpAddr) -> bool {
    TcpListener::bind((address, 0)).is_ok()
}

/// A directory that is granted, and beside it what is not.
pub(crate) struct GrantedDirectory {
    directory: TempDir,
}

/// The content of a canary file.
pub(crate) const CANARY: &str = "canary-5d1f0c";

impl GrantedDirectory {
    /// `granted/` with a few files and directories, and `secret/canary` outside of it.
    pub(crate) fn new() -> Self {
        let ground = Self {
            directory: tempfile::tempdir().unwrap(),
        };
        fs::create_dir_all(ground.granted().join("deep/er")).unwrap();
        fs::create_dir(ground.outside()).unwrap();
        fs::write(ground.canary(), CANARY).unwrap();
        fs::write(ground.granted().join("file"), "harmless").unwrap();
        fs::write(ground.granted().join("deep/file"), "harmless").unwrap();
        ground
    }

    fn base(&self) -> PathBuf {
        self.directory.path().canonicalize().unwrap()
    }

    pub(crate) fn granted(&self) -> PathBuf {
        self.base().join("granted")
    }

    pub(crate) fn outside(&self) -> PathBuf {
        self.base().join("secret")
    }

    pub(crate) fn canary(&self) -> PathBuf {
        self.outside().join("canary")
    }

    /// Every path below the ground, with its kind, size, links and content: two that are
    /// equal mean that nothing was changed.
    pub(crate) fn state(&self) -> Vec<String> {
        let mut state = Vec::new();
        describe(&self.base(), &mut state);
        state.sort();
        state
    }
}

fn describe(path: &Path, state: &mut Vec<String>) {
    use std::os::unix::fs::MetadataExt as _;
    let metadata = fs::symlink_metadata(path).unwrap();
    let content = match fs::read_link(path) {
        Ok(target) => target.display().to_string(),
        Err(_) => fs::read_to_string(path).unwrap_or_default(),
    };
    let (modified, links) = (metadata.mtime_nsec(), metadata.nlink());
    state.push(format!(
        "{} {:?} {links} {modified} {content}",
        path.display(),
        metadata.file_type()
    ));
    if metadata.is_dir() {
        for entry in fs::read_dir(path).unwrap() {
            describe(&entry.unwrap().path(), state);
        }
    }
}
