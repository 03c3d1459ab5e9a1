//! The JSON shape of a tool's version: commit, manifest, component, functions and capabilities.

use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use crate::clock;
use crate::history::Release;
use crate::tool::{COMPONENT, FunctionFacts, MANIFEST};

/// The facts that a client needs to choose a version and to check what it downloads.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ToolVersion)]
pub(crate) struct ReleaseRow {
    version: String,
    commit: String,
    #[schema(format = DateTime)]
    date: String,
    name: String,
    description: String,
    license: Option<String>,
    manifest: PackagedFile,
    /// Null where the commit has none.
    component: Option<PackagedComponent>,
    functions: Vec<FunctionFacts>,
    /// The capabilities that the manifest asks for.
    #[schema(value_type = Object)]
    capabilities: Value,
    /// Of a published version only.
    #[serde(skip_serializing_if = "Option::is_none")]
    tag: Option<String>,
}

/// A file of a tool.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PackagedFile {
    path: &'static str,
    sha256: String,
    size: u64,
}

/// The component of a tool.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PackagedComponent {
    #[serde(flatten)]
    file: PackagedFile,
    /// True if it is the one that the manifest speaks of; null when that speaks of none.
    as_claimed: Option<bool>,
}

impl ReleaseRow {
    /// `tag` is that of a published version.
    pub(crate) fn new(release: &Release, tag: Option<String>) -> Self {
        let facts = &release.manifest.facts;
        let component = release.component.map(|blob| {
            let sha256 = blob.sha256.to_string();
            let claim = facts.component.as_ref();
            PackagedComponent {
                as_claimed: claim
                    .map(|claim| claim.sha256 == sha256 && claim.size == blob.size_bytes),
                file: PackagedFile {
                    path: COMPONENT,
                    sha256,
                    size: blob.size_bytes,
                },
            }
        });
        Self {
            version: facts.version.clone(),
            commit: release.commit.oid.to_string(),
            date: clock::date(release.commit.written_ms),
            name: facts.name.clone(),
            description: facts.description.clone(),
            license: facts.license.clone(),
            manifest: PackagedFile {
                path: MANIFEST,
                sha256: release.manifest.sha256.to_string(),
                size: release.manifest_size_bytes,
            },
            component,
            functions: facts.functions.clone(),
            capabilities: serde_json::json!(facts.capabilities),
            tag,
        }
    }
}
