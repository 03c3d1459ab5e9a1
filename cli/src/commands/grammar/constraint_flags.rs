//! Flags of `tool grammar` that give a schema, a pattern, choices or a grammar in place of calls.

use std::path::PathBuf;

use clap::Args;
use tool_hub_agent::constraint::Constraint;

use crate::files::{Limit, json_or_input, text_or_input};
use crate::settings::config::Config;

/// The longest schema.
const SCHEMA: Limit = Limit {
    name: "schema_bytes",
    bytes_max: 4 << 20,
    hint: "leave out what a model need not be held to",
};
/// The longest grammar.
const GRAMMAR: Limit = Limit {
    name: "grammar_bytes",
    bytes_max: 1 << 20,
    hint: "servers refuse grammars of this length; write a shorter one",
};

#[derive(Debug, Args)]
#[group(id = "own", multiple = false)]
pub(super) struct ConstraintFlags {
    /// Hold the model to JSON of this schema instead of calls; `-` for standard input
    #[arg(long, value_name = "FILE")]
    schema: Option<PathBuf>,

    /// Hold it to a text all of which this regular expression matches
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    regex: Option<String>,

    /// Hold it to this text, or one of these
    #[arg(long = "choice", value_name = "TEXT", allow_hyphen_values = true)]
    choices: Vec<String>,

    /// Hold it to what this grammar in GBNF or lark says; `-` for standard input
    #[arg(long, value_name = "FILE")]
    grammar: Option<PathBuf>,
}

impl ConstraintFlags {
    /// The constraint; none where calls are wanted.
    pub(super) fn constraint(&self, config: &Config) -> anyhow::Result<Option<Constraint>> {
        let working = &config.settings.working;
        Ok(Some(if let Some(file) = &self.schema {
            Constraint::json_schema(json_or_input(file, working, &SCHEMA)?)
        } else if let Some(regex) = &self.regex {
            Constraint::regex(regex)
        } else if !self.choices.is_empty() {
            Constraint::choice(&self.choices)
        } else if let Some(file) = &self.grammar {
            Constraint::gbnf_or_lark(text_or_input(file, working, &GRAMMAR)?)
        } else {
            return Ok(None);
        }))
    }

    /// True if a constraint is given.
    pub(super) fn is_given(&self) -> bool {
        self.schema.is_some()
            || self.regex.is_some()
            || !self.choices.is_empty()
            || self.is_grammar()
    }

    /// True if it is a grammar, which nobody reads but the server that it is for.
    pub(super) fn is_grammar(&self) -> bool {
        self.grammar.is_some()
    }
}
