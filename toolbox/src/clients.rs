//! The known MCP clients, and the files that they are configured by.
//!
//! Each follows the client's own documentation.
//! Such a file decides which programs an agent starts, so no tool may change one.

use std::path::{Path, PathBuf};

use crate::variables::Variables;

/// An MCP client that starts servers over standard input and output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum McpClient {
    /// Claude Code.
    ClaudeCode,
    /// Claude Desktop.
    ClaudeDesktop,
    /// Codex.
    Codex,
    /// GitHub Copilot CLI.
    CopilotCli,
    /// Cursor.
    Cursor,
    /// Gemini CLI.
    GeminiCli,
    /// Kiro.
    Kiro,
    /// VS Code.
    VsCode,
    /// Windsurf.
    Windsurf,
    /// Zed.
    Zed,
}

impl McpClient {
    /// Every client that is known.
    pub const ALL: [Self; 10] = [
        Self::ClaudeCode,
        Self::ClaudeDesktop,
        Self::Codex,
        Self::CopilotCli,
        Self::Cursor,
        Self::GeminiCli,
        Self::Kiro,
        Self::VsCode,
        Self::Windsurf,
        Self::Zed,
    ];

    /// The user's configuration of it.
    pub fn user_file(self, places: &ClientPlaces) -> PathBuf {
        self.user_file_on(System::HERE, places)
    }

    fn user_file_on(self, system: System, places: &ClientPlaces) -> PathBuf {
        let home = &places.home;
        let directory_or = |told: &Option<PathBuf>, usual: &str| {
            let told = told.clone();
            told.unwrap_or_else(|| home.join(usual))
        };
        let applications = || match system {
            System::Macos => home.join("Library/Application Support"),
            System::Linux | System::Windows => places.config.clone(),
        };
        match self {
            Self::ClaudeCode => directory_or(&places.claude, "").join(".claude.json"),
            Self::ClaudeDesktop => applications().join("Claude/claude_desktop_config.json"),
            Self::Codex => directory_or(&places.codex, ".codex").join("config.toml"),
            Self::CopilotCli => directory_or(&places.copilot, ".copilot").join("mcp-config.json"),
            Self::Cursor => home.join(".cursor/mcp.json"),
            Self::GeminiCli => home.join(".gemini/settings.json"),
            Self::Kiro => home.join(".kiro/settings/mcp.json"),
            Self::VsCode => applications().join("Code/User/mcp.json"),
            Self::Windsurf => home.join(".codeium/windsurf/mcp_config.json"),
            Self::Zed => match system {
                System::Linux => places.config.join("zed/settings.json"),
                System::Macos => home.join(".config/zed/settings.json"),
                System::Windows => places.config.join("Zed/settings.json"),
            },
        }
    }

    /// Its configuration below the directory of a project, where it has one.
    pub fn project_file(self) -> Option<&'static str> {
        match self {
            Self::ClaudeCode => Some(".mcp.json"),
            Self::Codex => Some(".codex/config.toml"),
            Self::Cursor => Some(".cursor/mcp.json"),
            Self::GeminiCli => Some(".gemini/settings.json"),
            Self::Kiro => Some(".kiro/settings/mcp.json"),
            Self::VsCode => Some(".vscode/mcp.json"),
            Self::Zed => Some(".zed/settings.json"),
            Self::ClaudeDesktop | Self::CopilotCli | Self::Windsurf => None,
        }
    }

    /// The name, at the top of a project, of its configuration.
    pub(crate) fn project_name(self) -> Option<&'static str> {
        self.project_file()?.split('/').next()
    }
}

/// The directories of a user that clients look into.
#[derive(Debug, Clone)]
pub struct ClientPlaces {
    /// The user's home.
    pub home: PathBuf,
    /// `~/.config` or what `XDG_CONFIG_HOME` says; on Windows `%APPDATA%`.
    pub config: PathBuf,
    /// The value of `CLAUDE_CONFIG_DIR`.
    pub claude: Option<PathBuf>,
    /// The value of `CODEX_HOME`.
    pub codex: Option<PathBuf>,
    /// The value of `COPILOT_HOME`.
    pub copilot: Option<PathBuf>,
}

impl ClientPlaces {
    pub(crate) fn find(
        variables: &Variables,
        working: &Path,
        home: PathBuf,
        config: PathBuf,
    ) -> Self {
        let directory = |name| variables.directory(name, working);
        Self {
            home,
            config,
            claude: directory("CLAUDE_CONFIG_DIR"),
            codex: directory("CODEX_HOME"),
            copilot: directory("COPILOT_HOME"),
        }
    }
}

/// The operating systems that differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum System {
    Linux,
    Macos,
    Windows,
}

impl System {
    /// The one that this program was built for.
    const HERE: Self = if cfg!(windows) {
        Self::Windows
    } else if cfg!(target_os = "macos") {
        Self::Macos
    } else {
        Self::Linux
    };
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
    fn check(client: McpClient, expect: [&str; 3]) {
        let systems = [System::Linux, System::Macos, System::Windows];
        let found = systems.map(|system| client.user_file_on(system, &places(None)));
        assert_eq!(found, expect.map(|path| Path::new("/home/ada").join(path)));
    }

    #[test]
    fn every_system_has_its_places() {
        for (client, everywhere) in [
            (McpClient::ClaudeCode, ".claude.json"),
            (McpClient::Codex, ".codex/config.toml"),
            (McpClient::CopilotCli, ".copilot/mcp-config.json"),
            (McpClient::Cursor, ".cursor/mcp.json"),
            (McpClient::GeminiCli, ".gemini/settings.json"),
            (McpClient::Kiro, ".kiro/settings/mcp.json"),
            (McpClient::Windsurf, ".codeium/windsurf/mcp_config.json"),
        ] {
            check(client, [everywhere; 3]);
        }
        check(
            McpClient::ClaudeDesktop,
            [
                "settings/Claude/claude_desktop_config.json",
                "Library/Application Support/Claude/claude_desktop_config.json",
                "settings/Claude/claude_desktop_config.json",
            ],
        );
        check(
            McpClient::VsCode,
            [
                "settings/Code/User/mcp.json",
                "Library/Application Support/Code/User/mcp.json",
                "settings/Code/User/mcp.json",
            ],
        );
        check(
            McpClient::Zed,
            [
                "settings/zed/settings.json",
                ".config/zed/settings.json",
                "settings/Zed/settings.json",
            ],
        );
    }

    #[test]
    fn a_variable_moves_a_client() {
        for (client, file) in [
            (McpClient::ClaudeCode, "/moved/.claude.json"),
            (McpClient::Codex, "/moved/config.toml"),
            (McpClient::CopilotCli, "/moved/mcp-config.json"),
        ] {
            let found = client.user_file(&places(Some("/moved")));
            assert_eq!(found, Path::new(file));
        }
    }
}
