//! The JSON shape of a tool in a listing with `expand=tool`: its manifest's facts, cut short.

use serde::Serialize;
use utoipa::ToSchema;

use crate::tool::StoredManifest;

/// Most functions that are named.
const FUNCTIONS_MAX: usize = 20;
/// Longest description, in characters.
const DESCRIPTION_CHARS_MAX: usize = 300;

/// A tool by the manifest of its newest release, or without one that of the default branch.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ListedTool {
    name: String,
    version: String,
    /// Its first characters.
    description: String,
    license: Option<String>,
    /// The names of the first of them.
    functions: Vec<String>,
    function_count: usize,
    manifest: ManifestDigest,
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ManifestDigest {
    sha256: String,
}

impl From<&StoredManifest> for ListedTool {
    fn from(manifest: &StoredManifest) -> Self {
        let facts = &manifest.facts;
        let functions = facts.functions.iter().take(FUNCTIONS_MAX);
        Self {
            name: facts.name.clone(),
            version: facts.version.clone(),
            description: cut(&facts.description),
            license: facts.license.clone(),
            functions: functions.map(|function| function.name.clone()).collect(),
            function_count: facts.functions.len(),
            manifest: ManifestDigest {
                sha256: manifest.sha256.to_string(),
            },
        }
    }
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(DESCRIPTION_CHARS_MAX) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_descriptions_are_cut() {
        assert_eq!(cut("short"), "short");
        let exact = "é".repeat(DESCRIPTION_CHARS_MAX);
        assert_eq!(cut(&exact), exact);
        assert_eq!(cut(&format!("{exact}é")), format!("{exact}…"));
    }
}
