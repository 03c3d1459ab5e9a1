//! The `HostError` type: errors of inspecting, approving, loading or authoring a tool.

pub(crate) mod refusal;

use std::path::PathBuf;

use tool_hub_manifest::{
    DEPENDENCIES_IN_TREE_MAX, DEPENDENCY_DEPTH_MAX, DescriptionError, DirectoryName, GrantError,
    ToolName, VariableName,
};

use crate::error::refusal::Refusal;

/// Inspecting, approving, loading or authoring a tool failed. Calls do not fail this way:
/// what goes wrong in a call is an [`Outcome`](crate::Outcome).
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HostError {
    /// The bytes are something else than a component.
    #[error("the file is {found}, not a WebAssembly component")]
    NotAComponent {
        /// Their actual kind, with its article.
        found: &'static str,
    },
    /// The bytes are not the description of an MCP server.
    #[error(transparent)]
    NotAServer(#[from] DescriptionError),
    /// The tool is an MCP server, and this program has no way to one.
    #[error("tool `{tool}` is an MCP server, which this program cannot start")]
    NoServers {
        /// The tool.
        tool: ToolName,
    },
    /// The bytes are not valid.
    #[error("the component is not valid: {reason}")]
    Malformed {
        /// The validator's message.
        reason: String,
    },
    /// The component is bigger than is ever compiled.
    #[error("the component has {actual} {what}, at most {max} are accepted")]
    TooBig {
        /// The name of what was counted, in the plural.
        what: &'static str,
        /// The number found.
        actual: u64,
        /// The number accepted.
        max: u64,
    },
    /// The component needs something that this host's engine does not do.
    #[error("the component needs feature `{feature}`, which this host does not offer")]
    NeedsFeature {
        /// The feature's usual name.
        feature: &'static str,
    },
    /// The inspection found reasons never to run the tool.
    #[error("tool `{tool}` is refused: {}", list(.refusals))]
    Refused {
        /// The tool.
        tool: ToolName,
        /// Every reason.
        refusals: Vec<Refusal>,
    },
    /// The grants go beyond what the tool asks for.
    #[error(transparent)]
    Grants(#[from] GrantError),
    /// A storage was bound that is not granted.
    #[error("storage is not granted to tool `{tool}`")]
    StorageNotGranted {
        /// The tool.
        tool: ToolName,
    },
    /// A value was bound to a credential that is not granted.
    #[error("credential {name} is not granted to tool `{tool}`")]
    CredentialNotGranted {
        /// The tool.
        tool: ToolName,
        /// The credential.
        name: VariableName,
    },
    /// A value was bound to a variable that is not granted.
    #[error("variable {name} is not granted to tool `{tool}`")]
    VariableNotGranted {
        /// The tool.
        tool: ToolName,
        /// The variable.
        name: VariableName,
    },
    /// A granted directory cannot be given to a tool.
    #[error("directory `{name}` cannot be {}: {reason}", .path.display())]
    Directory {
        /// The guest's name for it.
        name: DirectoryName,
        /// The path that was granted.
        path: PathBuf,
        /// The reason.
        reason: String,
    },
    /// The engine could not be set up on this machine.
    #[error("the sandbox could not be set up: {reason}")]
    Engine {
        /// The engine's message.
        reason: String,
    },
    /// The tool depends on too many others, or on others that depend on too many in a row.
    #[error(
        "tool `{tool}` is one too many: a tool depends on at most {DEPENDENCIES_IN_TREE_MAX} others, and on at most {DEPENDENCY_DEPTH_MAX} in a row"
    )]
    TooManyDependencies {
        /// The tool at which the limit was reached.
        tool: ToolName,
    },
    /// The component could not be compiled or linked.
    #[error("tool `{tool}` could not be compiled: {reason}")]
    Compile {
        /// The tool.
        tool: ToolName,
        /// The compiler's message.
        reason: String,
    },
    /// The program in the component cannot be prepared by its interpreter.
    #[error("the program of tool `{tool}` cannot be loaded: {reason}")]
    Program {
        /// The tool.
        tool: ToolName,
        /// The interpreter's error message, often of several lines.
        reason: String,
    },
    /// The component needs more from the start than a call may have.
    #[error("tool `{tool}` needs more than a call may have (limit {limit} = {value})")]
    NeedsTooMuch {
        /// The tool.
        tool: ToolName,
        /// The limit: the name of a field of [`Limits`](tool_hub_manifest::Limits).
        limit: &'static str,
        /// Its value, in the unit that ends the name.
        value: u64,
    },
    /// Compiling the component takes more than one compilation gets.
    #[error("tool `{tool}` takes more to compile than the compiler's limit {limit} = {value}")]
    CompileLimit {
        /// The tool.
        tool: ToolName,
        /// The field of [`CompileLimits`](crate::CompileLimits).
        limit: &'static str,
        /// Its value.
        value: u64,
    },
    /// The compiler could not be started, or not be heard.
    #[error("the compiler for tool `{tool}` could not be run")]
    Compiler {
        /// The tool.
        tool: ToolName,
        /// The system's error.
        #[source]
        source: std::io::Error,
    },
    /// The compiled-code cache could not be used.
    #[error("could not {act} {}", .path.display())]
    Cache {
        /// The act that failed.
        act: &'static str,
        /// On which file or directory.
        path: PathBuf,
        /// The system's error.
        #[source]
        source: std::io::Error,
    },
    /// A name of the component cannot be offered to agents.
    #[error("`{name}` cannot be offered to agents: {reason}")]
    Name {
        /// The name in the component.
        name: String,
        /// The reason.
        reason: String,
    },
    /// The manifest and the component disagree.
    #[error("the manifest and the component disagree: {}", list(.refusals))]
    Disagreement {
        /// Every point of disagreement.
        refusals: Vec<Refusal>,
    },
    /// WIT sources could not be read.
    #[error("the WIT sources cannot be read: {reason}")]
    Wit {
        /// The parser's message, with file and line.
        reason: String,
    },
}

impl HostError {
    /// True if a rule refuses the tool: a limit, a grant, something that no tool may import.
    pub fn is_refusal(&self) -> bool {
        matches!(
            self,
            Self::Refused { .. }
                | Self::TooBig { .. }
                | Self::NeedsTooMuch { .. }
                | Self::NeedsFeature { .. }
                | Self::CompileLimit { .. }
                | Self::Grants(_)
        )
    }
}

fn list(refusals: &[Refusal]) -> String {
    let texts: Vec<String> = refusals.iter().map(ToString::to_string).collect();
    texts.join("; ")
}
