//! Chooses the function of a tool that a typed call names, and tells its arguments from its name.

use tool_hub_host::{CallableFunction, Tool};
use tool_hub_manifest::FunctionName;

use crate::terminal::problem::Problem;

/// A tool that is about to be called, and how it was named.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Callee<'a> {
    pub(crate) tool: &'a Tool,
    /// The name by which the user knows it.
    pub(crate) name: &'a str,
    /// The function that was named with it.
    pub(crate) function: Option<&'a str>,
    /// The function that the name alone stands for although there are others.
    pub(crate) called_by_key: Option<&'a FunctionName>,
}

impl<'a> Callee<'a> {
    /// The function to call and those of `words` that are its arguments. The first word is the
    /// function's name where it was not named before and the word is no argument.
    ///
    /// # Errors
    /// When there is no such function, or none is named of several.
    pub(crate) fn function<'w>(
        &self,
        words: &'w [String],
    ) -> anyhow::Result<(&'a CallableFunction, &'w [String])> {
        let functions = self.tool.functions();
        let (named, pairs) = match (self.function, words.split_first()) {
            (None, Some((first, rest))) if !first.contains('=') => (Some(first.as_str()), rest),
            (named, _) => (named, words),
        };
        let found = match (named, functions) {
            (None, [only]) => Some(only),
            (None, _) => self
                .called_by_key
                .and_then(|name| functions.iter().find(|function| function.name == *name)),
            (Some(named), _) => {
                let named = named.replace('-', "_");
                functions
                    .iter()
                    .find(|function| function.name.as_str() == named)
            }
        };
        match found {
            Some(function) => Ok((function, pairs)),
            None => Err(self.no_function(named).into()),
        }
    }

    fn no_function(&self, named: Option<&str>) -> Problem {
        let functions = self.tool.functions();
        let names: Vec<&str> = functions
            .iter()
            .map(|function| function.name.as_str())
            .collect();
        let tool = self.name;
        let message = match named {
            _ if names.is_empty() => {
                return Problem::user(format!("`{tool}` has no function that can be called"))
                    .hint("see what it offers with: tool inspect");
            }
            Some(named) => format!("`{tool}` has no function called `{named}`"),
            None => format!("`{tool}` has several functions; say which one"),
        };
        let problem = Problem::user(message).hint(format!("it has: {}", names.join(", ")));
        match named.and_then(|named| forgotten_name(named, functions)) {
            Some(hint) => problem.hint(hint),
            None => problem,
        }
    }
}

/// The argument to write for `word`, which is no function but may be the value of the only
/// function's first argument.
fn forgotten_name(word: &str, functions: &[CallableFunction]) -> Option<String> {
    let [only] = functions else {
        return None;
    };
    let first = only.inputs.first()?;
    Some(format!(
        "where it is an argument, write {}={word}",
        first.name
    ))
}
