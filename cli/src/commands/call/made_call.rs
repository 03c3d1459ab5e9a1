//! Makes a call that a user typed; prints its outcome, what it used, and what the tool wrote.

use std::process::ExitCode;
use std::sync::Arc;

use serde_json::{Value, json};
use tool_hub_agent::conversation::failure::FailureText;
use tool_hub_host::{CallableFunction, Usage};
use tool_hub_manifest::contract::{Failure, FailureKind, Outcome};

use super::callee::Callee;
use super::{answer, resource_usage};
use crate::terminal::exit::Exit;
use crate::terminal::output::Output;
use crate::terminal::printer::Printer;
use crate::text::reply_json::reply_json;
use crate::toolbox::watch::{Person, Watch};

/// A call that is over.
pub(crate) struct MadeCall<'a> {
    callee: Callee<'a>,
    function: &'a CallableFunction,
    outcome: Outcome,
    watch: Arc<Watch>,
}

/// The details of a call that are printed with its answer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Details {
    /// What the tool wrote to its standard streams and its log.
    pub(crate) written: bool,
    /// What the call used.
    pub(crate) usage: bool,
}

impl<'a> MadeCall<'a> {
    /// Calls `function`, one of the callee's, with `arguments` in JSON.
    pub(crate) async fn of(
        callee: Callee<'a>,
        function: &'a CallableFunction,
        arguments: &str,
    ) -> Self {
        let watch = Arc::new(Watch::with(Person::Terminal));
        let name = function.name.as_str();
        let call = callee.tool.call_with(name, arguments, watch.clone());
        let outcome = call.await;
        Self {
            callee,
            function,
            outcome,
            watch,
        }
    }

    /// Prints it; see [`answer::print`] for `output`.
    ///
    /// # Errors
    /// When something cannot be written.
    pub(crate) fn print(
        &self,
        output: Option<&Output>,
        details: Details,
        printer: &Printer,
    ) -> anyhow::Result<ExitCode> {
        if details.written {
            let written = self.watch.written(self.callee.name);
            written.iter().for_each(|line| printer.note(line));
        }
        let usage = self.watch.usage().filter(|_| details.usage);
        let exit = match &self.outcome {
            Outcome::Reply(reply) => answer::print(reply, output, usage, printer)?,
            Outcome::Failure(failure) => print_failure(self.function, failure, usage, printer)?,
        };
        if let Some(usage) = usage.filter(|_| !printer.wants_json()) {
            resource_usage::lines(&usage)
                .iter()
                .for_each(|line| printer.note(line));
        }
        Ok(exit)
    }

    /// The answer or the failure, what the call used, and what the tool wrote.
    ///
    /// # Errors
    /// When the tool's answer is no JSON where it says that it is.
    pub(crate) fn to_json(&self) -> anyhow::Result<Value> {
        let answer = match &self.outcome {
            Outcome::Reply(reply) => reply_json(reply)?,
            Outcome::Failure(failure) => failure_json(failure),
        };
        let mut answer = resource_usage::beside(answer, self.watch.usage());
        answer["written"] = self.watch.written(self.callee.name).into();
        Ok(answer)
    }

    /// The exit code that the outcome has.
    pub(crate) fn exit(&self) -> ExitCode {
        match &self.outcome {
            Outcome::Reply(_) => ExitCode::SUCCESS,
            Outcome::Failure(failure) => exit_of(&failure.kind).into(),
        }
    }
}

fn failure_json(failure: &Failure) -> Value {
    json!({ "failure": failure })
}

fn print_failure(
    function: &CallableFunction,
    failure: &Failure,
    usage: Option<Usage>,
    printer: &Printer,
) -> anyhow::Result<ExitCode> {
    if printer.wants_json() {
        printer.json(&resource_usage::beside(failure_json(failure), usage))?;
        return Ok(exit_of(&failure.kind).into());
    }
    let function = function.name.as_str();
    let message = FailureText { function, failure }.summary();
    let hints: Vec<String> = failure.fix.iter().cloned().collect();
    printer.error(&anyhow::Error::msg(message), &hints);
    Ok(exit_of(&failure.kind).into())
}

fn exit_of(kind: &FailureKind) -> Exit {
    match kind {
        FailureKind::Denied { .. } | FailureKind::HostLimit { .. } => Exit::Refused,
        FailureKind::Trapped | FailureKind::Internal => Exit::Unexpected,
        _ => Exit::User,
    }
}
