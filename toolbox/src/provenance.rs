//! The source of a tool, its signer, and the day it was published, which the registry is asked for.

use std::collections::BTreeMap;

use tool_hub_manifest::{LogEntry, Source, ToolName};

use crate::bundle::origin::BundleOrigin;
use crate::fetched::{Fetched, FetchedFrom};
use crate::notices::Notices;
use crate::package_attestations::PackageAttestations;
use crate::package_signature::PackageSignature;
use crate::settings::Settings;

/// The origin of a tool.
#[derive(Debug, Clone)]
pub struct Provenance {
    /// The place.
    pub source: Source,
    /// The tool as a user names it.
    pub subject: String,
    /// The day on which it was published: by the registry's log, else that of the commit, where
    /// the registry told it.
    pub published: Option<String>,
    /// The place in the registry's log.
    pub logged: Option<LogEntry>,
    /// The signature.
    pub signature: PackageSignature,
    /// The attestations.
    pub attestations: PackageAttestations,
    /// The earlier versions of the tool that were yanked as malicious, in words; oldest first.
    pub malicious: Vec<String>,
    /// The bundle that it came in.
    pub bundle: Option<BundleOrigin>,
    /// The origins of the tools that it depends on.
    pub dependencies: BTreeMap<ToolName, Provenance>,
}

impl Provenance {
    /// Asks the registry that `fetched` is from about its commit. The day is only shown, so a
    /// registry that cannot tell it is no reason to stop.
    pub async fn of(fetched: &Fetched, settings: &Settings, notices: &dyn Notices) -> Self {
        let known = Self::before(fetched);
        let published = match &fetched.origin {
            _ if known.published.is_some() || fetched.bundle.is_some() => known.published.clone(),
            FetchedFrom::Registry {
                endpoint, resolved, ..
            } => match settings.client(endpoint, notices) {
                Ok(client) => client.day_of(resolved).await.ok().flatten(),
                Err(_) => None,
            },
            FetchedFrom::File { .. } | FetchedFrom::Server { .. } | FetchedFrom::Approved(_) => {
                None
            }
        };
        Self { published, ..known }
    }

    /// The origin of a tool that was approved before and comes from the store.
    pub fn before(fetched: &Fetched) -> Self {
        let dependencies = fetched.dependencies.iter();
        let version = &fetched.verified.manifest().version;
        let malicious = fetched.malicious_versions().into_iter();
        let malicious = malicious.filter(|(yanked, _)| *yanked < version);
        Self {
            dependencies: dependencies
                .map(|(name, it)| (name.clone(), Self::before(it)))
                .collect(),
            source: fetched.origin.source(),
            subject: fetched.subject(),
            // The log's time: a commit has any date that its author likes.
            published: {
                let logged = fetched.logged.as_ref();
                logged.and_then(|it| it.at.get(..10)).map(str::to_owned)
            },
            logged: fetched.logged.clone(),
            signature: fetched.signature.clone(),
            attestations: fetched.attestations.clone(),
            malicious: malicious.map(|(_, words)| words).collect(),
            bundle: fetched.bundle.clone(),
        }
    }
}
