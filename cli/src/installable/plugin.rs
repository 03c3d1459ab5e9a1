//! Builds the files of a plugin for agents, in the form of Agent Plugins 1.0.0, from tools.
//! It holds the catalogues by which Claude Code and Codex find it.
//!
//! The tools' packages are in the plugin, and each is a server that `tool serve --only` runs, with
//! its digest. So a plugin runs what was approved when it was made.

use std::path::PathBuf;

use serde_json::{Map, Value, json};

use super::{Argument, InstallableTool};
use crate::terminal::problem::Problem;

const PLUGIN_SCHEMA: &str = "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json";
const SERVERS_SCHEMA: &str = "https://agent-plugins.org/schemas/1.0.0/mcp.schema.json";
/// The namespace of our own members in a plugin's manifest.
const EXTENSION: &str = "org.tool-hub";
const NAME_LENGTH_MAX: usize = 64;
/// The longest description of a skill, in characters.
const SKILL_DESCRIPTION_MAX: usize = 1024;

/// A file of a plugin: its path in the plugin's directory, and its bytes.
pub(crate) type PluginFile = (PathBuf, Vec<u8>);

/// The files of the plugin `name` with these tools.
///
/// # Errors
/// When the name is not one that plugins may have, or a tool asks for a directory: the format has
/// no settings, so nobody could choose it.
pub(crate) fn plugin(name: &str, tools: &[InstallableTool]) -> anyhow::Result<Vec<PluginFile>> {
    check_name(name)?;
    for tool in tools {
        if let Some(request) = tool.manifest().capabilities.directories.first() {
            return Err(Problem::user(format!(
                "`{}` asks for the directory `{}`, and a plugin has no setting for one",
                tool.key, request.name
            ))
            .hint("leave the tool out, or write it as a bundle: tool export --mcpb FILE NAME")
            .into());
        }
    }
    let description = tools.iter().map(InstallableTool::description);
    let description = description.collect::<Vec<_>>().join(" ");
    let mut files: Vec<PluginFile> = Vec::new();
    let mut document = |path: &str, document: Value| -> anyhow::Result<()> {
        let mut text = serde_json::to_vec_pretty(&document)?;
        text.push(b'\n');
        files.push((PathBuf::from(path), text));
        Ok(())
    };
    let owner = json!({ "name": tools.first().map_or_else(String::new, InstallableTool::author) });
    let mut manifest = json!({
        "$schema": PLUGIN_SCHEMA,
        "name": name,
        "description": description,
        "author": owner,
        "keywords": ["tool-hub", "wasm-component"],
        "extensions": { EXTENSION: { "tools": tools.iter().map(pin).collect::<Vec<_>>() } },
    });
    if let [only] = tools {
        manifest["version"] = only.manifest().version.to_string().into();
    }
    document("plugin.json", manifest)?;
    let servers = servers(tools, "${PLUGIN_ROOT}", true);
    document(
        "mcp.json",
        json!({ "$schema": SERVERS_SCHEMA, "mcpServers": servers }),
    )?;
    let claude = json!({
        "name": name,
        "description": description,
        "author": owner,
        "mcpServers": self::servers(tools, "${CLAUDE_PLUGIN_ROOT}", false),
    });
    document(".claude-plugin/plugin.json", claude)?;
    let entry = json!({ "name": name, "source": "./", "description": description });
    let catalogue = json!({ "name": name, "owner": owner, "plugins": [entry] });
    document(".claude-plugin/marketplace.json", catalogue)?;
    let entry = json!({
        "name": name,
        "source": { "source": "local", "path": "./" },
        "policy": { "installation": "AVAILABLE", "authentication": "ON_INSTALL" },
        "category": "Productivity",
    });
    let catalogue = json!({ "name": name, "plugins": [entry] });
    document(".agents/plugins/marketplace.json", catalogue)?;
    for tool in tools {
        let skill = PathBuf::from("skills").join(tool.dashed_name());
        files.push((skill.join("SKILL.md"), skill_text(tool).into_bytes()));
        for (name, bytes) in tool.package() {
            files.push((PathBuf::from(package(tool)).join(name), bytes.to_vec()));
        }
    }
    Ok(files)
}

/// The servers of a plugin whose directory clients write as `root`.
fn servers(tools: &[InstallableTool], root: &str, with_type: bool) -> Map<String, Value> {
    let servers = tools.iter().map(|tool| {
        let place = format!("{root}/{}", package(tool));
        let arguments = tool.arguments_of_copy(&place, |_| String::new());
        let mut server = json!({ "command": "tool", "args": Argument::words(arguments) });
        if with_type {
            server["type"] = "stdio".into();
        }
        (tool.dashed_name(), server)
    });
    servers.collect()
}

fn package(tool: &InstallableTool) -> String {
    format!("packages/{}", tool.dashed_name())
}

/// The pin of a tool, and the most that it may do: what the plugin's user agrees to.
fn pin(tool: &InstallableTool) -> Value {
    json!({
        "name": tool.manifest().name,
        "version": tool.manifest().version,
        "digest": tool.verified.pin().digest(),
        "source": tool.source,
        "capabilities": tool.manifest().capabilities,
    })
}

/// The text that tells a model of a tool's functions.
fn skill_text(tool: &InstallableTool) -> String {
    let description: String = tool
        .description()
        .chars()
        .take(SKILL_DESCRIPTION_MAX)
        .collect();
    let functions = tool.functions.iter().map(|spec| {
        let text = spec.description.replace('\n', " ");
        format!("- `{}`: {text}\n", spec.name)
    });
    let functions: String = functions.collect();
    let rights: String = tool.rights().iter().map(|it| format!("- {it}\n")).collect();
    format!(
        "---\nname: {}\ndescription: {}\n---\n\n# {}\n\n\
         Call these functions of the MCP server `{}`:\n\n{functions}\n\
         The tool runs in a sandbox. It may:\n\n{rights}",
        tool.dashed_name(),
        Value::from(description),
        tool.manifest().name,
        tool.dashed_name(),
    )
}

fn check_name(name: &str) -> anyhow::Result<()> {
    let is_inner = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '.' | '-');
    let is_outer = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    let is_name = (1..=NAME_LENGTH_MAX).contains(&name.len())
        && name.chars().all(is_inner)
        && name.starts_with(is_outer)
        && name.ends_with(is_outer)
        && !name.contains("--")
        && !name.contains("..");
    if is_name {
        return Ok(());
    }
    Err(
        Problem::user(format!("`{name}` cannot be the name of a plugin"))
            .hint(format!(
                "name the directory with 1 to {NAME_LENGTH_MAX} of a-z, 0-9, `.` and `-`, which begin and end \
                 with a letter or a digit"
            ))
            .into(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_specification() {
        for name in ["a", "notes", "ada.notes-2", "9", &"a".repeat(64)] {
            assert!(check_name(name).is_ok(), "{name}");
        }
        for name in [
            "",
            "-a",
            "a-",
            "a--b",
            "a..b",
            "A",
            "a_b",
            "é",
            &"a".repeat(65),
        ] {
            assert!(check_name(name).is_err(), "{name}");
        }
    }
}
