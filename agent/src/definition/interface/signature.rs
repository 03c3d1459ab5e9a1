//! The data model of a WIT interface made of function definitions, before it is written as text.

use tool_hub_manifest::{Annotations, FunctionName};

use crate::definition::loss::Loss;

/// An interface whose functions are to be written.
#[derive(Debug, Clone, PartialEq)]
pub struct Interface {
    /// The functions, in the order of the specs.
    pub operations: Vec<Operation>,
    /// The types that their signatures name, each before those that use it.
    pub definitions: Vec<TypeDefinition>,
    /// The type of a failure, `string` unless [`Interface::with_replies`] says otherwise.
    pub failure: WitType,
    /// The constraints that the types cannot express, in the order of the functions.
    pub losses: Vec<Loss>,
}

impl Interface {
    /// The same functions with a `reply` of the contract as their result, and a `failure` of it.
    #[must_use]
    pub fn with_replies(mut self) -> Self {
        for operation in &mut self.operations {
            operation.output = WitType::Contract("reply");
        }
        self.failure = WitType::Contract("failure");
        self
    }
}

/// A function of an interface.
#[derive(Debug, Clone, PartialEq)]
pub struct Operation {
    /// The name that agents see.
    pub name: FunctionName,
    /// The name in WIT, without the `%` that marks a keyword.
    pub wit: String,
    /// A name for people.
    pub title: Option<String>,
    /// The description.
    pub description: String,
    /// The parameters.
    pub parameters: Vec<Parameter>,
    /// The type of the result on success.
    pub output: WitType,
    /// The behaviour hints.
    pub annotations: Annotations,
}

/// A parameter of a function, or a field of a record.
#[derive(Debug, Clone, PartialEq)]
pub struct Parameter {
    /// The name in the definition.
    pub name: String,
    /// The name in WIT, without the `%` that marks a keyword.
    pub wit: String,
    /// The description.
    pub description: String,
    /// Its type.
    pub value: WitType,
}

/// A type of an interface.
#[derive(Debug, Clone, PartialEq)]
pub struct TypeDefinition {
    /// The name in WIT, which is not a keyword.
    pub wit: String,
    /// The kind of type.
    pub kind: TypeKind,
}

/// A kind of type.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum TypeKind {
    /// A record with these fields.
    Record(Vec<Parameter>),
    /// One of these names.
    Enum(Vec<String>),
}

/// A WIT type as it is used.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum WitType {
    /// `bool`, `string`, `f64` or an integer.
    Plain(&'static str),
    /// A `string` of JSON text.
    Json,
    /// `list<…>`.
    List(Box<WitType>),
    /// `option<…>`.
    Option(Box<WitType>),
    /// `tuple<…>`.
    Tuple(Vec<WitType>),
    /// A type of [`Interface::definitions`].
    Named(String),
    /// A type of the contract `tool-hub:tool`, such as `image` or `reply`.
    Contract(&'static str),
}
