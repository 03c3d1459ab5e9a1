//! Types for functions that agents can call, with texts and types, and for exports they cannot.

use serde::Serialize;
use tool_hub_manifest::{
    Confirmation, ExportName, FunctionName, FunctionSpec, Members, Output, ValueType,
};

/// One function of a tool that agents can call.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct CallableFunction {
    /// Its name within the tool.
    pub name: FunctionName,
    /// Its export in the component.
    pub export: ExportName,
    /// Its arguments, in the order of the export's parameters.
    pub inputs: Vec<CallableInput>,
    /// Its result, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<Output>,
    /// The calls that a person has to confirm.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confirm: Option<Confirmation>,
    /// The definition for agents, under the function's own name: texts from the manifest,
    /// schemas from the component's types.
    pub spec: FunctionSpec,
}

/// One argument of a function.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct CallableInput {
    /// The name agents use: an [`ArgumentName`](tool_hub_manifest::ArgumentName), or whatever a
    /// function that takes JSON calls it.
    pub name: String,
    /// Its type.
    #[serde(rename = "type")]
    pub value_type: ValueType,
    /// True if it may be left out.
    pub optional: bool,
    /// Its description in the manifest.
    pub description: String,
    /// The descriptions of the members within it in the manifest.
    #[serde(skip_serializing_if = "Members::is_empty")]
    pub members: Members,
}

/// An export that agents cannot call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct NotCallable {
    /// Its name in the component.
    pub export: String,
    /// The reason.
    pub reason: String,
}
