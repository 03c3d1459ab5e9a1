//! The formats in which a constraint is written: a JSON Schema, a grammar or a regular expression.

use strum::{Display, EnumString, IntoStaticStr, VariantArray, VariantNames};

use crate::unknown_name::UnknownName;

/// A way of writing a constraint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[derive(Display, EnumString, IntoStaticStr, VariantArray, VariantNames)]
#[strum(serialize_all = "kebab-case")]
#[strum(parse_err_ty = UnknownName, parse_err_fn = UnknownName::of::<Format>)]
pub enum Format {
    /// JSON Schema (2020-12).
    JsonSchema,
    /// A regular expression that is meant to match all of a text.
    Regex,
    /// The grammars of llama.cpp, which XGrammar reads as well.
    Gbnf,
    /// The grammars of llguidance.
    Lark,
}

impl Format {
    /// Every format, in the order in which to list them.
    pub const ALL: &[Self] = <Self as VariantArray>::VARIANTS;

    /// The format's name on a command line.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}
