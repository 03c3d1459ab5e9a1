//! Reads a tool's manifest into the facts that the registry shows, and versions from tag names.

use std::str::FromStr;

use serde::{Deserialize, Serialize};
use tool_hub_manifest::{Capabilities, DocumentError, Manifest, Releases, Version, package_file};
use utoipa::ToSchema;

use crate::content::{Batch, Sha256Digest};
use crate::database::git_objects::Blob;
use crate::error::RegistryError;

/// The manifest of a tool, at the root of its repository.
pub(crate) const MANIFEST: &str = package_file::MANIFEST;
/// The component of a tool, beside its manifest.
pub(crate) const COMPONENT: &str = package_file::COMPONENT;
/// The state of a tool's versions, beside its manifest.
pub(crate) const RELEASES: &str = package_file::RELEASES;
/// The tag by which listings find tools.
pub(crate) const TOOL_TAG: &str = "tool-hub";

/// The facts of a manifest that the registry tells.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct ToolFacts {
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) description: String,
    pub(crate) license: Option<String>,
    /// The component that the manifest speaks of; only a finished manifest says it.
    pub(crate) component: Option<ClaimedComponent>,
    pub(crate) functions: Vec<FunctionFacts>,
    pub(crate) capabilities: Capabilities,
}

/// The component as the manifest claims it to be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ClaimedComponent {
    /// Lower-case hexadecimal.
    pub(crate) sha256: String,
    pub(crate) size: u64,
}

/// The facts of one function.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = ToolFunction)]
pub(crate) struct FunctionFacts {
    pub(crate) name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) title: Option<String>,
    pub(crate) description: String,
}

/// A valid manifest and the content it was read from.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct StoredManifest {
    pub(crate) sha256: Sha256Digest,
    pub(crate) facts: ToolFacts,
}

/// The reason why a manifest, or what is said of a tool's versions, is refused, and its position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ManifestFault {
    /// The name of the file.
    pub(crate) document: &'static str,
    pub(crate) message: String,
    /// Counted from 1.
    pub(crate) line: usize,
    /// In characters, counted from 1.
    pub(crate) column: usize,
    /// The known key that is nearest to an unknown one.
    pub(crate) nearest: Option<String>,
}

/// The reason why a manifest could not be read.
#[derive(Debug)]
pub(crate) enum ManifestError {
    Invalid(ManifestFault),
    Registry(RegistryError),
}

impl From<RegistryError> for ManifestError {
    fn from(error: RegistryError) -> Self {
        Self::Registry(error)
    }
}

/// Reads the manifest in `blob`, from these files or from the store.
pub(crate) async fn read_manifest(
    files: &Batch,
    blob: &Blob,
    bytes_max: usize,
) -> Result<StoredManifest, ManifestError> {
    let manifest = read_document(MANIFEST, files, blob, bytes_max).await?;
    Ok(StoredManifest {
        sha256: blob.sha256,
        facts: facts_of(manifest),
    })
}

/// Reads what a tool's owner says of its versions, in `blob`.
pub(crate) async fn read_releases(
    files: &Batch,
    blob: &Blob,
    bytes_max: usize,
) -> Result<Releases, ManifestError> {
    read_document(RELEASES, files, blob, bytes_max).await
}

async fn read_document<T>(
    document: &'static str,
    files: &Batch,
    blob: &Blob,
    bytes_max: usize,
) -> Result<T, ManifestError>
where
    T: FromStr<Err = DocumentError> + Send + 'static,
{
    if blob.size_bytes > bytes_max as u64 {
        let message = format!(
            "the document has {} bytes, at most {bytes_max} are read",
            blob.size_bytes
        );
        let fault = ManifestFault::whole(document, message);
        return Err(ManifestError::Invalid(fault));
    }
    let bytes = files.head(&blob.sha256, blob.size_bytes, bytes_max).await?;
    // A document of the largest size keeps a processor busy for a while, which other requests must
    // not wait for.
    let parsing = tokio::task::spawn_blocking(move || parse(document, &bytes)).await;
    let parsed =
        parsing.map_err(|_| RegistryError::Damaged("reading a manifest panicked".to_owned()))?;
    parsed.map_err(ManifestError::Invalid)
}

fn parse<T>(document: &'static str, bytes: &[u8]) -> Result<T, ManifestFault>
where
    T: FromStr<Err = DocumentError>,
{
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let from = error.valid_up_to();
        let message = format!("the document is not UTF-8 from byte {from} on");
        ManifestFault::whole(document, message)
    })?;
    text.parse().map_err(|error: DocumentError| ManifestFault {
        document,
        message: error.message,
        line: error.line,
        column: error.column,
        nearest: error.nearest,
    })
}

fn facts_of(manifest: Manifest) -> ToolFacts {
    let component = manifest.component.map(|claim| ClaimedComponent {
        sha256: claim.sha256.hex(),
        size: claim.bytes,
    });
    let functions = manifest
        .functions
        .into_iter()
        .map(|(name, function)| FunctionFacts {
            name: name.to_string(),
            title: function.title,
            description: function.description,
        })
        .collect();
    ToolFacts {
        name: manifest.name.to_string(),
        version: manifest.version.to_string(),
        description: manifest.description,
        license: manifest.license,
        component,
        functions,
        capabilities: manifest.capabilities,
    }
}

/// The version a tag stands for: `v` and a whole version, `v1.2.3`. Others, `v1.0` among them, are
/// tags like any.
pub(crate) fn version_of_tag(tag: &str) -> Option<Version> {
    tag.strip_prefix('v')?.parse().ok()
}

/// The version in the name of a branch or tag, as people read it: `v1.2.3`, `V1.2.3` or `1.2.3`.
/// Only tags may have such names.
pub(crate) fn version_in_name(name: &str) -> Option<Version> {
    name.strip_prefix(['v', 'V']).unwrap_or(name).parse().ok()
}

impl ManifestFault {
    fn whole(document: &'static str, message: String) -> Self {
        Self {
            document,
            message,
            line: 1,
            column: 1,
            nearest: None,
        }
    }

    /// The fault, its position and the next step, in one sentence.
    pub(crate) fn explain(&self) -> String {
        let hint = match &self.nearest {
            Some(nearest) => format!("; did you mean `{nearest}`?"),
            None => String::new(),
        };
        format!(
            "{} line {}, column {}: {}{hint}",
            self.document, self.line, self.column, self.message
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_are_what_the_manifest_says() {
        let text = "schema = 1\nname = 'text-stats'\nversion = '0.2.0'\ndescription = 'Counts words.'\n\
            [functions.count]\ndescription = 'Counts.'\n[functions.longest]\ntitle = 'Longest word'\n\
            [capabilities]\nnetwork = ['https://example.org']\n";
        let facts = facts_of(parse(MANIFEST, text.as_bytes()).unwrap());
        assert_eq!(
            (
                facts.name.as_str(),
                facts.version.as_str(),
                facts.description.as_str()
            ),
            ("text-stats", "0.2.0", "Counts words.")
        );
        let names: Vec<&str> = facts.functions.iter().map(|it| it.name.as_str()).collect();
        assert_eq!(names, ["count", "longest"]);
        assert_eq!(facts.functions[1].title.as_deref(), Some("Longest word"));
        assert_eq!(facts.capabilities.network.iter().count(), 1);
        assert_eq!(facts.component, None);
        let json = serde_json::to_string(&facts).unwrap();
        assert_eq!(serde_json::from_str::<ToolFacts>(&json).unwrap(), facts);
    }

    #[track_caller]
    fn check(text: &[u8], expect: &str) {
        assert_eq!(
            parse::<Manifest>(MANIFEST, text).unwrap_err().explain(),
            expect
        );
    }

    #[test]
    fn faults_say_where_and_what_next() {
        check(
            b"schema = 1\nnmae = 'x'\n",
            "tool.toml line 2, column 1: unknown field `nmae`, expected one of `schema`, `name`, `version`, `description`, \
             `license`, `icon`, `build`, `component`, `interpreter`, `sbom`, `functions`, `capabilities`, `dependencies`, `limits`; did you mean `name`?",
        );
        check(
            b"\xff",
            "tool.toml line 1, column 1: the document is not UTF-8 from byte 0 on",
        );
    }

    #[test]
    fn only_whole_versions_are_versions() {
        for (tag, expect) in [
            ("v1.2.3", true),
            ("v1.2.3-rc.1", true),
            ("v1.2.3+build", true),
            ("v1.0", false),
            ("1.2.3", false),
            ("v", false),
            ("latest", false),
            ("vv1.2.3", false),
        ] {
            assert_eq!(version_of_tag(tag).is_some(), expect, "{tag}");
        }
    }

    #[test]
    fn names_that_read_as_versions() {
        for (name, expect) in [
            ("v1.2.3", Some("1.2.3")),
            ("V1.2.3", Some("1.2.3")),
            ("1.2.3", Some("1.2.3")),
            ("1.2.3-rc.1+linux", Some("1.2.3-rc.1+linux")),
            ("v1.0", None),
            ("vv1.2.3", None),
            ("release/1.2.3", None),
            ("main", None),
        ] {
            let version = version_in_name(name).map(|version| version.to_string());
            assert_eq!(version.as_deref(), expect, "{name}");
        }
    }
}
