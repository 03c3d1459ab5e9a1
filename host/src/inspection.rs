//! Inspection: what a tool claims next to what its bytes import and export.

mod imports;
mod producers;

use std::fmt;

use serde::Serialize;
use tool_hub_manifest::{
    Digest, ExportName, FunctionName, Grants, LimitRequest, ToolName, Verified, Version,
};

use crate::{Approved, CallableFunction, HostError};

pub use imports::{Effect, InspectedImport, Power};
pub use producers::Producer;

/// The report that a person reads before approving a tool. Texts are the manifest's and the
/// component's own, unescaped: whoever shows them escapes them.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct Inspection {
    #[serde(skip)]
    verified: Verified,
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
    /// One digest over both: what an approval names.
    pub approval_digest: Digest,
    /// The component's size in bytes.
    pub component_bytes: u64,
    /// What agents can call, in the manifest's order.
    pub functions: Vec<CallableFunction>,
    /// What the component exports but agents cannot call, and why.
    pub not_callable: Vec<NotCallable>,
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
