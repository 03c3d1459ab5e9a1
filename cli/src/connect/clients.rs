//! The known MCP clients: name, configuration, and form of a server's entry in it.
//!
//! Each follows the client's own documentation.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tool_hub_toolbox::clients::{ClientPlaces, McpClient};

use super::scope::Scope;

/// An MCP client that starts servers over standard input and output.
#[derive(Debug)]
pub(crate) struct Client {
    /// Its name on the command line.
    pub(crate) name: &'static str,
    /// Its makers' name for it.
    pub(crate) title: &'static str,
    pub(crate) format: Format,
    /// The key of the servers in its configuration.
    pub(crate) section: &'static str,
    aliases: &'static [&'static str],
    preset: fn() -> Value,
    /// The place of its configuration.
    files: McpClient,
}

/// The format of a configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    /// JSON, and a comment is an error.
    Json,
    /// JSON with comments and trailing commas.
    Jsonc,
    Toml,
}

impl Format {
    /// The word for it.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Json => "JSON",
            Self::Jsonc => "JSON with comments",
            Self::Toml => "TOML",
        }
    }
}

fn nothing() -> Value {
    json!({})
}

fn stdio() -> Value {
    json!({ "type": "stdio" })
}

const CLIENTS: [Client; 10] = [
    Client {
        name: "claude-code",
        title: "Claude Code",
        format: Format::Json,
        section: "mcpServers",
        aliases: &["claude"],
        preset: stdio,
        files: McpClient::ClaudeCode,
    },
    Client {
        name: "claude-desktop",
        title: "Claude Desktop",
        format: Format::Json,
        section: "mcpServers",
        aliases: &[],
        preset: nothing,
        files: McpClient::ClaudeDesktop,
    },
    Client {
        name: "codex",
        title: "Codex",
        format: Format::Toml,
        section: "mcp_servers",
        aliases: &[],
        preset: nothing,
        files: McpClient::Codex,
    },
    Client {
        name: "copilot-cli",
        title: "GitHub Copilot CLI",
        format: Format::Jsonc,
        section: "mcpServers",
        aliases: &["copilot"],
        preset: || json!({ "type": "local", "tools": ["*"] }),
        files: McpClient::CopilotCli,
    },
    Client {
        name: "cursor",
        title: "Cursor",
        format: Format::Jsonc,
        section: "mcpServers",
        aliases: &[],
        preset: stdio,
        files: McpClient::Cursor,
    },
    Client {
        name: "gemini-cli",
        title: "Gemini CLI",
        format: Format::Jsonc,
        section: "mcpServers",
        aliases: &["gemini"],
        preset: nothing,
        files: McpClient::GeminiCli,
    },
    Client {
        name: "kiro",
        title: "Kiro",
        format: Format::Jsonc,
        section: "mcpServers",
        aliases: &[],
        preset: nothing,
        files: McpClient::Kiro,
    },
    Client {
        name: "vscode",
        title: "VS Code",
        format: Format::Jsonc,
        section: "servers",
        aliases: &["code", "vs-code"],
        preset: stdio,
        files: McpClient::VsCode,
    },
    Client {
        name: "windsurf",
        title: "Windsurf",
        format: Format::Jsonc,
        section: "mcpServers",
        aliases: &[],
        preset: nothing,
        files: McpClient::Windsurf,
    },
    Client {
        name: "zed",
        title: "Zed",
        format: Format::Jsonc,
        section: "context_servers",
        aliases: &[],
        // Older versions of it read no server without a source.
        preset: || json!({ "source": "custom" }),
        files: McpClient::Zed,
    },
];

impl Client {
    /// Every client that is known, by name.
    pub(crate) fn all() -> impl Iterator<Item = &'static Self> {
        const { &CLIENTS }.iter()
    }

    /// The client called `name`.
    pub(crate) fn find(name: &str) -> Option<&'static Self> {
        Self::all().find(|client| client.name == name || client.aliases.contains(&name))
    }

    /// The members that a server is given where it is written for the first time, beside its
    /// command.
    pub(super) fn preset(&self) -> Value {
        (self.preset)()
    }

    /// True if it can be configured for a single project.
    pub(crate) fn knows_projects(&self) -> bool {
        self.files.project_file().is_some()
    }

    /// Its configuration for `scope`, that of a project in `project`; nothing where it has
    /// none.
    pub(crate) fn file(
        &self,
        scope: Scope,
        places: &ClientPlaces,
        project: &Path,
    ) -> Option<PathBuf> {
        match scope {
            Scope::User => Some(self.files.user_file(places)),
            Scope::Project => self.files.project_file().map(|file| project.join(file)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// No tool may change the configuration of a client that `tool connect` knows.
    #[test]
    fn every_client_has_its_own_files() {
        let files = CLIENTS.map(|client| client.files);
        assert_eq!(files, McpClient::ALL);
    }

    #[test]
    fn a_name_means_one_client() {
        let names: Vec<&str> = Client::all()
            .flat_map(|client| {
                [client.name]
                    .into_iter()
                    .chain(client.aliases.iter().copied())
            })
            .collect();
        let mut once = names.clone();
        once.sort_unstable();
        once.dedup();
        assert_eq!(once.len(), names.len(), "{names:?}");
        assert_eq!(Client::find("claude").unwrap().name, "claude-code");
        assert!(Client::find("Cursor").is_none());
    }
}
