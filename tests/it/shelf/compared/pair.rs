//! The `Pair` of a server that is published and the tool of the shelf that stands for it.

use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::public_clients::packages;
use crate::support::{Client, Home, guests};

/// A server that is published, and the tool that stands for it.
pub(super) struct Pair {
    pub(super) published: Client,
    pub(super) tool: Client,
    /// Of what the published server says, what the tool says otherwise, and how.
    pub(super) wording: Vec<(String, &'static str)>,
}

impl Pair {
    /// Starts both. The tool has all functions of the server but those that are `left_out`.
    #[track_caller]
    pub(super) fn start(
        mut published: Command,
        home: &Home,
        tool: &str,
        flags: &[&str],
        left_out: &[&str],
    ) -> Self {
        let project = guests::built(tool);
        let mut arguments = vec!["dev", project.to_str().expect("UTF-8"), "--serve"];
        arguments.extend(flags);
        let mut serve = home.command(arguments);
        serve.stderr(Stdio::null());
        published.stderr(Stdio::null());
        let mut pair = Self {
            published: Client::start(published),
            tool: Client::start(serve),
            wording: Vec::new(),
        };
        let offered: Vec<String> = pair
            .tool
            .tools()
            .iter()
            .map(|name| own(name).to_owned())
            .collect();
        for name in pair.published.tools() {
            assert!(
                offered.contains(&name) != left_out.contains(&&*name),
                "{name}: {offered:?}"
            );
        }
        pair
    }

    /// Makes a call to both, whose answers are the same; the tool's is returned.
    #[track_caller]
    pub(super) fn same(&mut self, function: &str, arguments: Value) -> Value {
        let (expected, found) = self.answers(function, &arguments);
        for answer in [&expected, &found] {
            assert_ne!(answer["isError"], true, "{function} {arguments}: {answer}");
        }
        let (mut expected, found) = (said(&expected), said(&found));
        if let Value::String(text) = &mut expected {
            for (theirs, ours) in &self.wording {
                *text = text.replace(theirs, ours);
            }
        }
        assert_eq!(found, expected, "{function} {arguments}");
        found
    }

    /// Makes a call to both, which both refuse.
    #[track_caller]
    pub(super) fn both_refuse(&mut self, function: &str, arguments: Value) {
        let (expected, found) = self.answers(function, &arguments);
        for answer in [&expected, &found] {
            assert_eq!(answer["isError"], true, "{function} {arguments}: {answer}");
        }
    }

    #[track_caller]
    pub(super) fn answers(&mut self, function: &str, arguments: &Value) -> (Value, Value) {
        let call = |client: &mut Client, name: &str| {
            client.ask(
                "tools/call",
                json!({ "name": name, "arguments": arguments }),
            )
        };
        let offered = self.tool.tools();
        let name = offered
            .iter()
            .find(|name| own(name) == function)
            .expect("the function");
        (
            call(&mut self.published, function),
            call(&mut self.tool, name),
        )
    }
}

/// The function's own name in the name that a client sees.
fn own(name: &str) -> &str {
    name.rsplit_once("__").map_or(name, |(_, own)| own)
}

/// What an answer says: its first part, as a value where its text is JSON.
#[track_caller]
pub(super) fn said(answer: &Value) -> Value {
    let part = &answer["content"][0];
    match part["text"].as_str() {
        Some(text) => serde_json::from_str(text).unwrap_or_else(|_| text.trim_end().into()),
        None => part.clone(),
    }
}

pub(super) fn of_python(package: &str, module: &str) -> Command {
    let mut server = Command::new("python3");
    server
        .args(["-m", module])
        .env("PYTHONPATH", packages::python(&[package]));
    server
}

/// A server of the project that publishes the reference servers, of its release of August 2026.
pub(super) fn of_node(name: &str) -> Command {
    let package = format!("@modelcontextprotocol/server-{name}");
    let place = packages::node(&[&format!("{package}@2026.8.31")]);
    let mut server = Command::new("node");
    server.arg(
        place
            .join("node_modules")
            .join(package)
            .join("dist/index.js"),
    );
    server
}
