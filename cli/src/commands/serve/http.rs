//! Flags of `tool serve` and `tool dev` for HTTP, and the server that they open, with its token.
//! Without them clients are answered on standard input and output.

use std::net::SocketAddr;
use std::path::PathBuf;

use anyhow::Context as _;
use clap::Args;
use serde_json::json;
use tokio::net::TcpListener;
use tool_hub_serve::{Access, BearerToken, Caller, CallerName, Gateway, MCP_PATH, Toolset};

use super::tokens::private_token;
use crate::serving::listener::listen;
use crate::settings::config::Config;
use crate::terminal::printer::Printer;
use crate::terminal::signals::stop_requested;

/// The caller on standard input, in the audit log.
const ON_STDIO: &str = "stdio";
/// The caller over HTTP where there is one token, in the audit log.
const ON_HTTP: &str = "http";

/// Flags of a server over HTTP.
#[derive(Debug, Args)]
pub(crate) struct HttpFlags {
    /// Serve over HTTP, for clients that show a token; the URL is printed
    #[arg(long)]
    pub(crate) http: bool,

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

    /// A host by whose name clients reach the server, beside localhost; no pattern (repeatable)
    #[arg(long = "allow-host", value_name = "HOST", requires = "http")]
    hosts: Vec<String>,

    /// A web page's origin that may use the server, such as `https://app.example` (repeatable)
    #[arg(long = "allow-origin", value_name = "ORIGIN", requires = "http")]
    origins: Vec<String>,
}

/// The caller of a server that has one.
pub(crate) struct OneCaller {
    pub(crate) name: CallerName,
    /// Absent on standard input.
    pub(crate) token: Option<BearerToken>,
    /// The token, where it was made for this run: only that one has to be shown.
    pub(crate) made: Option<BearerToken>,
}

impl HttpFlags {
    /// Opens the server, which admits nobody yet.
    ///
    /// # Errors
    /// When nothing can listen there, and for what is no host or origin.
    pub(crate) async fn open(
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

    /// The one caller, on standard input or with a token.
    ///
    /// # Errors
    /// When the file of the token cannot be used.
    pub(crate) fn caller(&self, config: &Config) -> anyhow::Result<OneCaller> {
        let (name, token, made) = match (self.http, &self.token_file) {
            (false, _) => (ON_STDIO, None, None),
            (true, Some(file)) => {
                let token = private_token(file, &config.settings.home)?;
                (ON_HTTP, Some(token), None)
            }
            (true, None) => {
                let token = BearerToken::random().context("a token cannot be made")?;
                (ON_HTTP, Some(token.clone()), Some(token))
            }
        };
        let name = name.parse()?;
        Ok(OneCaller { name, token, made })
    }
}

/// Answers clients, at the server where there is one, until they leave or somebody says stop.
pub(crate) async fn answer(
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
pub(crate) struct HttpServer {
    listener: TcpListener,
    access: Access,
    /// The gateway before an endpoint.
    gateway: Option<Gateway>,
    callers: usize,
    /// The token, where it was made for this run.
    made: Option<BearerToken>,
}

impl HttpServer {
    /// Answers `caller` as well.
    ///
    /// # Errors
    /// When there is a caller of its name or with its token.
    pub(crate) fn admit(&mut self, caller: Caller) -> anyhow::Result<()> {
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
