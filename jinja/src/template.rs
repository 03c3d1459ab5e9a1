//! A template that is ready to print.

use std::borrow::Cow;

use crate::ast::Block;
use crate::error::Error;
use crate::limits::Limits;
use crate::parser::parse;
use crate::render::{self, Global};
use crate::scope::Scopes;

/// A template, read once and printed as often as one likes.
#[derive(Debug)]
pub struct Template {
    block: Block,
    scopes: Scopes,
    limits: Limits,
}

impl Template {
    /// Reads `source`, which may use as much as `limits` say.
    ///
    /// # Errors
    /// [`Error::Syntax`] when it is no template, [`Error::TooMuch`] when it is too long or too
    /// deep.
    pub fn new(source: &str, limits: Limits) -> Result<Self, Error> {
        if source.len() > limits.template_bytes {
            return Err(Error::TooMuch {
                limit: "template_bytes",
                value: limits.template_bytes,
            });
        }
        let source = with_line_feeds(source);
        // The last line break ends the file, and is not printed.
        let source = source.strip_suffix('\n').unwrap_or(&source);
        let (block, scopes) = parse(source).map_err(|error| *error)?;
        Ok(Self {
            block,
            scopes,
            limits,
        })
    }

    /// Whether it looks at what it is given under a name.
    pub fn reads(&self, name: &str) -> bool {
        self.scopes.globals().iter().any(|known| **known == *name)
    }

    /// Prints it, with `global` for the names that it does not make itself. Each is asked for once.
    ///
    /// # Errors
    /// [`Error::Failed`] when it does what cannot be done, [`Error::Raised`] when a function ended
    /// it, [`Error::TooMuch`] when it goes beyond a limit.
    pub fn render<'g>(&self, global: &dyn Fn(&str) -> Option<Global<'g>>) -> Result<String, Error> {
        render::render(&self.block, &self.scopes, self.limits, global)
    }
}

/// `source` with `\n` for whatever ends its lines.
fn with_line_feeds(source: &str) -> Cow<'_, str> {
    match source.contains('\r') {
        true => Cow::Owned(source.replace("\r\n", "\n").replace('\r', "\n")),
        false => Cow::Borrowed(source),
    }
}
