//! Names of dimensions, such as `length`, for sentences.

use std::fmt;

use crate::dimension::Dimension;
use crate::unit_table::UNITS;

/// The word for `dimension`, such as `length`, where the table has a unit of it.
#[must_use]
pub fn kind_of(dimension: Dimension) -> Option<&'static str> {
    UNITS
        .iter()
        .find(|unit| unit.dimension == dimension)
        .map(|unit| unit.kind)
}

/// With its article, for sentences: `a length`, `a plain number`, `a quantity in m^2*kg`.
impl fmt::Display for Dimension {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Self::NONE {
            return f.write_str("a plain number");
        }
        if let Some(kind) = kind_of(*self) {
            let article = if kind.starts_with(['a', 'e', 'i', 'o', 'u']) {
                "an"
            } else {
                "a"
            };
            return write!(f, "{article} {kind}");
        }
        f.write_str("a quantity in ")?;
        for (index, (symbol, power)) in self.base_units().enumerate() {
            let times = if index == 0 { "" } else { "*" };
            match power {
                1 => write!(f, "{times}{symbol}")?,
                _ => write!(f, "{times}{symbol}^{power}")?,
            }
        }
        Ok(())
    }
}
