//! The `Refusal` type: the reasons never to run a tool, as inspecting or loading it finds them.

use std::fmt;

use serde::Serialize;
use tool_hub_manifest::{ExportName, FunctionName, ToolName};

use crate::component::exports::is_of_a_tool;

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
    /// A tool that it depends on cannot be linked.
    Dependency {
        /// The manifest's name for that tool.
        dependency: ToolName,
        /// The reason.
        reason: String,
    },
    /// It depends on tools, but a program cannot call them.
    ProgramWithDependencies,
    /// The component was built for a draft of WASI 0.3.
    WasiDraft {
        /// The import's name.
        import: String,
    },
    /// The manifest claims a function that the component does not export.
    NotExported {
        /// The function.
        function: FunctionName,
        /// The export that it should have.
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
        /// The reason why it cannot be called.
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
        /// The part that differs.
        part: String,
        /// The value in the manifest.
        claimed: String,
        /// The value in the component.
        actual: String,
    },
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownImport { import } => {
                write!(f, "it imports `{import}`, which this host does not offer")?;
                match is_of_a_tool(import) {
                    true => f.write_str(", nor does a tool of its [dependencies]"),
                    false => Ok(()),
                }
            }
            Self::Dependency { dependency, reason } => {
                write!(f, "its dependency `{dependency}` {reason}")
            }
            Self::ProgramWithDependencies => f.write_str(
                "it depends on other tools, but an interpreter runs it, and can call none of them",
            ),
            Self::WasiDraft { import } => write!(
                f,
                "it imports `{import}`, of a draft of WASI 0.3: build it for WASI 0.3.0 or 0.2"
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
        }
    }
}
