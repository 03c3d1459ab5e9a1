//! Reads an OpenAPI document for `tool new --from-openapi`, and chooses operations from it.

use std::path::Path;
use std::time::Duration;

use anyhow::anyhow;
use clap::Args;
use reqwest::redirect::Policy;
use serde_json::Value;
use tool_hub_agent::definition::openapi::{
    ApiFunctions, Choice, ChoiceError, OpenApiDocument, OpenApiError,
};
use url::Url;

use super::fetched_text::{FetchError, fetched_text};
use crate::files::{self, Limit};
use crate::scaffold::{ApiServer, OpenApiProject};
use crate::session::Session;
use crate::terminal::printer::Printer;
use crate::terminal::problem::Problem;

/// The longest document that is read.
const LIMIT: Limit = Limit {
    name: "OPENAPI_BYTES_MAX",
    bytes_max: 32 << 20,
    hint: "take the part of the document with the operations that are wanted",
};
/// The longest wait for a document, and the most redirects on the way to it.
const ANSWER: Duration = Duration::from_secs(60);
const REDIRECTS_MAX: usize = 5;
/// The most tags, and operations, that are told of.
const TAGS_MAX: usize = 40;
const OPERATIONS_MAX: usize = 100;

/// The operations of a document that are wanted, and where they are called.
#[derive(Debug, Default, Args)]
pub(super) struct OpenApiOptions {
    /// Take the operations with this tag of the document; may be repeated
    #[arg(long, value_name = "TAG", requires = "from_openapi")]
    tag: Vec<String>,

    /// Take this operation, by its `operationId` or as "GET /path"; may be repeated
    #[arg(long, value_name = "ID", requires = "from_openapi")]
    operation: Vec<String>,

    /// Take the dozen operations that these words describe best, such as "create issue"
    #[arg(long, value_name = "WORDS", requires = "from_openapi")]
    search: Option<String>,

    /// Call the API at this address, in place of the server that the document names
    #[arg(long, value_name = "URL", requires = "from_openapi")]
    server: Option<Url>,
}

/// Reads the document in a file or at an address, and makes a project of what is chosen.
pub(super) async fn read(
    place: &str,
    options: &OpenApiOptions,
    session: &Session,
) -> anyhow::Result<OpenApiProject> {
    let address = Url::parse(place).ok().filter(|url| url.has_host());
    let text = match &address {
        Some(url) => fetch(url).await?,
        None => {
            let working = &session.config.settings.working;
            let bytes = files::read_or_input(Path::new(place), working, &LIMIT)?;
            files::text(bytes, place)?
        }
    };
    let refused = |error: OpenApiError| {
        let problem =
            Problem::user(format!("{place} cannot become a tool")).caused_by(error.clone());
        match error {
            OpenApiError::Version { version } if version.starts_with('2') => problem
                .hint("convert it to version 3.0, with the converter of Swagger or another one"),
            _ => problem.hint("a document of OpenAPI 3.0 or 3.1, in JSON or YAML, is read"),
        }
    };
    let document = OpenApiDocument::new(value(&text, place)?).map_err(refused)?;
    let operations = document.operations().map_err(refused)?;
    let choice = Choice {
        tags: options.tag.clone(),
        operations: options.operation.clone(),
        search: options.search.clone(),
    };
    let chosen = choice.of(&operations);
    let chosen = chosen.map_err(|error| not_chosen(error, &choice, &session.printer))?;
    let made = document.functions(&chosen);
    if made.functions.is_empty() {
        let reasons = made.skipped.join("; ");
        let problem = Problem::user("no function can call what is chosen");
        return Err(problem.caused_by(anyhow!(reasons)).into());
    }
    let servers = servers(&made, options.server.as_ref(), address.as_ref())?;
    let title = document.title().unwrap_or("an API").to_owned();
    Ok(OpenApiProject::of(title, made, servers))
}

/// The value of a document in JSON or YAML.
fn value(text: &str, place: &str) -> anyhow::Result<Value> {
    let text = text.trim_start_matches('\u{feff}');
    let problem = || Problem::user(format!("{place} cannot be read"));
    if text.trim_start().starts_with('{') {
        let read = serde_json::from_str(text);
        return read.map_err(|error| problem().caused_by(error).into());
    }
    // The largest documents have some hundred thousand nodes.
    let options = serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_nodes: 2_000_000,
            max_events: 6_000_000,
            max_documents: 1,
        },
    };
    serde_saphyr::from_str_with_options(text, options).map_err(|error| {
        let said = error.to_string();
        let first = said.lines().next().unwrap_or_default().to_owned();
        problem()
            .caused_by(anyhow!("it is not YAML: {first}"))
            .into()
    })
}

/// The server of each function.
fn servers(
    made: &ApiFunctions,
    chosen: Option<&Url>,
    address: Option<&Url>,
) -> anyhow::Result<Vec<ApiServer>> {
    let of = |named: &str| {
        let url = match (chosen, address) {
            (Some(url), _) => Some(url.clone()),
            (None, Some(address)) => address.join(named).ok(),
            (None, None) => Url::parse(named).ok(),
        };
        url.and_then(ApiServer::of).ok_or_else(|| {
            Problem::user(format!(
                "the document names no server that can be called: `{named}`"
            ))
            .hint("say where the API is with --server, such as --server https://api.example.com")
            .into()
        })
    };
    made.functions
        .iter()
        .map(|function| of(&function.server))
        .collect()
}

/// The error of a choice of too much or of nothing, after a list of what there is.
fn not_chosen(error: ChoiceError, choice: &Choice, printer: &Printer) -> Problem {
    let problem = Problem::user(error.to_string());
    match error {
        ChoiceError::TooMany {
            tags, operations, ..
        } => match choice.tags.is_empty() {
            true if !tags.is_empty() => problem
                .hint(format!("they have the tags {}", listed(&tags)))
                .hint("choose with --tag TAG, --search \"create issue\" or --operation ID"),
            _ => {
                for (name, summary) in operations.iter().take(OPERATIONS_MAX) {
                    printer.note(&format!("  {name}: {summary}"));
                }
                if operations.len() > OPERATIONS_MAX {
                    let rest = operations.len() - OPERATIONS_MAX;
                    printer.note(&format!("  and {rest} more"));
                }
                problem.hint("choose among them with --search \"create issue\" or --operation ID")
            }
        },
        ChoiceError::NoTag { tags, .. } | ChoiceError::NoMatch { tags, .. } => {
            match tags.is_empty() {
                true => {
                    problem.hint("the document has no tags; choose with --search or --operation")
                }
                false => problem.hint(format!("the tags are {}", listed(&tags))),
            }
        }
        ChoiceError::NoOperation { similar, .. } if !similar.is_empty() => {
            problem.hint(format!("there is {}", similar.join(", ")))
        }
        ChoiceError::NoOperation { .. } => {
            problem.hint("find it with --search, or write it as \"GET /path\"")
        }
        _ => problem.hint("name those that are wanted with --operation"),
    }
}

fn listed(tags: &[(String, usize)]) -> String {
    let shown = tags.iter().take(TAGS_MAX);
    let shown: Vec<String> = shown
        .map(|(tag, count)| format!("{tag} ({count})"))
        .collect();
    match tags.len() > TAGS_MAX {
        true => format!("{} and {} more", shown.join(", "), tags.len() - TAGS_MAX),
        false => shown.join(", "),
    }
}

/// The document at an address.
async fn fetch(url: &Url) -> anyhow::Result<String> {
    let failed = |why: anyhow::Error| {
        Problem::user(format!("{url} cannot be read"))
            .caused_by(why)
            .hint("write the address of the document itself, of http: or https:")
    };
    let is_read = matches!(url.scheme(), "http" | "https") && url.username().is_empty();
    if !is_read || url.password().is_some() {
        return Err(failed(anyhow!("it is not an address without user and password")).into());
    }
    let http = reqwest::Client::builder()
        .timeout(ANSWER)
        .redirect(Policy::limited(REDIRECTS_MAX))
        .no_proxy()
        .build()?;
    let text = fetched_text(&http, url, LIMIT.bytes_max).await;
    text.map_err(|error| match error {
        FetchError::TooLong => {
            let long = format!("{url} has more than {} bytes", LIMIT.bytes_max);
            Problem::refused(long).hint(LIMIT.hint).into()
        }
        FetchError::Failed(why) => failed(why).into(),
    })
}
