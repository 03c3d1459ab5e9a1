//! Units by name, with prefixes.

use std::collections::BTreeSet;

use crate::dimension::Dimension;
use crate::error::Problem;
use crate::unit_table::UNITS;

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
    /// How it is written.
    pub symbol: &'static str,
    /// Other spellings; a plural `s` need not be listed.
    pub names: &'static [&'static str],
    /// What it measures.
    pub kind: &'static str,
    /// What it measures, in base quantities.
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

    /// Whether prefixes may stand in front.
    #[must_use]
    pub fn takes_prefixes(&self) -> bool {
        self.prefixes != Prefixes::None
    }

    fn prefixes(&self) -> impl Iterator<Item = &'static (&'static str, &'static str, f64)> {
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
pub struct Prefixed {
    /// The prefix symbol, empty for none.
    pub prefix: &'static str,
    /// The unit behind the prefix.
    pub unit: &'static Unit,
    multiple: f64,
}

impl Prefixed {
    /// How many base units it is.
    #[must_use]
    pub fn factor(&self) -> f64 {
        self.unit.factor * self.multiple
    }

    /// Where its zero lies, in base units; 0 but for scales.
    #[must_use]
    pub fn zero(&self) -> f64 {
        self.unit.zero
    }

    /// Whether it is a scale such as degrees Celsius, on which sums mean nothing.
    #[must_use]
    pub fn is_scale(&self) -> bool {
        self.unit.zero != 0.0
    }
}

/// Finds a unit by symbol or name, with or without prefix.
#[must_use]
pub fn find(written: &str) -> Option<Prefixed> {
    let plain = |unit| Prefixed {
        prefix: "",
        unit,
        multiple: 1.0,
    };
    if let Some(unit) = UNITS.iter().find(|unit| unit.symbol == written) {
        return Some(plain(unit));
    }
    if let Some(unit) = UNITS.iter().find(|unit| is_name(unit, written)) {
        return Some(plain(unit));
    }
    UNITS.iter().find_map(|unit| {
        unit.prefixes()
            .find(|(symbol, name, _)| {
                let after_symbol = written.strip_prefix(symbol);
                let after_name = written.strip_prefix(name);
                after_symbol
                    .is_some_and(|rest| rest == unit.symbol || rest == "l" && unit.symbol == "L")
                    || after_name.is_some_and(|rest| is_name(unit, rest))
            })
            .map(|&(prefix, _, multiple)| Prefixed {
                prefix,
                unit,
                multiple,
            })
    })
}

/// The units of one kind, or all of them.
///
/// # Errors
/// When there is no such kind; the cure lists those there are.
pub fn list(kind: Option<&str>) -> Result<impl Iterator<Item = &'static Unit>, Problem> {
    if let Some(kind) = kind {
        let kinds: BTreeSet<_> = UNITS.iter().map(|unit| unit.kind).collect();
        if !kinds.contains(kind) {
            let kinds: Vec<_> = kinds.into_iter().collect();
            return Err(Problem::new(
                format!("there is no kind of unit named `{kind}`"),
                format!("use one of: {}", kinds.join(", ")),
            ));
        }
    }
    let kind = kind.map(str::to_owned);
    Ok(UNITS
        .iter()
        .filter(move |unit| kind.as_deref().is_none_or(|kind| unit.kind == kind)))
}

/// The word for what a dimension measures, when a unit of the table measures it.
#[must_use]
pub fn kind_of(dimension: Dimension) -> Option<&'static str> {
    UNITS
        .iter()
        .find(|unit| unit.dimension == dimension)
        .map(|unit| unit.kind)
}

/// Symbols and names that are written almost like `written`, the nearest first, at most three.
#[must_use]
pub fn nearest(written: &str) -> Vec<String> {
    let mut near: Vec<(usize, String)> = UNITS
        .iter()
        .flat_map(|unit| {
            let prefixed = unit
                .prefixes()
                .map(|(prefix, ..)| format!("{prefix}{}", unit.symbol));
            let names = unit.names.iter().map(|&name| name.to_owned());
            std::iter::once(unit.symbol.to_owned())
                .chain(names)
                .chain(prefixed)
        })
        .map(|name| {
            (
                strsim::osa_distance(&name.to_lowercase(), &written.to_lowercase()),
                name,
            )
        })
        .filter(|(distance, name)| *distance <= 2 && *distance < name.chars().count())
        .collect();
    near.sort();
    near.dedup_by(|a, b| a.1 == b.1);
    near.into_iter().take(3).map(|(_, name)| name).collect()
}

fn is_name(unit: &Unit, written: &str) -> bool {
    let singular = written.strip_suffix('s').unwrap_or(written);
    unit.names
        .iter()
        .any(|&name| name == written || (name == singular && name.len() > 1))
        || (unit.symbol.len() > 2 && unit.symbol == singular)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(written: &str, expected: Option<(&str, &str)>) {
        let found = find(written).map(|found| (found.prefix, found.unit.symbol));
        assert_eq!(found, expected, "{written}");
    }

    #[test]
    fn units_are_found_by_symbol_name_and_prefix() {
        check("km", Some(("k", "m")));
        check("min", Some(("", "min")));
        check("kilometres", Some(("k", "m")));
        check("meters", Some(("", "m")));
        check("µs", Some(("µ", "s")));
        check("ml", Some(("m", "L")));
        check("l", Some(("", "L")));
        check("GiB", Some(("Gi", "B")));
        check("Gib", None);
        check("Gibit", Some(("Gi", "bit")));
        check("kWh", Some(("k", "Wh")));
        check("°C", Some(("", "degC")));
        check("feet", Some(("", "ft")));
        check("weeks", Some(("", "week")));
        check("kinch", None);
        check("ms", Some(("m", "s")));
        check("", None);
        check("k", None);
    }

    #[test]
    fn symbols_and_names_are_unique() {
        let mut seen = BTreeSet::new();
        for unit in UNITS {
            assert!(seen.insert(unit.symbol), "{}", unit.symbol);
            for name in unit.names {
                assert!(seen.insert(name), "{name}");
            }
        }
    }

    #[test]
    fn misspelt_units_have_neighbours() {
        assert_eq!(nearest("metr").first().map(String::as_str), Some("meter"));
        assert!(nearest("kmm").contains(&"km".to_owned()));
        assert!(nearest("xylophone").is_empty());
    }
}
