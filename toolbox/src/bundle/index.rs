//! The `BundleIndex`, `bundle.toml`: the tools of a bundle, with the digests of the files of each.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Deserializer, Serialize};
use tool_hub_manifest::{
    CommitId, DEPENDENCIES_IN_TREE_MAX, DEPENDENCY_DEPTH_MAX, Digest, PackageSigner, Releases,
    RepoId, ToolName, Version,
};
use url::Url;

use super::error::BundleError;
use crate::advisories::source::AdvisorySource;
use crate::registry_address::canonical;

/// The name of the index in the archive.
pub(crate) const INDEX: &str = "bundle.toml";
/// The directory, in the archive, of the files, each named by the digits of its digest.
const FILES: &str = "files/";
/// The only format there is.
const FORMAT: u32 = 1;
/// The most tools of a bundle.
const TOOLS_MAX: usize = 100;
/// The most sources of advisories.
const SOURCES_MAX: usize = 20;

/// The index of a bundle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct BundleIndex {
    #[serde(deserialize_with = "known_format")]
    format: u32,
    /// The tools.
    pub(crate) tools: Vec<BundledTool>,
    /// The copies of sources of advisories.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) advisories: Vec<BundledAdvisories>,
}

/// One version of a tool, as a lock has it, but for what its user decided.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BundledTool {
    /// The URL of the registry that published it.
    pub registry: Url,
    /// The repo.
    pub repo: RepoId,
    /// The version.
    pub version: Version,
    /// The commit.
    pub commit: CommitId,
    /// The signer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signer: Option<PackageSigner>,
    /// The records of the registry's log, as it answered when the bundle was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) log: Option<Digest>,
    /// The files of the package.
    pub(crate) files: BundledFiles,
    /// The state of the tool's versions when the bundle was made.
    #[serde(default, skip_serializing_if = "Releases::is_empty")]
    pub(crate) releases: Releases,
    /// The tools that it depends on, by the names that its manifest has for them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub dependencies: BTreeMap<ToolName, BundledTool>,
}

impl BundledTool {
    /// This tool and all that it depends on, each with the number of tools that lead to it.
    fn tree(&self) -> Vec<(usize, &Self)> {
        let mut tree = vec![(0, self)];
        let mut at = 0;
        while let Some((depth, tool)) = tree.get(at).copied() {
            tree.extend(tool.dependencies.values().map(|it| (depth + 1, it)));
            at += 1;
        }
        tree
    }
}

/// The digests of a package's files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct BundledFiles {
    #[serde(rename = "tool.toml")]
    pub(crate) manifest: Digest,
    #[serde(rename = "tool.wasm")]
    pub(crate) component: Digest,
    #[serde(
        rename = "interpreter.wasm",
        default,
        skip_serializing_if = "Option::is_none"
    )]
    pub(crate) interpreter: Option<Digest>,
    #[serde(
        rename = "sbom.cdx.json",
        default,
        skip_serializing_if = "Option::is_none"
    )]
    pub(crate) sbom: Option<Digest>,
    #[serde(rename = "README.md", default, skip_serializing_if = "Option::is_none")]
    pub(crate) card: Option<Digest>,
    #[serde(rename = "model.sig", default, skip_serializing_if = "Option::is_none")]
    pub(crate) signature: Option<Digest>,
    #[serde(
        rename = "signer.pem",
        default,
        skip_serializing_if = "Option::is_none"
    )]
    pub(crate) signer: Option<Digest>,
    #[serde(
        rename = "signer-rotation.sig",
        default,
        skip_serializing_if = "Option::is_none"
    )]
    pub(crate) rotation: Option<Digest>,
    #[serde(
        rename = "attestations.jsonl",
        default,
        skip_serializing_if = "Option::is_none"
    )]
    pub(crate) attestations: Option<Digest>,
}

/// The copy of a source of advisories.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct BundledAdvisories {
    /// The source. A path means nothing on another machine, so there is none.
    pub(crate) source: AdvisorySource,
    /// The registry of a data set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) registry: Option<Url>,
    /// Its advisories against tools.
    pub(crate) copy: Digest,
}

impl BundleIndex {
    pub(crate) fn new(tools: Vec<BundledTool>, advisories: Vec<BundledAdvisories>) -> Self {
        Self {
            format: FORMAT,
            tools,
            advisories,
        }
    }

    /// Reads it, and refuses a tool that is in it twice.
    pub(crate) fn parse(text: &str) -> Result<Self, BundleError> {
        let index: Self = toml_edit::de::from_str(text).map_err(|error| BundleError::Index {
            reason: error.to_string().trim_end().to_owned(),
        })?;
        for (count, max, of) in [
            (index.tools.len(), TOOLS_MAX, "tools"),
            (index.advisories.len(), SOURCES_MAX, "sources of advisories"),
        ] {
            if count > max {
                let max = max as u64;
                return Err(BundleError::TooMuch { max, of });
            }
        }
        for tool in &index.tools {
            let tree = tool.tree();
            let deepest = tree.iter().map(|(depth, _)| *depth).max();
            if tree.len() > 1 + DEPENDENCIES_IN_TREE_MAX || deepest > Some(DEPENDENCY_DEPTH_MAX) {
                let repo = tool.repo.clone();
                return Err(BundleError::TooManyDependencies { repo });
            }
        }
        index.check_once()?;
        Ok(index)
    }

    /// Refuses a tool that is in it twice.
    pub(crate) fn check_once(&self) -> Result<(), BundleError> {
        let mut seen = BTreeSet::new();
        for tool in &self.tools {
            if !seen.insert((canonical(&tool.registry), tool.repo.folded())) {
                let repo = tool.repo.clone();
                return Err(BundleError::Twice { repo });
            }
        }
        Ok(())
    }

    /// The names of all files that it names, with their digests.
    pub(crate) fn members(&self) -> BTreeMap<String, Digest> {
        let tools = self.tools.iter().flat_map(BundledTool::tree);
        let tools = tools.flat_map(|(_, tool)| {
            let files = &tool.files;
            [
                Some(files.manifest),
                Some(files.component),
                files.interpreter,
                files.sbom,
                files.card,
                files.signature,
                files.signer,
                files.rotation,
                files.attestations,
                tool.log,
            ]
        });
        let digests = tools
            .flatten()
            .chain(self.advisories.iter().map(|it| it.copy));
        digests.map(|digest| (member(digest), digest)).collect()
    }
}

/// The name of the file with `digest` in the archive.
pub(crate) fn member(digest: Digest) -> String {
    format!("{FILES}{}", digest.hex())
}

fn known_format<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    match u32::deserialize(deserializer)? {
        FORMAT => Ok(FORMAT),
        other => Err(serde::de::Error::custom(format!(
            "format {other} is not known, this version reads format {FORMAT}"
        ))),
    }
}
