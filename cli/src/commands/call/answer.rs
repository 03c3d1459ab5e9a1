//! Prints the answer to a call for a person or a program, or writes its bytes to a file.

use std::process::ExitCode;

use tool_hub_host::Usage;
use tool_hub_manifest::contract::{Content, ContentBody, Reply, ResourceContents};

use super::resource_usage;
use crate::terminal::output::Output;
use crate::terminal::printer::Printer;
use crate::terminal::problem::Problem;
use crate::text::reply_json::reply_json;

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
        printer.json(&resource_usage::beside(reply_json(reply)?, usage))?;
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
