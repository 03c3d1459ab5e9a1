//! The `Lock` type, `toolbox.lock`: each approved tool's source, digests, grants and consent.
//! Only `tool` writes it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use semver::Version;
use serde::{Deserialize, Deserializer, Serialize};
use url::Url;

use crate::advisory_id::AdvisoryId;
use crate::dependency::{DEPENDENCIES_IN_TREE_MAX, DEPENDENCY_DEPTH_MAX, digest_with_dependencies};
use crate::digest::Digest;
use crate::document::{self, DocumentError};
use crate::grant_tree::GrantTree;
use crate::grants::Grants;
use crate::name::{FunctionName, ToolKey, ToolName};
use crate::package_signer::PackageSigner;
use crate::reference::{CommitId, RepoId};
use crate::server::address::ServerAddress;
use crate::toolbox::Overrides;
use crate::verified::Pin;

const DOCUMENT: &str = "toolbox.lock";
/// The only format of locks there is.
const FORMAT: u32 = 1;
const HEADING: &str =
    "# Written by `tool`. It records what was approved; do not edit it by hand.\n";

/// The state of every tool of a toolbox at its approval.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lock {
    /// The format of the document: 1.
    #[serde(deserialize_with = "known_format")]
    format: u32,
    /// The tools, by the toolbox's name for them.
    #[serde(default)]
    pub tools: BTreeMap<ToolKey, LockedTool>,
}

/// One approved tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LockedTool {
    /// The name that agents see it under. Old locks do not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<ToolKey>,
    /// The version of the manifest.
    pub version: Version,
    /// The digest of the manifest's bytes.
    pub manifest: Digest,
    /// The digest of the component's bytes.
    pub component: Digest,
    /// The source of the bytes.
    pub source: Source,
    /// The consent.
    pub approval: Approval,
    /// The signer of the package, where a signature was verified.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signer: Option<PackageSigner>,
    /// The publishers whose attestations of the package were verified. Old locks do not say.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub attested_by: BTreeSet<PackageSigner>,
    /// The record of the version in the registry's log, where the registry keeps one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logged: Option<LogEntry>,
    /// The advisories against this version in spite of which it was approved.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub allowed_advisories: BTreeSet<AdvisoryId>,
    /// True if it imports what calls other functions of the toolbox, which needs no
    /// grant. Old locks do not say.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub calls_functions: bool,
    /// The grants.
    pub grants: Grants,
    /// The digest of each function's text and schema, as [`crate::FunctionSpec::digest`].
    pub functions: BTreeMap<FunctionName, Digest>,
    /// The function that an agent calls by the tool's name alone although there are others: the
    /// only one of an earlier version, which agents know by that name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub called_by_key: Option<FunctionName>,
    /// The texts that agents read instead of the author's.
    #[serde(default, skip_serializing_if = "Overrides::is_empty")]
    pub overrides: Overrides,
    /// The tools whose functions it imports, by the names that its manifest has for them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub dependencies: BTreeMap<ToolName, LockedTool>,
}

/// The place of a version in its registry's transparency log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LogEntry {
    /// The number of its record, counted from 0.
    pub index: u64,
    /// The time at which it was published by the registry's clock, as RFC 3339 in UTC.
    pub at: String,
    /// True if it was younger than the user's release age, and they took it nevertheless.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub taken_new: bool,
    /// The repository of a build service whose job published it, by the registry's word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub built_from: Option<String>,
}

/// The source of a tool's bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum Source {
    /// A repo on a registry.
    Registry {
        /// The registry's URL.
        endpoint: Url,
        /// The repo.
        repo: RepoId,
        /// The commit.
        commit: CommitId,
    },
    /// A file or directory of this machine, as it was when it was approved.
    File {
        /// Its path.
        path: PathBuf,
    },
    /// An MCP server. The lock pins its description where a component is pinned otherwise.
    Server {
        /// The command that starts it, or its URL.
        address: ServerAddress,
    },
}

/// The recorded consent to run exactly these bytes with these grants.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Approval {
    /// The approved digest: [`LockedTool::approval_digest`].
    pub digest: Digest,
    /// The way consent was given.
    pub consent: Consent,
    /// The time, as RFC 3339 in UTC.
    pub at: String,
}

/// The way consent was given. An agent that cannot use a shell of the user's can give neither of
/// the first two.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Consent {
    /// A person answered at a terminal.
    Terminal,
    /// A flag named the digest.
    Flag,
    /// `tool update` took a version that asks for nothing more than an approved one.
    Update,
}

impl Lock {
    /// A lock that holds no tool.
    pub fn empty() -> Self {
        Self {
            format: FORMAT,
            tools: BTreeMap::new(),
        }
    }

    /// Every tool, and all that they depend on.
    pub fn locked(&self) -> impl Iterator<Item = &LockedTool> {
        let tools = self.tools.values();
        tools.flat_map(|tool| tool.tree().into_iter().map(|(_, locked)| locked))
    }

    /// Writes the lock as `toolbox.lock`. Reading it back gives an equal lock.
    pub fn to_toml(&self) -> String {
        format!("{HEADING}{}", document::write(self))
    }
}

impl LockedTool {
    /// The expected digests of the bytes.
    pub fn pin(&self) -> Pin {
        Pin {
            manifest: self.manifest,
            component: self.component,
        }
    }

    /// The digest that a person approves: over the bytes, and over the overrides and the
    /// dependencies if there are any.
    pub fn approval_digest(&self) -> Digest {
        let dependencies = self.dependencies.iter();
        digest_with_dependencies(
            self.overrides.digest_with(&self.pin()),
            dependencies.map(|(name, locked)| (name, locked.approval_digest())),
        )
    }

    /// This tool and all that it depends on, each with its path: the names of dependencies that
    /// lead to it.
    pub fn tree(&self) -> Vec<(Vec<&ToolName>, &Self)> {
        let mut tree = vec![(Vec::new(), self)];
        let mut at = 0;
        while let Some((path, locked)) = tree.get(at).cloned() {
            tree.extend(locked.dependencies.iter().map(|(name, dependency)| {
                let path = path.iter().copied().chain([name]).collect();
                (path, dependency)
            }));
            at += 1;
        }
        tree
    }

    /// The grants of the tool and of all that it depends on.
    pub fn grant_tree(&self) -> GrantTree {
        let dependencies = self.dependencies.iter();
        GrantTree {
            own: self.grants.clone(),
            dependencies: dependencies
                .map(|(name, locked)| (name.clone(), locked.grant_tree()))
                .collect(),
        }
    }

    /// The dependency at the end of `path`, to be changed.
    pub fn dependency_mut(&mut self, path: &[ToolName]) -> Option<&mut Self> {
        let mut names = path.iter();
        names.try_fold(self, |locked, name| locked.dependencies.get_mut(name))
    }

    /// The digest of everything that is recorded here: bytes, place, grants, consent. Two
    /// records that differ in anything differ in this.
    pub fn digest(&self) -> Digest {
        Digest::of(document::write(self).as_bytes())
    }
}

impl Source {
    /// The registry and the repo; none for what is of no registry.
    pub fn repo(&self) -> Option<(&Url, &RepoId)> {
        match self {
            Self::Registry { endpoint, repo, .. } => Some((endpoint, repo)),
            Self::File { .. } | Self::Server { .. } => None,
        }
    }

    /// The repo without its registry, the path or the address.
    pub fn short_name(&self) -> String {
        match self.repo() {
            Some((_, repo)) => repo.to_string(),
            None => self.to_string(),
        }
    }
}

/// The URL of the repo, the path or the address.
impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Registry { endpoint, repo, .. } => write!(f, "{endpoint}{repo}"),
            Self::File { path } => write!(f, "{}", path.display()),
            Self::Server { address } => write!(f, "{address}"),
        }
    }
}

impl FromStr for Lock {
    type Err = DocumentError;

    /// Reads a lock. An approval that does not name the digests beside it is refused: it is
    /// a consent to something else.
    fn from_str(text: &str) -> Result<Self, DocumentError> {
        let lock: Self = document::parse(DOCUMENT, text)?;
        for (key, tool) in &lock.tools {
            let tree = tool.tree();
            let deepest = tree.iter().map(|(path, _)| path.len()).max();
            if tree.len() > 1 + DEPENDENCIES_IN_TREE_MAX || deepest > Some(DEPENDENCY_DEPTH_MAX) {
                let message = format!(
                    "`{key}` has more than {DEPENDENCIES_IN_TREE_MAX} dependencies, or more than {DEPENDENCY_DEPTH_MAX} in a row"
                );
                return Err(DocumentError::whole(DOCUMENT, message));
            }
            let expected = tool.approval_digest();
            if tool.approval.digest != expected {
                let message = format!(
                    "the approval of `{key}` is for {}, but the lock pins {expected}",
                    tool.approval.digest
                );
                return Err(DocumentError::whole(DOCUMENT, message));
            }
        }
        Ok(lock)
    }
}

fn known_format<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    match u32::deserialize(deserializer)? {
        FORMAT => Ok(FORMAT),
        other => Err(serde::de::Error::custom(format!(
            "format {other} is not known, this version reads format {FORMAT}"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A lock from before names and overrides were recorded.
    const OLD: &str = r#"
        format = 1
        [tools.adder]
        version = "0.0.0"
        manifest = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        component = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        source.file.path = "/adder.wasm"
        grants = {}
        functions = {}
        approval.consent = "terminal"
        approval.at = "2026-01-02T03:04:05Z"
    "#;

    #[test]
    fn an_old_lock_is_read_as_approved_without_overrides() {
        let empty = Digest::of(b"");
        let pin = Pin {
            manifest: empty,
            component: empty,
        };
        let text = format!("{OLD}approval.digest = \"{}\"", pin.digest());
        let lock: Lock = text.parse().unwrap();
        let tool = lock.tools.values().next().unwrap();
        assert_eq!((&tool.name, tool.overrides.is_empty()), (&None, true));
        // Approvals hold the digest of the record, so reading and writing it must not change it.
        let written = document::write(tool);
        assert!(!written.contains("name") && !written.contains("overrides"));

        let forged = format!("{text}\n[tools.adder.overrides]\ndescription = 'Is another.'");
        let error = forged.parse::<Lock>().unwrap_err().message;
        assert!(error.contains("the approval of `adder` is for"), "{error}");
    }
}
