//! The flags that say what a component without a manifest asks for, as its manifest would.

use std::path::PathBuf;

use clap::Args;
use tool_hub_manifest::{
    Access, Capabilities, DirectoryName, DirectoryRequest, Methods, Origin, StorageRequest,
    VariableName, VariableRequest,
};

use crate::consent::rights_flags::{RightsFlags, named_directory, origin_with_methods};

/// The reason that a derived manifest gives for its requests.
const WHY: &str = "named on the command line, because the component has no manifest";

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

    /// For a remote MCP server: have a credential sent to it (repeatable)
    #[arg(long = "allow-credential", value_name = "NAME")]
    credentials: Vec<VariableName>,
}

impl CapabilityFlags {
    /// The capabilities that the flags of rights grant.
    pub(crate) fn of(flags: &RightsFlags) -> Self {
        Self {
            network: flags.network.clone(),
            directories: flags.directories.clone(),
            variables: flags.variables.clone(),
            plain_variables: flags.plain_variables.clone(),
            storage: flags.storage,
            credentials: flags.credentials.clone(),
        }
    }

    /// True if a credential is named.
    pub(crate) fn has_credentials(&self) -> bool {
        !self.credentials.is_empty()
    }

    /// The flags of rights that grant these capabilities.
    pub(crate) fn rights(&self) -> RightsFlags {
        RightsFlags {
            network: self.network.clone(),
            credentials: self.credentials.clone(),
            directories: self.directories.clone(),
            insisted: Vec::new(),
            variables: self.variables.clone(),
            plain_variables: self.plain_variables.clone(),
            storage: self.storage,
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
            // Only a manifest says where one belongs.
            credentials: Vec::new(),
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
        for name in &self.credentials {
            typed.push_str(&format!(" --allow-credential {name}"));
        }
        typed
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        flags: RightsFlags,
    }

    #[track_caller]
    fn wanted(line: &str) -> CapabilityFlags {
        let words = std::iter::once("tool").chain(line.split_whitespace());
        CapabilityFlags::of(&Line::try_parse_from(words).unwrap().flags)
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
