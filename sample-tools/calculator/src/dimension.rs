//! Dimensions of quantities: powers of seven base quantities.

const BASE_COUNT: usize = 7;
const BASE_SYMBOLS: [&str; BASE_COUNT] = ["m", "kg", "s", "K", "A", "mol", "bit"];

/// Powers of length, mass, time, temperature, electric current, amount of substance and data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dimension([i8; BASE_COUNT]);

impl Dimension {
    /// A plain number.
    pub const NONE: Self = Self([0; BASE_COUNT]);

    /// The dimension with these powers of length, mass, time, temperature, current, amount, data.
    #[must_use]
    pub const fn new(powers: [i8; BASE_COUNT]) -> Self {
        Self(powers)
    }

    /// The dimension of a product; `None` when a power leaves -128 to 127.
    #[must_use]
    pub fn times(self, other: Self) -> Option<Self> {
        self.zip(other, i8::checked_add)
    }

    /// The dimension of a quotient; `None` when a power leaves -128 to 127.
    #[must_use]
    pub fn over(self, other: Self) -> Option<Self> {
        self.zip(other, i8::checked_sub)
    }

    /// The dimension of a power; `None` when a power leaves -128 to 127.
    #[must_use]
    pub fn power(self, exponent: i8) -> Option<Self> {
        self.zip(self, |power, _| power.checked_mul(exponent))
    }

    /// The dimension of a root; `None` when it would have broken powers.
    #[must_use]
    pub fn root(self, degree: i8) -> Option<Self> {
        self.zip(self, |power, _| {
            (power % degree == 0).then(|| power / degree)
        })
    }

    /// The base units with their powers, without those of power 0.
    pub fn base_units(self) -> impl Iterator<Item = (&'static str, i8)> {
        BASE_SYMBOLS
            .into_iter()
            .zip(self.0)
            .filter(|&(_, power)| power != 0)
    }

    fn zip(self, other: Self, join: impl Fn(i8, i8) -> Option<i8>) -> Option<Self> {
        let mut powers = [0; BASE_COUNT];
        for (index, power) in powers.iter_mut().enumerate() {
            *power = join(self.0[index], other.0[index])?;
        }
        Some(Self(powers))
    }
}
