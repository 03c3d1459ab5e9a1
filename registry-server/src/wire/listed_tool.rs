//! A tool as listings show it with `expand=tool`: enough to choose by, in little room, since a page
//! holds many.

use serde_json::{Value, json};

use crate::tool::KnownManifest;

/// Most functions that are named.
const FUNCTIONS_MAX: usize = 20;
/// Longest description, in characters.
const DESCRIPTION_CHARS_MAX: usize = 300;

/// Name, version, licence and description, how many functions there are and the names of the first
/// of them, all by the manifest of the default branch.
pub(crate) fn listed_tool_json(manifest: &KnownManifest) -> Value {
    let facts = &manifest.facts;
    let functions = facts.functions.iter().take(FUNCTIONS_MAX);
    let functions: Vec<&str> = functions.map(|it| it.name.as_str()).collect();
    json!({
        "name": facts.name,
        "version": facts.version,
        "description": cut(&facts.description),
        "license": facts.license,
        "functions": functions,
        "functionCount": facts.functions.len(),
        "manifest": { "sha256": manifest.sha256.to_string() },
    })
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
