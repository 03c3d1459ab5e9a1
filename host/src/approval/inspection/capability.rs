//! Lists the capabilities that a manifest asks for, each with whether the component could use it.

use serde::Serialize;
use tool_hub_manifest::Capabilities;

use crate::approval::denial::RequiredGrant;
use crate::approval::inspection::imports::{ImportAccess, ImportEffect, InspectedImport};

/// Something that the manifest asks for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct InspectedCapability {
    /// The access that it asks for.
    #[serde(rename = "power")]
    pub access: ImportAccess,
    /// The capability itself: an origin, `notes (read-write)`, `API_KEY (secret)`.
    pub what: String,
    /// The reason that the manifest gives.
    pub why: String,
    /// True if the component imports anything that could use it.
    pub used: bool,
    /// The grant that allows it.
    pub grant: RequiredGrant,
}

/// The capabilities that a server is to have. A process may use whatever it is given.
pub(crate) fn capabilities_of_server(asked: &Capabilities) -> Vec<InspectedCapability> {
    let mut capabilities = capabilities(asked, &[]);
    for capability in &mut capabilities {
        capability.used = true;
    }
    capabilities
}

/// The capabilities that `asked` asks for, and whether `imports` could use them.
pub(crate) fn capabilities(
    asked: &Capabilities,
    imports: &[InspectedImport],
) -> Vec<InspectedCapability> {
    let used = |access| {
        let mut imports = imports.iter();
        imports.any(|import| import.access == access && import.effect == ImportEffect::Grantable)
    };
    let origins = asked.network.iter().zip(asked.network.lines());
    let network = origins.map(|((origin, _), what)| InspectedCapability {
        access: ImportAccess::Network,
        what,
        why: String::new(),
        used: used(ImportAccess::Network),
        grant: RequiredGrant::Network(origin.clone()),
    });
    let credentials = asked.credentials.iter().map(|request| InspectedCapability {
        access: ImportAccess::Credentials,
        what: request.to_string(),
        why: request.why.clone(),
        used: used(ImportAccess::Network),
        grant: RequiredGrant::Credential(request.name.clone()),
    });
    let directories = asked.directories.iter().map(|request| InspectedCapability {
        access: ImportAccess::Files,
        what: format!("{} ({})", request.name, request.access),
        why: request.why.clone(),
        used: used(ImportAccess::Files),
        grant: RequiredGrant::Directory(request.name.clone()),
    });
    let variables = asked.variables.iter().map(|request| InspectedCapability {
        access: ImportAccess::Variables,
        what: match request.secret {
            true => format!("{} (secret)", request.name),
            false => format!("{} (not secret, according to its author)", request.name),
        },
        why: request.why.clone(),
        used: used(ImportAccess::Variables),
        grant: RequiredGrant::Variable(request.name.clone()),
    });
    let storage = asked.storage.iter().map(|request| InspectedCapability {
        access: ImportAccess::Storage,
        what: "of its own".to_owned(),
        why: request.why.clone(),
        used: used(ImportAccess::Storage),
        grant: RequiredGrant::Storage,
    });
    let named = network
        .chain(credentials)
        .chain(directories)
        .chain(variables);
    named.chain(storage).collect()
}
