//! The `DependencyRequest` of a manifest: another tool whose functions a component imports.

use semver::VersionReq;
use serde::{Deserialize, Serialize};

use crate::digest::{Digest, Hasher};
use crate::name::ToolName;
use crate::reference::{RepoId, Revision, ToolRef};

/// The most tools that one tool may depend on directly.
pub const DEPENDENCIES_MAX: usize = 16;
/// The most tools in a row of which each depends on the next, the first one not counted.
pub const DEPENDENCY_DEPTH_MAX: usize = 8;
/// The most tools that one tool may depend on directly and indirectly. One that is reached in two
/// ways counts twice.
pub const DEPENDENCIES_IN_TREE_MAX: usize = 64;

/// Another tool of the same registry, whose functions the component imports. It runs in a sandbox
/// of its own, with rights of its own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DependencyRequest {
    /// Its repo.
    pub repo: RepoId,
    /// The versions that may be taken.
    pub version: VersionReq,
}

impl DependencyRequest {
    /// The reference by which a version is looked for.
    pub fn reference(&self) -> ToolRef {
        ToolRef {
            repo: self.repo.clone(),
            revision: Revision::Version(self.version.clone()),
        }
    }
}

/// The digest that a person approves of a tool: `own`, of the tool itself, or one over it and those
/// of its `dependencies`.
pub fn digest_with_dependencies<'a>(
    own: Digest,
    dependencies: impl Iterator<Item = (&'a ToolName, Digest)>,
) -> Digest {
    let mut dependencies = dependencies.peekable();
    if dependencies.peek().is_none() {
        return own;
    }
    let mut hasher = Hasher::new();
    hasher.update(b"tool-hub tool with dependencies v1\0");
    hasher.update(own.as_bytes());
    for (name, digest) in dependencies {
        hasher.update(name.as_str().as_bytes());
        hasher.update(b"\0");
        hasher.update(digest.as_bytes());
    }
    hasher.finish()
}
