//! Reads a server's entry in an MCP client's configuration: the command or the address it names.

use std::collections::BTreeMap;

use serde_json::{Map, Value};
use url::Url;

use crate::connect::ServeCommand;

/// A server that a client starts or calls.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ConfiguredServer {
    /// The client's name for it.
    pub(crate) name: String,
    pub(crate) kind: ServerKind,
}

/// The ways in which a client reaches a server.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum ServerKind {
    /// A program on this machine, over standard input and output.
    Local(LocalCommand),
    /// An address.
    Remote(RemoteAddress),
    /// `tool serve`.
    Ours,
    /// One that cannot be taken over, with the reason.
    Other(String),
}

/// The program of a server, as the client starts it. It may hold secrets, so nothing shows it as
/// it is.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct LocalCommand {
    pub(crate) program: String,
    pub(crate) args: Vec<String>,
    pub(crate) env: BTreeMap<String, String>,
    /// The directory that it is started in.
    pub(crate) directory: Option<String>,
}

/// The address of a server. It may hold secrets.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct RemoteAddress {
    pub(crate) url: Url,
    pub(crate) headers: BTreeMap<String, String>,
}

impl std::fmt::Debug for LocalCommand {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LocalCommand")
            .field("program", &self.program)
            .field("env", &self.env.keys())
            .finish_non_exhaustive()
    }
}

impl std::fmt::Debug for RemoteAddress {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RemoteAddress")
            .field("origin", &self.url.origin().ascii_serialization())
            .field("headers", &self.headers.keys())
            .finish()
    }
}

impl ConfiguredServer {
    /// Reads the entry of the server `name`.
    pub(crate) fn of(name: &str, entry: &Value) -> Self {
        let kind = match entry {
            Value::Object(entry) => kind(entry),
            _ => Err("its entry is not an object".to_owned()),
        };
        let kind = match ServeCommand::of_entry(entry) {
            Some(_) => ServerKind::Ours,
            None => kind.unwrap_or_else(ServerKind::Other),
        };
        Self {
            name: name.to_owned(),
            kind,
        }
    }
}

fn kind(entry: &Map<String, Value>) -> Result<ServerKind, String> {
    let is = |key: &str, value: bool| entry.get(key).and_then(Value::as_bool) == Some(value);
    if is("disabled", true) || is("enabled", false) {
        return Err("it is switched off".to_owned());
    }
    if entry.get("source").and_then(Value::as_str) == Some("extension") {
        return Err("an extension of the client starts it".to_owned());
    }
    if let Some(command) = entry.get("command") {
        // Older versions of Zed have an object here.
        let inner = command.as_object();
        let program = inner.map_or(Some(command), |inner| inner.get("path"));
        let program = program.and_then(Value::as_str).unwrap_or_default();
        return local(program, inner.unwrap_or(entry)).map(ServerKind::Local);
    }
    let address = ["url", "serverUrl", "httpUrl"]
        .iter()
        .find_map(|key| entry.get(*key));
    match address {
        Some(address) => {
            remote(address.as_str().unwrap_or_default(), entry).map(ServerKind::Remote)
        }
        None => Err("its entry has neither a command nor an address".to_owned()),
    }
}

fn local(program: &str, entry: &Map<String, Value>) -> Result<LocalCommand, String> {
    if program.trim().is_empty() {
        return Err("its command is empty".to_owned());
    }
    if entry.contains_key("envFile") {
        return Err("it takes its variables from a file, which is not read".to_owned());
    }
    let args = match entry.get("args") {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::Array(args)) => {
            let args = args.iter().map(|arg| arg.as_str().map(str::to_owned));
            let args: Option<Vec<String>> = args.collect();
            args.ok_or("its arguments are not all texts")?
        }
        Some(_) => return Err("its arguments are not a list".to_owned()),
    };
    let env = texts(entry, "env")?;
    let directory = entry.get("cwd").and_then(Value::as_str).map(str::to_owned);
    let places = [program].into_iter().chain(args.iter().map(String::as_str));
    if places.chain(directory.as_deref()).any(is_placeholder) {
        return Err("its command has a placeholder that only the client fills in".to_owned());
    }
    if let Some((name, _)) = env.iter().find(|(_, value)| is_placeholder(value)) {
        return Err(format!(
            "the value of {name} is a placeholder that only the client fills in"
        ));
    }
    Ok(LocalCommand {
        program: program.to_owned(),
        args,
        env,
        directory,
    })
}

fn remote(address: &str, entry: &Map<String, Value>) -> Result<RemoteAddress, String> {
    let key = match entry.contains_key("http_headers") {
        true => "http_headers",
        false => "headers",
    };
    let headers = texts(entry, key)?;
    let mut all = headers.values().map(String::as_str);
    if is_placeholder(address) || all.any(is_placeholder) {
        return Err("its address has a placeholder that only the client fills in".to_owned());
    }
    match address.parse::<Url>() {
        Ok(url) if matches!(url.scheme(), "https" | "http") => Ok(RemoteAddress { url, headers }),
        _ => Err("its address is no URL".to_owned()),
    }
}

/// The member `key` of an entry, by whose names there are texts.
fn texts(entry: &Map<String, Value>, key: &str) -> Result<BTreeMap<String, String>, String> {
    let members = match entry.get(key) {
        None | Some(Value::Null) => return Ok(BTreeMap::new()),
        Some(Value::Object(members)) => members,
        Some(_) => return Err(format!("its `{key}` is not an object")),
    };
    let members = members.iter().map(|(name, value)| match value {
        Value::String(text) => Ok((name.clone(), text.clone())),
        Value::Number(_) | Value::Bool(_) => Ok((name.clone(), value.to_string())),
        _ => Err(format!("the value of {name} is not a text")),
    });
    members.collect()
}

/// True for a text that clients replace: `${input:key}`, `${env:KEY}`, `$KEY`.
fn is_placeholder(text: &str) -> bool {
    let is_name = |rest: &str| {
        let first = rest.chars().next();
        first.is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
            && rest.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    text.contains("${") || text.strip_prefix('$').is_some_and(is_name)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(entry: Value, expect: &str) {
        let found = match ConfiguredServer::of("x", &entry).kind {
            ServerKind::Local(local) => {
                let env: Vec<String> = local.env.iter().map(|(a, b)| format!(" {a}={b}")).collect();
                format!("{} {}{}", local.program, local.args.join(" "), env.concat())
            }
            ServerKind::Remote(remote) => format!("{} {:?}", remote.url, remote.headers),
            ServerKind::Ours => "ours".to_owned(),
            ServerKind::Other(reason) => reason,
        };
        assert_eq!(found, expect, "{entry}");
    }

    #[test]
    fn entries_of_all_clients_are_read() {
        check(
            json!({ "command": "uvx", "args": ["a"], "env": { "K": "v", "N": 1 } }),
            "uvx a K=v N=1",
        );
        check(
            json!({ "source": "custom", "command": { "path": "uvx", "args": ["a"], "env": { "K": "v" } } }),
            "uvx a K=v",
        );
        check(
            json!({ "type": "http", "url": "https://a.example/mcp", "headers": { "X": "y" } }),
            "https://a.example/mcp {\"X\": \"y\"}",
        );
        check(
            json!({ "serverUrl": "https://a.example/mcp" }),
            "https://a.example/mcp {}",
        );
        check(
            json!({ "httpUrl": "https://a.example/" }),
            "https://a.example/ {}",
        );
        check(
            json!({ "command": "/usr/bin/tool", "args": ["serve"] }),
            "ours",
        );
    }

    #[test]
    fn what_cannot_be_read_says_why() {
        check(json!(1), "its entry is not an object");
        check(
            json!({ "command": "uvx", "disabled": true }),
            "it is switched off",
        );
        check(
            json!({ "command": "uvx", "enabled": false }),
            "it is switched off",
        );
        check(
            json!({ "source": "extension" }),
            "an extension of the client starts it",
        );
        check(json!({}), "its entry has neither a command nor an address");
        check(json!({ "command": "" }), "its command is empty");
        check(
            json!({ "command": "a", "args": "b" }),
            "its arguments are not a list",
        );
        check(
            json!({ "command": "a", "args": [1] }),
            "its arguments are not all texts",
        );
        check(
            json!({ "command": "a", "env": { "K": "${input:k}" } }),
            "the value of K is a placeholder that only the client fills in",
        );
        check(
            json!({ "command": "a", "env": { "K": "$K" } }),
            "the value of K is a placeholder that only the client fills in",
        );
        check(
            json!({ "command": "a", "args": ["${workspaceFolder}"] }),
            "its command has a placeholder that only the client fills in",
        );
        check(json!({ "url": "here" }), "its address is no URL");
        check(
            json!({ "command": "a", "envFile": ".env" }),
            "it takes its variables from a file, which is not read",
        );
        let dollars = json!({ "command": "a", "env": { "K": "pa$$word$1" } });
        check(dollars, "a  K=pa$$word$1");
    }

    #[test]
    fn no_secret_is_shown_by_accident() {
        let entry =
            json!({ "command": "a", "args": ["--key", "s3cret"], "env": { "K": "s3cret" } });
        let found = format!("{:?}", ConfiguredServer::of("x", &entry));
        assert!(!found.contains("s3cret") && found.contains('K'), "{found}");
        let entry = json!({ "url": "https://a.example/?key=s3cret", "headers": { "X": "s3cret" } });
        let found = format!("{:?}", ConfiguredServer::of("x", &entry));
        assert!(!found.contains("s3cret") && found.contains('X'), "{found}");
    }
}
