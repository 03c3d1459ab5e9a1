//! `tool serve`: the toolbox for an agent, as a Model Context Protocol server on standard
//! input and output, or over HTTP.

mod tokens;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context as _;
use clap::Args;
use futures::future::select_all;
use serde_json::json;
use tokio::net::TcpListener;
use tool_hub_serve::{Access, BearerToken, Caller, MCP_PATH, Toolset};

use crate::audit::AuditLog;
use crate::config::Config;
use crate::listen::listen;
use crate::printer::Printer;
use crate::served::{Served, Share};
use crate::signals::stop_requested;
use crate::wording::counted;

use tokens::{Named, token_of};

/// Who calls on standard input, to the audit log.
const ON_STDIO: &str = "stdio";
/// Who calls over HTTP where there is one token.
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

    /// Append a line of JSON for each call to this file; `-` is standard error
    ///
    /// The line says when, who, which function, with what end, and what the call used, and
    /// nothing of arguments and results. While it cannot be written no call is made.
    #[arg(long, value_name = "FILE")]
    audit: Option<PathBuf>,

    #[command(flatten)]
    http: Http,
}

/// How clients reach a server over HTTP.
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

    /// A file that holds the token [default: one that is made for this run, and printed]
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

    /// A host by whose name clients reach the server, beside localhost (repeatable)
    #[arg(long = "allow-host", value_name = "HOST", requires = "http")]
    hosts: Vec<String>,

    /// A web page's origin that may use the server, such as `https://app.example` (repeatable)
    #[arg(long = "allow-origin", value_name = "ORIGIN", requires = "http")]
    origins: Vec<String>,
}

impl Serve {
    /// Whether it is for the one client at the other end of standard input.
    pub(crate) fn is_for_one_client(&self) -> bool {
        !self.http.http
    }

    pub(crate) async fn execute(
        &self,
        config: &Config,
        printer: &Printer,
    ) -> anyhow::Result<ExitCode> {
        let log = match &self.audit {
            Some(path) => Some(AuditLog::open(path, *printer)?),
            None => None,
        };
        let (callers, made) = self.callers(config)?;
        let shares = callers.iter().map(|caller| &caller.share);
        let served = Served::open_all(shares, config, printer)?;
        // What is wrong with it is said before tools are compiled.
        let mut door = match self.http.http {
            true => Some(self.http.open(made).await?),
            false => None,
        };
        let mut toolsets = Vec::new();
        let mut functions = 0;
        for (caller, served) in callers.iter().zip(&served) {
            let seen = served.stamps();
            let catalogue = served.catalogue().await?;
            functions += catalogue.names().count();
            let mut toolset = Toolset::new(catalogue);
            if let Some(log) = &log {
                toolset = toolset.audited(log.clone(), caller.name.clone());
            }
            if let (Some(door), Some(token)) = (&mut door, caller.token) {
                door.admit(Caller::new(caller.name.clone(), token, toolset.clone()))?;
            }
            toolsets.push((toolset, seen));
        }
        let follows = served.iter().zip(&toolsets);
        let follows = follows.map(|(one, (toolset, seen))| Box::pin(one.follow(toolset, *seen)));
        let follows: Vec<_> = follows.collect();
        let functions = counted(functions, "function");
        let answering = answer(&toolsets[0].0, door, &functions, printer);
        tokio::select! {
            answered = answering => answered?,
            (never, ..) = select_all(follows) => match never {},
        }
        Ok(ExitCode::SUCCESS)
    }

    /// Who may call, and the token that was made for this run, if one was: whoever chose one
    /// knows it.
    fn callers(&self, config: &Config) -> anyhow::Result<(Vec<Named>, Option<BearerToken>)> {
        let usual = self.toolbox.as_deref();
        if let Some(file) = &self.http.tokens {
            return Ok((tokens::read(file, usual, config)?, None));
        }
        let share = Share {
            toolbox: self.toolbox.clone(),
            names: self.names.clone(),
        };
        let (name, token, made) = match (self.http.http, &self.http.token_file) {
            (false, _) => (ON_STDIO, None, None),
            (true, Some(file)) => (ON_HTTP, Some(token_of(file)?), None),
            (true, None) => {
                let token = BearerToken::random().context("a token cannot be made")?;
                (ON_HTTP, Some(token.clone()), Some(token))
            }
        };
        let only = Named {
            name: name.parse()?,
            token: token.as_ref().map(BearerToken::digest),
            share,
        };
        Ok((vec![only], made))
    }
}

/// Answers clients, at the door where there is one, until they leave or somebody says stop.
async fn answer(
    toolset: &Toolset,
    door: Option<Door>,
    functions: &str,
    printer: &Printer,
) -> anyhow::Result<()> {
    let Some(door) = door else {
        printer.note(&format!("serving {functions} on standard input and output"));
        tool_hub_serve::serve_stdio(toolset.clone(), stop_requested()).await?;
        return Ok(());
    };
    door.tell(functions, printer)?;
    tool_hub_serve::serve_http(door.listener, door.access, stop_requested()).await?;
    Ok(())
}

/// Where clients come in, and who may.
struct Door {
    listener: TcpListener,
    access: Access,
    callers: usize,
    /// The token, where it was made for this run.
    made: Option<BearerToken>,
}

impl Door {
    fn admit(&mut self, caller: Caller) -> anyhow::Result<()> {
        self.access = self.access.clone().with_caller(caller)?;
        self.callers += 1;
        Ok(())
    }

    fn tell(&self, functions: &str, printer: &Printer) -> anyhow::Result<()> {
        let url = format!("http://{}{MCP_PATH}", self.listener.local_addr()?);
        let made = self.made.as_ref().map(BearerToken::expose);
        if printer.wants_json() {
            return printer.json(&json!({ "url": url, "token": made }));
        }
        printer.data(&url)?;
        if let Some(token) = made {
            printer.data(&format!("Authorization: Bearer {token}"))?;
        }
        let callers = match self.callers {
            1 => String::new(),
            several => format!(" to {several} callers"),
        };
        printer.note(&format!(
            "serving {functions}{callers}; stop it with Ctrl-C"
        ));
        Ok(())
    }
}

impl Http {
    async fn open(&self, made: Option<BearerToken>) -> anyhow::Result<Door> {
        Ok(Door {
            access: self.access()?,
            listener: listen(self.listen).await?,
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
