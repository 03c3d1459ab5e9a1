//! The enum `Language` (TypeScript or Python), which converts names to identifiers and back.

use strum::{Display, EnumString, IntoStaticStr, VariantArray, VariantNames};

use crate::unknown_name::UnknownName;

use super::{identifier, reserved};

/// A programming language that agents write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[derive(Display, EnumString, IntoStaticStr, VariantArray, VariantNames)]
#[strum(serialize_all = "kebab-case")]
#[strum(parse_err_ty = UnknownName, parse_err_fn = UnknownName::of::<Language>)]
pub enum Language {
    /// A `.d.ts` module of functions that take one object and return a promise.
    #[strum(serialize = "typescript")]
    TypeScript,
    /// A `.pyi` stub of functions with keyword arguments, for Python 3.11 and later.
    Python,
}

impl Language {
    /// Every language, in the order in which to list them.
    pub const ALL: &[Self] = <Self as VariantArray>::VARIANTS;

    /// The language's name on a command line.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// The identifier for the function `name`: the name itself if the language allows it. No two
    /// names share an identifier, and [`name`](Self::name) is the inverse.
    pub fn identifier(self, name: &str) -> String {
        identifier::of(name, self.reserved())
    }

    /// The name of `identifier`.
    pub fn name(self, identifier: &str) -> String {
        identifier::name_of(identifier, self.reserved())
    }

    /// The form of the argument `name` in declarations: the name itself in TypeScript, where a
    /// member may have any name, otherwise an identifier.
    pub fn argument(self, name: &str) -> String {
        match self {
            Self::TypeScript => name.to_owned(),
            Self::Python => self.identifier(name),
        }
    }

    /// The name of the argument that is written as `argument`.
    pub fn argument_name(self, argument: &str) -> String {
        match self {
            Self::TypeScript => argument.to_owned(),
            Self::Python => self.name(argument),
        }
    }

    fn reserved(self) -> &'static [&'static str] {
        match self {
            Self::TypeScript => &reserved::TYPESCRIPT,
            Self::Python => &reserved::PYTHON,
        }
    }
}
