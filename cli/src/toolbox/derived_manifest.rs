//! Derives manifests for components that have none, from the component's types and the capabilities
//! named on the command line.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Args;
use tool_hub_host::authoring::derive_manifest;
use tool_hub_manifest::{
    Access, Capabilities, DirectoryName, DirectoryRequest, Methods, Origin, Package,
    StorageRequest, ToolName, VariableName, VariableRequest, Verified,
};
use tool_hub_registry_client::COMPONENT_BYTES_MAX;
use unicode_normalization::UnicodeNormalization as _;

use crate::consent::approval::{ApprovalFlags, named_directory, origin_with_methods};
use crate::files;
use crate::terminal::problem::Problem;

/// The note that is shown when a manifest was derived.
pub(crate) const NOTE: &str = "the component has no manifest; this one is derived from its types \
                               and asks for what --allow-network, --allow-dir and --allow-var name";

/// The reason that a derived manifest gives for its requests.
const WHY: &str = "named on the command line, because the component has no manifest";

/// Reads the component at `path` and gives it a manifest that asks for `asked`.
///
/// # Errors
/// If it cannot be read, or has no functions that can be offered.
pub(crate) fn read(path: &Path, asked: Capabilities) -> anyhow::Result<Verified> {
    let component = read_component(path)?;
    let mut manifest = derive_manifest(&component, name_of(path))
        .with_context(|| format!("{} cannot be used as a tool", path.display()))?;
    manifest.capabilities = asked;
    let package = Package {
        manifest: manifest.to_toml().into_bytes(),
        component,
    };
    Ok(Verified::check(package)?)
}

/// Reads the component at `path`.
pub(crate) fn read_component(path: &Path) -> anyhow::Result<Vec<u8>> {
    files::read_regular(path, COMPONENT_BYTES_MAX).map_err(|error| {
        let cannot = format!("{} cannot be read", path.display());
        match error.kind() {
            ErrorKind::NotFound => Problem::user(cannot)
                .caused_by(error)
                .hint("look at the path, or write owner/name for a tool of a registry")
                .into(),
            ErrorKind::FileTooLarge => Problem::refused(format!(
                "{} is too large: a component has at most {COMPONENT_BYTES_MAX} bytes",
                path.display()
            ))
            .into(),
            _ => anyhow::Error::new(error).context(cannot),
        }
    })
}

/// The capabilities that a component without a manifest shall ask for, as command-line flags.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
pub(crate) struct CapabilityFlags {
    /// For a component without a manifest: ask for requests to an origin or, with
    /// ORIGIN=GET,HEAD, for these methods only (repeatable)
    #[arg(long = "allow-network", value_name = "ORIGIN", value_parser = origin_with_methods)]
    network: Vec<(Origin, Option<Methods>)>,

    /// For a component without a manifest: ask for a directory, read-only unless given as
    /// NAME:read-write=PATH (repeatable)
    #[arg(long = "allow-dir", value_name = "NAME=PATH", value_parser = named_directory)]
    directories: Vec<(DirectoryName, Option<Access>, PathBuf)>,

    /// For a component without a manifest: ask for a variable (repeatable)
    #[arg(long = "allow-var", value_name = "NAME")]
    variables: Vec<VariableName>,

    /// For a component without a manifest: ask for a variable that is not secret (repeatable)
    #[arg(long = "allow-plain-var", value_name = "NAME")]
    plain_variables: Vec<VariableName>,

    /// For a component without a manifest: ask for a storage of its own
    #[arg(long = "allow-storage")]
    storage: bool,
}

impl CapabilityFlags {
    /// The capabilities that the approval flags grant.
    pub(crate) fn of(flags: &ApprovalFlags) -> Self {
        Self {
            network: flags.network.clone(),
            directories: flags.directories.clone(),
            variables: flags.variables.clone(),
            plain_variables: flags.plain_variables.clone(),
            storage: flags.storage,
        }
    }

    /// The same capabilities as requests of a manifest. A variable is secret unless the user says
    /// that it is plain.
    pub(crate) fn capabilities(&self) -> Capabilities {
        let why = || WHY.to_owned();
        let methods = |methods: &Option<Methods>| methods.clone().unwrap_or(Methods::Any);
        let network = self.network.iter();
        let directories = self.directories.iter();
        let secret = self.variables.iter().map(|name| (name, true));
        let plain = self.plain_variables.iter().map(|name| (name, false));
        let variables = secret.chain(plain);
        Capabilities {
            network: network
                .map(|(origin, only)| (origin.clone(), methods(only)))
                .collect(),
            directories: directories
                .map(|(name, access, _)| DirectoryRequest {
                    name: name.clone(),
                    access: access.unwrap_or(Access::Read),
                    why: why(),
                })
                .collect(),
            variables: variables
                .map(|(name, secret)| VariableRequest {
                    name: name.clone(),
                    secret,
                    why: why(),
                })
                .collect(),
            storage: self.storage.then(|| StorageRequest { why: why() }),
        }
    }

    /// The same capabilities as command-line flags.
    pub(crate) fn flags(&self) -> String {
        let mut typed = String::new();
        for (origin, methods) in &self.network {
            let only = match methods {
                Some(Methods::Only(methods)) => {
                    let methods: Vec<&str> = methods.iter().map(|it| it.as_str()).collect();
                    format!("={}", methods.join(","))
                }
                _ => String::new(),
            };
            typed.push_str(&format!(" --allow-network {origin}{only}"));
        }
        for (name, access, path) in &self.directories {
            let access = access.map_or_else(String::new, |access| format!(":{access}"));
            typed.push_str(&format!(" --allow-dir {name}{access}={}", path.display()));
        }
        for name in &self.variables {
            typed.push_str(&format!(" --allow-var {name}"));
        }
        for name in &self.plain_variables {
            typed.push_str(&format!(" --allow-plain-var {name}"));
        }
        if self.storage {
            typed.push_str(" --allow-storage");
        }
        typed
    }
}

/// A tool name made from a file name: letters lose their accents, and other characters that a tool
/// name cannot hold become dashes. If no letter remains, for example of a word in another script,
/// the name is `tool`.
fn name_of(path: &Path) -> ToolName {
    let stem = path
        .file_stem()
        .and_then(|stem| stem.to_str())
        .unwrap_or_default();
    let is_mark = |c: &char| unicode_normalization::char::is_combining_mark(*c);
    let plain: String = stem.nfkd().filter(|c| !is_mark(c)).collect();
    let fallback = || "tool".parse().expect("`tool` is a tool name");
    if plain.chars().any(|c| c.is_alphanumeric() && !c.is_ascii()) {
        return fallback();
    }
    let name: String = plain
        .to_ascii_lowercase()
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
        .take(64)
        .collect();
    name.trim_matches('-')
        .parse()
        .unwrap_or_else(|_| fallback())
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        flags: ApprovalFlags,
    }

    #[track_caller]
    fn wanted(line: &str) -> CapabilityFlags {
        let words = std::iter::once("tool").chain(line.split_whitespace());
        CapabilityFlags::of(&Line::try_parse_from(words).unwrap().flags)
    }

    #[test]
    fn a_file_s_name_becomes_a_tool_s() {
        for (path, name) in [
            ("/x/Adder_2.wasm", "adder-2"),
            ("é.wasm", "e"),
            ("./ünï.wasm", "uni"),
            ("Größe 2.wasm", "tool"),
            ("ﬁle.wasm", "file"),
            ("я-x.wasm", "tool"),
            ("名.wasm", "tool"),
            ("con.wasm", "tool"),
            ("-.wasm", "tool"),
        ] {
            assert_eq!(name_of(Path::new(path)).as_str(), name, "{path}");
        }
    }

    #[test]
    fn what_is_named_is_asked_for_and_nothing_else() {
        assert!(wanted("").capabilities().is_empty());
        let line = "--allow-network https://a.example=GET,HEAD --allow-dir data=/x \
                    --allow-dir out:read-write=/y --allow-var KEY --allow-storage";
        let asked = wanted(line).capabilities();
        let data = asked.directory(&"data".parse().unwrap()).unwrap();
        let out = asked.directory(&"out".parse().unwrap()).unwrap();
        assert_eq!((data.access, out.access), (Access::Read, Access::ReadWrite));
        let key = asked.variable(&"KEY".parse().unwrap()).unwrap();
        assert!(key.secret && key.why == WHY);
        let methods = asked.network.methods(&"https://a.example".parse().unwrap());
        assert_eq!(methods.unwrap().to_string(), "GET HEAD");
        assert!(asked.storage.is_some());
    }

    #[test]
    fn flags_are_typed_again_as_they_were() {
        let line = " --allow-network https://a.example=GET,HEAD --allow-dir data=/x \
                    --allow-dir out:read-write=/y --allow-var KEY --allow-storage";
        assert_eq!(wanted(line).flags(), line);
    }
}
