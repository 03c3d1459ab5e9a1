//! Answers MCP requests about resources: lists them, reads one, and completes addresses.

use rmcp::model::{
    CacheScope, CompleteRequestParams, CompleteResult, CompletionInfo, ListResourceTemplatesResult,
    ListResourcesResult, ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult,
    Reference, Resource, ResourceTemplate,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde_json::json;
use tool_hub_host::{self as host, Tool};
use tool_hub_manifest::contract::{EmbeddedResource, Failure, FailureKind};

use super::call::{self, Client, GuestResult};
use super::pagination::{FRESH_MS, STALE_MS, page};
use super::question::QuestionContext;
use super::{content, prompts, result};
use crate::audit::FrontEnd;
use crate::audit::{self, Request, Subject};
use crate::offerings::Offerings;
use crate::provenance;
use crate::quoted_text::quoted_name;

pub(super) async fn list(
    offerings: &Offerings,
    cursor: Option<&str>,
) -> Result<ListResourcesResult, ErrorData> {
    let resources = offerings.resources().await.into_iter();
    let (resources, next) = page(resources.map(|it| (it.link.uri.clone(), it)), cursor)?;
    let resources = resources.into_iter().map(resource).collect();
    let mut listed = ListResourcesResult::with_all_items(resources)
        .with_ttl_ms(STALE_MS)
        .with_cache_scope(CacheScope::Private);
    listed.next_cursor = next;
    Ok(listed)
}

pub(super) async fn templates(
    offerings: &Offerings,
    cursor: Option<&str>,
) -> Result<ListResourceTemplatesResult, ErrorData> {
    let templates = offerings.templates().await.into_iter();
    let (templates, next) = page(templates.map(|it| (it.uri_template.as_str(), it)), cursor)?;
    let templates = templates.into_iter().map(template).collect();
    let mut listed = ListResourceTemplatesResult::with_all_items(templates)
        .with_ttl_ms(FRESH_MS)
        .with_cache_scope(CacheScope::Private);
    listed.next_cursor = next;
    Ok(listed)
}

pub(super) async fn read(
    offerings: &Offerings,
    request: ReadResourceRequestParams,
    context: &RequestContext<RoleServer>,
    client: Client<'_>,
) -> Result<ReadResourceResponse, ErrorData> {
    let uri = &request.uri;
    let found = call::unless_cancelled(context, offerings.reader(uri));
    let Some(reader) = found.await? else {
        return Err(not_found(uri, None));
    };
    let asked = QuestionContext {
        method: "resources/read",
        name: reader.key.as_str(),
        arguments: uri,
        state: request.request_state.as_deref(),
        responses: request.input_responses,
    };
    let noted = Request {
        subject: Subject::resource(uri),
        tool: &reader.tool,
        front_end: FrontEnd::Mcp,
    };
    let read = async |interaction| reader.tool.read_resource(uri, interaction).await;
    let read = async |interaction| audit::audited(client.auditor, noted, interaction, read).await;
    match call::run(asked, context, client, read).await? {
        GuestResult::Answer(parts) if parts.is_empty() => Err(not_found(uri, None)),
        GuestResult::Answer(parts) => Ok(answer(parts, Some(&reader.tool)).into()),
        GuestResult::Failure(failure) if failure.kind == FailureKind::NotFound => {
            Err(not_found(uri, Some(&failure)))
        }
        GuestResult::Failure(failure) => Err(result::error(&failure)),
        GuestResult::Question(required) => Ok(required.into()),
    }
}

/// The result of reading, of `tool` if only one tool answered.
pub(super) fn answer(parts: Vec<EmbeddedResource>, tool: Option<&Tool>) -> ReadResourceResult {
    let contents = parts.into_iter().map(content::contents).collect();
    let mut answer = ReadResourceResult::new(contents)
        .with_ttl_ms(STALE_MS)
        .with_cache_scope(CacheScope::Private);
    answer.meta = Some(provenance::of(tool));
    answer
}

/// Completes an argument: a variable of addresses has the values that listed resources have. A
/// prompt's arguments are any text.
pub(super) async fn complete(
    offerings: &Offerings,
    request: CompleteRequestParams,
) -> Result<CompleteResult, ErrorData> {
    let argument = request.argument;
    let mut values = match request.r#ref {
        Reference::Prompt(prompt) => match offerings.prompt(&prompt.name).await {
            Some(_) => Vec::new(),
            None => return Err(prompts::unknown(&prompt.name)),
        },
        Reference::Resource(template) => offerings.values(&template.uri, &argument.name).await,
        _ => Vec::new(),
    };
    values.retain(|value| value.starts_with(&argument.value));
    let total = u32::try_from(values.len()).ok();
    let has_more = values.len() > CompletionInfo::MAX_VALUES;
    values.truncate(CompletionInfo::MAX_VALUES);
    let completion = CompletionInfo::with_pagination(values, total, has_more)
        .map_err(|error| ErrorData::internal_error(error, None))?;
    Ok(CompleteResult::new(completion))
}

/// The longest address that is given back whole.
const URI_BYTES_MAX: usize = 2 << 10;

/// Older revisions have a code of their own for this; the newest calls it a wrong parameter.
pub(super) fn not_found(uri: &str, failure: Option<&Failure>) -> ErrorData {
    let message = match failure {
        Some(failure) => failure.to_string(),
        None => format!("there is no resource `{}`", quoted_name(uri)),
    };
    let uri = match uri.len() {
        ..=URI_BYTES_MAX => uri.to_owned(),
        _ => quoted_name(uri),
    };
    ErrorData::resource_not_found(message, Some(json!({ "uri": uri })))
}

fn resource(entry: host::ResourceEntry) -> Resource {
    let mut resource = content::resource(entry.link);
    resource.annotations = entry.annotations.map(content::annotations);
    resource
}

fn template(template: &host::ResourceTemplate) -> ResourceTemplate {
    let mut definition = ResourceTemplate::new(template.uri_template.as_str(), &template.name);
    definition.title.clone_from(&template.title);
    definition.description.clone_from(&template.description);
    definition.mime_type.clone_from(&template.media_type);
    definition
}
