//! An agent that calls functions: the model is asked, its calls are run, and it is asked again with
//! their results.

use serde_json::Value;
use tool_hub_agent::conversation::{Content, Message, Role, ToolCall, ToolResult};
use tool_hub_manifest::FunctionSpec;
use tool_hub_manifest::contract::{Failure, FailureKind, Reply};

use super::error::LoopError;
use super::function_call::{CallEnd, Reader, call_function};
use super::message_parts::{calls_of, text_of};
use super::model::{ChatModel, ModelRequest};
use super::state::AgentState;
use crate::built_in::READ_ANSWER;
use crate::failed_calls::FailedCalls;
use crate::resolved_function::ResolvedFunction;
use crate::result::CallResult;

/// Calls of one message that are run; further ones are answered with a failure.
const CALLS_MAX: usize = 64;
/// Of how many things in one message the model is told that they could not be read.
const PROBLEMS_MAX: usize = 16;

pub(super) async fn run(
    state: &mut AgentState,
    model: &dyn ChatModel,
    task: &str,
) -> Result<String, LoopError> {
    let listed = ResolvedFunction::listed(&state.toolset);
    let all: Vec<FunctionSpec> = listed
        .iter()
        .map(|function| function.spec().clone())
        .collect();
    let without_reader: Vec<FunctionSpec> = all
        .iter()
        .filter(|spec| spec.name != READ_ANSWER)
        .cloned()
        .collect();
    let told = state.values.tell();
    let task = match told.is_empty() {
        true => task.to_owned(),
        false => format!("{task}\n\n{told}"),
    };
    state.push(Message::text(Role::User, task))?;
    let mut failed = FailedCalls::default();
    for round in 1..=state.rounds_max {
        let is_last = round == state.rounds_max || failed.are_repeated();
        // Small models call what reads stored results for no reason.
        let functions = match state.toolset.stored_results().is_empty() {
            true => &without_reader,
            false => &all,
        };
        let request = ModelRequest {
            messages: &state.conversation.messages,
            functions,
            must_answer: is_last,
            stop: &[],
        };
        let answer = model.answer(request).await?;
        let (text, calls) = (text_of(&answer.message), calls_of(&answer.message));
        state.is_cut_off = answer.is_cut_off;
        state.push(answer.message)?;
        if calls.is_empty() && answer.problems.is_empty() {
            return if text.is_empty() {
                Err(LoopError::Silent)
            } else {
                Ok(text)
            };
        }
        if !text.is_empty() {
            state.watcher.said(&text);
        }
        if is_last {
            // Nobody would be told what came of the calls.
            return Err(LoopError::Rounds { rounds: round });
        }
        answer_calls(state, &calls, &mut failed).await?;
        tell_problems(state, &answer.problems)?;
    }
    Err(LoopError::Rounds {
        rounds: state.rounds_max,
    })
}

async fn answer_calls(
    state: &mut AgentState,
    calls: &[ToolCall],
    failed: &mut FailedCalls,
) -> Result<(), LoopError> {
    // Calls of one message were made without knowing of each other's failures.
    let known: Vec<Option<Failure>> = calls
        .iter()
        .map(|call| failed.repeated(&call.name, &text_of_arguments(call)))
        .collect();
    let mut results = Vec::with_capacity(calls.len());
    for (index, (call, known)) in calls.iter().zip(known).enumerate() {
        let result = match known {
            Some(failure) => Err(failure),
            None if index < CALLS_MAX => made(state, call, failed).await,
            None => {
                let message = format!("more than {CALLS_MAX} functions were called at once");
                Err(Failure::new(FailureKind::LimitReached, message))
            }
        };
        results.push(Content::Result(tool_result(state, call, result)));
    }
    state.push(Message::new(Role::Tool, results))
}

async fn made(
    state: &mut AgentState,
    call: &ToolCall,
    failed: &mut FailedCalls,
) -> Result<Reply, Failure> {
    let arguments = state.values.filled_in(&call.arguments);
    let (toolset, watcher) = (&state.toolset, &*state.watcher);
    let end = call_function(toolset, watcher, Reader::Model, &call.name, &arguments).await;
    if let CallEnd::Made(result) = &end {
        failed.take(&call.name, &text_of_arguments(call), result);
    }
    end.into_result()
}

fn text_of_arguments(call: &ToolCall) -> String {
    Value::Object(call.arguments.clone()).to_string()
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
