//! The known MCP clients: name, place of the configuration, and form of a server's entry in it.
//!
//! Each follows the client's own documentation.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::places::{ClientPlaces, Scope, System};

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
    user: fn(&ClientPlaces, System) -> PathBuf,
    /// The file in a project, where it has one.
    project: Option<&'static str>,
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
        user: |places, _| match &places.claude {
            Some(directory) => directory.join(".claude.json"),
            None => places.home.join(".claude.json"),
        },
        project: Some(".mcp.json"),
    },
    Client {
        name: "claude-desktop",
        title: "Claude Desktop",
        format: Format::Json,
        section: "mcpServers",
        aliases: &[],
        preset: nothing,
        user: |places, system| {
            let directory = places.applications(system).join("Claude");
            directory.join("claude_desktop_config.json")
        },
        project: None,
    },
    Client {
        name: "codex",
        title: "Codex",
        format: Format::Toml,
        section: "mcp_servers",
        aliases: &[],
        preset: nothing,
        user: |places, _| {
            let directory = places.directory_or(places.codex.as_deref(), ".codex");
            directory.join("config.toml")
        },
        project: Some(".codex/config.toml"),
    },
    Client {
        name: "copilot-cli",
        title: "GitHub Copilot CLI",
        format: Format::Jsonc,
        section: "mcpServers",
        aliases: &["copilot"],
        preset: || json!({ "type": "local", "tools": ["*"] }),
        user: |places, _| {
            let directory = places.directory_or(places.copilot.as_deref(), ".copilot");
            directory.join("mcp-config.json")
        },
        project: None,
    },
    Client {
        name: "cursor",
        title: "Cursor",
        format: Format::Jsonc,
        section: "mcpServers",
        aliases: &[],
        preset: stdio,
        user: |places, _| places.home.join(".cursor/mcp.json"),
        project: Some(".cursor/mcp.json"),
    },
    Client {
        name: "gemini-cli",
        title: "Gemini CLI",
        format: Format::Jsonc,
        section: "mcpServers",
        aliases: &["gemini"],
        preset: nothing,
        user: |places, _| places.home.join(".gemini/settings.json"),
        project: Some(".gemini/settings.json"),
    },
    Client {
        name: "kiro",
        title: "Kiro",
        format: Format::Jsonc,
        section: "mcpServers",
        aliases: &[],
        preset: nothing,
        user: |places, _| places.home.join(".kiro/settings/mcp.json"),
        project: Some(".kiro/settings/mcp.json"),
    },
    Client {
        name: "vscode",
        title: "VS Code",
        format: Format::Jsonc,
        section: "servers",
        aliases: &["code", "vs-code"],
        preset: stdio,
        user: |places, system| places.applications(system).join("Code/User/mcp.json"),
        project: Some(".vscode/mcp.json"),
    },
    Client {
        name: "windsurf",
        title: "Windsurf",
        format: Format::Jsonc,
        section: "mcpServers",
        aliases: &[],
        preset: nothing,
        user: |places, _| places.home.join(".codeium/windsurf/mcp_config.json"),
        project: None,
    },
    Client {
        name: "zed",
        title: "Zed",
        format: Format::Jsonc,
        section: "context_servers",
        aliases: &[],
        // Older versions of it read no server without a source.
        preset: || json!({ "source": "custom" }),
        user: |places, system| match system {
            System::Linux => places.config.join("zed/settings.json"),
            System::Macos => places.home.join(".config/zed/settings.json"),
            System::Windows => places.config.join("Zed/settings.json"),
        },
        project: Some(".zed/settings.json"),
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
        self.project.is_some()
    }

    /// The name, at the top of a project, of this client's configuration.
    pub(crate) fn project_name(&self) -> Option<&'static str> {
        self.project?.split('/').next()
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
            Scope::User => Some((self.user)(places, System::HERE)),
            Scope::Project => self.project.map(|file| project.join(file)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(told: Option<&str>) -> ClientPlaces {
        ClientPlaces {
            home: "/home/ada".into(),
            config: "/home/ada/settings".into(),
            claude: told.map(PathBuf::from),
            codex: told.map(PathBuf::from),
            copilot: told.map(PathBuf::from),
        }
    }

    #[track_caller]
    fn check(name: &str, expect: [&str; 3]) {
        let client = Client::find(name).unwrap();
        let systems = [System::Linux, System::Macos, System::Windows];
        let found = systems.map(|system| (client.user)(&places(None), system));
        assert_eq!(found, expect.map(|path| Path::new("/home/ada").join(path)));
    }

    #[test]
    fn every_system_has_its_places() {
        for (name, everywhere) in [
            ("claude-code", ".claude.json"),
            ("codex", ".codex/config.toml"),
            ("copilot-cli", ".copilot/mcp-config.json"),
            ("cursor", ".cursor/mcp.json"),
            ("gemini-cli", ".gemini/settings.json"),
            ("kiro", ".kiro/settings/mcp.json"),
            ("windsurf", ".codeium/windsurf/mcp_config.json"),
        ] {
            check(name, [everywhere; 3]);
        }
        check(
            "claude-desktop",
            [
                "settings/Claude/claude_desktop_config.json",
                "Library/Application Support/Claude/claude_desktop_config.json",
                "settings/Claude/claude_desktop_config.json",
            ],
        );
        check(
            "vscode",
            [
                "settings/Code/User/mcp.json",
                "Library/Application Support/Code/User/mcp.json",
                "settings/Code/User/mcp.json",
            ],
        );
        check(
            "zed",
            [
                "settings/zed/settings.json",
                ".config/zed/settings.json",
                "settings/Zed/settings.json",
            ],
        );
    }

    #[test]
    fn a_variable_moves_a_client() {
        for (name, file) in [
            ("claude-code", "/moved/.claude.json"),
            ("codex", "/moved/config.toml"),
            ("copilot-cli", "/moved/mcp-config.json"),
        ] {
            let client = Client::find(name).unwrap();
            let found = (client.user)(&places(Some("/moved")), System::HERE);
            assert_eq!(found, Path::new(file));
        }
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
