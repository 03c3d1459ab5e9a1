//! Asks a model for code, runs it in an interpreter tool, and lets it call the toolbox's functions.
//! It holds `Interpreter`, `WrittenCode` and the `Bridge` by which running code makes calls.

use std::pin::Pin;
use std::sync::Arc;

use serde_json::{Map, Value, json};
use tool_hub_agent::conversation::{Message, Role};
use tool_hub_agent::definition::declare::Language;
use tool_hub_agent::prompt::{CodeAnswer, code_prompt};
use tool_hub_host::{Interaction, Tool, ToolboxFunction};
use tool_hub_manifest::contract::{ContentBody, Failure, FailureKind, Outcome, Reply};
use tool_hub_manifest::{FunctionName, FunctionSpec};

use super::code_result::{CodeOutput, CodeResult};
use super::error::LoopError;
use super::function_call::{Reader, call_function};
use super::message_parts::{calls_of, text_of};
use super::model::{ChatModel, ModelAnswer, ModelRequest};
use super::named_values::{about, media_of};
use super::state::AgentState;
use super::watcher::{Act, Verdict, Watcher};
use crate::toolset::Toolset;

/// The arguments of a function that runs code.
const ARGUMENTS: [&str; 3] = ["code", "variables", "state"];

/// The message to a model that calls functions where it should write code.
const NO_CALLS: &str = "Nothing was called. Call functions in a block of code.";
/// The note to a model that wrote several blocks.
const ONE_BLOCK: &str = "\nOnly the first block of code of a message runs; the others did not.";
/// The note before the model's last message.
const LAST_ROUND: &str = "\nNo more code is run. Answer in words now.";

/// A tool that runs code. It calls functions through the contract's interface `toolbox`.
#[derive(Clone)]
pub struct Interpreter {
    tool: Tool,
    function: FunctionName,
    pub(super) language: Language,
}

/// Code that a model wrote and nobody ran.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenCode {
    /// The model's own description of it.
    pub explanation: String,
    /// The code, where it wrote any.
    pub code: Option<String>,
}

impl Interpreter {
    /// Takes `tool` for an interpreter of `language`: its function with the arguments `code`,
    /// `variables` and `state`.
    ///
    /// # Errors
    /// When it has none.
    pub fn new(tool: Tool, language: Language) -> Result<Self, LoopError> {
        let found = tool.functions().iter().find(|function| {
            let members = function.spec.input_schema["properties"].as_object();
            members.is_some_and(|members| ARGUMENTS.iter().all(|name| members.contains_key(*name)))
        });
        match found.map(|function| function.name.clone()) {
            Some(function) => Ok(Self {
                tool,
                function,
                language,
            }),
            None => Err(LoopError::NoInterpreter {
                tool: tool.name().to_string(),
            }),
        }
    }
}

/// Has `model` write code for `task`, which is not run.
pub(super) async fn write(
    state: &mut AgentState,
    interpreter: &Interpreter,
    model: &dyn ChatModel,
    task: &str,
) -> Result<WrittenCode, LoopError> {
    begin(state, interpreter, task)?;
    let text = text_of(&ask(state, model).await?.message);
    let read = CodeAnswer::read(&text, interpreter.language);
    Ok(WrittenCode {
        explanation: read.explanation,
        code: read.code.map(str::to_owned),
    })
}

pub(super) async fn run(
    state: &mut AgentState,
    interpreter: &Interpreter,
    model: &dyn ChatModel,
    task: &str,
) -> Result<String, LoopError> {
    begin(state, interpreter, task)?;
    for round in 1..=state.rounds_max {
        let answer = ask(state, model).await?;
        let text = text_of(&answer.message);
        let read = CodeAnswer::read(&text, interpreter.language);
        let mut told = match read.code {
            None if calls_of(&answer.message).is_empty() => return Ok(text),
            None => NO_CALLS.to_owned(),
            // The model would not read the result.
            Some(_) if round == state.rounds_max => break,
            Some(code) => {
                if !read.explanation.is_empty() {
                    state.watcher.model_said(&read.explanation);
                }
                run_once(state, interpreter, code).await.text()
            }
        };
        if read.has_more {
            told.push_str(ONE_BLOCK);
        }
        if round + 1 == state.rounds_max {
            told.push_str(LAST_ROUND);
        }
        state.push(Message::text(Role::User, told))?;
    }
    Err(LoopError::Rounds {
        rounds: state.rounds_max,
    })
}

/// Tells the model of the task, and before the first one of what it can call.
fn begin(state: &mut AgentState, interpreter: &Interpreter, task: &str) -> Result<(), LoopError> {
    if state.conversation.messages.is_empty() {
        let specs: Vec<FunctionSpec> = state.toolset.catalogue().specs().cloned().collect();
        let prompt = code_prompt(interpreter.language, &specs);
        state.push(Message::text(Role::System, prompt))?;
    }
    let given = state.values.take_given();
    let mut task = task.to_owned();
    if !given.is_empty() {
        task.push_str("\n\nThese variables are there:\n");
        for (name, value) in &given {
            let about = match media_of(value) {
                Some((media_type, _)) => about(media_type),
                None => shortened(&value.to_string()),
            };
            task.push_str(&format!("- `{name}`: {about}\n"));
        }
    }
    state.pending_variables.extend(given);
    state.push(Message::text(Role::User, task.trim_end()))
}

/// The model's next words.
async fn ask(state: &mut AgentState, model: &dyn ChatModel) -> Result<ModelAnswer, LoopError> {
    let request = ModelRequest {
        messages: &state.conversation.messages,
        functions: &[],
        must_answer: true,
        stop: &[],
    };
    let answer = model.answer(request).await?;
    if text_of(&answer.message).is_empty() && calls_of(&answer.message).is_empty() {
        return Err(LoopError::Silent);
    }
    state.is_cut_off = answer.is_cut_off;
    state.push(answer.message.clone())?;
    Ok(answer)
}

/// Runs code, where that is allowed. Variables are passed until code that got them succeeds; then
/// the interpreter keeps them.
pub(super) async fn run_once(
    state: &mut AgentState,
    interpreter: &Interpreter,
    code: &str,
) -> CodeResult {
    let language = interpreter.language;
    if let Verdict::Refused { why } = state.watcher.allows(Act::Code { language, code }).await {
        return CodeResult::Refused { why };
    }
    let mut arguments = json!({"code": code, "state": state.interpreter_state});
    if !state.pending_variables.is_empty() {
        arguments["variables"] = Value::Object(state.pending_variables.clone())
            .to_string()
            .into();
    }
    let bridge = Bridge {
        toolset: state.toolset.clone(),
        watcher: state.watcher.clone(),
        language,
    };
    let function = interpreter.function.as_str();
    let arguments = arguments.to_string();
    let running = interpreter
        .tool
        .call_with(function, &arguments, Arc::new(bridge));
    match running.await {
        Outcome::Reply(reply) => {
            state.pending_variables.clear();
            CodeResult::Finished(finished(state, reply))
        }
        Outcome::Failure(failure) => {
            state.watcher.code_printed(&failure.message);
            CodeResult::Failed {
                message: failure.message,
            }
        }
    }
}

/// Keeps what code left behind for further code and for the person.
fn finished(state: &mut AgentState, reply: Reply) -> CodeOutput {
    let structured = reply.structured.as_deref().unwrap_or_default();
    let mut ran: Value = serde_json::from_str(structured).unwrap_or_default();
    if let Value::String(kept) = ran["state"].take() {
        state.interpreter_state = kept;
    }
    let printed = ran["printed"].as_str().unwrap_or_default().to_owned();
    state.watcher.code_printed(&printed);
    let mut media = Vec::new();
    for content in reply.content {
        if let ContentBody::Image { media_type, data } | ContentBody::Audio { media_type, data } =
            content.body
        {
            media.push(format!("{}, {} bytes", about(&media_type), data.len()));
            state.values.keep("code", media_type, data);
        }
    }
    let lost = ran["lost"].as_array().into_iter().flatten();
    let lost = lost.filter_map(Value::as_str).map(str::to_owned).collect();
    CodeOutput {
        printed,
        value: ran["value"].take(),
        media,
        lost,
    }
}

/// The longest text of a variable that the model is shown, in bytes.
const SHOWN_BYTES_MAX: usize = 2_000;

fn shortened(text: &str) -> String {
    if text.len() <= SHOWN_BYTES_MAX {
        return text.to_owned();
    }
    let shown = &text[..text.floor_char_boundary(SHOWN_BYTES_MAX)];
    format!("{shown}… ({} bytes)", text.len())
}

/// The toolbox as running code finds it. Names that the language reserves are written as its
/// declarations write them.
struct Bridge {
    toolset: Toolset,
    watcher: Arc<dyn Watcher>,
    language: Language,
}

impl Interaction for Bridge {
    fn functions(&self) -> Vec<ToolboxFunction> {
        let catalogue = self.toolset.catalogue();
        let specs = catalogue.specs();
        let offered = specs.map(|spec| ToolboxFunction {
            name: self.language.identifier(&spec.name),
            description: spec.description.clone(),
            input_schema: self.renamed(&spec.input_schema),
        });
        offered.collect()
    }

    fn call<'a>(
        &'a self,
        name: &'a str,
        arguments: &'a str,
    ) -> Pin<Box<dyn Future<Output = Outcome> + Send + 'a>> {
        Box::pin(async move {
            let name = self.language.name(name);
            let arguments: Map<String, Value> = match serde_json::from_str(arguments) {
                Ok(arguments) => arguments,
                Err(error) => {
                    let message = format!("the arguments are no JSON object: {error}");
                    return Failure::new(FailureKind::InvalidArgument, message).into();
                }
            };
            let members = arguments.into_iter();
            let arguments =
                members.map(|(name, value)| (self.language.argument_name(&name), value));
            let arguments = arguments.collect();
            call_function(
                &self.toolset,
                &*self.watcher,
                Reader::Code,
                &name,
                &arguments,
            )
            .await
            .into_result()
            .into()
        })
    }
}

impl Bridge {
    /// A schema of arguments under the names that code gives them.
    fn renamed(&self, schema: &Value) -> Value {
        let mut schema = schema.clone();
        if let Some(Value::Object(members)) = schema.get_mut("properties") {
            let renamed = std::mem::take(members).into_iter();
            *members = renamed
                .map(|(name, value)| (self.language.argument(&name), value))
                .collect();
        }
        schema
    }
}
