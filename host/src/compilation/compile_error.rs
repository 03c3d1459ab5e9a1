//! The `CompileError` type, its form as a `HostError`, and the error for code an engine rejects.

use std::io;

use tool_hub_manifest::{Limits, ToolName};

use crate::compilation::engine_messages;
use crate::error::HostError;

/// The reason why a component was not compiled.
#[derive(Debug)]
pub(crate) enum CompileError {
    /// The component is not valid here.
    Invalid(HostError),
    /// The compiler does not take the component, or did not survive it.
    Refused(String),
    /// The component takes more than a limit of [`CompileLimits`](crate::CompileLimits).
    Limit { limit: &'static str, value: u64 },
    /// The compiler could not be started or heard.
    Io(io::Error),
}

impl From<io::Error> for CompileError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl CompileError {
    /// The error of loading `tool`.
    pub(crate) fn into_host_error(self, tool: &ToolName) -> HostError {
        let tool = tool.clone();
        match self {
            Self::Invalid(error) => error,
            Self::Refused(reason) => HostError::Compile { tool, reason },
            Self::Limit { limit, value } => HostError::CompileLimit { tool, limit, value },
            Self::Io(source) => HostError::Compiler { tool, source },
        }
    }
}

/// The error for compiled code of `tool` that an engine for calls with `limits` does not take.
pub(crate) fn not_loaded(tool: &ToolName, limits: &Limits, error: &wasmtime::Error) -> HostError {
    let (tool, reason) = (tool.clone(), format!("{error:#}"));
    match engine_messages::limit_of_load(&reason, limits) {
        Some((limit, value)) => HostError::NeedsTooMuch { tool, limit, value },
        None => HostError::Compile { tool, reason },
    }
}
