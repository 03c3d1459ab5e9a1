//! Data types for signatures of Rust functions, from which a component's glue code is generated.

/// The signature of a function in Rust.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RustSignature {
    /// The types of its parameters, in order.
    pub parameters: Vec<RustType>,
    /// The type of what it returns when it does not fail.
    pub output: RustType,
    /// True if it returns a `Result`.
    pub is_fallible: bool,
}

/// A type, by which values are converted from and to those of a component.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum RustType {
    /// `bool`
    Bool,
    /// `String`
    Text,
    /// An integer, by its name.
    Integer(String),
    /// `f32` or `f64`, by its name.
    Float(String),
    /// `Vec<…>`
    List(Box<RustType>),
    /// `Option<…>`
    Option(Box<RustType>),
    /// `(…, …)`
    Tuple(Vec<RustType>),
    /// A struct of the file: its name, and its fields with their types.
    Struct(String, Vec<(String, RustType)>),
    /// An enum of the file: its name, and its variants with their values.
    Enum(String, Vec<(String, String)>),
    /// A type whose values are passed as JSON text.
    Json,
    /// `&…`, of a parameter.
    Reference(Box<RustType>),
    /// `()`
    Nothing,
}
