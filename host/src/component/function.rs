//! Functions that agents can call, with texts from the manifest and types from the component, and
//! exports that they cannot call.

use serde::Serialize;
use tool_hub_manifest::{
    ArgumentName, ExportName, FunctionName, FunctionSpec, Members, Output, ValueType,
};

/// One function of a tool that agents can call.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct CallableFunction {
    /// Its name within the tool.
    pub name: FunctionName,
    /// Where the component exports it.
    pub export: ExportName,
    /// Its arguments, in the order of the export's parameters.
    pub inputs: Vec<CallableInput>,
    /// What comes back, where anything does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<Output>,
    /// What an agent is offered, under the function's own name: texts from the manifest,
    /// schemas from the component's types.
    pub spec: FunctionSpec,
}

/// One argument of a function.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct CallableInput {
    /// The name agents use.
    pub name: ArgumentName,
    /// What kind of value it is.
    #[serde(rename = "type")]
    pub value_type: ValueType,
    /// Whether it may be left out.
    pub optional: bool,
    /// What to write there, as the manifest says.
    pub description: String,
    /// What the members within it mean, as the manifest says.
    #[serde(skip_serializing_if = "Members::is_empty")]
    pub members: Members,
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
