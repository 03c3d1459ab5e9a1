//! The `Inspection` of a tool: `inspect` makes the report, `approve` turns it into an `Approved`.
//! It lists functions, imports and requested capabilities, with refusals and warnings.

pub(crate) mod capability;
pub(crate) mod imports;
pub(crate) mod producers;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Serialize, Serializer};
use tool_hub_manifest::{
    Digest, GrantTree, Grants, LimitRequest, Overrides, ServerDescription, ToolName, Verified,
    Version, digest_with_dependencies,
};

use crate::approval::approved::Approved;
use crate::approval::claims;
use crate::approval::inspection::capability::{
    InspectedCapability, capabilities, capabilities_of_server,
};
use crate::approval::inspection::imports::{ImportAccess, ImportEffect, InspectedImport};
use crate::approval::inspection::producers::Producer;
use crate::component::contract_exports::ContractExport;
use crate::component::exports::Exports;
use crate::component::function::{CallableFunction, NotCallable};
use crate::component::links::{self, Dependency};
use crate::component::packages::IncludedPackage;
use crate::component::sbom::{Sbom, UnreadableSbom};
use crate::component::wit;
use crate::error::HostError;
use crate::error::refusal::Refusal;
use crate::program;

/// The report that a person reads before approving a tool. Texts are the manifest's and the
/// component's own, unescaped: whoever shows them escapes them.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct Inspection {
    #[serde(skip)]
    pub(crate) verified: Verified,
    /// The tool's name.
    pub name: ToolName,
    /// The version of manifest and component.
    pub version: Version,
    /// Its purpose, as the tool says.
    pub description: String,
    /// Its license, an SPDX expression, as claimed.
    pub license: Option<String>,
    /// The digest of the manifest's bytes.
    pub manifest_digest: Digest,
    /// The digest of the component's bytes.
    pub component_digest: Digest,
    /// The digest that an approval names: over both, and over the overrides and the dependencies if
    /// there are any.
    pub approval_digest: Digest,
    /// The component's size in bytes.
    pub component_bytes: u64,
    /// The interpreter that runs the component's program, where it holds one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interpreter: Option<InspectedInterpreter>,
    /// The functions that agents can call, in the manifest's order.
    pub functions: Vec<CallableFunction>,
    /// Exports that agents cannot call, each with the reason.
    pub not_callable: Vec<NotCallable>,
    /// True if it offers prompts: openings of a conversation, for people to pick.
    pub prompts: bool,
    /// True if it offers resources: documents that people and agents may read.
    pub resources: bool,
    /// The imports of the component, and of its interpreter.
    pub imports: Vec<InspectedImport>,
    /// The capabilities that the manifest asks for.
    pub capabilities: Vec<InspectedCapability>,
    /// Powers that the component imports although the manifest asks for nothing of the
    /// kind. Every use is refused.
    pub undeclared: Vec<ImportAccess>,
    /// The limits that the manifest asks for.
    pub limits: LimitRequest,
    /// The language the component was written in, as it says itself.
    pub language: Option<String>,
    /// The tools that made it, as it says itself.
    pub producers: Vec<Producer>,
    /// The packages of others that it is made of, as its author says; empty where none are told.
    pub packages: Vec<IncludedPackage>,
    /// Remarks for the person who approves.
    pub warnings: Vec<String>,
    /// Reasons never to run the tool; with one of them it cannot be approved.
    pub refusals: Vec<Refusal>,
    /// The texts that agents read instead of the author's, see [`Inspection::with_overrides`].
    #[serde(skip_serializing_if = "Overrides::is_empty")]
    pub overrides: Overrides,
    /// The tools that it calls, by the names that its manifest has for them. Each runs in a sandbox
    /// of its own, with rights of its own.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub dependencies: BTreeMap<ToolName, Inspection>,
    /// The MCP server that it is; absent for a component. Its tools are the functions.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "start_of")]
    pub server: Option<Arc<ServerDescription>>,
}

/// An interpreter, which runs the program of a tool with the tool's rights.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct InspectedInterpreter {
    /// The digest of its component, which other tools may have as well.
    pub digest: Digest,
    /// The size of its component in bytes.
    pub bytes: u64,
}

/// Holds what a tool claims against what its bytes are. Nothing is compiled and nothing runs.
///
/// # Errors
/// When the bytes are no valid component, are bigger than is ever compiled, or need a
/// feature that the host's engine does not offer. What can still be shown to a person is
/// shown: see [`Inspection::refusals`].
pub fn inspect(verified: &Verified) -> Result<Inspection, HostError> {
    inspect_with_dependencies(verified, BTreeMap::new())
}

/// Inspects `verified`, which depends on the tools of `dependencies`, by its names for them. Where
/// one is refused, so is the tool.
///
/// # Errors
/// The errors of [`inspect`].
pub fn inspect_with_dependencies(
    verified: &Verified,
    dependencies: BTreeMap<ToolName, Inspection>,
) -> Result<Inspection, HostError> {
    let decoded = wit::decode(verified.component())?;
    let mut exports = Exports::of_world(&decoded.resolve, decoded.world);
    let interpreter = match verified.interpreter() {
        Some(interpreter) => {
            let decoded = wit::decode(interpreter.component())?;
            let run_by = Exports::of_world(&decoded.resolve, decoded.world);
            program::check(verified, &run_by)?;
            exports.imports = imports::with_interpreter(exports.imports, run_by.imports);
            exports.runtime = run_by.runtime;
            Some(InspectedInterpreter {
                digest: interpreter.digest(),
                bytes: interpreter.component().len() as u64,
            })
        }
        None => None,
    };
    let manifest = verified.manifest();
    let (functions, mut refusals) = claims::check(manifest, &exports);
    let linked = linked_dependencies(&dependencies)?;
    let (links, unlinked) = links::links(manifest, &exports.imports, &linked);
    refusals.extend(unlinked);
    if interpreter.is_some() && !manifest.dependencies.is_empty() {
        refusals.push(Refusal::ProgramWithDependencies);
    }
    refusals.extend(imports::refusals(&exports.imports, &links));
    refusals.extend(dependencies.iter().flat_map(refusals_of_dependency));
    let (prompts, resources) = (
        exports.has(&ContractExport::OF_PROMPTS),
        exports.has(&ContractExport::OF_RESOURCES),
    );
    let asked = &manifest.capabilities;
    let imports: Vec<InspectedImport> = exports
        .imports
        .into_iter()
        .map(|import| {
            let mut links = links.iter();
            match links.find(|link| link.import == import.name) {
                Some(link) => {
                    InspectedImport::linked(&import.name, import.functions, &link.dependency)
                }
                None => InspectedImport::new(&import.name, import.functions, asked),
            }
        })
        .collect();
    let producers = producers::producers(verified.code());
    let capabilities = capabilities(asked, &imports);
    // An interpreter imports what any program of it may use.
    let undeclared = match interpreter {
        Some(_) => Vec::new(),
        None => undeclared(&imports, exports.runtime),
    };
    let mut warnings = warnings(&functions, &capabilities, &undeclared);
    let sbom = verified.sbom().map(Sbom::from_bytes).transpose();
    let sbom = sbom.unwrap_or_else(|error: UnreadableSbom| {
        warnings.push(error.to_string());
        None
    });
    let packages = sbom.map_or_else(Vec::new, |sbom| sbom.packages);
    let pin = verified.pin();
    Ok(Inspection {
        verified: verified.clone(),
        name: manifest.name.clone(),
        version: manifest.version.clone(),
        description: manifest.description.clone(),
        license: manifest.license.clone(),
        manifest_digest: pin.manifest,
        component_digest: pin.component,
        approval_digest: digest_over(pin.digest(), &dependencies),
        component_bytes: verified.component().len() as u64,
        interpreter,
        packages,
        warnings,
        functions: functions
            .into_iter()
            .map(|(function, _)| function)
            .collect(),
        not_callable: exports.not_callable,
        prompts,
        resources,
        imports,
        capabilities,
        undeclared,
        limits: manifest.limits,
        language: exports
            .runtime
            .map(str::to_owned)
            .or_else(|| producers::language(&producers)),
        producers,
        refusals,
        overrides: Overrides::default(),
        dependencies,
        server: None,
    })
}

/// The dependencies as they are linked. One that cannot be read was refused before.
fn linked_dependencies(
    dependencies: &BTreeMap<ToolName, Inspection>,
) -> Result<BTreeMap<ToolName, Dependency>, HostError> {
    let linked = dependencies.iter().map(|(name, inspection)| {
        let decoded = wit::decode(inspection.verified.component())?;
        let exports = Exports::of_world(&decoded.resolve, decoded.world);
        let functions = exports.callable.iter();
        let functions = functions.map(|export| (&export.name, &export.signature));
        Ok((
            name.clone(),
            Dependency::new(&inspection.version, functions),
        ))
    });
    linked.collect()
}

fn refusals_of_dependency((name, inspection): (&ToolName, &Inspection)) -> Vec<Refusal> {
    let refusals = inspection.refusals.iter();
    let refusals = refusals.map(|refusal| Refusal::Dependency {
        dependency: name.clone(),
        reason: format!("is refused: {refusal}"),
    });
    refusals.collect()
}

fn digest_over(own: Digest, dependencies: &BTreeMap<ToolName, Inspection>) -> Digest {
    let dependencies = dependencies.iter();
    digest_with_dependencies(
        own,
        dependencies.map(|(name, it)| (name, it.approval_digest)),
    )
}

impl Inspection {
    /// Adds a toolbox's overrides: agents read them instead of the author's texts, and approval
    /// covers them.
    #[must_use]
    pub fn with_overrides(mut self, overrides: Overrides) -> Self {
        let own = overrides.digest_with(self.verified.pin());
        self.approval_digest = digest_over(own, &self.dependencies);
        self.overrides = overrides;
        self
    }

    /// True if the tool offers any functions, prompts or resources.
    pub fn offers_something(&self) -> bool {
        !self.functions.is_empty() || self.prompts || self.resources
    }

    /// Approves what was inspected, with `grants`. Whoever calls this has the consent of the
    /// person who read the inspection.
    ///
    /// # Errors
    /// When there are refusals, or the grants go beyond what the manifest asks for.
    pub fn approve(&self, grants: Grants) -> Result<Approved, HostError> {
        self.approve_tree(&grants.into())
    }

    /// Approves what was inspected and all that it depends on, each with its part of `grants`.
    /// Whoever calls this has the consent of the person who read the inspection.
    ///
    /// # Errors
    /// When there are refusals, or grants go beyond what a manifest asks for.
    pub fn approve_tree(&self, grants: &GrantTree) -> Result<Approved, HostError> {
        if !self.refusals.is_empty() {
            return Err(HostError::Refused {
                tool: self.name.clone(),
                refusals: self.refusals.clone(),
            });
        }
        let approved = Approved::within_request(self.verified.clone(), grants.own.clone())?;
        let dependencies = self.dependencies.iter().map(|(name, inspection)| {
            let approved = inspection.approve_tree(&grants.of_dependency(name))?;
            Ok((name.clone(), approved))
        });
        let dependencies = dependencies.collect::<Result<_, HostError>>()?;
        let approved = approved.of_server(self.server.clone());
        Ok(approved.with_dependencies(dependencies))
    }

    /// The capabilities that the manifest asks for and `grants` do not hold.
    pub fn ungranted(&self, grants: &Grants) -> Vec<InspectedCapability> {
        let missing = grants.missing(&self.verified.manifest().capabilities);
        match self.server {
            Some(_) => capabilities_of_server(&missing),
            None => capabilities(&missing, &self.imports),
        }
    }

    /// The verified bytes that were inspected.
    pub fn verified(&self) -> &Verified {
        &self.verified
    }
}

/// Writes how a server is started: its tools are among the functions.
fn start_of<S: Serializer>(
    server: &Option<Arc<ServerDescription>>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    server.as_ref().map(|it| &it.start).serialize(serializer)
}

/// Powers beyond what runtimes bring along: HTTP, settings, and opening files. Runtimes of
/// interpreted languages open files whether or not a tool does.
fn undeclared(imports: &[InspectedImport], runtime: Option<&str>) -> Vec<ImportAccess> {
    let opens_files = |import: &InspectedImport| {
        let mut functions = import.functions.iter();
        runtime.is_none() && functions.any(|function| function.ends_with("descriptor.open-at"))
    };
    let mut accesses: Vec<ImportAccess> = imports
        .iter()
        .filter(|import| import.effect == ImportEffect::Inert)
        .filter(|import| match import.access {
            ImportAccess::Network => import.interface.starts_with("wasi:http/"),
            ImportAccess::Files => opens_files(import),
            ImportAccess::Variables => import.interface.starts_with("wasi:config/"),
            ImportAccess::Storage => true,
            _ => false,
        })
        .map(|import| import.access)
        .collect();
    accesses.sort_unstable();
    accesses.dedup();
    accesses
}

fn warnings(
    functions: &[(CallableFunction, usize)],
    capabilities: &[InspectedCapability],
    undeclared: &[ImportAccess],
) -> Vec<String> {
    let mut warnings = Vec::new();
    if functions.is_empty() {
        warnings.push("there is no function that an agent could call".to_owned());
    }
    for (function, _) in functions {
        if function.spec.description.trim().is_empty() {
            warnings.push(format!("function `{}` has no description", function.name));
        }
    }
    for capability in capabilities.iter().filter(|capability| !capability.used) {
        warnings.push(format!(
            "it asks for {} {}, but imports nothing that could use it",
            capability.access, capability.what
        ));
    }
    for access in undeclared {
        warnings.push(format!(
            "it can make use of {access}, but the manifest does not ask for any: every use is refused"
        ));
    }
    warnings
}
