//! Benchmarks a call on stdin and stdout, in a fresh sandbox, against a bare rmcp server.
//! The call is of a real component; the bare server computes the same answer natively. Ours runs on
//! one thread, as `tool serve` does. The bare server runs twice: on as many threads as there are
//! processors, as rmcp's documentation shows it, and on one.
//!
//! `cargo bench -p tool-hub-serve`
//!
//! Both servers are child processes of this one, driven in turn, block by block, so that
//! whatever else the machine does falls on both. The figure to read is the ratio.

#![allow(clippy::print_stdout, reason = "a benchmark prints its figures")]

#[path = "support/support.rs"]
mod support;

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use rmcp::ServiceExt as _;
use rmcp::transport::io::stdio_pipes;
use serde_json::{Value, json};
use tokio::runtime::{Builder, Runtime};
use tool_hub_serve::serve_stdio;

use support::{Bare, Taken, catalogue};

const BLOCKS: usize = 30;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    match std::env::args().nth(1).as_deref() {
        Some("serve-bare") => on_all_threads()?.block_on(serve_bare()),
        Some("serve-bare-on-one-thread") => on_one_thread()?.block_on(serve_bare()),
        Some("serve-ours") => on_one_thread()?.block_on(serve_ours()),
        // Cargo passes `--bench`.
        _ => compare(),
    }
}

fn on_all_threads() -> std::io::Result<Runtime> {
    Builder::new_multi_thread().enable_all().build()
}

fn on_one_thread() -> std::io::Result<Runtime> {
    Builder::new_current_thread().enable_all().build()
}

fn compare() -> Result<(), Box<dyn std::error::Error>> {
    let long = "x".repeat(1 << 20);
    for (what, calls, function, arguments) in [
        ("two integers", 200, "guest__add", json!({"a": 1, "b": 2})),
        ("a text of 1 MiB", 4, "guest__echo", json!({"text": long})),
    ] {
        let servers = ["serve-bare", "serve-bare-on-one-thread", "serve-ours"];
        let mut clients = Vec::new();
        for server in servers {
            clients.push((server, Client::start(server)?, Taken::default()));
        }
        let expected = clients[0].1.call(function, &arguments)?;
        for (server, client, _) in &mut clients {
            let mut answer = client.call(function, &arguments)?;
            // Ours says, too, whose text it is.
            answer.as_object_mut().map(|answer| answer.remove("_meta"));
            assert_eq!(answer, expected, "{server}");
        }
        for _ in 0..BLOCKS {
            for (_, client, taken) in &mut clients {
                let pid = client.child.id();
                taken.add(pid, calls, || client.time(function, &arguments))?;
            }
        }
        let (_, _, ours) = &clients[2];
        for (server, _, taken) in &clients {
            let spread = taken.spread();
            println!(
                "{what}: {server} p50 {:.3} ms, p99 {:.3} ms, {:.0} µs of the processors; ours to \
                 it {:.2}, of the processors {:.2}",
                spread.p50,
                spread.p99,
                taken.processor_us(),
                ours.spread().p50 / spread.p50,
                ours.processor_us() / taken.processor_us()
            );
        }
    }
    Ok(())
}

/// A server as a child process, and the client's end of its pipes.
struct Client {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    id: u64,
    line: String,
}

impl Client {
    fn start(which: &str) -> Result<Self, Box<dyn std::error::Error>> {
        let mut child = Command::new(std::env::current_exe()?)
            .arg(which)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let input = child.stdin.take().ok_or("no input")?;
        let output = BufReader::new(child.stdout.take().ok_or("no output")?);
        let mut client = Self {
            child,
            input,
            output,
            id: 0,
            line: String::new(),
        };
        client.request(
            "initialize",
            &json!({
                "protocolVersion": "2025-11-25", "capabilities": {},
                "clientInfo": {"name": "bench", "version": "0"},
            }),
        )?;
        Ok(client)
    }

    fn request(
        &mut self,
        method: &str,
        params: &Value,
    ) -> Result<Value, Box<dyn std::error::Error>> {
        let line = self.encode(method, params);
        self.exchange(&line)?;
        let answer: Value = serde_json::from_str(&self.line)?;
        match answer.get("result") {
            Some(result) => Ok(result.clone()),
            None => Err(answer.to_string().into()),
        }
    }

    fn call(
        &mut self,
        function: &str,
        arguments: &Value,
    ) -> Result<Value, Box<dyn std::error::Error>> {
        self.request(
            "tools/call",
            &json!({"name": function, "arguments": arguments}),
        )
    }

    /// The time from the first byte written to the last byte read.
    fn time(
        &mut self,
        function: &str,
        arguments: &Value,
    ) -> Result<Duration, Box<dyn std::error::Error>> {
        let params = json!({"name": function, "arguments": arguments});
        let line = self.encode("tools/call", &params);
        let started = Instant::now();
        self.exchange(&line)?;
        Ok(started.elapsed())
    }

    fn encode(&mut self, method: &str, params: &Value) -> String {
        self.id += 1;
        let id = self.id;
        format!(
            "{}\n",
            json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
        )
    }

    fn exchange(&mut self, line: &str) -> std::io::Result<()> {
        self.input.write_all(line.as_bytes())?;
        self.line.clear();
        self.output.read_line(&mut self.line)?;
        Ok(())
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

async fn serve_bare() -> Result<(), Box<dyn std::error::Error>> {
    Bare.serve(stdio_pipes()).await?.waiting().await?;
    Ok(())
}

async fn serve_ours() -> Result<(), Box<dyn std::error::Error>> {
    serve_stdio(catalogue(1).await?.into(), std::future::pending()).await?;
    Ok(())
}
