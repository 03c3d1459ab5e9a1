//! The `ServerDescription`: all that a person approves of an MCP server, as bytes with a digest.
//!
//! It stands where a component stands in a package: its digest is pinned, and it is kept in the
//! store. Nothing of it is code.

use std::path::PathBuf;

use semver::Version;
use serde::{Deserialize, Serialize};
use url::Url;

use crate::capability::Capabilities;
use crate::digest::Digest;
use crate::function_spec::FunctionSpec;
use crate::manifest::{ComponentClaim, Manifest};
use crate::name::{FunctionName, NameError, ToolName};
use crate::verified::{Package, Verified};

/// The most tools of one server.
pub const SERVER_TOOLS_MAX: usize = 500;
/// The most bytes of a description.
pub const SERVER_DESCRIPTION_BYTES_MAX: usize = 4 << 20;

/// The mark by which these bytes are told from any other file.
const KIND: &str = "tool-hub server";
const FORMAT: u32 = 1;

/// How a server is started and what it listed, as a person approves it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServerDescription {
    kind: String,
    format: u32,
    /// How it is started or reached.
    pub start: ServerStart,
    /// The name that it gives itself.
    pub name: String,
    /// The version that it gives itself.
    pub version: String,
    /// The tools that it lists, in its order.
    pub tools: Vec<ServerTool>,
    /// The tools that it lists and agents are not offered.
    pub refused: Vec<RefusedServerTool>,
    /// True if it has prompts, which are not offered.
    pub prompts: bool,
    /// True if it has resources, which are not offered.
    pub resources: bool,
}

/// How a server is started or reached.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum ServerStart {
    /// A program of this machine, in a cage.
    Process(ServerProcess),
    /// A service elsewhere.
    Remote {
        /// Where it answers.
        url: Url,
    },
}

/// A program and all that it reads beside what it is granted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServerProcess {
    /// The program's path.
    pub program: PathBuf,
    /// The arguments after its name.
    pub arguments: Vec<String>,
    /// The files of it that are hashed again before each start.
    pub files: Vec<ServerFile>,
    /// The directories that it reads and starts programs from.
    pub packages: Vec<ServerPackages>,
}

/// A file as it was when it was approved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServerFile {
    /// Its path.
    pub path: PathBuf,
    /// Its digest.
    pub digest: Digest,
}

/// A directory of packages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServerPackages {
    /// Its path.
    pub path: PathBuf,
    /// The digest of all that is in it, which is hashed again before each start. A directory that
    /// others write has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<Digest>,
    /// The packages in it, where they are known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub contents: Vec<ServerPackage>,
}

/// A package of a language's registry.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServerPackage {
    /// The registry.
    pub registry: ServerPackageRegistry,
    /// Its name there.
    pub name: String,
    /// Its version.
    pub version: String,
}

/// A registry that packages of servers come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ServerPackageRegistry {
    /// npm, of JavaScript.
    Npm,
    /// PyPI, of Python.
    Pypi,
}

/// One tool of a server.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServerTool {
    /// The name that the server knows it by.
    pub name: String,
    /// The definition for agents. Its name is that of the function.
    pub spec: FunctionSpec,
}

/// A tool of a server that agents are not offered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RefusedServerTool {
    /// The name that the server knows it by.
    pub name: String,
    /// The reason.
    pub reason: String,
}

/// Bytes are not the description of a server.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the description of the server cannot be read: {reason}")]
pub struct DescriptionError {
    /// The reason.
    pub reason: String,
}

impl ServerDescription {
    /// The description of a server that is started by `start`, calls itself `name` and `version`,
    /// and lists `tools`.
    pub fn new(
        start: ServerStart,
        name: String,
        version: String,
        tools: Vec<ServerTool>,
        refused: Vec<RefusedServerTool>,
    ) -> Self {
        Self {
            kind: KIND.to_owned(),
            format: FORMAT,
            start,
            name,
            version,
            tools,
            refused,
            prompts: false,
            resources: false,
        }
    }

    /// The package that stands for the server in a toolbox: a manifest that asks for `asked`, and
    /// this description in place of a component.
    pub fn package(&self, name: ToolName, asked: Capabilities) -> Package {
        let component = self.to_bytes();
        let version = self.version.trim_start_matches('v').parse();
        let mut manifest = Manifest::new(name, version.unwrap_or(Version::new(0, 0, 0)));
        manifest.description = match &self.start {
            ServerStart::Process(_) => "An MCP server: a process, not a component.".to_owned(),
            ServerStart::Remote { .. } => "An MCP server of somebody else's machine.".to_owned(),
        };
        manifest.component = Some(ComponentClaim::of(&component));
        manifest.capabilities = asked;
        Package {
            manifest: manifest.to_toml().into_bytes(),
            component,
            interpreter: None,
            sbom: None,
        }
    }

    /// The description in `verified`, which was made by [`package`](Self::package).
    ///
    /// # Errors
    /// When there is none.
    pub fn of(verified: &Verified) -> Result<Self, DescriptionError> {
        Self::from_bytes(verified.component())
    }

    /// Reads what [`to_bytes`](Self::to_bytes) wrote.
    ///
    /// # Errors
    /// When the bytes are something else.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, DescriptionError> {
        let refused = |reason: String| DescriptionError { reason };
        if bytes.len() > SERVER_DESCRIPTION_BYTES_MAX {
            return Err(refused(format!(
                "it has {} bytes, at most {SERVER_DESCRIPTION_BYTES_MAX} are read",
                bytes.len()
            )));
        }
        let read: Self =
            serde_json::from_slice(bytes).map_err(|error| refused(error.to_string()))?;
        if read.kind != KIND || read.format != FORMAT {
            return Err(refused(format!("its kind is `{}`", escaped(&read.kind))));
        }
        for tool in &read.tools {
            tool.function()
                .map_err(|error| refused(error.to_string()))?;
        }
        Ok(read)
    }

    /// The bytes of it: JSON whose objects are sorted, so that two equal descriptions have equal
    /// digests.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut value = serde_json::to_value(self).expect("a description is what JSON can hold");
        value.sort_all_objects();
        value.to_string().into_bytes()
    }

    /// The tool that agents call `function`.
    pub fn tool(&self, function: &str) -> Option<&ServerTool> {
        self.tools.iter().find(|tool| tool.spec.name == function)
    }
}

impl ServerTool {
    /// The name of the function that stands for it.
    ///
    /// # Errors
    /// When its spec has a name that no function has.
    pub fn function(&self) -> Result<FunctionName, NameError> {
        self.spec.name.parse()
    }
}

impl ServerStart {
    /// The digest of what is started, and of what it is granted at first: `rights` in any fixed
    /// form. A person agrees to it before the server's tools can be known.
    pub fn digest(&self, rights: &str) -> Digest {
        let mut value = serde_json::to_value(self).expect("a start is what JSON can hold");
        value.sort_all_objects();
        Digest::of(format!("tool-hub server start v1\0{value}\0{rights}").as_bytes())
    }
}

/// The name of a function for the tool that a server calls `name`: small letters, digits and `_`.
/// `None` if nothing of it remains.
pub fn function_name_of(name: &str) -> Option<FunctionName> {
    let mut function = String::new();
    let mut before = None;
    for c in name.chars() {
        let is_new_word = c.is_ascii_uppercase()
            && before.is_some_and(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit());
        if is_new_word && !function.ends_with('_') {
            function.push('_');
        }
        match c.to_ascii_lowercase() {
            c if c.is_ascii_alphanumeric() => function.push(c),
            _ if function.is_empty() || function.ends_with('_') => {}
            _ => function.push('_'),
        }
        before = Some(c);
    }
    function.trim_end_matches('_').parse().ok()
}

fn escaped(text: &str) -> String {
    text.chars().take(80).flat_map(char::escape_debug).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::function_spec::Annotations;
    use serde_json::json;

    fn description() -> ServerDescription {
        let start = ServerStart::Remote {
            url: "https://mcp.example/mcp".parse().unwrap(),
        };
        let spec = FunctionSpec {
            name: "get_sum".to_owned(),
            title: None,
            description: "Adds.".to_owned(),
            input_schema: json!({"type": "object"}),
            output_schema: None,
            annotations: Annotations::default(),
        };
        let tool = ServerTool {
            name: "get-sum".to_owned(),
            spec,
        };
        ServerDescription::new(start, "demo".into(), "v1.2.3".into(), vec![tool], vec![])
    }

    #[test]
    fn a_server_is_a_package_and_reads_back_equal() {
        let description = description();
        let package = description.package("demo".parse().unwrap(), Capabilities::default());
        let verified = Verified::check(package).unwrap();
        assert_eq!(verified.manifest().version, Version::new(1, 2, 3));
        assert_eq!(ServerDescription::of(&verified).unwrap(), description);
    }

    #[test]
    fn what_is_no_description_is_refused() {
        for bytes in [&b"\0asm"[..], b"{}", b"[]", b""] {
            assert!(ServerDescription::from_bytes(bytes).is_err());
        }
        let other = String::from_utf8(description().to_bytes()).unwrap();
        for (from, to) in [("tool-hub server", "else"), ("get_sum", "Get Sum")] {
            let forged = other.replace(from, to);
            assert!(ServerDescription::from_bytes(forged.as_bytes()).is_err());
        }
    }

    #[test]
    fn names_of_servers_become_names_of_functions() {
        for (name, expect) in [
            ("get-sum", Some("get_sum")),
            ("readFile", Some("read_file")),
            ("API-post.search", Some("api_post_search")),
            ("a  b", Some("a_b")),
            ("_x_", Some("x")),
            ("名", None),
            ("1up", None),
        ] {
            let found = function_name_of(name);
            assert_eq!(found.as_ref().map(FunctionName::as_str), expect, "{name}");
        }
    }
}
