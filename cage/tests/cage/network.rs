//! Sockets of every kind, with and without granted origins, and the way through the proxy.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::net::{SocketAddr as UnixAddress, UnixListener};
use std::thread;

use tool_hub_manifest::{Grants, Methods};

use crate::support::{Test, place};

pub(crate) fn tests() -> Vec<Test> {
    vec![
        ("network::without_a_grant_there_are_no_sockets", || {
            Box::pin(without_a_grant_there_are_no_sockets())
        }),
        ("network::the_proxy_is_the_only_way", || {
            Box::pin(the_proxy_is_the_only_way())
        }),
        ("network::no_address_is_swapped_after_it_was_read", || {
            Box::pin(no_address_is_swapped_after_it_was_read())
        }),
        ("network::clients_reach_what_was_granted", || {
            Box::pin(clients_reach_what_was_granted())
        }),
        ("network::nobody_else_reaches_the_proxy", || {
            Box::pin(nobody_else_reaches_the_proxy())
        }),
    ]
}

/// Servers of every kind that must not be reached.
struct Canaries {
    tcp: TcpListener,
    udp: UdpSocket,
    unix: UnixListener,
    unix_path: std::path::PathBuf,
    abstract_: UnixListener,
    abstract_name: String,
    _directory: tempfile::TempDir,
}

impl Canaries {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let unix_path = directory.path().join("agent.sock");
        let abstract_name = format!("tool-hub-canary-{}", std::process::id());
        let name = format!("{abstract_name}-{:p}", &raw const abstract_name);
        let address = UnixAddress::from_abstract_name(&name).unwrap();
        let canaries = Self {
            tcp: TcpListener::bind("127.0.0.1:0").unwrap(),
            udp: UdpSocket::bind("127.0.0.1:0").unwrap(),
            unix: UnixListener::bind(&unix_path).unwrap(),
            unix_path,
            abstract_: UnixListener::bind_addr(&address).unwrap(),
            abstract_name: name,
            _directory: directory,
        };
        canaries.tcp.set_nonblocking(true).unwrap();
        canaries.udp.set_nonblocking(true).unwrap();
        canaries.unix.set_nonblocking(true).unwrap();
        canaries.abstract_.set_nonblocking(true).unwrap();
        canaries
    }

    fn port(&self) -> u16 {
        self.tcp.local_addr().unwrap().port()
    }

    fn check_untouched(&self) {
        assert!(self.tcp.accept().is_err(), "somebody connected");
        assert!(self.udp.recv(&mut [0; 16]).is_err(), "somebody sent");
        assert!(self.unix.accept().is_err(), "somebody connected");
        assert!(self.abstract_.accept().is_err(), "somebody connected");
    }

    /// Attempts to reach the canaries and others. All are refused, with and without a grant.
    fn script(&self) -> String {
        format!(
            r#"
tcp, udp, unix, abstract = {tcp}, {udp}, {unix:?}, {abstract_name:?}
def send(family, kind, address, *protocol):
    s = socket.socket(family, kind, *protocol)
    s.sendto(b"leak", address) if kind == socket.SOCK_DGRAM else s.connect(address)
def fast_open(address):
    s = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    s.sendto(b"leak", socket.MSG_FASTOPEN, address)
def fast_open_message(address):
    s = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    s.sendmsg([b"leak"], [], socket.MSG_FASTOPEN, address)
I, I6, U, S, D = socket.AF_INET, socket.AF_INET6, socket.AF_UNIX, socket.SOCK_STREAM, socket.SOCK_DGRAM
attempt("loopback", lambda: send(I, S, ("127.0.0.1", tcp)))
attempt("loopback by another address", lambda: send(I, S, ("127.0.0.2", tcp)))
attempt("any address", lambda: send(I, S, ("0.0.0.0", tcp)))
attempt("public", lambda: send(I, S, ("1.1.1.1", 443)))
attempt("metadata", lambda: send(I, S, ("169.254.169.254", 80)))
attempt("another port of the proxy's address", lambda: send(I, S, ("127.0.0.1", 3129)))
attempt("the proxy's port elsewhere", lambda: send(I, S, ("1.1.1.1", 3128)))
attempt("IPv6", lambda: send(I6, S, ("::1", tcp)))
attempt("mapped", lambda: send(I6, S, ("::ffff:127.0.0.1", tcp)))
attempt("fast open", lambda: fast_open(("127.0.0.1", tcp)))
attempt("fast open by message", lambda: fast_open_message(("127.0.0.1", tcp)))
attempt("UDP", lambda: send(I, D, ("127.0.0.1", udp)))
attempt("DNS", lambda: send(I, D, ("1.1.1.1", 53)))
attempt("multipath TCP", lambda: send(I, S, ("127.0.0.1", tcp), 262))
attempt("SCTP", lambda: send(I, S, ("127.0.0.1", tcp), 132))
attempt("raw", lambda: socket.socket(I, socket.SOCK_RAW, socket.IPPROTO_ICMP))
attempt("netlink", lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW))
attempt("packet", lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW))
attempt("vsock", lambda: socket.socket(40, S))
attempt("kernel's cryptography", lambda: socket.socket(38, socket.SOCK_SEQPACKET))
attempt("Bluetooth", lambda: socket.socket(31, socket.SOCK_RAW, 1))
attempt("Unix", lambda: send(U, S, unix))
attempt("abstract", lambda: send(U, S, "\0" + abstract))
attempt("Unix datagram", lambda: send(U, D, unix))
attempt("D-Bus", lambda: send(U, S, "/run/dbus/system_bus_socket"))
attempt("docker", lambda: send(U, S, "/var/run/docker.sock"))
attempt("a pair that can be connected", lambda: socket.socketpair(U, D))
attempt("listen", lambda: socket.socket(I, S).listen())
attempt("bind", lambda: socket.socket(I, S).bind(("127.0.0.1", 0)))
pair = socket.socketpair()
def reconnect(address):
    number = ctypes.c_int(pair[0].fileno())
    path = address.encode()
    name = (1).to_bytes(2, sys.byteorder) + path + b"\0"
    if libc.connect(number, name, len(name)) == -1:
        raise OSError(ctypes.get_errno(), "refused")
attempt("a pair connected elsewhere", lambda: reconnect(unix))
"#,
            tcp = self.port(),
            udp = self.udp.local_addr().unwrap().port(),
            unix = self.unix_path,
            abstract_name = self.abstract_name,
        )
    }
}

/// The number of attempts in [`Canaries::script`].
const ATTEMPTS: usize = 30;

async fn without_a_grant_there_are_no_sockets() {
    let place = place();
    let canaries = Canaries::new();
    let script = canaries.script()
        + "\nattempt('the proxy', lambda: send(I, S, ('127.0.0.1', 3128)))\n\
           print('proxy' in ' '.join(os.environ).lower())";
    let said = place.python(&script, &Grants::none()).await;
    said.all_refused(ATTEMPTS + 1);
    assert!(said.stdout.ends_with("False\n"));
    canaries.check_untouched();
}

async fn the_proxy_is_the_only_way() {
    let place = place();
    let canaries = Canaries::new();
    let origin = "http://localhost:1".parse().unwrap();
    let grants = Grants::none().network(origin, Methods::Any);
    let script = canaries.script()
        + &format!(
            r#"
def ask(text):
    s = socket.create_connection(("127.0.0.1", 3128))
    s.sendall(text.encode())
    answer = s.recv(1000).decode()
    print("answer", answer.split("\r\n")[0])
ask("CONNECT 127.0.0.1:{port} HTTP/1.1\r\nHost: x\r\n\r\n")
ask("CONNECT localhost:{port} HTTP/1.1\r\nHost: x\r\n\r\n")
ask("GET http://127.0.0.1:{port}/ HTTP/1.1\r\nHost: x\r\n\r\n")
ask("GET http://localhost:1/ HTTP/1.1\r\nHost: x\r\n\r\n")
"#,
            port = canaries.port()
        );
    let said = place.python(&script, &grants).await;
    said.all_refused(ATTEMPTS);
    let answers = said.stdout.lines();
    let answers: Vec<&str> = answers
        .filter_map(|it| it.strip_prefix("answer "))
        .collect();
    let refused = "HTTP/1.1 403 Forbidden";
    let absent = "HTTP/1.1 502 Bad Gateway";
    assert_eq!(answers, [refused, refused, refused, absent], "{said:?}");
    canaries.check_untouched();
}

/// The address lies in the program's memory, where another thread changes it all the time.
async fn no_address_is_swapped_after_it_was_read() {
    let place = place();
    let canaries = Canaries::new();
    let origin = "http://localhost:1".parse().unwrap();
    let grants = Grants::none().network(origin, Methods::Any);
    let script = format!(
        r#"
import threading
def address(port):
    return (2).to_bytes(2, sys.byteorder) + port.to_bytes(2, "big") + bytes([127, 0, 0, 1]) + bytes(8)
good, bad = address(3128), address({port})
memory = ctypes.create_string_buffer(good, 16)
going = True
def swap():
    while going:
        ctypes.memmove(memory, bad, 16)
        ctypes.memmove(memory, good, 16)
thread = threading.Thread(target=swap)
thread.start()
connected = refused = 0
for _ in range(1500):
    s = socket.socket()
    if libc.connect(s.fileno(), memory, 16) == 0: connected += 1
    else: refused += 1
    s.close()
going = False
thread.join()
print("both", connected > 0, refused > 0)
"#,
        port = canaries.port()
    );
    let said = place.python(&script, &grants).await;
    assert_eq!(said.stdout, "both True True\n", "{said:?}");
    canaries.check_untouched();
}

/// Answers every request on a port of its own with its first line.
fn echo() -> u16 {
    let listening = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listening.local_addr().unwrap().port();
    thread::spawn(move || {
        for stream in listening.incoming() {
            let mut stream = stream.unwrap();
            thread::spawn(move || {
                let mut buffer = [0; 4096];
                let read = stream.read(&mut buffer).unwrap_or(0);
                let text = String::from_utf8_lossy(&buffer[..read]);
                let line = text.lines().next().unwrap_or_default();
                let length = line.len();
                let answer = format!(
                    "HTTP/1.1 200 OK\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{line}"
                );
                let _ = stream.write_all(answer.as_bytes());
            });
        }
    });
    port
}

async fn clients_reach_what_was_granted() {
    let place = place();
    let port = echo();
    let canary = Canaries::new();
    let get = Methods::Only(["GET".parse().unwrap()].into());
    let grants = Grants::none().network(format!("http://localhost:{port}").parse().unwrap(), get);
    let script = format!(
        r#"
import asyncio, http.client, urllib.error, urllib.request
print(urllib.request.urlopen("http://localhost:{port}/urllib?a=b").read().decode())
def status(url, **options):
    try: return urllib.request.urlopen(urllib.request.Request(url, **options)).status
    except urllib.error.HTTPError as error: return error.code
print("post", status("http://localhost:{port}/", data=b"x"))
print("other", status("http://localhost:{canary}/"))
print("address", status("http://127.0.0.1:{port}/"))
async def raw():
    reader, writer = await asyncio.open_connection("127.0.0.1", 3128)
    writer.write(b"GET http://localhost:{port}/asyncio HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    return (await reader.read()).decode().splitlines()[-1]
print(asyncio.run(asyncio.wait_for(raw(), 10)))
# Many at once, which do not block.
async def many(): return await asyncio.gather(*[raw() for _ in range(30)])
print(set(asyncio.run(many())))
"#,
        canary = canary.port()
    );
    let said = place.python(&script, &grants).await;
    let expect = "GET /urllib?a=b HTTP/1.1\npost 403\nother 403\naddress 403\n\
                  GET /asyncio HTTP/1.1\n{'GET /asyncio HTTP/1.1'}\n";
    assert_eq!(said.stdout, expect, "{said:?}");
    canary.check_untouched();
}

/// It listens nowhere, so another program of this machine finds nothing.
async fn nobody_else_reaches_the_proxy() {
    let place = place();
    let origin = "http://localhost:1".parse().unwrap();
    let grants = Grants::none().network(origin, Methods::Any);
    let script = r#"
import socket, sys
s = socket.create_connection(("127.0.0.1", 3128))
print(s.getpeername()[1], s.getsockname()[1], flush=True)
sys.stdin.read()
"#;
    let program = crate::support::python(&["-I", "-c", script]);
    let process = place.start(&program, &grants).await;
    let (stdin, mut stdout, _stderr, mut handle) = process.into_parts();
    let mut said = [0; 64];
    let read = tokio::io::AsyncReadExt::read(&mut stdout, &mut said)
        .await
        .unwrap();
    let said = String::from_utf8_lossy(&said[..read]).into_owned();
    for port in said.split_ascii_whitespace() {
        let port: u16 = port.parse().unwrap();
        let other = std::net::TcpStream::connect(("127.0.0.1", port));
        assert!(other.is_err(), "something listens at {port}");
    }
    assert_eq!(said.split_ascii_whitespace().count(), 2, "{said}");
    drop(stdin);
    handle.wait().await;
}
