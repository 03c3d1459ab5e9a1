//! Errors of an expression, with their place and a correction.

/// A mistake and its correction, not yet tied to a place in the expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The mistake: lower case, no full stop.
    pub message: String,
    /// The correction.
    pub fix: String,
}

impl Problem {
    /// A problem with its cure.
    #[must_use]
    pub fn new(message: impl Into<String>, fix: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            fix: fix.into(),
        }
    }

    /// Ties the problem to a place, counted in characters from 0.
    #[must_use]
    pub fn at(self, position: usize) -> Error {
        Error {
            position,
            problem: self,
        }
    }
}

/// A problem at a place of the expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    /// The place, in characters from 0.
    pub position: usize,
    /// The mistake at that place.
    pub problem: Problem,
}

impl Error {
    /// The sentence for the reader, with the place counted from 1 and what stands there.
    #[must_use]
    pub fn message_in(&self, source: &str) -> String {
        let Self { position, problem } = self;
        let rest = source.chars().skip(*position).collect::<String>();
        let found = rest.split_whitespace().next().unwrap_or_default();
        let found: String = found.chars().take(20).collect();
        if found.is_empty() {
            format!("at the end: {}", problem.message)
        } else {
            format!(
                "at position {} (`{found}`): {}",
                position + 1,
                problem.message
            )
        }
    }
}
