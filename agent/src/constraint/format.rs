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

/// A character by its number, as GBNF and the regular expressions of Rust and Python read it.
pub(super) fn code(character: char) -> String {
    match u32::from(character) {
        number @ 0..=0xff => format!("\\x{number:02X}"),
        number @ 0x100..=0xffff => format!("\\u{number:04X}"),
        number => format!("\\U{number:08X}"),
    }
}
