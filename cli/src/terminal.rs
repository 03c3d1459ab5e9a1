//! Output at the terminal: printing, progress, tables, errors with hints and exit codes, signals.

pub(crate) mod diagnosis;
pub(crate) mod escape;
pub(crate) mod exit;
pub(crate) mod form;
pub(crate) mod hidden_input;
pub(crate) mod hints;
mod notices;
pub(crate) mod output;
pub(crate) mod phrases;
pub(crate) mod printer;
pub(crate) mod problem;
pub(crate) mod progress;
pub(crate) mod signals;
pub(crate) mod table;
pub(crate) mod token_advice;
pub(crate) mod typed_ahead;
