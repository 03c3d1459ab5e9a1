//! Why a template cannot be read, or prints nothing.

/// A template cannot be read, or does not print anything.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The source is not Jinja.
    #[error("line {line}: {message}")]
    Syntax {
        /// Counted from one.
        line: usize,
        /// What is wrong.
        message: String,
    },
    /// The template does what cannot be done, in line `line`.
    #[error("line {line}: {message}")]
    Failed {
        /// Counted from one.
        line: usize,
        /// What, as Python says it.
        message: String,
    },
    /// A function that was given to the template ended it.
    #[error("{0}")]
    Raised(String),
    /// The template goes beyond a limit.
    #[error("beyond a limit ({limit} = {value})")]
    TooMuch {
        /// Which limit.
        limit: &'static str,
        /// What it allows.
        value: usize,
    },
}

/// What evaluation comes to. Errors are rare and large, so they stand elsewhere.
pub(crate) type Outcome<T> = Result<T, Box<Error>>;

/// A failure in a line that whoever runs the statement adds.
pub(crate) fn failed<T>(message: impl Into<String>) -> Outcome<T> {
    Err(failure(message))
}

pub(crate) fn failure(message: impl Into<String>) -> Box<Error> {
    Box::new(Error::Failed {
        line: 0,
        message: message.into(),
    })
}

pub(crate) fn too_much<T>(limit: &'static str, value: usize) -> Outcome<T> {
    Err(Box::new(Error::TooMuch { limit, value }))
}

impl Error {
    /// What a function fails with that is given to a template. The line is added.
    pub fn failed(message: impl Into<String>) -> Self {
        *failure(message)
    }

    /// The same in the line `at`, where no inner statement has given it one.
    pub(crate) fn in_line(mut self: Box<Self>, at: u32) -> Box<Self> {
        if let Self::Failed { line, .. } = self.as_mut()
            && *line == 0
        {
            *line = at as usize;
        }
        self
    }
}
