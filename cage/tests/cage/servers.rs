//! MCP servers that other people wrote, started in a cage as they are.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};
use tool_hub_cage::{Ended, Handle, Program};
use tool_hub_manifest::{Access, Grants, Methods};

use crate::packages;
use crate::support::{Place, Test, node, place, python};

/// The longest wait for an answer.
const ANSWER_TIME_MAX: Duration = Duration::from_secs(60);

/// A server written with the official SDK for Python.
const TIME: [&str; 2] = ["mcp-server-time==2026.10.19", "tzdata==2025.2"];
/// One that makes requests, with `httpx`.
const FETCH: [&str; 1] = ["mcp-server-fetch==2026.10.24"];
/// The reference servers for Node.
const FILESYSTEM: &str = "@modelcontextprotocol/server-filesystem@2026.8.31";
const EVERYTHING: &str = "@modelcontextprotocol/server-everything@2026.8.31";

pub(crate) fn python_tests() -> Vec<Test> {
    vec![
        ("servers::time_in_python", || Box::pin(time_in_python())),
        ("servers::fetch_in_python", || Box::pin(fetch_in_python())),
    ]
}

pub(crate) fn node_tests() -> Vec<Test> {
    vec![
        ("servers::filesystem_in_node", || {
            Box::pin(filesystem_in_node())
        }),
        ("servers::everything_in_node", || {
            Box::pin(everything_in_node())
        }),
        ("servers::everything_by_npx", || {
            Box::pin(everything_by_npx())
        }),
    ]
}

/// A conversation with a server in a cage.
struct Client {
    stdin: Option<Box<dyn AsyncWrite + Send + Unpin>>,
    stdout: BufReader<Box<dyn AsyncRead + Send + Unpin>>,
    stderr: tokio::task::JoinHandle<String>,
    handle: Handle,
    number: u64,
}

impl Client {
    async fn start(place: &Place, program: &Program, grants: &Grants) -> Self {
        let process = place.start(program, grants).await;
        let (stdin, stdout, mut stderr, handle) = process.into_parts();
        let stderr = tokio::spawn(async move {
            let mut text = Vec::new();
            let _ = tokio::io::AsyncReadExt::read_to_end(&mut stderr, &mut text).await;
            String::from_utf8_lossy(&text).into_owned()
        });
        let mut client = Self {
            stdin: Some(stdin),
            stdout: BufReader::new(stdout),
            stderr,
            handle,
            number: 0,
        };
        let hello = json!({
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": { "name": "cage", "version": "1" },
        });
        client.ask("initialize", hello).await;
        let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        client.send(&ready).await;
        client
    }

    async fn send(&mut self, message: &Value) {
        let stdin = self.stdin.as_mut().unwrap();
        stdin
            .write_all(format!("{message}\n").as_bytes())
            .await
            .unwrap();
    }

    async fn ask(&mut self, method: &str, params: Value) -> Value {
        self.number += 1;
        let number = self.number;
        let request = json!({ "jsonrpc": "2.0", "id": number, "method": method, "params": params });
        self.send(&request).await;
        loop {
            let mut line = String::new();
            let read = self.stdout.read_line(&mut line);
            let read = tokio::time::timeout(ANSWER_TIME_MAX, read).await.unwrap();
            if read.unwrap() == 0 {
                let ended = self.handle.wait().await;
                panic!("{method}: {ended:?}: {}", (&mut self.stderr).await.unwrap());
            }
            let message: Value = serde_json::from_str(&line).unwrap();
            if message["id"] == json!(number) && message.get("method").is_none() {
                assert!(message.get("error").is_none(), "{method}: {message}");
                return message["result"].clone();
            }
        }
    }

    async fn tools(&mut self) -> Vec<String> {
        let listed = self.ask("tools/list", json!({})).await;
        let tools = listed["tools"].as_array().unwrap();
        let names = tools.iter().map(|tool| tool["name"].as_str().unwrap());
        names.map(str::to_owned).collect()
    }

    /// The text that a call answers, and whether it is an error.
    async fn call(&mut self, name: &str, arguments: Value) -> (String, bool) {
        let params = json!({ "name": name, "arguments": arguments });
        let result = self.ask("tools/call", params).await;
        let text = result["content"][0]["text"].as_str().unwrap_or_default();
        let failed = result["isError"].as_bool().unwrap_or(false);
        (text.to_owned(), failed)
    }

    /// Ends the input, at which servers end.
    async fn end(mut self) -> Ended {
        self.stdin = None;
        match tokio::time::timeout(Duration::from_secs(10), self.handle.wait()).await {
            Ok(ended) => ended,
            Err(_) => {
                self.handle.kill();
                self.handle.wait().await
            }
        }
    }
}

/// The module `name` of packages that lie in `directory`.
fn module(name: &str, directory: &Path, arguments: &[&str]) -> Program {
    let script = format!(
        "import sys, runpy; sys.path.insert(0, {directory:?}); \
         runpy.run_module({name:?}, run_name='__main__', alter_sys=True)"
    );
    let mut all = vec!["-c", script.as_str()];
    all.extend(arguments);
    python(&all).packages(directory)
}

async fn time_in_python() {
    let place = place();
    let directory = packages::python(&TIME);
    let program = module("mcp_server_time", &directory, &["--local-timezone=UTC"]);
    let mut client = Client::start(&place, &program, &Grants::none()).await;
    assert_eq!(client.tools().await, ["get_current_time", "convert_time"]);
    let asked = json!({
        "source_timezone": "Asia/Tokyo",
        "time": "12:30",
        "target_timezone": "Europe/Berlin",
    });
    let (text, failed) = client.call("convert_time", asked).await;
    assert!(!failed && text.contains("Europe/Berlin"), "{text}");
    assert_eq!(client.end().await, Ended::Exited(0));
    place.check_empty();
}

/// The text of a page of one's own, through the proxy, and nothing of a server that is not
/// granted.
async fn fetch_in_python() {
    let place = place();
    let directory = packages::python(&FETCH);
    let (granted, canary) = (page(), page());
    let origin = format!("http://localhost:{granted}").parse().unwrap();
    let grants = Grants::none().network(origin, Methods::Any);
    let program = module(
        "mcp_server_fetch",
        &directory,
        &["--ignore-robots-txt", "--allow-private-ips"],
    );
    let mut client = Client::start(&place, &program, &grants).await;
    assert_eq!(client.tools().await, ["fetch"]);
    let url = |port: u16| json!({ "url": format!("http://localhost:{port}/page"), "raw": true });
    let (text, failed) = client.call("fetch", url(granted)).await;
    assert!(!failed && text.contains("the page of"), "{text}");
    let (text, _) = client.call("fetch", url(canary)).await;
    assert!(
        !text.contains("the page of") && text.contains("403"),
        "{text}"
    );
    client.end().await;
}

/// A server with one page.
fn page() -> u16 {
    use std::io::{Read as _, Write as _};
    let listening = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listening.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in listening.incoming() {
            let mut stream = stream.unwrap();
            let _ = stream.read(&mut [0; 4096]);
            let text = format!("the page of {port}");
            let length = text.len();
            let answer = format!(
                "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: {length}\r\n\
                 Connection: close\r\n\r\n{text}"
            );
            let _ = stream.write_all(answer.as_bytes());
        }
    });
    port
}

async fn filesystem_in_node() {
    let place = place();
    let directory = packages::node(&[FILESYSTEM]);
    let script =
        directory.join("node_modules/@modelcontextprotocol/server-filesystem/dist/index.js");
    let data = tempfile::tempdir().unwrap();
    let data = data.path().canonicalize().unwrap();
    std::fs::write(data.join("note.txt"), "a note").unwrap();
    let outside = tempfile::tempdir().unwrap();
    let outside = outside.path().canonicalize().unwrap();
    std::fs::write(outside.join("canary.txt"), "canary").unwrap();
    // It is told that it may use both, and granted one.
    let program = node(&[
        &script.to_string_lossy(),
        &data.to_string_lossy(),
        &outside.to_string_lossy(),
    ])
    .packages(&directory);
    let name = "data".parse().unwrap();
    let grants = Grants::none().directory(name, &data, Access::ReadWrite);
    let mut client = Client::start(&place, &program, &grants).await;
    assert!(client.tools().await.contains(&"read_text_file".to_owned()));
    let path = |directory: &Path, name: &str| json!({ "path": directory.join(name) });
    let (text, failed) = client.call("read_text_file", path(&data, "note.txt")).await;
    assert_eq!((text.as_str(), failed), ("a note", false));
    let written = json!({ "path": data.join("new.txt"), "content": "written" });
    let (_, failed) = client.call("write_file", written).await;
    assert!(!failed);
    let new = std::fs::read_to_string(data.join("new.txt")).unwrap();
    assert_eq!(new, "written");
    let (text, failed) = client
        .call("read_text_file", path(&outside, "canary.txt"))
        .await;
    assert!(failed && text.contains("EACCES"), "{text}");
    client.end().await;
}

async fn everything_in_node() {
    let place = place();
    let directory = packages::node(&[EVERYTHING]);
    let script =
        directory.join("node_modules/@modelcontextprotocol/server-everything/dist/index.js");
    let program = node(&[&script.to_string_lossy(), "stdio"]).packages(&directory);
    let mut client = Client::start(&place, &program, &Grants::none()).await;
    assert!(client.tools().await.contains(&"echo".to_owned()));
    let (text, _) = client.call("echo", json!({ "message": "hello" })).await;
    assert_eq!(text, "Echo: hello");
    let sum = client.call("get-sum", json!({ "a": 20, "b": 22 })).await;
    assert!(sum.0.contains("42"), "{sum:?}");
    client.end().await;
}

/// As clients start it, by `npx`, which starts a shell, which starts Node.
async fn everything_by_npx() {
    let place = place();
    let directory = packages::node(&[EVERYTHING]);
    let npx = std::process::Command::new("node")
        .args(["-e", "console.log(require('fs').realpathSync(require('child_process').execSync('command -v npx').toString().trim()))"])
        .output()
        .unwrap();
    let npx = String::from_utf8(npx.stdout).unwrap();
    let place_argument = format!("--prefix={}", directory.display());
    let program = node(&[
        npx.trim(),
        "--offline",
        &place_argument,
        "mcp-server-everything",
        "stdio",
    ])
    .packages(&directory);
    let mut client = Client::start(&place, &program, &Grants::none()).await;
    assert!(client.tools().await.contains(&"echo".to_owned()));
    client.end().await;
}
