//! A small MCP client for the demo: starts `tool serve`, lists its tools and calls one.

use std::process::Stdio;
use std::time::Duration;

use anyhow::Context as _;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::time::timeout;

use crate::terminal::printer::Printer;

/// The revision of the protocol that the visit speaks.
const PROTOCOL: &str = "2025-11-25";
/// The longest wait for one answer.
const ANSWER_MAX: Duration = Duration::from_secs(60);

/// Starts the server that `command` is, lists its tools, calls the first and shows both
/// answers.
pub(super) async fn visit(mut command: Command, printer: &Printer) -> anyhow::Result<()> {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let mut client = Client::of(&mut child)?;
    let hello = json!({
        "protocolVersion": PROTOCOL,
        "capabilities": {},
        "clientInfo": { "name": "tool-demo", "version": env!("CARGO_PKG_VERSION") },
    });
    client.ask("initialize", hello).await?;
    client
        .tell(json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))
        .await?;
    let listed = client.ask("tools/list", json!({})).await?;
    let tool = &listed["tools"][0];
    let name = tool["name"].as_str().context("the server lists no tool")?;
    printer.note("→ tools/list");
    printer.data(&serde_json::to_string_pretty(tool)?)?;
    let arguments = json!({ "name": "Grace", "language": "de" });
    printer.note(&format!("→ tools/call {name} {arguments}"));
    let answer = client
        .ask(
            "tools/call",
            json!({ "name": name, "arguments": arguments }),
        )
        .await?;
    printer.data(
        answer["content"][0]["text"]
            .as_str()
            .context("the tool answered no text")?,
    )?;
    drop(client);
    timeout(ANSWER_MAX, child.wait())
        .await
        .context("the server did not end with its client")??;
    Ok(())
}

/// A connection with one message on each line, and one request at a time.
struct Client {
    input: ChildStdin,
    output: Lines<BufReader<ChildStdout>>,
    asked: u64,
}

impl Client {
    fn of(child: &mut Child) -> anyhow::Result<Self> {
        let input = child
            .stdin
            .take()
            .context("the server has no standard input")?;
        let output = child
            .stdout
            .take()
            .context("the server has no standard output")?;
        Ok(Self {
            input,
            output: BufReader::new(output).lines(),
            asked: 0,
        })
    }

    async fn tell(&mut self, message: Value) -> anyhow::Result<()> {
        self.input
            .write_all(format!("{message}\n").as_bytes())
            .await?;
        Ok(self.input.flush().await?)
    }

    async fn ask(&mut self, method: &str, parameters: Value) -> anyhow::Result<Value> {
        self.asked += 1;
        let id = self.asked;
        self.tell(json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": parameters }))
            .await?;
        loop {
            let line = timeout(ANSWER_MAX, self.output.next_line())
                .await
                .with_context(|| format!("the server did not answer {method}"))??
                .with_context(|| format!("the server ended at {method}"))?;
            let message: Value =
                serde_json::from_str(&line).context("the server wrote something else than JSON")?;
            if message["id"] == json!(id) {
                return match message.get("result") {
                    Some(result) => Ok(result.clone()),
                    None => Err(anyhow::anyhow!(
                        "{method} failed: {}",
                        message["error"]["message"]
                    )),
                };
            }
        }
    }
}
