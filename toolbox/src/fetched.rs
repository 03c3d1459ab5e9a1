//! A `Fetched` tool: its bytes, which agree with their manifest, and the place they came from.

use std::collections::BTreeSet;
use std::path::PathBuf;

use tool_hub_host::{HostError, Inspection, inspect, inspect_server};
use tool_hub_manifest::{AdvisoryId, LogEntry, ServerAddress, Source, ToolRef, Verified};
use tool_hub_registry_client::Resolved;
use url::Url;

use crate::bundle::origin::BundleOrigin;
use crate::package_signature::PackageSignature;

/// A tool whose bytes are at hand and agree with their manifest.
#[derive(Debug)]
pub struct Fetched {
    /// The bytes.
    pub verified: Verified,
    /// The place.
    pub origin: FetchedFrom,
    /// The signature.
    pub signature: PackageSignature,
    /// The place of the version in the log of its registry, if that keeps one.
    pub logged: Option<LogEntry>,
    /// The advisories that would refuse it and were allowed.
    pub allowed_advisories: BTreeSet<AdvisoryId>,
    /// The bundle that it came in, where its registry was not asked.
    pub bundle: Option<BundleOrigin>,
}

/// The place a fetched tool came from.
#[derive(Debug)]
pub enum FetchedFrom {
    /// A registry.
    Registry {
        /// Its URL.
        endpoint: Url,
        /// The reference that was resolved.
        reference: ToolRef,
        /// The commit that it resolved to.
        resolved: Box<Resolved>,
    },
    /// This disk.
    File {
        /// The component, package or project.
        path: PathBuf,
    },
    /// An MCP server, which was started to say what its tools are.
    Server {
        /// Its command or URL.
        address: ServerAddress,
    },
    /// The store, which has it since it was approved.
    Approved(Source),
}

impl FetchedFrom {
    /// The place as a lock records it.
    pub fn source(&self) -> Source {
        match self {
            Self::Registry {
                endpoint, resolved, ..
            } => Source::Registry {
                endpoint: endpoint.clone(),
                repo: resolved.repo.clone(),
                commit: resolved.commit.clone(),
            },
            Self::File { path } => Source::File { path: path.clone() },
            Self::Server { address } => Source::Server {
                address: address.clone(),
            },
            Self::Approved(source) => source.clone(),
        }
    }
}

impl Fetched {
    /// Inspects it: the component, or the description of the server.
    ///
    /// # Errors
    /// As [`inspect`] and [`inspect_server`].
    pub fn inspect(&self) -> Result<Inspection, HostError> {
        inspect_from(&self.origin.source(), &self.verified)
    }

    /// The tool as a user names it.
    pub fn subject(&self) -> String {
        match &self.origin {
            FetchedFrom::Registry { reference, .. } => reference.to_string(),
            FetchedFrom::File { path } => path.display().to_string(),
            FetchedFrom::Approved(Source::Registry { endpoint, repo, .. }) => {
                format!("{endpoint}{repo}")
            }
            FetchedFrom::Approved(Source::File { path }) => path.display().to_string(),
            FetchedFrom::Server { address } | FetchedFrom::Approved(Source::Server { address }) => {
                address.to_string()
            }
        }
    }
}

/// Inspects what was had from `source`. Only what was had from a server is taken for one: whatever
/// a registry or a file has in its place is no component.
///
/// # Errors
/// As [`inspect`] and [`inspect_server`].
pub fn inspect_from(source: &Source, verified: &Verified) -> Result<Inspection, HostError> {
    match source {
        Source::Server { .. } => inspect_server(verified),
        Source::Registry { .. } | Source::File { .. } => inspect(verified),
    }
}
