//! Builds the `tool serve` command for a client's configuration, and reads such commands from
//! existing entries.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use serde::Serialize;
use serde_json::{Map, Value, json};
use tool_hub_toolbox::Settings;
use tool_hub_toolbox::open_toolbox::OpenToolbox;

use crate::settings::environment;
use crate::terminal::problem::Problem;

use super::clients::Client;

/// The variables that are ours to set and to take away in a server's environment.
const OWN_VARIABLES: [&str; 4] = [
    "TOOL_HUB_HOME",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
];

/// The command that starts a toolbox, wherever and by whomever it is started.
#[derive(Debug, Serialize)]
pub(crate) struct Server {
    pub(crate) command: String,
    pub(crate) args: Vec<String>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) env: BTreeMap<String, String>,
}

impl Server {
    /// This program, serving `only` these tools of `toolbox`, or all.
    ///
    /// The toolbox is named even where it is the user's own: a client is started in whatever
    /// directory, and the nearest toolbox upwards of that may be a stranger's.
    ///
    /// # Errors
    /// When a path cannot be written as text.
    pub(crate) fn of(
        toolbox: &OpenToolbox,
        only: Vec<String>,
        settings: &Settings,
    ) -> anyhow::Result<Self> {
        let program = std::env::current_exe().context("this program cannot be found")?;
        let mut args = vec!["serve".to_owned(), "--toolbox".to_owned()];
        args.push(text(toolbox.directory())?);
        args.extend(only);
        let mut env = BTreeMap::new();
        for (name, path) in environment::own_variables(settings) {
            env.insert(name.to_owned(), text(&path)?);
        }
        Ok(Self {
            command: text(&program)?,
            args,
            env,
        })
    }

    /// The entry of the server for `client`. Everything else in `existing`, which was written for
    /// it before, is the user's and stays.
    pub(crate) fn entry(&self, client: &Client, existing: Option<&Value>) -> Map<String, Value> {
        let mut entry = match (existing, client.preset()) {
            (Some(Value::Object(existing)), _) => existing.clone(),
            (_, Value::Object(preset)) => preset,
            _ => Map::new(),
        };
        entry.insert("command".to_owned(), json!(self.command));
        entry.insert("args".to_owned(), json!(self.args));
        let mut env = match entry.get("env") {
            Some(Value::Object(env)) => env.clone(),
            _ => Map::new(),
        };
        env.retain(|name, _| {
            !OWN_VARIABLES.contains(&name.as_str()) || self.env.contains_key(name)
        });
        for (name, value) in &self.env {
            env.insert(name.clone(), json!(value));
        }
        if env.is_empty() {
            entry.shift_remove("env");
        } else {
            entry.insert("env".to_owned(), Value::Object(env));
        }
        entry
    }

    /// Something in it that clients may take for a variable of theirs.
    pub(crate) fn looks_like_a_variable(&self) -> Option<&str> {
        let texts = [&self.command].into_iter().chain(&self.args);
        let mut texts = texts.chain(self.env.values());
        texts.find(|text| text.contains('$')).map(String::as_str)
    }
}

fn text(path: &Path) -> anyhow::Result<String> {
    let text = path.to_str().ok_or_else(|| {
        Problem::user(format!(
            "{} cannot be written into a configuration: its name is not Unicode",
            path.display()
        ))
        .hint("move it to a path of plain letters")
    })?;
    Ok(text.to_owned())
}

/// A command of this program, as a client's entry starts it.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(crate) struct ServeCommand {
    pub(crate) command: String,
    /// The toolbox, where the command names one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) toolbox: Option<PathBuf>,
    /// The tools, where the command names some.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) only: Vec<String>,
}

impl ServeCommand {
    /// The command that `entry` starts, where that is `tool serve`.
    pub(crate) fn of_entry(entry: &Value) -> Option<Self> {
        let command = entry.get("command")?.as_str()?;
        let name = command.rsplit(['/', '\\']).next().unwrap_or(command);
        let is_this = std::env::current_exe().is_ok_and(|this| this == Path::new(command));
        if !is_this && !["tool", "tool.exe"].contains(&name) {
            return None;
        }
        let args = entry.get("args")?.as_array()?;
        let mut args = args.iter().map(Value::as_str);
        if args.next()?? != "serve" {
            return None;
        }
        let mut started = Self {
            command: command.to_owned(),
            toolbox: None,
            only: Vec::new(),
        };
        while let Some(argument) = args.next() {
            match argument? {
                "--toolbox" => started.toolbox = Some(args.next()??.into()),
                option if option.starts_with('-') => {}
                name => started.only.push(name.to_owned()),
            }
        }
        Some(started)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server(env: &[(&str, &str)]) -> Server {
        Server {
            command: "/bin/tool".to_owned(),
            args: vec!["serve".to_owned()],
            env: env
                .iter()
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                .collect(),
        }
    }

    #[track_caller]
    fn check(client: &str, env: &[(&str, &str)], existing: Value, expect: &str) {
        let existing = Some(existing).filter(|existing| !existing.is_null());
        let client = Client::find(client).unwrap();
        let entry = server(env).entry(client, existing.as_ref());
        assert_eq!(Value::Object(entry).to_string(), expect);
    }

    #[test]
    fn what_a_user_added_stays() {
        check(
            "vscode",
            &[],
            Value::Null,
            r#"{"type":"stdio","command":"/bin/tool","args":["serve"]}"#,
        );
        check(
            "copilot-cli",
            &[("TOOL_HUB_HOME", "/h")],
            json!({ "tools": ["a"], "command": "x", "args": [], "timeout": 9 }),
            r#"{"tools":["a"],"command":"/bin/tool","args":["serve"],"timeout":9,"env":{"TOOL_HUB_HOME":"/h"}}"#,
        );
        check(
            "cursor",
            &[],
            json!({ "command": "x", "args": [], "env": { "TOOL_HUB_HOME": "/h", "KEY": "k" } }),
            r#"{"command":"/bin/tool","args":["serve"],"env":{"KEY":"k"}}"#,
        );
        check(
            "cursor",
            &[],
            json!({ "command": "x", "env": { "XDG_DATA_HOME": "/h" }, "args": [] }),
            r#"{"command":"/bin/tool","args":["serve"]}"#,
        );
    }

    #[track_caller]
    fn check_started(entry: Value, expect: Option<(Option<&str>, &[&str])>) {
        let started = ServeCommand::of_entry(&entry);
        let found = started
            .as_ref()
            .map(|started| (started.toolbox.as_deref(), started.only.clone()));
        let expect = expect.map(|(toolbox, only)| {
            let only: Vec<String> = only.iter().map(|name| (*name).to_owned()).collect();
            (toolbox.map(Path::new), only)
        });
        assert_eq!(found, expect, "{entry}");
    }

    #[test]
    fn what_is_ours() {
        let entry = |command: &str, args: Value| json!({ "command": command, "args": args });
        check_started(entry("tool", json!(["serve"])), Some((None, &[])));
        check_started(
            entry(
                r"C:\bin\tool.exe",
                json!(["serve", "--toolbox", "/p", "--quiet", "a", "b"]),
            ),
            Some((Some("/p"), &["a", "b"])),
        );
        check_started(entry("/opt/other-tool", json!(["serve"])), None);
        check_started(entry("tool", json!(["list"])), None);
        check_started(entry("tool", json!([])), None);
        check_started(entry("tool", json!(["serve", 1])), None);
        check_started(entry("tool", json!("serve")), None);
        check_started(json!({ "url": "https://example.com" }), None);
        check_started(json!(1), None);
    }
}
