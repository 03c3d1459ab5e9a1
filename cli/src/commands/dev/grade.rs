//! The lint grade of a tool: a letter for how many findings and remarks there are for a function.

use std::fmt;

use serde::Serialize;

/// A letter, of which A is the best.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub(super) enum Grade {
    /// Nothing was found.
    A,
    /// At most one finding for each function.
    B,
    /// At most two.
    C,
    /// More.
    D,
}

impl Grade {
    /// The grade of `functions` functions with `findings` findings and remarks together.
    pub(super) fn of(findings: usize, functions: usize) -> Self {
        match findings.div_ceil(functions.max(1)) {
            0 => Self::A,
            1 => Self::B,
            2 => Self::C,
            _ => Self::D,
        }
    }
}

impl fmt::Display for Grade {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?}")
    }
}

#[cfg(test)]
mod tests {
    use super::Grade;

    #[test]
    fn findings_count_by_function() {
        assert_eq!(Grade::of(0, 0), Grade::A);
        assert_eq!(Grade::of(0, 9), Grade::A);
        assert_eq!(Grade::of(1, 9), Grade::B);
        assert_eq!(Grade::of(9, 9), Grade::B);
        assert_eq!(Grade::of(10, 9), Grade::C);
        assert_eq!(Grade::of(2, 1), Grade::C);
        assert_eq!(Grade::of(3, 1), Grade::D);
    }
}
