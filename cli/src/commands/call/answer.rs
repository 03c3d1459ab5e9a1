//! Prints the answer to a call for a person or a program, or writes its bytes to a file.

use std::process::ExitCode;

use data_encoding::BASE64;
use serde_json::{Value, json};
use tool_hub_host::Usage;
use tool_hub_manifest::contract::{Content, ContentBody, Reply, ResourceContents};

use super::usage;
use crate::terminal::output::Output;
use crate::terminal::printer::Printer;
use crate::terminal::problem::Problem;

/// Prints `reply`; its first picture, sound or binary resource goes to `output` instead,
/// where there is one. JSON tells what the call used, where that is given.
///
/// # Errors
/// When there is an output and nothing for it, or when something cannot be written.
pub(super) fn print(
    reply: &Reply,
    output: Option<&Output>,
    usage: Option<Usage>,
    printer: &Printer,
) -> anyhow::Result<ExitCode> {
    let written = match output {
        Some(output) => Some(write_out(reply, output, printer)?),
        None => None,
    };
    if printer.wants_json() {
        printer.json(&usage::beside(as_json(reply)?, usage))?;
        return Ok(ExitCode::SUCCESS);
    }
    for (index, content) in reply.content.iter().enumerate() {
        let text = shown(&content.body);
        match output {
            _ if written == Some(index) => {}
            Some(Output::Standard) => printer.note(&text),
            _ => printer.data(&text)?,
        }
    }
    if let Some(next) = &reply.next {
        printer.note(&tool_hub_agent::conversation::failure::next_text(next));
    }
    Ok(ExitCode::SUCCESS)
}

/// Writes the first content that is bytes; tells which it was.
fn write_out(reply: &Reply, output: &Output, printer: &Printer) -> anyhow::Result<usize> {
    let mut contents = reply.content.iter().enumerate();
    let found = contents.find_map(|(index, content)| Some((index, binary(content)?)));
    let Some((index, (media_type, data))) = found else {
        return Err(Problem::user(
            "the answer holds no picture, sound or binary resource to write",
        )
        .hint("leave --output out to see what it holds")
        .into());
    };
    output.write(data, printer)?;
    if let Output::File(path) | Output::Special(path) = output {
        printer.note(&format!(
            "wrote {} bytes of {media_type} to {}",
            data.len(),
            path.display()
        ));
    }
    Ok(index)
}

fn binary(content: &Content) -> Option<(&str, &[u8])> {
    match &content.body {
        ContentBody::Image { media_type, data } | ContentBody::Audio { media_type, data } => {
            Some((media_type, data))
        }
        ContentBody::Resource(resource) => match &resource.contents {
            ResourceContents::Blob(data) => Some((
                resource
                    .media_type
                    .as_deref()
                    .unwrap_or("application/octet-stream"),
                data,
            )),
            ResourceContents::Text(_) => None,
        },
        ContentBody::Text(_) | ContentBody::Link(_) => None,
    }
}

/// Content as a person reads it; binary data is only spoken of.
fn shown(body: &ContentBody) -> String {
    match body {
        ContentBody::Text(text) => text.clone(),
        ContentBody::Image { media_type, data } => {
            format!(
                "[{media_type}, {} bytes; write it to a file with --output]",
                data.len()
            )
        }
        ContentBody::Audio { media_type, data } => {
            format!(
                "[{media_type}, {} bytes; write it to a file with --output]",
                data.len()
            )
        }
        ContentBody::Link(link) => format!("[{} {}]", link.name, link.uri),
        ContentBody::Resource(resource) => match &resource.contents {
            ResourceContents::Text(text) => text.clone(),
            ResourceContents::Blob(data) => {
                format!(
                    "[{}, {} bytes; write it to a file with --output]",
                    resource.uri,
                    data.len()
                )
            }
        },
    }
}

/// `reply` for programs.
///
/// # Errors
/// When its structured half is no JSON.
pub(super) fn as_json(reply: &Reply) -> anyhow::Result<Value> {
    let structured: Option<Value> = match &reply.structured {
        Some(text) => Some(serde_json::from_str(text)?),
        None => None,
    };
    let content: Vec<Value> = reply
        .content
        .iter()
        .map(|content| content_as_json(&content.body))
        .collect();
    let mut answer = json!({ "content": content });
    if let Some(structured) = structured {
        answer["structured"] = structured;
    }
    if let Some(next) = &reply.next {
        answer["next"] = json!(next);
    }
    Ok(answer)
}

fn content_as_json(body: &ContentBody) -> Value {
    match body {
        ContentBody::Text(text) => json!({ "type": "text", "text": text }),
        ContentBody::Image { media_type, data } => {
            json!({ "type": "image", "media_type": media_type, "data": BASE64.encode(data) })
        }
        ContentBody::Audio { media_type, data } => {
            json!({ "type": "audio", "media_type": media_type, "data": BASE64.encode(data) })
        }
        ContentBody::Link(link) => json!({ "type": "link", "uri": link.uri, "name": link.name }),
        ContentBody::Resource(resource) => match &resource.contents {
            ResourceContents::Text(text) => {
                json!({ "type": "resource", "uri": resource.uri, "text": text })
            }
            ResourceContents::Blob(data) => {
                json!({ "type": "resource", "uri": resource.uri, "blob": BASE64.encode(data) })
            }
        },
    }
}
