//! The types of a unit and of a unit with a prefix, and the tables of prefixes.

use crate::dimension::Dimension;

/// Symbol, name and factor of the decimal prefixes, `da` and `h` left out because nobody
/// writes them in calculations and `h` is better read as an hour.
const DECIMAL: &[(&str, &str, f64)] = &[
    ("f", "femto", 1e-15),
    ("p", "pico", 1e-12),
    ("n", "nano", 1e-9),
    ("µ", "micro", 1e-6),
    ("μ", "micro", 1e-6),
    ("u", "micro", 1e-6),
    ("m", "milli", 1e-3),
    ("c", "centi", 1e-2),
    ("d", "deci", 1e-1),
    ("k", "kilo", 1e3),
    ("M", "mega", 1e6),
    ("G", "giga", 1e9),
    ("T", "tera", 1e12),
    ("P", "peta", 1e15),
];

const BINARY: &[(&str, &str, f64)] = &[
    ("Ki", "kibi", 1024.0),
    ("Mi", "mebi", 1_048_576.0),
    ("Gi", "gibi", 1_073_741_824.0),
    ("Ti", "tebi", 1_099_511_627_776.0),
    ("Pi", "pebi", 1_125_899_906_842_624.0),
];

#[derive(Debug, Clone, Copy, PartialEq)]
enum Prefixes {
    None,
    Decimal,
    DecimalAndBinary,
}

/// A unit of the table.
#[derive(Debug, Clone, PartialEq)]
pub struct Unit {
    /// The symbol.
    pub symbol: &'static str,
    /// Other spellings; a plural `s` need not be listed.
    pub names: &'static [&'static str],
    /// The word for the dimension, such as `length`.
    pub kind: &'static str,
    /// The dimension.
    pub dimension: Dimension,
    factor: f64,
    zero: f64,
    prefixes: Prefixes,
}

impl Unit {
    /// A unit that is `factor` base units.
    #[must_use]
    pub const fn new(
        symbol: &'static str,
        names: &'static [&'static str],
        kind: &'static str,
        dimension: Dimension,
        factor: f64,
    ) -> Self {
        Self {
            symbol,
            names,
            kind,
            dimension,
            factor,
            zero: 0.0,
            prefixes: Prefixes::None,
        }
    }

    /// The same unit, with `k`, `m`, `µ` and their like allowed in front.
    #[must_use]
    pub const fn decimal(mut self) -> Self {
        self.prefixes = Prefixes::Decimal;
        self
    }

    /// The same unit, with `k`, `Ki` and their like allowed in front.
    #[must_use]
    pub const fn binary(mut self) -> Self {
        self.prefixes = Prefixes::DecimalAndBinary;
        self
    }

    /// The same unit as a scale whose zero lies at `zero` base units.
    #[must_use]
    pub const fn from_zero(mut self, zero: f64) -> Self {
        self.zero = zero;
        self
    }

    /// True if prefixes may stand in front.
    #[must_use]
    pub fn takes_prefixes(&self) -> bool {
        self.prefixes != Prefixes::None
    }

    /// The prefixes that may stand in front: symbol, name and factor.
    pub(crate) fn prefixes(
        &self,
    ) -> impl Iterator<Item = &'static (&'static str, &'static str, f64)> {
        let (decimal, binary): (&[_], &[_]) = match self.prefixes {
            Prefixes::None => (&[], &[]),
            Prefixes::Decimal => (DECIMAL, &[]),
            Prefixes::DecimalAndBinary => (DECIMAL, BINARY),
        };
        decimal.iter().chain(binary)
    }
}

/// A unit with the prefix it was written with.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PrefixedUnit {
    /// The prefix symbol, empty for none.
    pub prefix: &'static str,
    /// The unit behind the prefix.
    pub unit: &'static Unit,
    pub(crate) multiple: f64,
}

impl PrefixedUnit {
    /// The number of base units.
    #[must_use]
    pub fn factor(&self) -> f64 {
        self.unit.factor * self.multiple
    }

    /// The place of its zero, in base units; 0 but for scales.
    #[must_use]
    pub fn zero(&self) -> f64 {
        self.unit.zero
    }

    /// True if it is a scale such as degrees Celsius, on which sums mean nothing.
    #[must_use]
    pub fn is_scale(&self) -> bool {
        self.unit.zero != 0.0
    }
}
