//! Numbers with units, and the arithmetic that keeps both right.

use std::fmt;

use crate::dimension::Dimension;
use crate::dimension_name::kind_of;
use crate::error::Problem;
use crate::unit::PrefixedUnit;
use crate::unit_product::{UnitProduct, too_high};

const SIGNIFICANT_DIGITS: usize = 14;

/// A finite number of base units, and the units in which to show it.
#[derive(Debug, Clone, PartialEq)]
pub struct Quantity {
    base_value: f64,
    dimension: Dimension,
    shown: UnitProduct,
}

impl Quantity {
    /// A plain number.
    ///
    /// # Errors
    /// When the number is not finite.
    pub fn number(value: f64) -> Result<Self, Problem> {
        Self::new(value, Dimension::NONE, UnitProduct::none())
    }

    /// `value` of `unit`.
    ///
    /// # Errors
    /// When the result is not finite.
    pub fn measured(value: f64, unit: UnitProduct) -> Result<Self, Problem> {
        let zero = unit.scale().map_or(0.0, PrefixedUnit::zero);
        Self::new(value * unit.factor() + zero, unit.dimension()?, unit)
    }

    /// The same quantity, shown in `target`.
    ///
    /// # Errors
    /// When `target` measures something else.
    pub fn converted(self, target: &UnitProduct) -> Result<Self, Problem> {
        let wanted = target.dimension()?;
        if wanted != self.dimension {
            let fix = match kind_of(self.dimension) {
                Some(kind) => format!("convert it into a unit of {kind}; `list_units` shows them"),
                None => format!("convert it into `{}`", UnitProduct::base(self.dimension)),
            };
            return Err(Problem::new(
                format!(
                    "cannot convert {} into `{target}`, which is {wanted}",
                    self.dimension
                ),
                fix,
            ));
        }
        Self::new(self.base_value, self.dimension, target.clone())
    }

    /// The sum; with `sign` -1 the difference.
    ///
    /// # Errors
    /// When the two measure different things, or lie on a scale.
    pub fn plus(self, other: &Self, sign: f64) -> Result<Self, Problem> {
        if self.dimension != other.dimension {
            let (message, operator) = if sign < 0.0 {
                (
                    format!(
                        "cannot subtract {} from {}",
                        other.dimension, self.dimension
                    ),
                    '-',
                )
            } else {
                (
                    format!("cannot add {} to {}", other.dimension, self.dimension),
                    '+',
                )
            };
            return Err(Problem::new(
                message,
                format!("use units that measure the same thing on both sides of `{operator}`"),
            ));
        }
        self.no_scale()?;
        other.no_scale()?;
        let shown = if self.shown.is_none() {
            other.shown.clone()
        } else {
            self.shown
        };
        Self::new(
            self.base_value + sign * other.base_value,
            self.dimension,
            shown,
        )
    }

    /// The product.
    ///
    /// # Errors
    /// When a factor lies on a scale, or the result is too large.
    pub fn times(self, other: &Self) -> Result<Self, Problem> {
        self.no_scale()?;
        other.no_scale()?;
        let dimension = self.dimension.times(other.dimension).ok_or_else(too_high)?;
        let shown = self.shown.times(&other.shown, 1)?.readable(dimension);
        Self::new(self.base_value * other.base_value, dimension, shown)
    }

    /// The quotient.
    ///
    /// # Errors
    /// When the divisor is 0, a side lies on a scale, or the result is too large.
    pub fn over(self, other: &Self) -> Result<Self, Problem> {
        self.no_scale()?;
        other.no_scale()?;
        if other.base_value == 0.0 {
            return Err(Problem::new(
                "division by zero",
                "make sure that what stands behind `/` is not 0",
            ));
        }
        let dimension = self.dimension.over(other.dimension).ok_or_else(too_high)?;
        let shown = self.shown.times(&other.shown, -1)?.readable(dimension);
        Self::new(self.base_value / other.base_value, dimension, shown)
    }

    /// The power.
    ///
    /// # Errors
    /// When the exponent has a unit, or the base has a unit and the exponent is broken, or
    /// the result is not a real number.
    pub fn power(self, exponent: &Self) -> Result<Self, Problem> {
        self.no_scale()?;
        let exponent = exponent.plain("an exponent")?;
        if self.dimension == Dimension::NONE {
            return Self::number(self.base_value.powf(exponent));
        }
        if exponent.fract() != 0.0 || exponent.abs() > f64::from(i8::MAX) {
            return Err(Problem::new(
                format!("cannot raise {} to the power {exponent}", self.dimension),
                "use a whole exponent between -127 and 127, or `sqrt` and `cbrt` for roots",
            ));
        }
        let whole = exponent as i8;
        let dimension = self.dimension.power(whole).ok_or_else(too_high)?;
        let shown = (0..whole.unsigned_abs()).try_fold(UnitProduct::none(), |product, _| {
            product.times(&self.shown, whole.signum())
        })?;
        Self::new(self.base_value.powi(whole.into()), dimension, shown)
    }

    /// The root of degree 2 or 3.
    ///
    /// # Errors
    /// When the unit has no such root, or an even root is taken of a negative number.
    pub fn root(self, degree: i8) -> Result<Self, Problem> {
        self.no_scale()?;
        let dimension = self.dimension.root(degree).ok_or_else(|| {
            Problem::new(
                format!(
                    "the unit of {} has no root of degree {degree}",
                    self.dimension
                ),
                "take the root of the number alone, by dividing by the unit first",
            )
        })?;
        let value = if degree == 2 {
            self.base_value.sqrt()
        } else {
            self.base_value.cbrt()
        };
        Self::new(value, dimension, UnitProduct::base(dimension))
    }

    /// The quantity with the sign turned, on a scale too: minus `40 degC` is `-40 degC`.
    ///
    /// # Errors
    /// Never but for a result that is not finite.
    pub fn negated(self) -> Result<Self, Problem> {
        let value = -self.value_in(&self.shown);
        Self::measured(value, self.shown)
    }

    /// The quantity with its number, as it is shown, changed by `change`.
    ///
    /// # Errors
    /// When the quantity lies on a scale or the result is not finite.
    pub fn map(self, change: impl Fn(f64) -> f64) -> Result<Self, Problem> {
        self.no_scale()?;
        let value = change(self.value_in(&self.shown));
        Self::measured(value, self.shown)
    }

    /// The number, when it has no unit that measures something; `what` names it in the error.
    ///
    /// # Errors
    /// When it has a unit.
    pub fn plain(&self, what: &str) -> Result<f64, Problem> {
        if self.dimension == Dimension::NONE {
            Ok(self.base_value)
        } else {
            Err(Problem::new(
                format!("{what} must be a plain number, not {}", self.dimension),
                format!("leave the unit `{}` out, or divide by it", self.shown),
            ))
        }
    }

    /// The number of base units, for comparing.
    ///
    /// # Errors
    /// When it measures something other than `other`.
    pub fn comparable(&self, other: &Self) -> Result<f64, Problem> {
        if self.dimension == other.dimension {
            Ok(self.base_value)
        } else {
            Err(Problem::new(
                format!("cannot compare {} with {}", self.dimension, other.dimension),
                "give values that measure the same thing",
            ))
        }
    }

    /// The number in the units shown, rounded to 14 significant digits.
    #[must_use]
    pub fn shown_value(&self) -> f64 {
        rounded(self.value_in(&self.shown))
    }

    /// The units shown; empty for a plain number.
    #[must_use]
    pub fn shown_unit(&self) -> String {
        self.shown.to_string()
    }

    fn new(base_value: f64, dimension: Dimension, shown: UnitProduct) -> Result<Self, Problem> {
        if base_value.is_finite() {
            Ok(Self {
                base_value,
                dimension,
                shown,
            })
        } else if base_value.is_nan() {
            Err(Problem::new(
                "the result is not a real number",
                "check for roots or logarithms of negative numbers and for arguments out of range",
            ))
        } else {
            Err(Problem::new(
                "the result is too large, beyond 1.8e308, or infinite",
                "use smaller numbers or larger units",
            ))
        }
    }

    fn value_in(&self, unit: &UnitProduct) -> f64 {
        let zero = unit.scale().map_or(0.0, PrefixedUnit::zero);
        (self.base_value - zero) / unit.factor()
    }

    fn no_scale(&self) -> Result<(), Problem> {
        match self.shown.scale() {
            None => Ok(()),
            Some(scale) => Err(Problem::new(
                format!(
                    "`{}` marks a point on a scale, with which one cannot calculate",
                    scale.unit.symbol
                ),
                format!(
                    "convert to kelvin first, such as `({self} in K) + 5 K in {}`",
                    scale.unit.symbol
                ),
            )),
        }
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = self.shown_value();
        let magnitude = value.abs();
        if magnitude != 0.0 && !(1e-6..1e15).contains(&magnitude) {
            write!(f, "{value:e}")?;
        } else {
            write!(f, "{value}")?;
        }
        if self.shown.is_none() {
            Ok(())
        } else {
            write!(f, " {}", self.shown)
        }
    }
}

/// Binary fractions show their nature in the last digits: 0.1 + 0.2 should read 0.3.
fn rounded(value: f64) -> f64 {
    let digits = SIGNIFICANT_DIGITS - 1;
    let rounded: f64 = format!("{value:.digits$e}").parse().unwrap_or(value);
    rounded + 0.0
}
