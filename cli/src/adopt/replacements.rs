//! The table of packages for which a tool of the shelf stands, with what is different then.

use std::str::FromStr;

use serde::Deserialize;

use super::launcher::Launcher;

/// The table that belongs to this version of the command.
const TABLE: &str = include_str!("../../../sample-tools/replacements.toml");

/// Packages, and the tools that stand for them.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Replacements {
    #[serde(default, rename = "replacement")]
    all: Vec<Replacement>,
}

/// A tool of the shelf that stands for packages of MCP servers.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Replacement {
    /// The packages, as `npm:NAME` or `pypi:NAME`.
    packages: Vec<String>,
    /// The name of the tool on the shelf.
    pub(crate) tool: String,
    /// The differences that a user notices, in one sentence each.
    #[serde(default)]
    pub(crate) differs: Vec<String>,
}

impl FromStr for Replacements {
    type Err = toml_edit::de::Error;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        toml_edit::de::from_str(text)
    }
}

impl Replacements {
    /// The table of this version.
    pub(crate) fn known() -> Self {
        TABLE.parse().expect("a test reads the table")
    }

    /// The tool that stands for what `launcher` starts.
    pub(crate) fn of(&self, launcher: &Launcher) -> Option<&Replacement> {
        let package = match launcher {
            Launcher::Npm(package) => {
                let name = match package.rfind('@') {
                    Some(at @ 1..) => &package[..at],
                    _ => package,
                };
                format!("npm:{name}")
            }
            Launcher::Pypi(package) => {
                let name = package
                    .split_once("==")
                    .map_or(&**package, |(name, _)| name);
                format!("pypi:{}", normal(name))
            }
            // A tool of the shelf is read and approved, so a name that is guessed harms nobody.
            Launcher::Module(module) => format!("pypi:{}", normal(module)),
            _ => return None,
        };
        let mut all = self.all.iter();
        all.find(|replacement| replacement.packages.contains(&package))
    }
}

/// The name of a package as PyPI compares it.
fn normal(name: &str) -> String {
    name.to_ascii_lowercase().replace(['_', '.'], "-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_read_and_names_packages() {
        let known = Replacements::known();
        assert!(!known.all.is_empty());
        for replacement in &known.all {
            for package in &replacement.packages {
                let kind = package.split_once(':').map(|(kind, _)| kind);
                assert!(matches!(kind, Some("npm" | "pypi")), "{package}");
            }
        }
    }

    #[test]
    fn a_package_is_found_by_its_name() {
        let table = "[[replacement]]\npackages = [\"npm:@a/b\", \"pypi:c-d\"]\ntool = \"x\"\n";
        let table: Replacements = table.parse().unwrap();
        let found = |launcher| table.of(&launcher).map(|it| it.tool.as_str());
        assert_eq!(found(Launcher::Npm("@a/b@1.0".to_owned())), Some("x"));
        assert_eq!(found(Launcher::Pypi("C_D==1.0".to_owned())), Some("x"));
        assert_eq!(found(Launcher::Module("c_d".to_owned())), Some("x"));
        assert_eq!(found(Launcher::Npm("c-d".to_owned())), None);
        assert_eq!(found(Launcher::Program), None);
    }
}
