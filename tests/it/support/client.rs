//! A client of the Model Context Protocol, 2025-06-18, over a server's standard input and output.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};

/// Whatever takes longer hangs.
const PATIENCE: Duration = Duration::from_secs(60);

/// A server that a client started, and the client's ends of its pipes. It ends when it goes
/// out of scope.
pub(crate) struct Client {
    server: Child,
    input: Option<ChildStdin>,
    output: Receiver<String>,
    requests: u64,
    /// How often the server said that its list is another one.
    pub(crate) changes: usize,
}

impl Client {
    /// Starts `command` and greets it.
    #[track_caller]
    pub(crate) fn start(mut command: Command) -> Self {
        let mut server = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the command starts");
        let lines = BufReader::new(server.stdout.take().expect("a pipe")).lines();
        let (read, output) = channel();
        std::thread::spawn(move || {
            lines
                .map_while(Result::ok)
                .try_for_each(|line| read.send(line))
        });
        let mut client = Self {
            input: server.stdin.take(),
            output,
            server,
            requests: 0,
            changes: 0,
        };
        let greeted = client.ask(
            "initialize",
            json!({
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "clientInfo": { "name": "a client", "version": "1.0.0" },
            }),
        );
        assert!(greeted["serverInfo"]["name"].is_string(), "{greeted}");
        client.write(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        client
    }

    /// The result of a request.
    #[track_caller]
    pub(crate) fn ask(&mut self, method: &str, params: Value) -> Value {
        self.answer(method, params)["result"].take()
    }

    /// The whole answer to a request: a result, or an error.
    #[track_caller]
    pub(crate) fn answer(&mut self, method: &str, params: Value) -> Value {
        self.requests += 1;
        let id = self.requests;
        self.write(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        loop {
            let message = self.read();
            if message["id"] == id {
                return message;
            }
        }
    }

    /// Waits until the server says that its list is another one.
    #[track_caller]
    pub(crate) fn hear_of_a_change(&mut self) {
        let before = self.changes;
        while self.changes == before {
            self.read();
        }
    }

    /// The names of the tools.
    #[track_caller]
    pub(crate) fn tools(&mut self) -> Vec<String> {
        let listed = self.ask("tools/list", json!({}));
        let tools = listed["tools"].as_array().expect("tools").iter();
        tools
            .map(|tool| tool["name"].as_str().expect("a name").to_owned())
            .collect()
    }

    /// The next message: an answer, or that the list is another one.
    #[track_caller]
    fn read(&mut self) -> Value {
        let line = self.output.recv_timeout(PATIENCE);
        let message: Value = serde_json::from_str(&line.expect("the server writes")).expect("JSON");
        match message["method"].as_str() {
            Some("notifications/tools/list_changed") => self.changes += 1,
            // A call may have changed them, and this client lists none.
            Some("notifications/resources/list_changed") => {}
            Some(other) => panic!("nobody asked for {other}"),
            None => {}
        }
        message
    }

    /// Closes the client's side; the server ends well.
    #[track_caller]
    pub(crate) fn leave(mut self) {
        drop(self.input.take());
        assert!(self.server.wait().expect("the server ends").success());
    }

    fn write(&mut self, message: &Value) {
        let input = self.input.as_mut().expect("the client has not left");
        writeln!(input, "{message}").expect("the server reads");
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // It may have ended by itself; then there is nothing to end.
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

/// Calls a function and returns its structured answer, or the text of its failure.
#[track_caller]
pub(crate) fn call(client: &mut Client, function: &str, arguments: Value) -> Value {
    let called = json!({ "name": function, "arguments": arguments });
    let answer = client.ask("tools/call", called);
    match answer["isError"] == true {
        true => answer["content"][0]["text"].clone(),
        false => answer["structuredContent"]["result"].clone(),
    }
}
