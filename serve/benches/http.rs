//! Benchmarks MCP calls over HTTP, each in a fresh sandbox, against a bare rmcp server.
//! The calls are of a real component. The bare server is built on the same library and has neither
//! a sandbox nor a token.
//!
//! `cargo bench -p tool-hub-serve --bench http`
//!
//! Both servers are child processes of this one. One client drives them in turn, block by
//! block; then 200 clients at once do. Clients and servers share the machine's processors.

#![allow(clippy::print_stdout, reason = "a benchmark prints its figures")]

#[path = "support/support.rs"]
mod support;

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tool_hub_serve::{Access, BearerToken, Caller, MCP_PATH, serve_http};

use support::{Bare, Spread, Taken, catalogue};

type Failed = Box<dyn std::error::Error + Send + Sync>;

const TOKEN: &str = "the-token-of-the-benchmark";
const BLOCKS: usize = 30;
const CALLS: usize = 200;
const CLIENTS: usize = 200;
/// How long all clients call at once.
const CROWD: Duration = Duration::from_secs(5);
/// 125 keys with eight functions.
const KEYS: usize = 125;

fn main() -> Result<(), Failed> {
    match std::env::args().nth(1).as_deref() {
        Some("serve-bare") => on_all_threads()?.block_on(serve_bare()),
        Some("serve-ours") => on_all_threads()?.block_on(serve_ours()),
        // Cargo passes `--bench`.
        _ => compare(),
    }
}

fn on_all_threads() -> io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
}

fn compare() -> Result<(), Failed> {
    let (bare, ours) = (Server::start("serve-bare")?, Server::start("serve-ours")?);
    let call = json!({"name": "guest__add", "arguments": {"a": 1, "b": 2}});
    let request = request("tools/call", "guest__add", call);
    let mut clients = [bare.client()?, ours.client()?];
    let answers = [clients[0].ask(&request)?, clients[1].ask(&request)?];
    for answer in &answers {
        let sum = &answer["result"]["structuredContent"];
        assert_eq!(sum, &json!({"result": 3}), "{answer}");
    }
    let mut taken = [Taken::default(), Taken::default()];
    for _ in 0..BLOCKS {
        for ((client, server), taken) in clients.iter_mut().zip([&bare, &ours]).zip(&mut taken) {
            taken.add(server.child.id(), CALLS, || client.time(&request))?;
        }
    }
    drop(clients);
    let alone = [taken[0].spread(), taken[1].spread()];
    for ((name, taken_by), spread) in ["bare", "sandboxed"].iter().zip(&taken).zip(&alone) {
        println!(
            "one client: {name} p50 {:.3} ms, p99 {:.3} ms, {:.0} µs of the processors; ours to \
             it {:.2}, of the processors {:.2}",
            spread.p50,
            spread.p99,
            taken_by.processor_us(),
            alone[1].p50 / spread.p50,
            taken[1].processor_us() / taken_by.processor_us()
        );
    }
    for (name, server, alone) in [("bare", &bare, &alone[0]), ("sandboxed", &ours, &alone[1])] {
        let (spread, throughput) = crowd(server, &request)?;
        let cores = std::thread::available_parallelism()?.get();
        println!(
            "{CLIENTS} clients: {name} p50 {:.1} ms, p99 {:.1} ms, {:.1} times p50; {throughput:.0} \
             calls a second, {:.2} of what one client makes times {cores} processors",
            spread.p50,
            spread.p99,
            spread.p99 / spread.p50,
            throughput * alone.p50 / 1e3 / cores as f64
        );
    }
    list(&ours)
}

/// All clients call for a while: how long calls take, and how many there are in a second.
fn crowd(server: &Server, request: &[u8]) -> Result<(Spread, f64), Failed> {
    let request: Arc<[u8]> = request.into();
    let mut threads = Vec::new();
    let begun = Instant::now();
    for _ in 0..CLIENTS {
        let (mut client, request) = (server.client()?, request.clone());
        threads.push(std::thread::spawn(move || -> Result<_, Failed> {
            let mut times = Vec::new();
            while begun.elapsed() < CROWD {
                times.push(client.time(&request)?);
            }
            Ok(times)
        }));
    }
    let mut times = Vec::new();
    for thread in threads {
        times.extend(thread.join().map_err(|_| "a client panicked")??);
    }
    let throughput = times.len() as f64 / begun.elapsed().as_secs_f64();
    Ok((Spread::of(times), throughput))
}

fn list(server: &Server) -> Result<(), Failed> {
    let request = request("tools/list", "", json!({}));
    let mut client = server.client()?;
    let listed = client.ask(&request)?;
    let tools = listed["result"]["tools"].as_array().ok_or("no tools")?;
    assert_eq!(tools.len(), 8 * KEYS);
    let times = (0..100).map(|_| client.time(&request));
    let spread = Spread::of(times.collect::<Result<_, _>>()?);
    let (p50, p99) = (spread.p50, spread.p99);
    println!("a list of 1,000 functions: p50 {p50:.1} ms, p99 {p99:.1} ms");
    Ok(())
}

/// A request of revision 2026-07-28, which stands alone, as it goes over the wire.
fn request(method: &str, name: &str, mut params: Value) -> Vec<u8> {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "0"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string();
    let name = match name {
        "" => String::new(),
        name => format!("mcp-name: {name}\r\n"),
    };
    format!(
        "POST {MCP_PATH} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {TOKEN}\r\n\
         accept: application/json, text/event-stream\r\ncontent-type: application/json\r\n\
         mcp-protocol-version: 2026-07-28\r\nmcp-method: {method}\r\n{name}\
         content-length: {}\r\n\r\n{body}",
        body.len()
    )
    .into_bytes()
}

/// A server as a child process.
struct Server {
    child: Child,
    address: String,
}

impl Server {
    fn start(which: &str) -> Result<Self, Failed> {
        let mut child = Command::new(std::env::current_exe()?)
            .arg(which)
            .stdout(Stdio::piped())
            .spawn()?;
        let mut address = String::new();
        BufReader::new(child.stdout.take().ok_or("no output")?).read_line(&mut address)?;
        let address = address.trim().to_owned();
        Ok(Self { child, address })
    }

    fn client(&self) -> io::Result<Client> {
        let stream = TcpStream::connect(&self.address)?;
        stream.set_nodelay(true)?;
        Ok(Client {
            reader: BufReader::with_capacity(1 << 16, stream.try_clone()?),
            writer: stream,
            line: String::new(),
            body: Vec::new(),
        })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A connection that is kept. It does as little as a client can.
struct Client {
    reader: BufReader<TcpStream>,
    writer: TcpStream,
    line: String,
    body: Vec<u8>,
}

impl Client {
    fn ask(&mut self, request: &[u8]) -> Result<Value, Failed> {
        self.time(request)?;
        Ok(serde_json::from_slice(&self.body)?)
    }

    /// The time from the first byte written to the last byte read.
    fn time(&mut self, request: &[u8]) -> Result<Duration, Failed> {
        let started = Instant::now();
        self.writer.write_all(request)?;
        let mut length = None;
        self.read_line()?;
        if !self.line.starts_with("HTTP/1.1 200 ") {
            return Err(self.line.trim().into());
        }
        loop {
            self.read_line()?;
            match self.line.trim_end().split_once(": ") {
                Some(("content-length", value)) => length = Some(value.parse()?),
                Some(_) => {}
                None => break,
            }
        }
        self.body
            .resize(length.ok_or("an answer of unknown length")?, 0);
        self.reader.read_exact(&mut self.body)?;
        Ok(started.elapsed())
    }

    fn read_line(&mut self) -> io::Result<()> {
        self.line.clear();
        self.reader.read_line(&mut self.line)?;
        Ok(())
    }
}

async fn listen() -> io::Result<TcpListener> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    println!("{}", listener.local_addr()?);
    Ok(listener)
}

async fn serve_bare() -> Result<(), Failed> {
    let mut config = StreamableHttpServerConfig::default();
    config.legacy_session_mode = false;
    config.json_response = true;
    let sessions = Arc::new(NeverSessionManager::default());
    let mcp = StreamableHttpService::new(|| Ok(Bare), sessions, config);
    let router = Router::new().route_service(MCP_PATH, mcp);
    axum::serve(listen().await?, router).await?;
    Ok(())
}

async fn serve_ours() -> Result<(), Failed> {
    let catalogue = catalogue(KEYS).await.map_err(|error| error.to_string())?;
    let token: BearerToken = TOKEN.parse()?;
    let caller = Caller::new("bench".parse()?, token.digest(), catalogue.into());
    let access = Access::none().with_caller(caller)?;
    serve_http(listen().await?, access, None, std::future::pending()).await?;
    Ok(())
}
