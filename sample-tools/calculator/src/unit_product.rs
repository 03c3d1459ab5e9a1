//! Products of units with powers, such as `kg*m/s^2`.

use std::fmt;

use crate::dimension::Dimension;
use crate::error::Problem;
use crate::unit::PrefixedUnit;
use crate::unit_search::find;

/// A product of units with whole powers, such as `kg*m/s^2`.
#[derive(Debug, Clone, PartialEq)]
pub struct UnitProduct(Vec<(PrefixedUnit, i8)>);

impl UnitProduct {
    /// No unit at all.
    #[must_use]
    pub fn none() -> Self {
        Self(Vec::new())
    }

    /// True if there is no unit.
    #[must_use]
    pub fn is_none(&self) -> bool {
        self.0.is_empty()
    }

    /// One unit to a power.
    #[must_use]
    pub fn single(unit: PrefixedUnit, power: i8) -> Self {
        Self(vec![(unit, power)])
    }

    /// The product with every power of `other` multiplied by `sign`, 1 or -1.
    ///
    /// # Errors
    /// When a power leaves -128 to 127, or a scale such as `degC` is part of a product.
    pub fn times(mut self, other: &Self, sign: i8) -> Result<Self, Problem> {
        for &(unit, power) in &other.0 {
            let power = power.checked_mul(sign).ok_or_else(too_high)?;
            match self.0.iter_mut().find(|(known, _)| *known == unit) {
                Some((_, known)) => *known = known.checked_add(power).ok_or_else(too_high)?,
                None => self.0.push((unit, power)),
            }
        }
        self.0.retain(|&(_, power)| power != 0);
        if self.scale().is_none()
            && let Some((unit, _)) = self.0.iter().find(|(unit, _)| unit.is_scale())
        {
            return Err(Problem::new(
                format!(
                    "`{}` cannot be part of a product of units",
                    unit.unit.symbol
                ),
                "use `K` in products, powers and quotients of units",
            ));
        }
        Ok(self)
    }

    /// The dimension.
    ///
    /// # Errors
    /// When a power leaves -128 to 127.
    pub fn dimension(&self) -> Result<Dimension, Problem> {
        self.0
            .iter()
            .try_fold(Dimension::NONE, |sum, (unit, power)| {
                sum.times(unit.unit.dimension.power(*power)?)
            })
            .ok_or_else(too_high)
    }

    pub(crate) fn factor(&self) -> f64 {
        self.0
            .iter()
            .map(|(unit, power)| unit.factor().powi(i32::from(*power)))
            .product()
    }

    /// The scale, when this is one: `degC`, but not `K`.
    pub(crate) fn scale(&self) -> Option<&PrefixedUnit> {
        match self.0.as_slice() {
            [(unit, 1)] if unit.is_scale() => Some(unit),
            _ => None,
        }
    }

    pub(crate) fn base(dimension: Dimension) -> Self {
        Self(
            dimension
                .base_units()
                .filter_map(|(symbol, power)| find(symbol).map(|unit| (unit, power)))
                .collect(),
        )
    }

    /// Metres times kilometres read badly; so do seconds times hertz. Such products are
    /// shown in base units.
    pub(crate) fn readable(self, dimension: Dimension) -> Self {
        let repeated = self.0.iter().enumerate().any(|(index, (unit, _))| {
            self.0[..index]
                .iter()
                .any(|(other, _)| other.unit.kind == unit.unit.kind)
        });
        let cancelled = dimension == Dimension::NONE
            && self
                .0
                .iter()
                .any(|(unit, _)| unit.unit.dimension != Dimension::NONE);
        if repeated || cancelled {
            Self::base(dimension)
        } else {
            self
        }
    }
}

impl fmt::Display for UnitProduct {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let numerator_is_empty = self.0.iter().all(|&(_, power)| power < 0);
        let above = self.0.iter().filter(|&&(_, power)| power > 0);
        let below = self.0.iter().filter(|&&(_, power)| power < 0);
        for (index, (unit, power)) in above.chain(below).enumerate() {
            let (sign, power) = match (index, *power < 0 && !numerator_is_empty) {
                (0, _) => ("", *power),
                (_, true) => ("/", -*power),
                (_, false) => ("*", *power),
            };
            write!(f, "{sign}{}{}", unit.prefix, unit.unit.symbol)?;
            if power != 1 {
                write!(f, "^{power}")?;
            }
        }
        Ok(())
    }
}

pub(crate) fn too_high() -> Problem {
    Problem::new(
        "a power of a unit is beyond 127",
        "simplify the units of the expression",
    )
}
