//! The `Manifest` type: reads, checks and writes `tool.toml`, the manifest of a tool.

use std::collections::BTreeMap;
use std::str::FromStr;

use indexmap::IndexMap;
use semver::Version;
use serde::{Deserialize, Deserializer, Serialize};

use crate::capability::Capabilities;
use crate::credential::CredentialRequest;
use crate::dependency::{DEPENDENCIES_MAX, DependencyRequest};
use crate::digest::Digest;
use crate::digest::bare_hex;
use crate::document::{self, DocumentError};
use crate::function::Function;
use crate::icon::Icon;
use crate::interpreter::InterpreterClaim;
use crate::limits::LimitRequest;
use crate::name::{FunctionName, ToolName};
use crate::package_file;
use crate::sbom::SbomClaim;

/// The only schema of manifests there is.
const SCHEMA: u32 = 1;
/// The most functions a tool may have.
const FUNCTIONS_MAX: usize = 1_000;

/// The claims of a tool about itself. Authors write the first part; `tool build` adds the rest and
/// fails when the claim and the component disagree.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// The schema of the document: 1.
    #[serde(deserialize_with = "known_schema")]
    pub schema: u32,
    /// The tool's name.
    pub name: ToolName,
    /// The version of this manifest and component together.
    pub version: Version,
    /// The purpose of the tool, in one or two sentences.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// An SPDX expression.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub license: Option<String>,
    /// The picture beside its name; authors name a file in `[build]` instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub icon: Option<Icon>,
    /// The build of the component; only in an author's own manifest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub build: Option<Build>,
    /// The component that this manifest describes; only in a finished manifest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub component: Option<ComponentClaim>,
    /// The interpreter that runs the component's program, where it holds one; only in a finished
    /// manifest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interpreter: Option<InterpreterClaim>,
    /// The list of what the package is made of; only in a finished manifest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sbom: Option<SbomClaim>,
    /// The functions that agents can call, by the name they see.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub functions: IndexMap<FunctionName, Function>,
    /// The rights that the tool asks for beyond pure computation.
    #[serde(default, skip_serializing_if = "Capabilities::is_empty")]
    pub capabilities: Capabilities,
    /// The tools whose functions the component imports, by the name that it has for each.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub dependencies: BTreeMap<ToolName, DependencyRequest>,
    /// The limits that the tool asks for.
    #[serde(default, skip_serializing_if = "LimitRequest::is_empty")]
    pub limits: LimitRequest,
}

/// The build of an author's project into a component.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Build {
    /// The language of the source code.
    pub language: Language,
    /// The main source file, relative to the manifest, where the language needs to know.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// A file of plain functions, relative to the manifest: the tool's WIT and the rest of its
    /// source are written from them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub functions: Option<String>,
    /// The world to build, where the WIT has several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub world: Option<String>,
    /// The file that holds the picture beside the tool's name, relative to the manifest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub icon: Option<String>,
    /// A package that has the interpreter to run the tool's program: a reference, or a path
    /// relative to the manifest. Without one the build makes an interpreter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interpreter: Option<String>,
}

/// A language that `tool build` can build.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    /// Rust, with cargo.
    Rust,
    /// Python, with componentize-py.
    Python,
    /// JavaScript, with esbuild and componentize-qjs.
    Javascript,
    /// C, with wit-bindgen and the compiler in zig.
    C,
}

/// The component that a manifest describes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ComponentClaim {
    /// The component's file name in the package.
    #[serde(deserialize_with = "component_file")]
    pub file: String,
    /// The component's digest.
    #[serde(with = "bare_hex")]
    pub sha256: Digest,
    /// The component's size.
    pub bytes: u64,
}

impl ComponentClaim {
    /// The claim that fits `component`.
    pub fn of(component: &[u8]) -> Self {
        Self {
            file: package_file::COMPONENT.to_owned(),
            sha256: Digest::of(component),
            bytes: component.len() as u64,
        }
    }
}

impl Manifest {
    /// A manifest that says no more than it must.
    pub fn new(name: ToolName, version: Version) -> Self {
        Self {
            schema: SCHEMA,
            name,
            version,
            description: String::new(),
            license: None,
            icon: None,
            build: None,
            component: None,
            interpreter: None,
            sbom: None,
            functions: IndexMap::new(),
            capabilities: Capabilities::default(),
            dependencies: BTreeMap::new(),
            limits: LimitRequest::default(),
        }
    }

    /// Writes the manifest as `tool.toml`. Reading it back gives an equal manifest.
    pub fn to_toml(&self) -> String {
        document::write(self)
    }

    fn check(&self) -> Result<(), String> {
        if self.functions.len() > FUNCTIONS_MAX {
            return Err(format!(
                "the manifest has {} functions, at most {FUNCTIONS_MAX} are allowed",
                self.functions.len()
            ));
        }
        if self.dependencies.len() > DEPENDENCIES_MAX {
            return Err(format!(
                "the manifest has {} dependencies, at most {DEPENDENCIES_MAX} are allowed",
                self.dependencies.len()
            ));
        }
        let mut directories: Vec<_> = self
            .capabilities
            .directories
            .iter()
            .map(|request| &request.name)
            .collect();
        let mut variables: Vec<_> = self
            .capabilities
            .variables
            .iter()
            .map(|request| &request.name)
            .collect();
        if let Some(name) = first_repeated(&mut directories) {
            return Err(format!("directory `{name}` is asked for twice"));
        }
        if let Some(name) = first_repeated(&mut variables) {
            return Err(format!("variable `{name}` is asked for twice"));
        }
        let credentials = &self.capabilities.credentials;
        let mut names: Vec<_> = credentials.iter().map(|request| &request.name).collect();
        if let Some(name) = first_repeated(&mut names) {
            return Err(format!("credential {name} is asked for twice"));
        }
        for CredentialRequest { name, origin, .. } in credentials {
            // The tool would read the value that is to be kept from it.
            if self.capabilities.variable(name).is_some() {
                return Err(format!(
                    "{name} is asked for as a credential and as a variable: leave it out of `variables`, which the tool reads"
                ));
            }
            if self.capabilities.network.methods(origin).is_none() {
                return Err(format!(
                    "credential {name} is for {origin}, which `network` does not ask for: add it there"
                ));
            }
        }
        Ok(())
    }
}

impl FromStr for Manifest {
    type Err = DocumentError;

    fn from_str(text: &str) -> Result<Self, DocumentError> {
        let manifest: Self = document::parse(package_file::MANIFEST, text)?;
        match manifest.check() {
            Ok(()) => Ok(manifest),
            Err(message) => Err(DocumentError::whole(package_file::MANIFEST, message)),
        }
    }
}

fn first_repeated<T: Ord + Copy>(items: &mut [T]) -> Option<T> {
    items.sort_unstable();
    items
        .windows(2)
        .find(|pair| pair[0] == pair[1])
        .map(|pair| pair[0])
}

fn known_schema<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    match u32::deserialize(deserializer)? {
        SCHEMA => Ok(SCHEMA),
        other => Err(serde::de::Error::custom(format!(
            "schema {other} is not known, this version reads schema {SCHEMA}"
        ))),
    }
}

fn component_file<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let file = String::deserialize(deserializer)?;
    if file == package_file::COMPONENT {
        Ok(file)
    } else {
        Err(serde::de::Error::custom(format!(
            "the component of a package is called `{}`",
            package_file::COMPONENT
        )))
    }
}
