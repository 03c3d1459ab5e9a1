//! The `PreparedCall` of every front end: repairs arguments, runs the call, shortens its result.
//! A call of `call_tool` becomes one of the function that it names. A tool or a built-in function
//! runs it; only a tool's call is audited. Long results are stored.

use std::sync::Arc;

use tool_hub_agent::conversation::repair::repair;
use tool_hub_host::Interaction;
use tool_hub_manifest::contract::{Failure, FailureKind, Outcome};

use crate::argument_notes;
use crate::audit::{self, FrontEnd, Request, Subject};
use crate::built_in::{self, BuiltIn, CallTool, DescribeTool, ReadAnswer, SearchTools};
use crate::catalogue::Entry;
use crate::discovery;
use crate::resolved_function::ResolvedFunction;

/// A call: its function, and arguments as the function takes them.
pub(crate) struct PreparedCall {
    pub(crate) function: ResolvedFunction,
    /// The text of a JSON object, if it can be read as one.
    pub(crate) arguments: String,
    /// The repairs of the arguments, in words for the model.
    pub(crate) note: Option<String>,
}

impl PreparedCall {
    /// A call of `function` with `arguments`, the text of a JSON object, or of something that can
    /// be read as the one that was meant. A call of `call_tool` becomes one of the function that it
    /// names.
    pub(crate) fn new(function: &ResolvedFunction, arguments: String) -> Self {
        let (arguments, note) = repaired(function, arguments);
        let Some((other, arguments)) = forwarded(function, &arguments) else {
            return Self {
                function: function.clone(),
                arguments,
                note,
            };
        };
        let (arguments, other_note) = repaired(&other, arguments);
        let notes: Vec<String> = note.into_iter().chain(other_note).collect();
        Self {
            function: other,
            arguments,
            note: (!notes.is_empty()).then(|| notes.join(" ")),
        }
    }

    /// Makes the call for `front_end`. The text of a reply is no longer than agents can read.
    /// Dropping the future stops it.
    pub(crate) async fn run(
        &self,
        front_end: FrontEnd,
        interaction: Arc<dyn Interaction>,
    ) -> Outcome {
        let outcome = self.run_whole(front_end, interaction).await;
        match self.text_bytes_max() {
            Some(max) => self.shortened(outcome, max),
            None => outcome,
        }
    }

    /// The longest text of a reply, in bytes, that agents are handed whole.
    pub(crate) fn text_bytes_max(&self) -> Option<usize> {
        // What the server itself answers is short, or was asked for in pieces.
        self.function.entry().ok()?;
        self.function.catalogue().answer_bytes_max()
    }

    /// The outcome with at most `bytes_max` bytes of text; a longer one is stored.
    pub(crate) fn shortened(&self, outcome: Outcome, bytes_max: usize) -> Outcome {
        let stored_results = self.function.toolset().stored_results();
        stored_results.shorten(&self.function.spec().name, outcome, bytes_max)
    }

    /// Makes the call for `front_end`, and hands over the whole outcome.
    pub(crate) async fn run_whole(
        &self,
        front_end: FrontEnd,
        interaction: Arc<dyn Interaction>,
    ) -> Outcome {
        let function = &self.function;
        let entry = match function.entry() {
            Ok(entry) => entry,
            Err(entry) => return self.explained(self.run_built_in(entry.built_in).await),
        };
        let request = Request {
            subject: Subject::Function(&entry.offer.spec.name),
            tool: &entry.offer.tool,
            front_end,
        };
        let run = async |interaction| {
            let outcome = self.run_tool(entry, interaction).await;
            self.explained(outcome).into_result()
        };
        let auditor = function.toolset().auditor();
        Outcome::from(audit::audited(auditor, request, interaction, run).await)
    }

    async fn run_tool(&self, entry: &Entry, interaction: Arc<dyn Interaction>) -> Outcome {
        let (function, offer) = (&self.function, &entry.offer);
        let tool = function.toolset().called(&offer.tool);
        let name = offer.function.as_str();
        let outcome = tool.call_with(name, &self.arguments, interaction).await;
        // Only what calls itself read-only leaves the tool's resources as they are.
        if function.spec().annotations.read_only != Some(true) && offer.tool.has_resources() {
            let offerings = function.catalogue().offerings();
            let key = || offerings.key_of(&offer.tool).cloned();
            function.toolset().touch(key);
        }
        outcome
    }

    async fn run_built_in(&self, built_in: BuiltIn) -> Outcome {
        let (function, arguments) = (&self.function, &self.arguments);
        let answered = match built_in {
            BuiltIn::SearchTools => built_in::read(arguments).map(|wanted| self.search(&wanted)),
            BuiltIn::DescribeTool => built_in::read::<DescribeTool>(arguments)
                .and_then(|wanted| function.other(&wanted.name))
                .map(|other| built_in::answer(discovery::described(other.spec()))),
            // A valid call was prepared as one of the function that it names, so this one fails.
            BuiltIn::CallTool => built_in::read::<CallTool>(arguments)
                .and_then(|wanted| function.other(&wanted.name))
                .and_then(|other| {
                    let message = format!("the call of `{}` was not prepared", other.spec().name);
                    Err(Failure::new(FailureKind::Internal, message))
                }),
            BuiltIn::ReadAnswer => match built_in::read::<ReadAnswer>(arguments) {
                Ok(wanted) => return function.toolset().stored_results().read(wanted).await,
                Err(failure) => Err(failure),
            },
        };
        answered.unwrap_or_else(Outcome::Failure)
    }

    fn search(&self, wanted: &SearchTools) -> Outcome {
        let catalogue = self.function.catalogue();
        let found = catalogue.search(&wanted.query).take(wanted.wanted());
        built_in::answer(discovery::found(found, catalogue.specs().len()))
    }

    /// The outcome with what a model should know of how its arguments were read.
    fn explained(&self, outcome: Outcome) -> Outcome {
        let spec = self.function.spec();
        match &self.note {
            Some(note) => argument_notes::noted(outcome, note.clone(), spec),
            None if argument_notes::is_refused(&outcome) => {
                argument_notes::explained(outcome, spec)
            }
            None => outcome,
        }
    }
}

/// The function that a call of `call_tool` is really of, and its arguments.
fn forwarded(function: &ResolvedFunction, arguments: &str) -> Option<(ResolvedFunction, String)> {
    let built_in = function.entry().err()?.built_in;
    if built_in != BuiltIn::CallTool {
        return None;
    }
    let wanted: CallTool = built_in::read(arguments).ok()?;
    let other = function.other(&wanted.name).ok()?;
    Some((other, wanted.arguments()))
}

/// Arguments as `function` takes them, and what was read differently from how it was written.
fn repaired(function: &ResolvedFunction, arguments: String) -> (String, Option<String>) {
    match repair(&function.spec().input_schema, &arguments) {
        Some(repair) => (repair.arguments, Some(repair.note)),
        None => (arguments, None),
    }
}
