//! The traits by which an embedder starts approved MCP servers and calls their tools.

use std::collections::BTreeMap;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use serde_json::{Map, Value};
use tool_hub_manifest::contract::{Failure, Reply};
use tool_hub_manifest::{CredentialRequest, Grants, ServerDescription, VariableName};

use crate::approval::approved::Approved;
use crate::credential_source::CredentialValue;
use crate::interaction::Interaction;

/// Makes connections to servers. An embedder without one loads no server.
pub trait ServerConnector: fmt::Debug + Send + Sync {
    /// A connection to `server`, which is started at its first call.
    fn connect(&self, server: ApprovedServer) -> Arc<dyn ServerConnection>;
}

/// A connection to a server, which may run or not.
pub trait ServerConnection: Send + Sync {
    /// Calls one of the server's tools. Dropping the future gives the call up.
    fn call<'a>(
        &'a self,
        call: ServerCall<'a>,
    ) -> Pin<Box<dyn Future<Output = Result<Reply, Failure>> + Send + 'a>>;
}

/// A call of a server's tool.
pub struct ServerCall<'a> {
    /// The name of the function, as the description has it.
    pub function: &'a str,
    /// The arguments.
    pub arguments: Map<String, Value>,
    /// The agent's side.
    pub interaction: &'a dyn Interaction,
}

/// A server that may be started, with its grants and with the values of those. Only the host makes
/// one, of an [`Approved`]:
///
/// ```compile_fail,E0451
/// fn forge(description: tool_hub_manifest::ServerDescription) -> tool_hub_host::ApprovedServer {
///     tool_hub_host::ApprovedServer {
///         name: String::new(),
///         description: description.into(),
///         grants: tool_hub_manifest::Grants::none(),
///         variables: Default::default(),
///         credentials: Vec::new(),
///     }
/// }
/// ```
pub struct ApprovedServer {
    name: String,
    description: Arc<ServerDescription>,
    grants: Grants,
    variables: BTreeMap<VariableName, String>,
    credentials: Vec<(CredentialRequest, Option<CredentialValue>)>,
}

impl ApprovedServer {
    pub(crate) fn new(approved: &Approved, description: Arc<ServerDescription>) -> Self {
        let name = |name: &str| name.parse().ok();
        let variables = approved.values();
        Self {
            name: approved.identity().name,
            description,
            grants: approved.grants().clone(),
            variables: variables
                .filter_map(|(variable, value)| Some((name(variable)?, value.to_owned())))
                .collect(),
            credentials: approved.granted_credentials(),
        }
    }

    /// The name by which the user knows it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The approved description.
    pub fn description(&self) -> &Arc<ServerDescription> {
        &self.description
    }

    /// The grants.
    pub fn grants(&self) -> &Grants {
        &self.grants
    }

    /// The values of the granted variables that have one.
    pub fn variables(&self) -> &BTreeMap<VariableName, String> {
        &self.variables
    }

    /// The granted credentials, with their values where they have one.
    pub fn credentials(&self) -> &[(CredentialRequest, Option<CredentialValue>)] {
        &self.credentials
    }
}

impl fmt::Debug for ApprovedServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ApprovedServer")
            .field("name", &self.name)
            .field("start", &self.description.start)
            .field("grants", &self.grants)
            .finish_non_exhaustive()
    }
}
