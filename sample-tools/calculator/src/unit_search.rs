//! Finds units by symbol or name, lists them by kind, and suggests those that are spelt alike.

use std::collections::BTreeSet;

use crate::error::Problem;
use crate::unit::{PrefixedUnit, Unit};
use crate::unit_table::UNITS;

/// Finds a unit by symbol or name, with or without prefix.
#[must_use]
pub fn find(written: &str) -> Option<PrefixedUnit> {
    let plain = |unit| PrefixedUnit {
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
            .map(|&(prefix, _, multiple)| PrefixedUnit {
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
