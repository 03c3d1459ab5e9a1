//! The `Terms` of a tool, all that a person approves, and `Change`, one difference between two.

mod compare;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::Serialize;
use tool_hub_manifest::{
    Capabilities, Digest, FunctionName, Icon, LimitRequest, Manifest, Overrides, PackageSigner,
    Pin, ServerDescription, ServerStart, Source, ToolName, Version,
};

use crate::approval::inspection::Inspection;
use crate::approval::inspection::imports::InspectedImport;
use crate::component::function::CallableFunction;
use crate::component::function::NotCallable;
use crate::component::packages::IncludedPackage;

/// Everything about a tool that a person approves. [`Terms::changes`] compares a new version with
/// the approved one.
#[derive(Debug, Clone, PartialEq)]
pub struct Terms {
    source: Source,
    signer: Option<PackageSigner>,
    built_from: Option<String>,
    attested_by: BTreeSet<PackageSigner>,
    pin: Pin,
    name: ToolName,
    version: Version,
    description: String,
    license: Option<String>,
    icon: Option<Icon>,
    capabilities: Capabilities,
    limits: LimitRequest,
    imports: Vec<InspectedImport>,
    functions: Vec<CallableFunction>,
    /// The sample calls of each function, as JSON.
    examples: BTreeMap<FunctionName, String>,
    not_callable: Vec<NotCallable>,
    prompts: bool,
    resources: bool,
    overrides: Overrides,
    interpreter: Option<Digest>,
    packages: Vec<IncludedPackage>,
    /// How a server is started, and what it calls itself, as JSON.
    server: Option<[String; 2]>,
    /// The tools that it calls, see [`Terms::with_dependencies`].
    dependencies: BTreeMap<ToolName, Terms>,
}

/// A difference between two [`Terms`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Change {
    /// The name of the part that differs: `variable API_KEY`, `add: description`. It may contain
    /// text of the tool, unescaped.
    pub what: String,
    /// The approved value, if there was one.
    pub before: Option<String>,
    /// The new value, if there is one.
    pub after: Option<String>,
    /// The severity of the difference.
    pub kind: ChangeKind,
}

/// The severity of a change. The most severe of several changes decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ChangeKind {
    /// The tool asks for less than was approved.
    Less,
    /// A newer version, with its number and commit.
    Newer,
    /// Only the code differs, and no text for agents comes from it.
    Code,
    /// Something new that a person has to approve.
    Beyond,
}

impl Inspection {
    /// The terms of this tool from `source`, with the `signer` whose signature was verified, if
    /// it is signed, the repository that a build service built it from, if one did, and those
    /// whose attestations were verified.
    pub fn terms(
        &self,
        source: Source,
        signer: Option<PackageSigner>,
        built_from: Option<String>,
        attested_by: BTreeSet<PackageSigner>,
    ) -> Terms {
        // Destructured, so that a new field does not compile until it is sorted into the terms or
        // derived from the others.
        let Self {
            verified,
            name,
            version,
            description,
            license,
            manifest_digest: _,
            component_digest: _,
            approval_digest: _,
            component_bytes: _,
            interpreter,
            functions,
            not_callable,
            prompts,
            resources,
            imports,
            capabilities: _,
            undeclared: _,
            limits,
            // These two are claims of the component about its build, and change with its code.
            language: _,
            producers: _,
            packages,
            warnings: _,
            refusals: _,
            overrides,
            // Whoever has fetched them knows where they are from.
            dependencies: _,
            server,
        } = self;
        let Manifest {
            schema: _,
            name: _,
            version: _,
            description: _,
            license: _,
            icon,
            build: _,
            component: _,
            interpreter: _,
            sbom: _,
            functions: claims,
            capabilities,
            // The versions that were taken count, not those that might have been.
            dependencies: _,
            limits: _,
        } = verified.manifest();
        let examples = claims.iter().filter_map(|(name, claim)| {
            let json = serde_json::to_string(&claim.examples).ok()?;
            (!claim.examples.is_empty()).then(|| (name.clone(), json))
        });
        Terms {
            source,
            signer,
            built_from,
            attested_by,
            pin: *verified.pin(),
            interpreter: interpreter.map(|interpreter| interpreter.digest),
            packages: packages.clone(),
            name: name.clone(),
            version: version.clone(),
            description: description.clone(),
            license: license.clone(),
            icon: icon.clone(),
            capabilities: capabilities.clone(),
            limits: *limits,
            imports: imports.clone(),
            functions: functions.clone(),
            examples: examples.collect(),
            not_callable: not_callable.clone(),
            prompts: *prompts,
            resources: *resources,
            overrides: overrides.clone(),
            server: server.as_deref().map(server_texts),
            dependencies: BTreeMap::new(),
        }
    }
}

impl Terms {
    /// The same with the terms of the tools that it calls, by its names for them.
    #[must_use]
    pub fn with_dependencies(self, dependencies: BTreeMap<ToolName, Self>) -> Self {
        Self {
            dependencies,
            ..self
        }
    }
}

/// How a server is started, and what it calls itself.
fn server_texts(server: &ServerDescription) -> [String; 2] {
    let start = match &server.start {
        ServerStart::Process(process) => {
            let program = process.program.display().to_string();
            let words = process.arguments.iter().map(String::as_str);
            let words: Vec<&str> = std::iter::once(program.as_str()).chain(words).collect();
            words.join(" ")
        }
        ServerStart::Remote { url } => url.to_string(),
    };
    [start, format!("{} {}", server.name, server.version)]
}

impl Change {
    /// The most severe kind among `changes`; `None` if there are none.
    pub fn greatest(changes: &[Self]) -> Option<ChangeKind> {
        changes.iter().map(|change| change.kind).max()
    }
}

/// In the style of a diff: a line with `-` for the old value and one with `+` for the new one.
impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = &self.what;
        match (&self.before, &self.after) {
            (Some(before), Some(after)) => write!(f, "- {what}: {before}\n+ {what}: {after}"),
            (Some(before), None) => write!(f, "- {what}: {before}"),
            (None, Some(after)) => write!(f, "+ {what}: {after}"),
            (None, None) => write!(f, "{what}"),
        }
    }
}
