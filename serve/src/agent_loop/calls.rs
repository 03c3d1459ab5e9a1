//! Runs a task with a model that calls functions, and gives it their results until it answers.

use std::borrow::Cow;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use serde_json::Value;
use tool_hub_agent::conversation::{Content, Message, Role, ToolCall, ToolResult};
use tool_hub_manifest::FunctionSpec;
use tool_hub_manifest::contract::{Failure, FailureKind, Reply};

use super::error::LoopError;
use super::function_call::{Reader, call_function};
use super::message_parts::{calls_of, text_of};
use super::model::{ChatModel, ModelRequest};
use super::state::AgentState;
use crate::built_in::READ_ANSWER;
use crate::call_result::CallResult;
use crate::resolved_function::ResolvedFunction;
use crate::tool_loop::{self, CallEnd, Expected, Next, ToolLoop, Turn, WrittenCall};

/// The most parts of one message of which the model is told that they could not be read.
const PROBLEMS_MAX: usize = 16;

/// A task that a model does by calling functions.
struct CallingAgent<'a> {
    state: &'a mut AgentState,
    model: &'a dyn ChatModel,
    functions: Vec<FunctionSpec>,
    /// The same without `read_answer`, which is offered once results are stored: small models would
    /// call it for no reason.
    without_reader: Vec<FunctionSpec>,
    /// The parts of the last message that could not be read, in words for the model.
    problems: Vec<String>,
    answer: String,
}

pub(super) async fn run(
    state: &mut AgentState,
    model: &dyn ChatModel,
    task: &str,
) -> Result<String, LoopError> {
    let listed = ResolvedFunction::listed(&state.toolset);
    let specs = listed.iter().map(ResolvedFunction::spec);
    let functions: Vec<FunctionSpec> = specs.cloned().collect();
    let without_reader = functions.iter().filter(|spec| spec.name != READ_ANSWER);
    let without_reader = without_reader.cloned().collect();
    let given = state.values.take_given_text();
    let task = match given.is_empty() {
        true => task.to_owned(),
        false => format!("{task}\n\n{given}"),
    };
    state.push(Message::text(Role::User, task))?;
    let rounds_max = state.rounds_max;
    let mut agent = CallingAgent {
        state,
        model,
        functions,
        without_reader,
        problems: Vec::new(),
        answer: String::new(),
    };
    tool_loop::run(&mut agent, rounds_max).await?;
    Ok(agent.answer)
}

impl ToolLoop for CallingAgent<'_> {
    type Call = ToolCall;
    type Result = ToolResult;
    type Error = LoopError;

    async fn ask(&mut self, expected: Expected) -> Result<Turn<ToolCall>, LoopError> {
        let functions = match self.state.toolset.stored_results().is_empty() {
            true => &self.without_reader,
            false => &self.functions,
        };
        let request = ModelRequest {
            messages: &self.state.conversation.messages,
            functions,
            must_answer: expected == Expected::Answer,
            stop: &[],
        };
        let answer = self.model.answer(request).await?;
        let (text, calls) = (text_of(&answer.message), calls_of(&answer.message));
        self.state.is_cut_off = answer.is_cut_off;
        self.state.push(answer.message)?;
        let mut next = Next::Ask;
        if calls.is_empty() && answer.problems.is_empty() {
            if text.is_empty() {
                return Err(LoopError::Silent);
            }
            next = Next::Finish;
            self.answer = text;
        } else if !text.is_empty() {
            self.state.watcher.model_said(&text);
        }
        self.problems = answer.problems;
        Ok(Turn { calls, next })
    }

    /// One, because a person allows them one by one.
    fn calls_at_once(&self) -> usize {
        1
    }

    fn make_call(&mut self, call: &ToolCall) -> BoxFuture<'static, CallEnd> {
        let arguments = self.state.values.filled_in(&call.arguments);
        let (toolset, watcher) = (self.state.toolset.clone(), self.state.watcher.clone());
        let name = call.name.clone();
        async move { call_function(&toolset, &*watcher, Reader::Model, &name, &arguments).await }
            .boxed()
    }

    fn end_call(&mut self, call: &ToolCall, result: Result<Reply, Failure>) -> ToolResult {
        tool_result(self.state, call, result)
    }

    async fn take_results(
        &mut self,
        _: &[ToolCall],
        results: Vec<ToolResult>,
    ) -> Result<(), LoopError> {
        let results = results.into_iter().map(Content::Result);
        self.state.push(Message::new(Role::Tool, results))?;
        let problems = std::mem::take(&mut self.problems);
        tell_problems(self.state, &problems)
    }

    fn too_many_rounds(&self, round: u32) -> LoopError {
        LoopError::Rounds { rounds: round }
    }
}

impl WrittenCall for ToolCall {
    fn name(&self) -> &str {
        &self.name
    }

    fn arguments(&self) -> Cow<'_, str> {
        Value::Object(self.arguments.clone()).to_string().into()
    }
}

/// Tells the model what of its answer could not be read.
fn tell_problems(state: &mut AgentState, problems: &[String]) -> Result<(), LoopError> {
    if problems.is_empty() {
        return Ok(());
    }
    let told = problems[..problems.len().min(PROBLEMS_MAX)].join("\n");
    state.watcher.misread(&told);
    state.push(Message::text(Role::User, told))
}

/// The result of a call as the model reads it. Pictures and sounds are kept under names.
fn tool_result(
    state: &mut AgentState,
    call: &ToolCall,
    result: Result<Reply, Failure>,
) -> ToolResult {
    let result = match result {
        Ok(reply) => CallResult::of_reply(state.values.keep_media(&call.name, reply)),
        Err(mut failure) => {
            let unknown = state.values.unknown_in(&call.arguments);
            if let Some(unknown) = unknown.filter(|_| failure.kind == FailureKind::InvalidArgument)
            {
                let fix = failure.fix.take().map(|fix| format!("; {fix}"));
                failure.fix = Some(unknown + &fix.unwrap_or_default());
            }
            CallResult::of_failure(&call.name, &failure)
        }
    };
    ToolResult {
        call_id: call.id.clone(),
        name: Some(call.name.clone()),
        is_error: result.is_failure,
        content: vec![Content::Text(result.text()).into()],
    }
}
