//! Types for the functions that a manifest describes, with their inputs and outputs.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use crate::confirmation::Confirmation;
use crate::export_name::ExportName;
use crate::function_spec::Annotations;
use crate::name::ArgumentName;
use crate::schema_text::SchemaText;
use crate::value_type::ValueType;

/// Texts about the members within a value, by their places: the fields of records, and the cases
/// of variants, enums and flags. A place is the names for agents from the outside to the inside,
/// with a `.` between them, such as `stops.city`. A list, an option and a map by text have the
/// places of what they hold; the items of a tuple are called `0`, `1` and so on, the key and the
/// value of any other map `0` and `1`, and the sides of a result `ok` and `err`.
pub type Members = IndexMap<String, String>;

/// One function of a tool: what an author says about one callable export. `tool build`
/// fills in what the author left out.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Function {
    /// The name under which the component exports it. An author may leave it out when the
    /// function's name says it already.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub export: Option<ExportName>,
    /// A name for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// A description of the function, for the agent.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// Changes nothing anywhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_only: Option<bool>,
    /// Calling twice with the same arguments is the same as calling once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotent: Option<bool>,
    /// May destroy or overwrite something.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub destructive: Option<bool>,
    /// Reaches beyond the machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open_world: Option<bool>,
    /// The calls that a person has to confirm.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confirm: Option<Confirmation>,
    /// The schema of the arguments, of an export that takes all of them as one text of JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_schema: Option<SchemaText>,
    /// The schema of the structured result, of an export that answers with a reply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_schema: Option<SchemaText>,
    /// The arguments, in the order of the export's parameters.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub inputs: IndexMap<ArgumentName, Input>,
    /// The output, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<Output>,
    /// Whole sample calls: the arguments of each by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<toml::Table>,
}

impl Function {
    /// The behaviour hints, as agents' protocols name them.
    pub fn annotations(&self) -> Annotations {
        Annotations {
            read_only: self.read_only,
            idempotent: self.idempotent,
            destructive: self.destructive,
            open_world: self.open_world,
        }
    }
}

/// One argument of a function.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The kind of value.
    #[serde(rename = "type")]
    pub value_type: ValueType,
    /// A description of the input, for the agent.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// True if it may be left out. The component decides; the manifest repeats it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub optional: bool,
    /// Sample values.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<toml::Value>,
    /// Descriptions of the members within it, for the agent.
    #[serde(default, skip_serializing_if = "Members::is_empty")]
    pub members: Members,
}

/// The output of a function.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Output {
    /// The kind of value.
    #[serde(rename = "type")]
    pub value_type: ValueType,
    /// A description of the value, for the agent.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// Descriptions of the members within it, for the agent.
    #[serde(default, skip_serializing_if = "Members::is_empty")]
    pub members: Members,
}
