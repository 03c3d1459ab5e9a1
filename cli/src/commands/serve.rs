//! `tool serve`: serves the toolbox over MCP or plain HTTP, also as a gateway to a model endpoint.

mod gateway;
pub(crate) mod http;
mod only;
mod tokens;

use std::convert::Infallible;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context as _;
use clap::Args;
use futures::future::{join_all, pending};
use tool_hub_serve::{
    ANSWER_BYTES_MAX, AuditLog, AuditNotice, BearerToken, Caller, LISTED_MAX, Presentation, Toolset,
};

use crate::allocator;
use crate::serving::release_refresh;
use crate::serving::toolbox_server::{ToolSelection, ToolboxServer};
use crate::session::Session;
use crate::settings::config::Config;
use crate::terminal::output;
use crate::terminal::phrases::counted;
use crate::terminal::printer::Printer;

use gateway::OpenAi;
use http::{HttpFlags, OneCaller};
use only::OnlyFlags;
use only::served_tree::ServedTree;
use tokens::ServedCaller;

/// Arguments of `tool serve`.
#[derive(Debug, Args)]
pub(crate) struct Serve {
    /// Only these tools of the toolbox [default: all that you approved]
    ///
    /// A toolbox travels with its project, so it may name a tool that you never approved.
    /// Such a tool is left out with a warning on standard error, and the others are served:
    /// an agent keeps what it relies on. Approve it with `tool load`. A tool that is named
    /// here is never left out; when it cannot be served, nothing is.
    names: Vec<String>,

    /// The toolbox in this directory, wherever the command is started [default: the nearest
    /// upwards, else your own]
    #[arg(long, value_name = "DIR")]
    toolbox: Option<PathBuf>,

    /// How long an answer may be that an agent gets whole, in bytes of text; 0 for any
    ///
    /// Of a longer one it gets the beginning, and reads the rest with `read_answer`.
    #[arg(long, value_name = "BYTES", default_value_t = ANSWER_BYTES_MAX,
          value_parser = answer_limit)]
    answer_limit: usize,

    /// How many functions are listed one by one; 0 for any number
    ///
    /// Of more, an agent gets `search_tools`, `describe_tool` and `call_tool` to find and call
    /// them with.
    #[arg(long, value_name = "N", default_value_t = LISTED_MAX)]
    list_max: usize,

    /// Append a line of JSON for each call to this file; `-` is standard error
    ///
    /// The line says when, who, which function, with what end, and what the call used, and
    /// nothing of arguments and results. While it cannot be written no call is made.
    #[arg(long, value_name = "FILE")]
    audit: Option<PathBuf>,

    #[command(flatten)]
    only: OnlyFlags,

    #[command(flatten)]
    http: HttpFlags,

    /// A file with several tokens by name, each with tools of its own
    ///
    /// A table a name: `sha256` is the digest of the token, or `file` holds it; `toolbox` is
    /// the directory of another toolbox, and `tools` are some of its tools.
    #[arg(
        long,
        value_name = "FILE",
        requires = "http",
        conflicts_with_all = ["token_file", "names"]
    )]
    tokens: Option<PathBuf>,

    #[command(flatten)]
    openai: OpenAi,
}

/// The least limit: a smaller one has no room for the note on how to read the rest.
const ANSWER_BYTES_MIN: usize = 2 << 10;

fn answer_limit(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(bytes) if bytes == 0 || bytes >= ANSWER_BYTES_MIN => Ok(bytes),
        Ok(_) => Err(format!("use 0, or {ANSWER_BYTES_MIN} and more")),
        Err(_) => Err("use a number of bytes".to_owned()),
    }
}

impl Serve {
    fn presentation(&self) -> Presentation {
        let limit = |limit: usize| (limit > 0).then_some(limit);
        Presentation {
            answer_bytes_max: limit(self.answer_limit),
            listed_max: limit(self.list_max),
        }
    }

    pub(crate) async fn execute(&self, session: &Session) -> anyhow::Result<ExitCode> {
        let Session { config, printer } = session;
        if self.http.http {
            allocator::keep_little();
        }
        let log = match &self.audit {
            Some(path) => {
                output::refuse_settings(&config.settings.place(path), config)?;
                Some(audit_log(path, session.printer)?)
            }
            None => None,
        };
        let gateway = self.openai.gateway(session)?;
        let (callers, made) = self.callers(config)?;
        let only = self.only.tool()?;
        let served = match &only {
            Some(_) => Vec::new(),
            None => {
                let selections = callers.iter().map(|caller| &caller.selection);
                ToolboxServer::open_all(selections, self.presentation(), session)?
            }
        };
        // Opened first, so that its errors are reported before tools are compiled.
        let mut server = match self.http.http {
            true => Some(self.http.open(made, gateway).await?),
            false => None,
        };
        let seen: Vec<_> = served.iter().map(ToolboxServer::stamps).collect();
        let mut catalogues = Vec::new();
        let mut only_tree = None;
        match only {
            Some(only) => {
                let (catalogue, tree) = only.catalogue(self.presentation(), session).await?;
                catalogues.push(catalogue);
                only_tree = Some(tree);
            }
            None => {
                for toolbox in &served {
                    catalogues.push(toolbox.catalogue().await?);
                }
            }
        }
        let mut toolsets = Vec::new();
        let mut functions = 0;
        for (caller, catalogue) in callers.iter().zip(catalogues) {
            functions += catalogue.names().count();
            let mut toolset = Toolset::new(catalogue);
            if let Some(log) = &log {
                toolset = toolset.audited(log.clone(), caller.name.clone());
            }
            if let (Some(server), Some(token)) = (&mut server, caller.token) {
                server.admit(Caller::new(caller.name.clone(), token, toolset.clone()))?;
            }
            toolsets.push(toolset);
        }
        let follows = served.iter().zip(&toolsets).zip(seen);
        let follows = follows.map(|((one, toolset), seen)| one.follow(toolset, seen));
        let following = async {
            let only = async {
                if let Some(tree) = &only_tree {
                    tree.follow(&toolsets[0], session).await;
                }
            };
            tokio::join!(join_all(follows), only);
            pending::<Infallible>().await
        };
        let places = || {
            let only = only_tree.iter().flat_map(ServedTree::places);
            served
                .iter()
                .flat_map(ToolboxServer::places)
                .chain(only)
                .collect()
        };
        let refreshing = release_refresh::refresh(places, session);
        let functions = counted(functions, "function");
        let answering = http::answer(&toolsets[0], server, &functions, printer);
        tokio::select! {
            answered = answering => answered?,
            never = following => match never {},
            never = refreshing => match never {},
        }
        Ok(ExitCode::SUCCESS)
    }

    /// The callers, and the token that was made for this run, if one was: only that one has to be
    /// shown.
    fn callers(&self, config: &Config) -> anyhow::Result<(Vec<ServedCaller>, Option<BearerToken>)> {
        let usual = self.toolbox.as_deref();
        if let Some(file) = &self.tokens {
            return Ok((tokens::read(file, usual, config)?, None));
        }
        let selection = ToolSelection {
            toolbox: self.toolbox.clone(),
            names: self.names.clone(),
        };
        let OneCaller { name, token, made } = self.http.caller(config)?;
        let only = ServedCaller {
            name,
            token: token.as_ref().map(BearerToken::digest),
            selection,
        };
        Ok((vec![only], made))
    }
}

fn audit_log(path: &Path, printer: Printer) -> anyhow::Result<Arc<AuditLog>> {
    let tell = move |notice| match notice {
        AuditNotice::Unwritable(text) => printer.warning(&text),
        AuditNotice::WrittenAgain(text) => printer.note(&text),
    };
    let log = AuditLog::open(path, tell)
        .with_context(|| format!("the audit log {} cannot be written", path.display()))?;
    Ok(Arc::new(log))
}
