//! The capabilities that a manifest asks for: network, credentials, directories and others.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::credential::CredentialRequest;
use crate::name::{DirectoryName, VariableName};
use crate::network::Network;

/// Everything that a manifest asks for. Absent means pure computation.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Capabilities {
    /// The web origins the tool wants to reach. An empty list asks for nothing.
    #[serde(default, skip_serializing_if = "Network::is_empty")]
    pub network: Network,
    /// The secrets that the host shall put into the tool's requests.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub credentials: Vec<CredentialRequest>,
    /// The directories the tool wants to use.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub directories: Vec<DirectoryRequest>,
    /// The variables, settings and secrets alike, that the tool wants to read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub variables: Vec<VariableRequest>,
    /// A place of its own in which the tool wants to keep things from call to call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub storage: Option<StorageRequest>,
}

impl Capabilities {
    /// True if nothing is asked for.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The request for the directory called `name`.
    pub fn directory(&self, name: &DirectoryName) -> Option<&DirectoryRequest> {
        self.directories
            .iter()
            .find(|request| request.name == *name)
    }

    /// The request for the credential called `name`.
    pub fn credential(&self, name: &VariableName) -> Option<&CredentialRequest> {
        let mut requests = self.credentials.iter();
        requests.find(|request| request.name == *name)
    }

    /// The request for the variable called `name`.
    pub fn variable(&self, name: &VariableName) -> Option<&VariableRequest> {
        self.variables.iter().find(|request| request.name == *name)
    }
}

/// A directory that a tool asks for. The user chooses which one it is; the guest finds it
/// at `/<name>`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DirectoryRequest {
    /// The guest's name for it.
    pub name: DirectoryName,
    /// The access that the tool wants there.
    pub access: Access,
    /// The reason, for the person who grants it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub why: String,
}

/// A variable that a tool asks for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VariableRequest {
    /// Its name.
    pub name: VariableName,
    /// True if the author declares the value secret, which is shown to the user. The value is kept
    /// secret in any case, unless the user marks it as plain.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub secret: bool,
    /// The reason, for the person who grants it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub why: String,
}

/// Storage that a tool asks for: keys and values that nobody else reads, kept from call to
/// call. The guest reaches it through `wasi:keyvalue`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StorageRequest {
    /// The reason, for the person who grants it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub why: String,
}

/// The kinds of access to a directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Access {
    /// Files may be read.
    Read,
    /// Files may be read, made, changed and removed.
    ReadWrite,
}

impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Read => "read",
            Self::ReadWrite => "read-write",
        })
    }
}
