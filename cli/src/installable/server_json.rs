//! Writes a tool's `server.json` for the MCP registry (schema 2025-12-11); parses `CommandPackage`.
//! It names the package of npm or PyPI that holds this command, and the arguments with which it
//! serves the tool.

use std::str::FromStr;

use serde_json::{Value, json};
use tool_hub_manifest::{Source, VariableName};
use url::Url;

use super::{Argument, InstallableTool};
use crate::terminal::problem::Problem;

const SCHEMA: &str = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json";
/// The longest title and description, in characters.
const TEXT_CHARACTERS_MAX: usize = 100;

/// The published package of this command: `pypi:NAME@VERSION` or `npm:NAME@VERSION`. There is no
/// default, because a stranger's package may have the name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CommandPackage {
    registry: &'static str,
    runtime: &'static str,
    name: String,
    version: String,
}

impl FromStr for CommandPackage {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let malformed = || "write it as pypi:NAME@VERSION or npm:NAME@VERSION".to_owned();
        let (registry, rest) = text.split_once(':').ok_or_else(malformed)?;
        // A name of npm may begin with `@`.
        let (name, version) = rest.rsplit_once('@').ok_or_else(malformed)?;
        let (registry, runtime) = match registry {
            "pypi" => ("pypi", "uvx"),
            "npm" => ("npm", "npx"),
            _ => return Err(malformed()),
        };
        if name.is_empty() || semver::Version::parse(version).is_err() {
            return Err(malformed());
        }
        Ok(Self {
            registry,
            runtime,
            name: name.to_owned(),
            version: version.to_owned(),
        })
    }
}

/// The document for `tool`, which `package` serves.
///
/// # Errors
/// When the tool is from no registry: then nobody else could fetch it.
pub(crate) fn server_json(
    tool: &InstallableTool,
    package: &CommandPackage,
) -> anyhow::Result<Value> {
    let Source::Registry { endpoint, repo, .. } = &tool.source else {
        return Err(Problem::user(format!(
            "`{}` was loaded from a path, which others do not have",
            tool.key
        ))
        .hint("push it, load it from the registry, and export that one")
        .into());
    };
    let place = format!("{repo}@{}", tool.manifest().version);
    let arguments = tool.arguments(&place, |request| format!("{{{}}}", request.name));
    let mut written = vec![json!({ "type": "positional", "value": "serve" })];
    written.push(json!({ "type": "named", "name": "--endpoint", "value": endpoint }));
    written.extend(arguments.into_iter().map(|argument| one(argument, tool)));
    let asked = &tool.manifest().capabilities;
    let variable = |name: &VariableName, why: &str, secret: bool| json!({ "name": name, "description": why, "isRequired": true, "isSecret": secret });
    let variables = asked.variables.iter();
    let variables = variables.map(|it| variable(&it.name, &it.why, it.secret));
    let credentials = asked.credentials.iter();
    let credentials = credentials.map(|it| variable(&it.name, &it.why, true));
    let variables: Vec<Value> = variables.chain(credentials).collect();
    let mut published = json!({
        "registryType": package.registry,
        "identifier": package.name,
        "version": package.version,
        "runtimeHint": package.runtime,
        "transport": { "type": "stdio" },
        "packageArguments": written,
    });
    if !variables.is_empty() {
        published["environmentVariables"] = variables.into();
    }
    Ok(json!({
        "$schema": SCHEMA,
        "name": format!("{}.{}/{}", namespace(endpoint), repo.owner(), repo.name()),
        "title": cut(tool.manifest().name.as_str()),
        "description": cut(&tool.description()),
        "version": tool.manifest().version,
        "packages": [published],
    }))
}

/// An argument, with the directory in it that its user chooses.
fn one(argument: Argument, tool: &InstallableTool) -> Value {
    let mut written = json!({ "type": "named", "name": argument.name });
    let Some(value) = argument.value else {
        return written;
    };
    let directories = tool.manifest().capabilities.directories.iter();
    let mut directories =
        directories.filter(|request| value == format!("{0}={{{0}}}", request.name));
    if let Some(request) = directories.next() {
        let chosen = json!({
            "description": request.why,
            "format": "filepath",
            "isRequired": true,
        });
        written["variables"] = json!({ request.name.as_str(): chosen });
    }
    written["value"] = value.into();
    written
}

/// The host of a URL as a namespace: `hub.example.org` is `org.example.hub`.
fn namespace(endpoint: &Url) -> String {
    let host = endpoint.host_str().unwrap_or("localhost");
    host.rsplit('.').collect::<Vec<_>>().join(".")
}

fn cut(text: &str) -> String {
    text.chars().take(TEXT_CHARACTERS_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_is_named_with_its_registry_and_version() {
        let package: CommandPackage = "npm:@ada/tool@1.2.3".parse().unwrap();
        assert_eq!(
            (package.registry, package.name.as_str()),
            ("npm", "@ada/tool")
        );
        for text in [
            "tool",
            "pypi:tool",
            "oci:tool@1.0.0",
            "pypi:@1.0.0",
            "npm:tool@latest",
        ] {
            assert!(text.parse::<CommandPackage>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_namespace_is_a_host_backwards() {
        let of = |url: &str| namespace(&url.parse().unwrap());
        assert_eq!(of("https://huggingface.co"), "co.huggingface");
        assert_eq!(of("http://127.0.0.1:8080"), "1.0.0.127");
    }
}
