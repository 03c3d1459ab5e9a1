//! Writes and reads the bill of materials of a package, in the format CycloneDX 1.6 (JSON).
//!
//! Equal contents are equal bytes: there is no time, no random number, and all is sorted. Nothing
//! holds the list against the code: it says what the author's build put there.

use serde::{Deserialize, Serialize};
use tool_hub_manifest::{Digest, Manifest};

use super::package_url::{named, package_url};
use super::packages::{HashAlgorithm, IncludedPackage, PackageHash};

/// The version that older readers know as well; nothing of a newer one is needed.
const SPEC_VERSION: &str = "1.6";
const SCHEMA: &str = "http://cyclonedx.org/schema/bom-1.6.schema.json";
/// The most packages that are read.
const PACKAGES_MAX: usize = 5_000;
/// The reference of the tool itself, within the document.
const TOOL: &str = "tool.wasm";
/// The reference of the interpreter.
const INTERPRETER: &str = "interpreter.wasm";

/// The contents of a bill of materials.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sbom {
    /// The packages of others.
    pub packages: Vec<IncludedPackage>,
    /// The programs that the tool was built with, of which nothing need be in it.
    pub build_tools: Vec<BuildTool>,
    /// The interpreter that runs the tool's program.
    pub interpreter: Option<SbomInterpreter>,
}

/// A program that took part in a build.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct BuildTool {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
}

/// An interpreter in a package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SbomInterpreter {
    /// The kind of interpreter, such as `python-interpreter`.
    pub name: String,
    /// The version of the command that made it.
    pub version: String,
    /// The digest of its component.
    pub digest: Digest,
}

/// A bill of materials cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the bill of materials is not CycloneDX that can be read")]
pub struct UnreadableSbom;

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Document {
    #[serde(rename = "$schema", default)]
    schema: String,
    bom_format: String,
    spec_version: String,
    #[serde(default = "first")]
    version: u32,
    #[serde(default)]
    metadata: Metadata,
    #[serde(default)]
    components: Vec<Part>,
}

#[derive(Default, Serialize, Deserialize)]
struct Metadata {
    #[serde(default)]
    tools: Parts,
    #[serde(skip_serializing_if = "Option::is_none")]
    component: Option<Part>,
}

#[derive(Default, Serialize, Deserialize)]
struct Parts {
    #[serde(default)]
    components: Vec<Part>,
}

/// A "component" of CycloneDX: whatever something is made of.
#[derive(Default, Serialize, Deserialize)]
struct Part {
    r#type: String,
    #[serde(rename = "bom-ref", default, skip_serializing_if = "Option::is_none")]
    reference: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    group: Option<String>,
    name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    version: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    hashes: Vec<PackageHash>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    licenses: Vec<LicenseChoice>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    purl: Option<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum LicenseChoice {
    Expression { expression: String },
    License { license: License },
}

#[derive(Serialize, Deserialize)]
struct License {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    name: Option<String>,
}

fn first() -> u32 {
    1
}

impl Sbom {
    /// Writes it as the file of the package that `manifest` is of.
    pub fn to_bytes(&self, manifest: &Manifest) -> Vec<u8> {
        let Self {
            packages,
            build_tools,
            interpreter,
        } = self;
        let mut tools = build_tools.clone();
        tools.sort_unstable();
        tools.dedup();
        let mut parts: Vec<Part> = packages.iter().map(part_of).collect();
        parts.sort_by(|a, b| a.purl.cmp(&b.purl));
        parts.dedup_by(|a, b| a.purl == b.purl);
        let interpreter = interpreter.iter().map(|interpreter| Part {
            r#type: "platform".to_owned(),
            reference: Some(INTERPRETER.to_owned()),
            name: interpreter.name.clone(),
            version: Some(interpreter.version.clone()),
            hashes: vec![PackageHash {
                alg: HashAlgorithm::Sha256,
                content: interpreter.digest.hex(),
            }],
            ..Part::default()
        });
        let document = Document {
            schema: SCHEMA.to_owned(),
            bom_format: "CycloneDX".to_owned(),
            spec_version: SPEC_VERSION.to_owned(),
            version: first(),
            metadata: Metadata {
                tools: Parts {
                    components: tools.into_iter().map(BuildTool::part).collect(),
                },
                component: Some(Part {
                    r#type: "application".to_owned(),
                    reference: Some(TOOL.to_owned()),
                    name: manifest.name.to_string(),
                    version: Some(manifest.version.to_string()),
                    description: Some(manifest.description.clone()).filter(|it| !it.is_empty()),
                    licenses: licenses(manifest.license.as_deref()),
                    ..Part::default()
                }),
            },
            components: interpreter.chain(parts).collect(),
        };
        let mut text = format!("{:#}", serde_json::json!(document)).into_bytes();
        text.push(b'\n');
        text
    }

    /// Reads the packages and the build's programs from the file of a package.
    ///
    /// # Errors
    /// When it is not CycloneDX, or names too many packages.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, UnreadableSbom> {
        let document: Document = serde_json::from_slice(bytes).map_err(|_| UnreadableSbom)?;
        let Document {
            bom_format,
            metadata,
            components,
            ..
        } = document;
        if bom_format != "CycloneDX" || components.len() > PACKAGES_MAX {
            return Err(UnreadableSbom);
        }
        let build_tools = metadata.tools.components.into_iter();
        let interpreter = components.iter().find_map(Part::interpreter);
        let mut packages: Vec<IncludedPackage> =
            components.into_iter().filter_map(Part::package).collect();
        packages.sort_unstable();
        packages.dedup();
        Ok(Self {
            packages,
            build_tools: build_tools.map(Part::build_tool).collect(),
            interpreter,
        })
    }
}

fn part_of(package: &IncludedPackage) -> Part {
    let IncludedPackage {
        name,
        version,
        license,
        hash,
        ..
    } = package;
    let purl = package_url(package);
    let (group, name) = match name.split_once('/') {
        Some((scope, name)) => (Some(scope.to_owned()), name),
        None => (None, name.as_str()),
    };
    Part {
        r#type: "library".to_owned(),
        reference: Some(purl.clone()),
        group,
        name: name.to_owned(),
        version: Some(version.clone()),
        hashes: hash.iter().cloned().collect(),
        licenses: licenses(license.as_deref()),
        purl: Some(purl),
        ..Part::default()
    }
}

/// A license as an expression of SPDX where it is one, or else by the name that it is given.
fn licenses(license: Option<&str>) -> Vec<LicenseChoice> {
    let Some(license) = license.filter(|it| !it.trim().is_empty()) else {
        return Vec::new();
    };
    // Such as `MIT/Apache-2.0`, which cargo took for an expression once. Other names are not
    // guessed at: `BSD` may be any of several licenses.
    let amended = license.replace('/', " OR ");
    let expressions = [license, &amended].into_iter();
    let mut expressions = expressions.filter(|it| spdx::Expression::parse(it).is_ok());
    vec![match expressions.next() {
        Some(expression) => LicenseChoice::Expression {
            expression: expression.to_owned(),
        },
        None => LicenseChoice::License {
            license: License {
                id: None,
                name: Some(license.to_owned()),
            },
        },
    }]
}

impl BuildTool {
    fn part(self) -> Part {
        Part {
            r#type: "application".to_owned(),
            name: self.name,
            version: Some(self.version),
            ..Part::default()
        }
    }
}

impl Part {
    fn build_tool(self) -> BuildTool {
        BuildTool {
            name: self.name,
            version: self.version.unwrap_or_default(),
        }
    }

    fn interpreter(&self) -> Option<SbomInterpreter> {
        if self.reference.as_deref() != Some(INTERPRETER) {
            return None;
        }
        let hash = self.hashes.first()?;
        Some(SbomInterpreter {
            name: self.name.clone(),
            version: self.version.clone()?,
            digest: format!("sha256:{}", hash.content).parse().ok()?,
        })
    }

    /// The package that it is; none for the interpreter, and for a package of another kind.
    fn package(self) -> Option<IncludedPackage> {
        let named = named(self.purl.as_deref()?)?;
        let license = self.licenses.into_iter().next();
        let license = license.and_then(|choice| match choice {
            LicenseChoice::Expression { expression } => Some(expression),
            LicenseChoice::License { license } => license.id.or(license.name),
        });
        let said = match &self.group {
            Some(group) => format!("{group}/{}", self.name),
            None => self.name,
        };
        Some(IncludedPackage {
            registry: named.registry,
            // In the author's own letters, where a purl has small ones.
            name: match said.replace('_', "-").eq_ignore_ascii_case(&named.name) {
                true => said,
                false => named.name,
            },
            version: named.version,
            license,
            origin: named.origin,
            hash: self.hashes.into_iter().next(),
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::component::packages::{PackageOrigin, PackageRegistry};

    fn manifest() -> Manifest {
        let mut manifest = Manifest::new("demo".parse().unwrap(), semver::Version::new(0, 1, 0));
        manifest.license = Some("MIT".to_owned());
        manifest
    }

    fn package(registry: PackageRegistry, name: &str, license: Option<&str>) -> IncludedPackage {
        IncludedPackage {
            registry,
            name: name.to_owned(),
            version: "1.0.0".to_owned(),
            license: license.map(str::to_owned),
            origin: None,
            hash: None,
        }
    }

    #[test]
    fn a_bill_is_read_as_it_was_written_in_whatever_order() {
        let hash = PackageHash {
            alg: HashAlgorithm::Sha512,
            content: "ab".repeat(64),
        };
        let tool = |name: &str| BuildTool {
            name: name.to_owned(),
            version: "1".to_owned(),
        };
        let place = PackageOrigin::Repository("git+https://git.example/x@1".to_owned());
        let mut sbom = Sbom {
            packages: vec![
                IncludedPackage {
                    origin: Some(place),
                    ..package(PackageRegistry::Cargo, "forked", None)
                },
                package(PackageRegistry::Cargo, "serde", Some("MIT OR Apache-2.0")),
                IncludedPackage {
                    hash: Some(hash),
                    ..package(PackageRegistry::Npm, "@scope/sums", Some("see the text"))
                },
                package(PackageRegistry::Pypi, "PyYAML", Some("MIT")),
            ],
            build_tools: vec![tool("a"), tool("b")],
            interpreter: Some(SbomInterpreter {
                name: "python-interpreter".to_owned(),
                version: "0.1.0".to_owned(),
                digest: Digest::of(b"i"),
            }),
        };
        let bytes = sbom.to_bytes(&manifest());
        assert_eq!(Sbom::from_bytes(&bytes), Ok(sbom.clone()));
        sbom.packages.reverse();
        sbom.packages.extend(sbom.packages.clone());
        sbom.build_tools.reverse();
        assert_eq!(sbom.to_bytes(&manifest()), bytes);
        let empty = Sbom::default().to_bytes(&manifest());
        assert_eq!(Sbom::from_bytes(&empty), Ok(Sbom::default()));
    }

    #[test]
    fn only_expressions_of_spdx_pass_for_such() {
        for (license, expect) in [
            ("MIT", r#"[{"expression":"MIT"}]"#),
            ("MIT/Apache-2.0", r#"[{"expression":"MIT OR Apache-2.0"}]"#),
            (
                "Apache-2.0 WITH LLVM-exception",
                r#"[{"expression":"Apache-2.0 WITH LLVM-exception"}]"#,
            ),
            ("BSD", r#"[{"license":{"name":"BSD"}}]"#),
            ("MIT License", r#"[{"license":{"name":"MIT License"}}]"#),
            (" ", "[]"),
        ] {
            let written = serde_json::to_string(&licenses(Some(license))).unwrap();
            assert_eq!(written, expect);
        }
        assert!(licenses(None).is_empty());
    }

    #[test]
    fn what_is_no_bill_or_has_no_end_is_not_read() {
        let part = r#"{"type":"library","name":"a"}"#;
        let many = vec![part; PACKAGES_MAX + 1].join(",");
        for text in [
            String::new(),
            "{}".to_owned(),
            "[]".to_owned(),
            r#"{"bomFormat":"SPDX","specVersion":"1.6"}"#.to_owned(),
            format!(r#"{{"bomFormat":"CycloneDX","specVersion":"1.6","components":[{many}]}}"#),
        ] {
            assert_eq!(Sbom::from_bytes(text.as_bytes()), Err(UnreadableSbom));
        }
    }

    #[test]
    fn a_bill_of_another_program_is_read_as_far_as_it_goes() {
        let text = r#"{"bomFormat":"CycloneDX","specVersion":"1.5","serialNumber":"urn:uuid:1",
            "components":[{"type":"library","name":"idna","purl":"pkg:pypi/idna@3.7",
            "licenses":[{"license":{"id":"BSD-3-Clause","url":"x"}}]},
            {"type":"library","name":"libc","purl":"pkg:deb/debian/libc@2"}]}"#;
        let read = Sbom::from_bytes(text.as_bytes()).unwrap();
        let idna = IncludedPackage {
            version: "3.7".to_owned(),
            ..package(PackageRegistry::Pypi, "idna", Some("BSD-3-Clause"))
        };
        assert_eq!(read.packages, [idna]);
        let written: Value = serde_json::from_slice(&read.to_bytes(&manifest())).unwrap();
        assert_eq!(written["components"].as_array().map(Vec::len), Some(1));
    }
}
