//! `tool serve`: serves the toolbox over MCP or plain HTTP, also as a gateway to a model endpoint.

mod gateway;
mod only;
mod tokens;

use std::convert::Infallible;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context as _;
use clap::Args;
use futures::future::{join_all, pending};
use serde_json::json;
use tokio::net::TcpListener;
use tool_hub_serve::{
    ANSWER_BYTES_MAX, Access, AuditLog, AuditNotice, BearerToken, Caller, Gateway, LISTED_MAX,
    MCP_PATH, Presentation, Toolset,
};

use crate::allocator;
use crate::serving::listener::listen;
use crate::serving::toolbox_server::{ToolSelection, ToolboxServer};
use crate::session::Session;
use crate::settings::config::Config;
use crate::terminal::output;
use crate::terminal::phrases::counted;
use crate::terminal::printer::Printer;
use crate::terminal::signals::stop_requested;

use gateway::OpenAi;
use only::OnlyFlags;
use tokens::{ServedCaller, private_token};

/// The caller on standard input, in the audit log.
const ON_STDIO: &str = "stdio";
/// The caller over HTTP where there is one token, in the audit log.
const ON_HTTP: &str = "http";

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
    http: Http,

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

/// Flags of a server over HTTP.
#[derive(Debug, Args)]
struct Http {
    /// Serve over HTTP, for clients that show a token; the URL is printed
    #[arg(long)]
    http: bool,

    /// Where to listen with --http; port 0 takes a free one
    #[arg(
        long,
        value_name = "ADDRESS",
        default_value = "127.0.0.1:8765",
        requires = "http"
    )]
    listen: SocketAddr,

    /// A file that holds the token, and that nobody else can read [default: a token that is made
    /// for this run, and printed]
    #[arg(long, value_name = "FILE", requires = "http")]
    token_file: Option<PathBuf>,

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

    /// A host by whose name clients reach the server, beside localhost; no pattern (repeatable)
    #[arg(long = "allow-host", value_name = "HOST", requires = "http")]
    hosts: Vec<String>,

    /// A web page's origin that may use the server, such as `https://app.example` (repeatable)
    #[arg(long = "allow-origin", value_name = "ORIGIN", requires = "http")]
    origins: Vec<String>,
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
        match only {
            Some(only) => catalogues.push(only.catalogue(self.presentation(), session).await?),
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
            join_all(follows).await;
            pending::<Infallible>().await
        };
        let functions = counted(functions, "function");
        let answering = answer(&toolsets[0], server, &functions, printer);
        tokio::select! {
            answered = answering => answered?,
            never = following => match never {},
        }
        Ok(ExitCode::SUCCESS)
    }

    /// The callers, and the token that was made for this run, if one was: only that one has to be
    /// shown.
    fn callers(&self, config: &Config) -> anyhow::Result<(Vec<ServedCaller>, Option<BearerToken>)> {
        let usual = self.toolbox.as_deref();
        if let Some(file) = &self.http.tokens {
            return Ok((tokens::read(file, usual, config)?, None));
        }
        let selection = ToolSelection {
            toolbox: self.toolbox.clone(),
            names: self.names.clone(),
        };
        let (name, token, made) = match (self.http.http, &self.http.token_file) {
            (false, _) => (ON_STDIO, None, None),
            (true, Some(file)) => (
                ON_HTTP,
                Some(private_token(file, &config.settings.home)?),
                None,
            ),
            (true, None) => {
                let token = BearerToken::random().context("a token cannot be made")?;
                (ON_HTTP, Some(token.clone()), Some(token))
            }
        };
        let only = ServedCaller {
            name: name.parse()?,
            token: token.as_ref().map(BearerToken::digest),
            selection,
        };
        Ok((vec![only], made))
    }
}

/// Answers clients, at the server where there is one, until they leave or somebody says stop.
async fn answer(
    toolset: &Toolset,
    server: Option<HttpServer>,
    functions: &str,
    printer: &Printer,
) -> anyhow::Result<()> {
    let Some(server) = server else {
        printer.note(&format!("serving {functions} on standard input and output"));
        tool_hub_serve::serve_stdio(toolset.clone(), stop_requested()).await?;
        return Ok(());
    };
    server.tell(functions, printer)?;
    let HttpServer {
        listener,
        access,
        gateway,
        ..
    } = server;
    tool_hub_serve::serve_http(listener, access, gateway, stop_requested()).await?;
    Ok(())
}

/// The address of a server over HTTP and its callers.
struct HttpServer {
    listener: TcpListener,
    access: Access,
    /// The gateway before an endpoint.
    gateway: Option<Gateway>,
    callers: usize,
    /// The token, where it was made for this run.
    made: Option<BearerToken>,
}

impl HttpServer {
    fn admit(&mut self, caller: Caller) -> anyhow::Result<()> {
        self.access = self.access.clone().with_caller(caller)?;
        self.callers += 1;
        Ok(())
    }

    fn tell(&self, functions: &str, printer: &Printer) -> anyhow::Result<()> {
        let origin = format!("http://{}", self.listener.local_addr()?);
        let url = format!("{origin}{MCP_PATH}");
        let openai = self.gateway.as_ref().map(|_| format!("{origin}/v1"));
        let made = self.made.as_ref().map(BearerToken::expose);
        if printer.wants_json() {
            let mut told = json!({ "url": url, "token": made });
            if let Some(openai) = openai {
                told["openai"] = openai.into();
            }
            return printer.json(&told);
        }
        printer.data(&url)?;
        if let Some(openai) = openai {
            printer.data(&openai)?;
        }
        if let Some(token) = made {
            printer.data(&format!("Authorization: Bearer {token}"))?;
        }
        let callers = match self.callers {
            1 => String::new(),
            several => format!(" to {several} callers, each with limits of its own"),
        };
        printer.note(&format!(
            "serving {functions}{callers}; stop it with Ctrl-C"
        ));
        Ok(())
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

impl Http {
    async fn open(
        &self,
        made: Option<BearerToken>,
        gateway: Option<Gateway>,
    ) -> anyhow::Result<HttpServer> {
        Ok(HttpServer {
            access: self.access()?,
            listener: listen(self.listen).await?,
            gateway,
            callers: 0,
            made,
        })
    }

    fn access(&self) -> anyhow::Result<Access> {
        let mut access = Access::none();
        let own = self.listen.ip();
        if !own.is_unspecified() {
            access = access.with_host(&own.to_string())?;
        }
        for host in &self.hosts {
            access = access.with_host(host)?;
        }
        for origin in &self.origins {
            access = access.with_origin(origin)?;
        }
        Ok(access)
    }
}
