//! A `Fetched` tool: its bytes, which agree with their manifest, and the place they came from.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use tool_hub_host::{HostError, Inspection, Terms, inspect_server, inspect_with_dependencies};
use tool_hub_manifest::{
    AdvisoryId, GrantTree, LockedTool, LogEntry, ServerAddress, Severity, Source, ToolName,
    ToolRef, Verified, Version,
};
use tool_hub_registry_client::{Resolved, Store};
use url::Url;

use crate::bundle::origin::BundleOrigin;
use crate::error::Error;
use crate::package_attestations::PackageAttestations;
use crate::package_signature::PackageSignature;
use crate::signing_keys::SigningKeys;

/// A tool whose bytes are at hand and agree with their manifest.
#[derive(Debug, Clone)]
pub struct Fetched {
    /// The bytes.
    pub verified: Verified,
    /// The place.
    pub origin: FetchedFrom,
    /// The signature.
    pub signature: PackageSignature,
    /// The attestations.
    pub attestations: PackageAttestations,
    /// The place of the version in the log of its registry, if that keeps one.
    pub logged: Option<LogEntry>,
    /// The advisories that would refuse it and were allowed.
    pub allowed_advisories: BTreeSet<AdvisoryId>,
    /// The bundle that it came in, where its registry was not asked.
    pub bundle: Option<BundleOrigin>,
    /// The tools that it depends on, by its names for them.
    pub dependencies: BTreeMap<ToolName, Fetched>,
}

/// The place a fetched tool came from.
#[derive(Debug, Clone)]
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
    /// The errors of [`inspect_with_dependencies`] and [`inspect_server`].
    pub fn inspect(&self) -> Result<Inspection, HostError> {
        match self.origin.source() {
            Source::Server { .. } => inspect_server(&self.verified),
            Source::Registry { .. } | Source::File { .. } => {
                let dependencies = self.dependencies.iter();
                let dependencies = dependencies.map(|(name, it)| Ok((name.clone(), it.inspect()?)));
                let dependencies = dependencies.collect::<Result<_, HostError>>()?;
                inspect_with_dependencies(&self.verified, dependencies)
            }
        }
    }

    /// The tool that `locked` records, of which `verified` are the bytes, with all that it depends
    /// on from `store`.
    ///
    /// # Errors
    /// [`Error::Store`].
    pub fn approved(
        locked: &LockedTool,
        verified: Verified,
        store: &Store,
        keys: &SigningKeys,
    ) -> Result<Self, Error> {
        let dependencies = locked.dependencies.iter().map(|(name, locked)| {
            let fetched = Self::approved(locked, store.get(&locked.pin())?, store, keys)?;
            Ok((name.clone(), fetched))
        });
        Ok(Self {
            verified,
            origin: FetchedFrom::Approved(locked.source.clone()),
            signature: PackageSignature::recorded(locked, keys),
            attestations: PackageAttestations::recorded(locked, keys),
            bundle: None,
            logged: locked.logged.clone(),
            allowed_advisories: locked.allowed_advisories.clone(),
            dependencies: dependencies.collect::<Result<_, Error>>()?,
        })
    }

    /// The terms of this tool and of all that it depends on, of which `inspection` is, and which
    /// `before` was approved of.
    pub(crate) fn terms(&self, inspection: &Inspection, before: Option<&LockedTool>) -> Terms {
        let signer = match before {
            Some(before) => self.signature.signer_compared_with(before.signer.as_ref()),
            None => self.signature.signer(),
        };
        let built_from = self.logged.as_ref().and_then(|it| it.built_from.clone());
        let attested_by = self.attestations.publishers();
        let source = self.origin.source();
        let terms = inspection.terms(source, signer.cloned(), built_from, attested_by);
        let dependencies = self.dependencies.iter().filter_map(|(name, fetched)| {
            let inspection = inspection.dependencies.get(name)?;
            let before = before.and_then(|it| it.dependencies.get(name));
            Some((name.clone(), fetched.terms(inspection, before)))
        });
        terms.with_dependencies(dependencies.collect())
    }

    /// True if `locked` records this package, and its dependencies are those that it records.
    pub fn is_recorded_by(&self, locked: &LockedTool) -> bool {
        let dependencies = || self.dependencies.iter().zip(&locked.dependencies);
        self.origin.source() == locked.source
            && *self.verified.pin() == locked.pin()
            && self.signature.signer() == locked.signer.as_ref()
            && self.attestations.publishers() == locked.attested_by
            && self.dependencies.len() == locked.dependencies.len()
            && dependencies()
                .all(|((name, it), (other, locked))| name == other && it.is_recorded_by(locked))
    }

    /// True if no advisory is allowed against this version, or against one that it depends on, that
    /// `locked` does not allow.
    pub fn allows_no_more_than(&self, locked: &LockedTool) -> bool {
        let mut dependencies = self.dependencies.iter();
        self.allowed_advisories
            .is_subset(&locked.allowed_advisories)
            && dependencies.all(|(name, it)| {
                let before = locked.dependencies.get(name);
                before.is_some_and(|before| it.allows_no_more_than(before))
            })
    }

    /// The part of the grants in `locked` that remains for this version: what it, or a dependency
    /// of the same name from the same repo, still asks for.
    pub fn kept_grants(&self, locked: &LockedTool) -> GrantTree {
        let asked = &self.verified.manifest().capabilities;
        let dependencies = self.dependencies.iter().filter_map(|(name, it)| {
            let before = locked.dependencies.get(name)?;
            let is_same = is_same_place(&before.source, &it.origin.source());
            is_same.then(|| (name.clone(), it.kept_grants(before)))
        });
        GrantTree {
            own: locked.grants.clone().within(asked),
            dependencies: dependencies.collect(),
        }
    }

    /// The newest version of this tool, or of one that it depends on, that was yanked as malicious
    /// and is newer than the one in `locked`, where the one here is another, too; in words.
    pub fn malicious_since(&self, locked: &LockedTool) -> Option<String> {
        let is_other = *self.verified.pin() != locked.pin();
        let mut own = self.malicious_versions().into_iter().rev();
        let own = own.find(|(version, _)| is_other && **version > locked.version);
        own.map(|(_, words)| words).or_else(|| {
            let mut dependencies = self.dependencies.iter();
            dependencies.find_map(|(name, it)| it.malicious_since(locked.dependencies.get(name)?))
        })
    }

    /// The versions of this tool that were yanked as malicious, the oldest first, each with what a
    /// person should read of it.
    pub(crate) fn malicious_versions(&self) -> Vec<(&Version, String)> {
        let FetchedFrom::Registry { resolved, .. } = &self.origin else {
            return Vec::new();
        };
        let (repo, yanked) = (&resolved.repo, resolved.releases.yanked.iter());
        yanked
            .filter(|(_, yank)| yank.severity == Severity::Malicious)
            .map(|(version, yank)| (version, format!("{repo} {version} was yanked as {yank}")))
            .collect()
    }

    /// The tool as a user names it.
    pub fn subject(&self) -> String {
        match &self.origin {
            FetchedFrom::Registry { reference, .. } => reference.to_string(),
            origin => origin.source().to_string(),
        }
    }
}

/// True if both are versions of one tool.
pub(crate) fn is_same_place(one: &Source, other: &Source) -> bool {
    match (one.repo(), other.repo()) {
        (None, None) => one == other,
        (one, other) => one == other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_one_tool_come_from_one_place() {
        let registry = |repo: &str, commit: char| Source::Registry {
            endpoint: "https://hub.example".parse().unwrap(),
            repo: repo.parse().unwrap(),
            commit: commit.to_string().repeat(40).parse().unwrap(),
        };
        let file = Source::File { path: "/a".into() };
        assert!(is_same_place(
            &registry("ada/a", 'a'),
            &registry("ada/a", 'b')
        ));
        assert!(!is_same_place(
            &registry("ada/a", 'a'),
            &registry("bob/a", 'a')
        ));
        assert!(is_same_place(&file, &file.clone()));
        assert!(!is_same_place(&file, &registry("ada/a", 'a')));
    }
}
