//! A tool's version as its view shows it.

use serde_json::{Value, json};

use crate::clock;
use crate::history::Release;
use crate::tool::{COMPONENT, MANIFEST};

/// What a client needs to choose a version and to check what it downloads.
///
/// `asClaimed` tells whether the component is the one that the manifest speaks of; `null` when the
/// manifest speaks of none.
pub(crate) fn release_json(release: &Release) -> Value {
    let facts = &release.manifest.facts;
    let component = release.component.map(|blob| {
        let claim = facts.component.as_ref();
        json!({
            "path": COMPONENT,
            "sha256": blob.sha256.to_string(),
            "size": blob.size_bytes,
            "asClaimed": claim.map(|claim| claim.sha256 == blob.sha256.to_string() && claim.size == blob.size_bytes),
        })
    });
    json!({
        "version": facts.version,
        "commit": release.commit.oid.to_string(),
        "date": clock::date(release.commit.written_ms),
        "name": facts.name,
        "description": facts.description,
        "license": facts.license,
        "manifest": {
            "path": MANIFEST,
            "sha256": release.manifest.sha256.to_string(),
            "size": release.manifest_size_bytes,
        },
        "component": component,
        "functions": facts.functions,
        "capabilities": facts.capabilities,
    })
}
