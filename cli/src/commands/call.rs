//! `tool call`: calls one function, in a fresh sandbox, as an agent would.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use data_encoding::BASE64;
use serde_json::{Value, json};
use tool_hub_agent::FailureText;
use tool_hub_host::{
    CallableFunction, Content, ContentBody, Failure, FailureKind, Outcome, Reply, ResourceContents,
    Tool,
};
use tool_hub_manifest::Grants;

use crate::approval::ApprovalFlags;
use crate::arguments;
use crate::config::Config;
use crate::diagnosis::{Exit, Problem};
use crate::loaded::{self, LoadedTool};
use crate::output::Output;
use crate::package::Subject;
use crate::printer::Printer;
use crate::toolbox::OpenToolbox;

/// Arguments of `tool call`.
#[derive(Debug, Args)]
pub(crate) struct Call {
    /// NAME or NAME.function of the toolbox, or the path of a component
    target: String,

    /// The function (unless the target names it), then its arguments
    ///
    /// An argument is name=value. name=@file stands for the contents of a file, name=@- for
    /// what standard input holds, name=@@text for a text that starts with @. A list is given
    /// by naming the argument once for each element, or whole: name='["a","b"]'.
    arguments: Vec<String>,

    /// All arguments at once, as a JSON object
    #[arg(long, value_name = "JSON", conflicts_with = "arguments")]
    json_args: Option<String>,

    /// Write the first picture, sound or binary resource of the answer to a file
    ///
    /// A file that exists is replaced as a whole, a link is followed to its target, and a
    /// device or a named pipe is written to. With `-` standard output carries these bytes
    /// and nothing else.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,

    #[command(flatten)]
    approval: ApprovalFlags,
}

/// A tool that is about to be called, and how it was named.
struct Target {
    tool: Tool,
    name: String,
    function: Option<String>,
}

impl Call {
    pub(crate) async fn execute(
        &self,
        config: &Config,
        printer: &Printer,
    ) -> anyhow::Result<ExitCode> {
        let output = self.output(config, printer)?;
        let target = self.load(config, printer).await?;
        let (function, pairs) = self.function(&target)?;
        let arguments = match &self.json_args {
            Some(text) => text.clone(),
            None => {
                arguments::parse(pairs, &function.spec.input_schema, &config.working)?.to_string()
            }
        };
        match target.tool.call(function.name.as_str(), &arguments).await {
            Outcome::Reply(reply) => print(&reply, output.as_ref(), printer),
            Outcome::Failure(failure) => self.print_failure(function, &failure, printer),
        }
    }

    /// Where the answer's bytes go, looked at before the function is called: a call may have
    /// consequences, and its answer should have a place.
    fn output(&self, config: &Config, printer: &Printer) -> anyhow::Result<Option<Output>> {
        let Some(path) = &self.output else {
            return Ok(None);
        };
        let output = Output::find(path, config)?;
        if matches!(output, Output::Standard) && printer.wants_json() {
            return Err(
                Problem::user("--json and --output - both want standard output")
                    .hint("leave one of them out: the JSON holds the bytes as base64")
                    .into(),
            );
        }
        Ok(Some(output))
    }

    async fn load(&self, config: &Config, printer: &Printer) -> anyhow::Result<Target> {
        let host = config.open_host()?;
        if let Ok(subject @ Subject::Path(_)) = self.target.parse() {
            let fetched = subject.fetch(&config.endpoint, config, printer).await?;
            let inspection = tool_hub_host::inspect(&fetched.verified)?;
            let asked = &fetched.verified.manifest().capabilities;
            let digest = inspection.approval_digest;
            let (grants, _) =
                self.approval
                    .decide(&self.target, digest, asked, Grants::none(), config)?;
            let tool = loaded::load(&host, &self.target, fetched.verified, grants, config).await?;
            return Ok(Target {
                tool,
                name: self.target.clone(),
                function: None,
            });
        }
        let (key, function) = match self.target.split_once('.') {
            Some((key, function)) => (key, Some(function.to_owned())),
            None => (self.target.as_str(), None),
        };
        let toolbox = OpenToolbox::open(config)?;
        let member = toolbox.member(key)?;
        let loaded = LoadedTool::load(member, &host, &config.open_store()?, config).await?;
        Ok(Target {
            tool: loaded.tool,
            name: key.to_owned(),
            function,
        })
    }

    /// Which function is meant, and which words are its arguments. The first word is the
    /// function's name where the target does not say it and it is no argument.
    fn function<'a>(
        &'a self,
        target: &'a Target,
    ) -> anyhow::Result<(&'a CallableFunction, &'a [String])> {
        let functions = target.tool.functions();
        let (named, pairs) = match (&target.function, self.arguments.split_first()) {
            (None, Some((first, rest))) if !first.contains('=') => (Some(first), rest),
            (named, _) => (named.as_ref(), self.arguments.as_slice()),
        };
        let found = match (named, functions) {
            (None, [only]) => Some(only),
            (None, _) => None,
            (Some(named), _) => {
                let named = named.replace('-', "_");
                functions
                    .iter()
                    .find(|function| function.name.as_str() == named)
            }
        };
        if let Some(function) = found {
            return Ok((function, pairs));
        }
        let names: Vec<&str> = functions
            .iter()
            .map(|function| function.name.as_str())
            .collect();
        let message = match named {
            Some(named) => format!("`{}` has no function called `{named}`", target.name),
            None => format!("`{}` has several functions; say which one", target.name),
        };
        Err(Problem::user(message)
            .hint(format!("it has: {}", names.join(", ")))
            .into())
    }

    fn print_failure(
        &self,
        function: &CallableFunction,
        failure: &Failure,
        printer: &Printer,
    ) -> anyhow::Result<ExitCode> {
        if printer.wants_json() {
            printer.json(&json!({ "failure": failure }))?;
            return Ok(exit_of(&failure.kind).into());
        }
        let text = FailureText {
            function: function.name.as_str(),
            kind: failure.kind.as_str(),
            message: &failure.message,
            fix: None,
            argument: failure.argument.as_deref(),
            retryable: failure.retryable,
        };
        let hints: Vec<String> = failure.fix.iter().cloned().collect();
        let message = text.to_string();
        // The advice on calling again, the last line, is for agents.
        let message = message
            .rsplit_once('\n')
            .map_or(message.as_str(), |(said, _)| said)
            .to_owned();
        printer.error(&anyhow::Error::msg(message), &hints);
        Ok(exit_of(&failure.kind).into())
    }
}

fn print(reply: &Reply, output: Option<&Output>, printer: &Printer) -> anyhow::Result<ExitCode> {
    let written = match output {
        Some(output) => Some(write_out(reply, output, printer)?),
        None => None,
    };
    if printer.wants_json() {
        printer.json(&as_json(reply)?)?;
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
        printer.note(&tool_hub_agent::next_text(next));
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

fn exit_of(kind: &FailureKind) -> Exit {
    match kind {
        FailureKind::Denied { .. } | FailureKind::HostLimit { .. } => Exit::Refused,
        FailureKind::Trapped | FailureKind::Internal => Exit::Unexpected,
        _ => Exit::User,
    }
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

fn as_json(reply: &Reply) -> anyhow::Result<Value> {
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
