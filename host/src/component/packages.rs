//! Writes and reads the list of packages that a component is made of, as its author claims.
//!
//! The list is JSON in a custom section, so the component's digest covers it. Nothing holds it
//! against the code: it says what the author's build put there.

use serde::{Deserialize, Serialize};

use crate::component::custom_section::{append_section, section};

/// The custom section that holds the list.
const SECTION: &str = "tool-hub:packages";
/// The longest list that is read, in bytes.
const LIST_BYTES_MAX: usize = 1 << 20;
/// The most packages that are read.
const PACKAGES_MAX: usize = 5_000;

/// A package of a language's registry that became part of a component. All of its texts are the
/// author's, unescaped.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct IncludedPackage {
    /// The registry that it is named in.
    pub registry: PackageRegistry,
    /// Its name there.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Its license, as the package itself says it.
    #[serde(default)]
    pub license: Option<String>,
}

/// A registry of packages, by the word that a package URL (`pkg:pypi/idna@3.10`) has for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum PackageRegistry {
    /// crates.io, of Rust.
    Cargo,
    /// npm, of JavaScript.
    Npm,
    /// PyPI, of Python.
    Pypi,
}

impl PackageRegistry {
    /// The name that people know it by.
    pub fn title(self) -> &'static str {
        match self {
            Self::Cargo => "crates.io",
            Self::Npm => "npm",
            Self::Pypi => "PyPI",
        }
    }
}

/// The list of a component cannot be read.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct UnreadableList;

/// Appends the list of `packages` to a component that has none. Where there are no packages it
/// stays as it is.
pub fn embed_packages(packages: &[IncludedPackage], component: &mut Vec<u8>) {
    let mut packages: Vec<&IncludedPackage> = packages.iter().collect();
    packages.sort_unstable();
    packages.dedup();
    if !packages.is_empty() {
        let list = serde_json::json!(packages).to_string();
        append_section(SECTION, list.as_bytes(), component);
    }
}

/// The packages that a valid component says it is made of.
pub(crate) fn packages(component: &[u8]) -> Result<Vec<IncludedPackage>, UnreadableList> {
    let Some(list) = section(component, SECTION).map_err(|_| UnreadableList)? else {
        return Ok(Vec::new());
    };
    if list.len() > LIST_BYTES_MAX {
        return Err(UnreadableList);
    }
    let packages: Vec<IncludedPackage> =
        serde_json::from_slice(list).map_err(|_| UnreadableList)?;
    match packages.len() > PACKAGES_MAX {
        true => Err(UnreadableList),
        false => Ok(packages),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package(registry: PackageRegistry, name: &str, license: Option<&str>) -> IncludedPackage {
        IncludedPackage {
            registry,
            name: name.to_owned(),
            version: "1.0.0".to_owned(),
            license: license.map(str::to_owned),
        }
    }

    #[test]
    fn a_list_is_read_as_it_was_embedded() {
        let mut component = wat::parse_str("(component)").unwrap();
        let bare = component.clone();
        embed_packages(&[], &mut component);
        assert_eq!(component, bare);
        assert_eq!(packages(&component), Ok(Vec::new()));
        let yaml = package(PackageRegistry::Pypi, "PyYAML", Some("MIT"));
        let sums = package(PackageRegistry::Npm, "@scope/sums", None);
        let all = [yaml.clone(), sums.clone(), yaml.clone()];
        embed_packages(&all, &mut component);
        assert_eq!(packages(&component), Ok(vec![sums, yaml]));
    }

    #[test]
    fn what_is_no_list_or_has_no_end_is_not_read() {
        let many = vec![package(PackageRegistry::Cargo, "a", None); PACKAGES_MAX + 1];
        let long = format!("[{}]", " ".repeat(LIST_BYTES_MAX));
        for list in [
            "",
            "{}",
            "[{}]",
            r#"[{"registry": "other", "name": "a", "version": "1"}]"#,
            &long,
            &serde_json::json!(many).to_string(),
        ] {
            let mut component = wat::parse_str("(component)").unwrap();
            append_section(SECTION, list.as_bytes(), &mut component);
            assert_eq!(packages(&component), Err(UnreadableList));
        }
    }
}
