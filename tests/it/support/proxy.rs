//! Proxies before a registry: one changes a byte, one leads to another registry, one is silent.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

/// Passes everything on, except that the first byte of a known piece of content is flipped
/// on its way to the client.
pub(crate) struct Flipping {
    url: String,
    flipped: Arc<AtomicBool>,
}

impl Flipping {
    /// Starts the wire to the registry at `target`, for content that holds `piece`.
    pub(crate) fn start(target: &str, piece: &[u8]) -> Self {
        let target = address(target);
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let flipped = Arc::new(AtomicBool::new(false));
        let (piece, seen) = (piece.to_owned(), Arc::clone(&flipped));
        thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                let Ok(server) = TcpStream::connect(&target) else {
                    return;
                };
                let (mut from_client, mut to_server) = (clone(&client), clone(&server));
                // Either side may hang up at any time; that ends both copies.
                thread::spawn(move || {
                    let _ = std::io::copy(&mut from_client, &mut to_server);
                });
                let (piece, seen) = (piece.clone(), Arc::clone(&seen));
                thread::spawn(move || pass(server, client, &piece, &seen));
            }
        });
        Self { url, flipped }
    }

    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// Whether the piece passed by.
    pub(crate) fn flipped(&self) -> bool {
        self.flipped.load(Ordering::SeqCst)
    }
}

/// An address that can be switched to another registry, which looks to a client as if tags were
/// deleted or moved.
pub(crate) struct Switching {
    url: String,
    target: Arc<Mutex<String>>,
}

impl Switching {
    /// Starts the proxy, with the registry at `target`.
    pub(crate) fn start(target: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let target = Arc::new(Mutex::new(address(target)));
        let current = Arc::clone(&target);
        thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                let target = current.lock().expect("nobody panicked").clone();
                let Ok(server) = TcpStream::connect(target) else {
                    continue;
                };
                for (mut from, mut to) in [
                    (clone(&client), clone(&server)),
                    (clone(&server), clone(&client)),
                ] {
                    thread::spawn(move || {
                        let _ = std::io::copy(&mut from, &mut to);
                        let _ = to.shutdown(std::net::Shutdown::Write);
                    });
                }
            }
        });
        Self { url, target }
    }

    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// Sends new connections to `target`.
    pub(crate) fn lead_to(&self, target: &str) {
        *self.target.lock().expect("nobody panicked") = address(target);
    }
}

/// Passes everything on, until a client asks for something that it keeps waiting for.
pub(crate) struct Stalling {
    url: String,
    stalls: Arc<AtomicBool>,
    stalled: Arc<AtomicBool>,
}

impl Stalling {
    /// Starts the proxy to the registry at `target`. Requests with `word` in them wait for ever.
    pub(crate) fn start(target: &str, word: &'static str) -> Self {
        let target = address(target);
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let [stalls, stalled] = [true, false].map(|value| Arc::new(AtomicBool::new(value)));
        let flags = (Arc::clone(&stalls), Arc::clone(&stalled));
        thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                let Ok(server) = TcpStream::connect(&target) else {
                    return;
                };
                let (mut from_server, mut to_client) = (clone(&server), clone(&client));
                thread::spawn(move || {
                    let _ = std::io::copy(&mut from_server, &mut to_client);
                    let _ = to_client.shutdown(std::net::Shutdown::Write);
                });
                let flags = flags.clone();
                thread::spawn(move || ask(client, server, word.as_bytes(), &flags));
            }
        });
        Self {
            url,
            stalls,
            stalled,
        }
    }

    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// Waits until somebody is kept waiting.
    pub(crate) fn wait(&self) {
        let start = std::time::Instant::now();
        while !self.stalled.load(Ordering::SeqCst) {
            assert!(start.elapsed().as_secs() < 60, "nobody asked");
            thread::sleep(std::time::Duration::from_millis(5));
        }
    }

    /// Keeps nobody waiting any more.
    pub(crate) fn let_pass(&self) {
        self.stalls.store(false, Ordering::SeqCst);
    }
}

/// Copies what the client says, unless it asks for what it has to wait for.
fn ask(
    mut client: TcpStream,
    mut server: TcpStream,
    word: &[u8],
    (stalls, stalled): &(Arc<AtomicBool>, Arc<AtomicBool>),
) {
    let mut buffer = [0; 16 * 1024];
    while let Ok(read) = client.read(&mut buffer) {
        let has_word = buffer[..read].windows(word.len()).any(|it| it == word);
        if has_word && stalls.load(Ordering::SeqCst) {
            stalled.store(true, Ordering::SeqCst);
            continue;
        }
        if read == 0 || server.write_all(&buffer[..read]).is_err() {
            let _ = server.shutdown(std::net::Shutdown::Write);
            return;
        }
    }
}

fn address(url: &str) -> String {
    let address = url.strip_prefix("http://").expect("an http URL");
    address.trim_end_matches('/').to_owned()
}

fn clone(stream: &TcpStream) -> TcpStream {
    stream.try_clone().expect("another handle to a connection")
}

/// Copies what the server says, holding back as much as the piece is long, so that it is
/// found wherever reads happen to end.
fn pass(mut server: TcpStream, mut client: TcpStream, piece: &[u8], seen: &AtomicBool) {
    let mut held: Vec<u8> = Vec::new();
    let mut buffer = [0; 16 * 1024];
    server
        .set_read_timeout(Some(std::time::Duration::from_millis(50)))
        .expect("a timeout");
    loop {
        let (read, quiet) = match server.read(&mut buffer) {
            Ok(read) => (read, false),
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => (0, true),
            Err(_) => return,
        };
        held.extend(&buffer[..read]);
        if let Some(place) = held.windows(piece.len()).position(|window| window == piece) {
            held[place] ^= 1;
            seen.store(true, Ordering::SeqCst);
        }
        let ready = if quiet || read == 0 {
            held.len()
        } else {
            held.len().saturating_sub(piece.len())
        };
        if client.write_all(&held[..ready]).is_err() {
            return;
        }
        held.drain(..ready);
        if read == 0 && !quiet {
            let _ = client.shutdown(std::net::Shutdown::Write);
            return;
        }
    }
}
