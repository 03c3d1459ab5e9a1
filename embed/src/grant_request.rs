//! The grants that a program hands over with an approval, and the `Grants` and values made of them.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use serde::Deserialize;
use tool_hub_host::{Approved, HostError};
use tool_hub_manifest::{
    Access, Capabilities, DirectoryName, Grants, Methods, Network, VariableName,
};
use tool_hub_toolbox::{Settings, files};

use crate::error::Error;

/// The rights that a program grants in a person's name, with the values of variables. In JSON:
/// `{"network": ["https://api.example"], "directories": {"notes": "/home/ada/notes"}, "variables":
/// {"API_KEY": "…"}, "credentials": {"TOKEN": "…"}, "storage": true}`. A credential is sent to the
/// origin that the tool asks for, and the tool does not see it. An origin is granted with the
/// methods that the tool asks for, or with those that are named: `{"origin": "https://api.example",
/// "methods": ["GET"]}`; a directory with the access that it asks for, or `{"path":
/// "/home/ada/notes", "access": "read"}`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GrantRequest {
    #[serde(default)]
    network: Network,
    /// The values that the host puts into requests.
    #[serde(default)]
    credentials: BTreeMap<VariableName, String>,
    /// The values, which are kept secret.
    #[serde(default)]
    variables: BTreeMap<VariableName, String>,
    /// The values that may be shown.
    #[serde(default)]
    plain_variables: BTreeMap<VariableName, String>,
    #[serde(default)]
    storage: bool,
    #[serde(default)]
    directories: BTreeMap<DirectoryName, RequestedDirectory>,
}

/// A path, or a path and the access there: else that which the tool asks for.
#[derive(Deserialize)]
#[serde(untagged)]
enum RequestedDirectory {
    Path(PathBuf),
    #[serde(rename_all = "kebab-case")]
    Access {
        path: PathBuf,
        access: Access,
    },
}

impl GrantRequest {
    /// Nothing: the tool may only compute.
    pub fn none() -> Self {
        Self {
            network: Network::none(),
            credentials: BTreeMap::new(),
            variables: BTreeMap::new(),
            plain_variables: BTreeMap::new(),
            storage: false,
            directories: BTreeMap::new(),
        }
    }

    /// Reads the grants from JSON.
    ///
    /// # Errors
    /// When they are not written as grants are. The error repeats no value of a variable.
    pub fn read(json: &str) -> Result<Self, Error> {
        serde_json::from_str(json).map_err(|error| Error::Grants {
            reason: error.to_string(),
        })
    }

    /// The grants, for a tool that asks for `asked`.
    pub(crate) fn grants(&self, asked: &Capabilities, settings: &Settings) -> Grants {
        let mut grants = Grants::none();
        for (origin, methods) in self.network.iter() {
            // Whoever names no methods means those that the inspection showed.
            let asked = asked.network.methods(origin);
            let methods = match (methods, asked) {
                (Methods::Any, Some(asked)) => asked,
                (methods, _) => methods,
            };
            grants = grants.network(origin.clone(), methods.clone());
        }
        for name in self.credentials.keys() {
            // What it does not ask for has no origin; its value is refused.
            let request = asked.credential(name);
            let origin = request.map(|request| request.origin.clone());
            grants
                .credentials
                .extend(origin.map(|origin| (name.clone(), origin)));
        }
        for name in self.variables.keys() {
            grants = grants.variable(name.clone());
        }
        for name in self.plain_variables.keys() {
            grants = grants.plain_variable(name.clone());
        }
        for (name, requested) in &self.directories {
            let as_asked = || asked.directory(name).map(|request| request.access);
            let (path, access) = match requested {
                RequestedDirectory::Path(path) => (path, as_asked().unwrap_or(Access::Read)),
                RequestedDirectory::Access { path, access } => (path, *access),
            };
            let path = files::real_path(&settings.place(path));
            grants = grants.directory(name.clone(), path, access);
        }
        match self.storage {
            true => grants.storage(),
            false => grants,
        }
    }

    /// Gives `approved` the values of the granted variables and credentials.
    pub(crate) fn give_values(self, mut approved: Approved) -> Result<Approved, HostError> {
        for (name, value) in self.variables.into_iter().chain(self.plain_variables) {
            approved = approved.with_variable(name, value)?;
        }
        for (name, value) in self.credentials {
            approved = approved.with_credential(name, value)?;
        }
        Ok(approved)
    }
}

impl fmt::Debug for GrantRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Without the values.
        f.debug_struct("GrantRequest")
            .field("network", &self.network)
            .field("storage", &self.storage)
            .finish_non_exhaustive()
    }
}
