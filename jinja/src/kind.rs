//! The types of values.

use std::fmt;

/// A type, which is written as Python calls it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Undefined,
    None,
    Bool,
    Int,
    Float,
    Str,
    Markup,
    List,
    Tuple,
    Dict,
    Keys,
    Values,
    Items,
    Range,
    Generator,
    Namespace,
    Loop,
    Macro,
    Cycler,
    Joiner,
    Function,
    Bound,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Undefined => "Undefined",
            Self::None => "NoneType",
            Self::Bool => "bool",
            Self::Int => "int",
            Self::Float => "float",
            Self::Str => "str",
            Self::Markup => "Markup",
            Self::List => "list",
            Self::Tuple => "tuple",
            Self::Dict => "dict",
            Self::Keys => "dict_keys",
            Self::Values => "dict_values",
            Self::Items => "dict_items",
            Self::Range => "range",
            Self::Generator => "generator",
            Self::Namespace => "Namespace",
            Self::Loop => "LoopContext",
            Self::Macro => "Macro",
            Self::Cycler => "Cycler",
            Self::Joiner => "Joiner",
            Self::Function => "function",
            Self::Bound => "builtin_function_or_method",
        })
    }
}
