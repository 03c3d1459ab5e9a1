//! Inspection: what a tool claims next to what its bytes import and export.

pub(crate) mod imports;
mod producers;

use std::fmt;

use serde::Serialize;
use tool_hub_manifest::{
    Capabilities, Digest, ExportName, FunctionName, Grants, LimitRequest, Overrides, ToolName,
    Verified, Version,
};

use crate::beside::Beside;
use crate::exports::Exports;
use crate::{Approved, CallableFunction, HostError, claims, grant, wit};

pub use imports::{Effect, InspectedImport, Power};
pub use producers::Producer;

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
    /// What the tool says it is for.
    pub description: String,
    /// Its license, an SPDX expression, as claimed.
    pub license: Option<String>,
    /// The digest of the manifest's bytes.
    pub manifest_digest: Digest,
    /// The digest of the component's bytes.
    pub component_digest: Digest,
    /// The digest that an approval names: over both, and over the overrides if there are any.
    pub approval_digest: Digest,
    /// The component's size in bytes.
    pub component_bytes: u64,
    /// What agents can call, in the manifest's order.
    pub functions: Vec<CallableFunction>,
    /// What the component exports but agents cannot call, and why.
    pub not_callable: Vec<NotCallable>,
    /// Whether it offers prompts: openings of a conversation, for people to pick.
    pub prompts: bool,
    /// Whether it offers resources: documents that people and agents may read.
    pub resources: bool,
    /// What the component imports.
    pub imports: Vec<InspectedImport>,
    /// What the manifest asks for.
    pub capabilities: Vec<InspectedCapability>,
    /// Powers that the component imports although the manifest asks for nothing of the
    /// kind. Every use is refused.
    pub undeclared: Vec<Power>,
    /// The limits that the manifest asks for.
    pub limits: LimitRequest,
    /// The language the component was written in, as it says itself.
    pub language: Option<String>,
    /// The tools that made it, as it says itself.
    pub producers: Vec<Producer>,
    /// What a person should know before approving.
    pub warnings: Vec<String>,
    /// Reasons never to run the tool; with one of them it cannot be approved.
    pub refusals: Vec<Refusal>,
    /// The texts that agents read instead of the author's, see [`Inspection::with_overrides`].
    #[serde(skip_serializing_if = "Overrides::is_empty")]
    pub overrides: Overrides,
}

/// Holds what a tool claims against what its bytes are. Nothing is compiled and nothing runs.
///
/// # Errors
/// When the bytes are no valid component, are bigger than is ever compiled, or need a
/// feature that the host's engine does not offer. What can still be shown to a person is
/// shown: see [`Inspection::refusals`].
pub fn inspect(verified: &Verified) -> Result<Inspection, HostError> {
    let decoded = wit::decode(verified.component())?;
    let exports = Exports::of_world(&decoded.resolve, decoded.world);
    let manifest = verified.manifest();
    let (functions, mut refusals) = claims::check(manifest, &exports);
    refusals.extend(exports.foreign_imports());
    let (prompts, resources) = (
        exports.has(&Beside::OF_PROMPTS),
        exports.has(&Beside::OF_RESOURCES),
    );
    let asked = &manifest.capabilities;
    let imports: Vec<InspectedImport> = exports
        .imports
        .into_iter()
        .map(|import| InspectedImport::new(&import.name, import.functions, asked))
        .collect();
    let producers = producers::producers(verified.component());
    let capabilities = capabilities(asked, &imports);
    let undeclared = undeclared(&imports, exports.runtime);
    let pin = verified.pin();
    Ok(Inspection {
        verified: verified.clone(),
        name: manifest.name.clone(),
        version: manifest.version.clone(),
        description: manifest.description.clone(),
        license: manifest.license.clone(),
        manifest_digest: pin.manifest,
        component_digest: pin.component,
        approval_digest: pin.digest(),
        component_bytes: verified.component().len() as u64,
        warnings: warnings(&functions, &capabilities, &undeclared),
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
    })
}

impl Inspection {
    /// Adds a toolbox's overrides: agents read them instead of the author's texts, and approval
    /// covers them.
    #[must_use]
    pub fn with_overrides(mut self, overrides: Overrides) -> Self {
        self.approval_digest = overrides.digest_with(self.verified.pin());
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
        if !self.refusals.is_empty() {
            return Err(HostError::Refused {
                tool: self.name.clone(),
                refusals: self.refusals.clone(),
            });
        }
        Approved::new(self.verified.clone(), grants)
    }

    /// What the manifest asks for and `grants` do not hold.
    pub fn ungranted(&self, grants: &Grants) -> Vec<InspectedCapability> {
        let asked = &self.verified.manifest().capabilities;
        capabilities(&grants.missing(asked), &self.imports)
    }

    /// The verified bytes that were inspected.
    pub fn verified(&self) -> &Verified {
        &self.verified
    }
}

fn capabilities(asked: &Capabilities, imports: &[InspectedImport]) -> Vec<InspectedCapability> {
    let used = |power| {
        let mut imports = imports.iter();
        imports.any(|import| import.power == power && import.effect == Effect::Grantable)
    };
    let origins = asked.network.iter().zip(asked.network.lines());
    let network = origins.map(|((origin, _), what)| InspectedCapability {
        power: Power::Network,
        what,
        why: String::new(),
        used: used(Power::Network),
        flag: grant::network_flag(origin),
    });
    let directories = asked.directories.iter().map(|request| InspectedCapability {
        power: Power::Files,
        what: format!("{} ({})", request.name, request.access),
        why: request.why.clone(),
        used: used(Power::Files),
        flag: grant::directory_flag(request),
    });
    let variables = asked.variables.iter().map(|request| InspectedCapability {
        power: Power::Variables,
        what: match request.secret {
            true => format!("{} (secret)", request.name),
            false => format!("{} (not secret, according to its author)", request.name),
        },
        why: request.why.clone(),
        used: used(Power::Variables),
        flag: grant::variable_flag(request),
    });
    let storage = asked.storage.iter().map(|request| InspectedCapability {
        power: Power::Storage,
        what: "of its own".to_owned(),
        why: request.why.clone(),
        used: used(Power::Storage),
        flag: grant::STORAGE_FLAG.to_owned(),
    });
    let named = network.chain(directories).chain(variables);
    named.chain(storage).collect()
}

/// Powers beyond what runtimes bring along: HTTP, settings, and opening files. Runtimes of
/// interpreted languages open files whether or not a tool does.
fn undeclared(imports: &[InspectedImport], runtime: Option<&str>) -> Vec<Power> {
    let opens_files = |import: &InspectedImport| {
        let mut functions = import.functions.iter();
        runtime.is_none() && functions.any(|function| function.ends_with("descriptor.open-at"))
    };
    let mut powers: Vec<Power> = imports
        .iter()
        .filter(|import| import.effect == Effect::Inert)
        .filter(|import| match import.power {
            Power::Network => import.interface.starts_with("wasi:http/"),
            Power::Files => opens_files(import),
            Power::Variables => import.interface.starts_with("wasi:config/"),
            Power::Storage => true,
            _ => false,
        })
        .map(|import| import.power)
        .collect();
    powers.sort_unstable();
    powers.dedup();
    powers
}

fn warnings(
    functions: &[(CallableFunction, usize)],
    capabilities: &[InspectedCapability],
    undeclared: &[Power],
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
            capability.power, capability.what
        ));
    }
    for power in undeclared {
        warnings.push(format!(
            "it can make use of {power}, but the manifest does not ask for any: every use is refused"
        ));
    }
    warnings
}

/// An export that agents cannot call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct NotCallable {
    /// Its name in the component.
    pub export: String,
    /// Why not.
    pub reason: String,
}

/// Something that the manifest asks for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct InspectedCapability {
    /// The power it belongs to.
    pub power: Power,
    /// What exactly: an origin, `notes (read-write)`, `API_KEY (secret)`.
    pub what: String,
    /// Why, as the manifest says.
    pub why: String,
    /// Whether the component imports anything that could use it.
    pub used: bool,
    /// The flag that grants it, such as `--allow-network https://example.com`.
    pub flag: String,
}

/// A reason never to run a tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "refusal")]
#[non_exhaustive]
pub enum Refusal {
    /// The component imports something that this host never links.
    UnknownImport {
        /// The import's name.
        import: String,
    },
    /// The component was built for WASI 0.3.
    WasiPreview3 {
        /// The import's name.
        import: String,
    },
    /// The manifest claims a function that the component does not export.
    NotExported {
        /// The function.
        function: FunctionName,
        /// Where it should be exported.
        export: String,
    },
    /// The component exports a function of which the manifest does not speak.
    NotClaimed {
        /// The export.
        export: ExportName,
    },
    /// The manifest claims a function that agents cannot call.
    ClaimNotCallable {
        /// The function.
        function: FunctionName,
        /// Why it cannot be called.
        reason: String,
    },
    /// Two functions of the manifest name the same export.
    ClaimedTwice {
        /// The second function.
        function: FunctionName,
        /// The export.
        export: ExportName,
    },
    /// The manifest describes a function otherwise than the component's types do.
    Differs {
        /// The function.
        function: FunctionName,
        /// Which part of it.
        part: String,
        /// What the manifest says.
        claimed: String,
        /// What the component says.
        actual: String,
    },
    /// A name of the component cannot be offered to agents.
    BadName {
        /// The name in the component.
        name: String,
        /// Why not.
        reason: String,
    },
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownImport { import } => {
                write!(f, "it imports `{import}`, which this host does not offer")
            }
            Self::WasiPreview3 { import } => write!(
                f,
                "it imports `{import}`: components for WASI 0.3 are not supported, build it for WASI 0.2"
            ),
            Self::NotExported { function, export } => write!(
                f,
                "function `{function}` is claimed, but the component does not export `{export}`"
            ),
            Self::NotClaimed { export } => write!(
                f,
                "the component exports `{export}`, of which the manifest says nothing"
            ),
            Self::ClaimNotCallable { function, reason } => {
                write!(f, "function `{function}` is claimed, but {reason}")
            }
            Self::ClaimedTwice { function, export } => write!(
                f,
                "function `{function}` names `{export}`, which another function names already"
            ),
            Self::Differs {
                function,
                part,
                claimed,
                actual,
            } => write!(
                f,
                "function `{function}`: {part} is claimed to be {claimed}, the component says {actual}"
            ),
            Self::BadName { name, reason } => {
                write!(f, "`{name}` cannot be offered to agents: {reason}")
            }
        }
    }
}
