//! The `Opening` of a server: what is started or reached, with which rights, after whose consent.

use std::collections::BTreeMap;
use std::path::PathBuf;

use tool_hub_cage::Launcher;
use tool_hub_host::{ApprovedServer, CredentialValue};
use tool_hub_manifest::{CredentialRequest, Grants, ServerStart, VariableName};

/// All that servers are started with, whichever they are.
#[derive(Debug, Clone)]
pub struct Surroundings {
    /// The program that closes cages.
    pub launcher: Launcher,
    /// A directory for the private files of caged programs.
    pub scratch: PathBuf,
}

/// A server that may be started: because it was approved, or because a person agreed to this start.
#[derive(Debug, Clone)]
pub struct Opening {
    pub(crate) start: ServerStart,
    pub(crate) grants: Grants,
    pub(crate) variables: BTreeMap<VariableName, String>,
    pub(crate) credentials: Vec<(CredentialRequest, Option<CredentialValue>)>,
}

impl Opening {
    /// The start of a server that was approved.
    pub fn approved(server: &ApprovedServer) -> Self {
        Self {
            start: server.description().start.clone(),
            grants: server.grants().clone(),
            variables: server.variables().clone(),
            credentials: server.credentials().to_vec(),
        }
    }

    /// A start that somebody agreed to before the server's tools are known. Whoever calls this has
    /// the consent of the person in whose name it will run, to `start` with `grants`.
    pub fn after_consent(start: ServerStart, grants: Grants) -> Self {
        Self {
            start,
            grants,
            variables: BTreeMap::new(),
            credentials: Vec::new(),
        }
    }

    /// The same with the values of granted variables.
    #[must_use]
    pub fn variables(self, variables: BTreeMap<VariableName, String>) -> Self {
        Self { variables, ..self }
    }

    /// The same with granted credentials and their values.
    #[must_use]
    pub fn credentials(
        self,
        credentials: Vec<(CredentialRequest, Option<CredentialValue>)>,
    ) -> Self {
        Self {
            credentials,
            ..self
        }
    }
}
