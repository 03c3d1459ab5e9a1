//! Answers MCP requests about prompts: lists those of all tools, and has one filled in.

use rmcp::model::{
    CacheScope, GetPromptRequestParams, GetPromptResponse, GetPromptResult, ListPromptsResult,
    Prompt, PromptArgument, PromptMessage,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde_json::{Map, Value};
use tool_hub_host as host;

use super::call::{self, Client, GuestResult};
use super::content;
use super::pagination::{FRESH_MS, page};
use super::question::QuestionContext;
use super::result;
use crate::audit::FrontEnd;
use crate::audit::{self, Request, Subject};
use crate::offerings::{OfferedPrompt, Offerings};
use crate::provenance;
use crate::quoted_text::quoted_name;

pub(super) async fn list(
    offerings: &Offerings,
    cursor: Option<&str>,
) -> Result<ListPromptsResult, ErrorData> {
    let prompts = offerings.prompts().await.into_iter();
    let (prompts, next) = page(prompts.map(|offered| (&offered.name, offered)), cursor)?;
    let prompts = prompts.into_iter().map(definition).collect();
    let mut listed = ListPromptsResult::with_all_items(prompts)
        .with_ttl_ms(FRESH_MS)
        .with_cache_scope(CacheScope::Private);
    listed.next_cursor = next;
    Ok(listed)
}

pub(super) async fn get(
    offerings: &Offerings,
    request: GetPromptRequestParams,
    context: &RequestContext<RoleServer>,
    client: Client<'_>,
) -> Result<GetPromptResponse, ErrorData> {
    let found = call::unless_cancelled(context, offerings.prompt(&request.name));
    let Some((tool, offered)) = found.await? else {
        return Err(unknown(&request.name));
    };
    let given = request.arguments.unwrap_or_default();
    let arguments = arguments(&given)?;
    let written = Value::Object(given).to_string();
    let asked = QuestionContext {
        method: "prompts/get",
        name: &request.name,
        arguments: &written,
        state: request.request_state.as_deref(),
        responses: request.input_responses,
    };
    let noted = Request {
        subject: Subject::Prompt(&request.name),
        tool: &tool,
        front_end: FrontEnd::Mcp,
    };
    let name = &offered.prompt.name;
    let filled = async |interaction| tool.get_prompt(name, &arguments, interaction).await;
    let filled =
        async |interaction| audit::audited(client.auditor, noted, interaction, filled).await;
    match call::run(asked, context, client, filled).await? {
        GuestResult::Answer(messages) => {
            let mut result = GetPromptResult::new(messages.into_iter().map(message).collect());
            result.description.clone_from(&offered.prompt.description);
            result.meta = Some(provenance::of(Some(&tool)));
            Ok(result.into())
        }
        GuestResult::Failure(failure) => Err(result::error(&failure)),
        GuestResult::Question(required) => Ok(required.into()),
    }
}

pub(super) fn unknown(name: &str) -> ErrorData {
    let message = format!(
        "unknown prompt `{}`; `prompts/list` names every prompt",
        quoted_name(name)
    );
    ErrorData::invalid_params(message, None)
}

/// The values of the arguments, which are texts.
fn arguments(given: &Map<String, Value>) -> Result<Vec<(String, String)>, ErrorData> {
    let pair = |(name, value): (&String, &Value)| match value {
        Value::String(text) => Ok((name.clone(), text.clone())),
        _ => {
            let message = format!(
                "argument `{}` of a prompt has to be a string",
                quoted_name(name)
            );
            Err(ErrorData::invalid_params(message, None))
        }
    };
    given.iter().map(pair).collect()
}

fn definition(offered: &OfferedPrompt) -> Prompt {
    let prompt = &offered.prompt;
    let arguments = prompt.arguments.iter().map(|argument| {
        let mut definition = PromptArgument::new(&argument.name).with_required(argument.required);
        definition.description.clone_from(&argument.description);
        definition
    });
    let mut definition = Prompt::new(
        &offered.name,
        prompt.description.clone(),
        Some(arguments.collect()),
    );
    definition.title.clone_from(&prompt.title);
    definition
}

fn message(message: host::PromptMessage) -> PromptMessage {
    PromptMessage::new(content::role(message.role), content::block(message.content))
}
