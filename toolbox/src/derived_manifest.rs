//! Reads the file of a component, and derives a manifest for one that has none.
//!
//! It is made of the component's types and the capabilities that its user wants to grant.

use std::io::ErrorKind;
use std::path::Path;

use tool_hub_host::authoring::derive_manifest;
use tool_hub_manifest::{Capabilities, Package, ToolName, Verified};
use tool_hub_registry_client::COMPONENT_BYTES_MAX;
use unicode_normalization::UnicodeNormalization as _;

use crate::error::Error;
use crate::files;

/// Reads the component at `path` and gives it a manifest that asks for `asked`.
///
/// # Errors
/// If it cannot be read, or has no functions that can be offered.
pub(crate) fn read(path: &Path, asked: Capabilities) -> Result<Verified, Error> {
    let component = read_component(path)?;
    let derived = derive_manifest(&component, name_of(path));
    let mut manifest = derived.map_err(|source| Error::NotATool {
        path: path.to_owned(),
        source,
    })?;
    manifest.capabilities = asked;
    let package = Package {
        manifest: manifest.to_toml().into_bytes(),
        component,
        interpreter: None,
        sbom: None,
    };
    Ok(Verified::check(package)?)
}

/// Reads the component at `path`.
pub(crate) fn read_component(path: &Path) -> Result<Vec<u8>, Error> {
    files::read_regular(path, COMPONENT_BYTES_MAX).map_err(|source| {
        let path = path.to_owned();
        match source.kind() {
            ErrorKind::NotFound => Error::NoComponent { path, source },
            ErrorKind::FileTooLarge => Error::ComponentTooLarge { path },
            _ => Error::Read { path, source },
        }
    })
}

/// A tool name made from a file name: letters lose their accents, and other characters that a tool
/// name cannot hold become dashes. If no letter remains, for example of a word in another script,
/// the name is `tool`.
fn name_of(path: &Path) -> ToolName {
    let stem = path
        .file_stem()
        .and_then(|stem| stem.to_str())
        .unwrap_or_default();
    let is_mark = |c: &char| unicode_normalization::char::is_combining_mark(*c);
    let plain: String = stem.nfkd().filter(|c| !is_mark(c)).collect();
    let fallback = || "tool".parse().expect("`tool` is a tool name");
    if plain.chars().any(|c| c.is_alphanumeric() && !c.is_ascii()) {
        return fallback();
    }
    let name: String = plain
        .to_ascii_lowercase()
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
        .take(64)
        .collect();
    name.trim_matches('-')
        .parse()
        .unwrap_or_else(|_| fallback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_s_name_becomes_a_tool_s() {
        for (path, name) in [
            ("/x/Adder_2.wasm", "adder-2"),
            ("é.wasm", "e"),
            ("./ünï.wasm", "uni"),
            ("Größe 2.wasm", "tool"),
            ("ﬁle.wasm", "file"),
            ("я-x.wasm", "tool"),
            ("名.wasm", "tool"),
            ("con.wasm", "tool"),
            ("-.wasm", "tool"),
        ] {
            assert_eq!(name_of(Path::new(path)).as_str(), name, "{path}");
        }
    }
}
