//! The `Session` with a server that runs: opened, asked for its list, called, ended.

use std::pin::Pin;
use std::time::Duration;

use rmcp::model::{CallToolRequestParams, CallToolResponse};
use rmcp::service::{
    ClientInitializeError, RoleClient, RunningService, ServiceError, serve_client,
};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use serde_json::{Map, Value};
use tokio::sync::Mutex;
use tool_hub_agent::characters::escape_line;
use tool_hub_manifest::{ServerProcess, ServerStart};
use url::Url;

use crate::bounded_output::{BoundedOutput, Budget, MESSAGE_BYTES_MAX};
use crate::error::ServerError;
use crate::handler::Handler;
use crate::listing::{Listing, ListingError};
use crate::opening::{Opening, Surroundings};
use crate::process::{self, RunningProcess, Started};
use crate::remote;

/// The time in which a server has to answer `initialize`, and then each request for its list.
const START_TIME_MAX: Duration = Duration::from_secs(30);
/// The most characters of an error that are repeated.
const ERROR_CHARS_MAX: usize = 500;

/// A future of the library, which the compiler can tell to be `Send` only apart from others.
type Boxed<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// A server that runs. Dropping this ends it.
pub(crate) struct Session {
    service: RunningService<RoleClient, Handler>,
    process: Mutex<Option<RunningProcess>>,
    handler: Handler,
    budget: Budget,
}

/// Opens the server, asks for its list, and ends it.
///
/// # Errors
/// When it is not started, not reached, or does not answer as the protocol says.
pub async fn list(opening: &Opening, surroundings: &Surroundings) -> Result<Listing, ServerError> {
    let session = Session::open(opening, surroundings).await?;
    session.listing().await
}

impl Session {
    pub(crate) async fn open(
        opening: &Opening,
        surroundings: &Surroundings,
    ) -> Result<Self, ServerError> {
        match &opening.start {
            ServerStart::Process(process) => {
                Self::open_process(process, opening, surroundings).await
            }
            ServerStart::Remote { url } => Self::open_remote(url, opening).await,
        }
    }

    async fn open_process(
        process: &ServerProcess,
        opening: &Opening,
        surroundings: &Surroundings,
    ) -> Result<Self, ServerError> {
        let started = process::start(process, opening, surroundings).await?;
        let Started {
            stdin,
            stdout,
            mut process,
        } = started;
        let budget = Budget::default();
        let stdout = BoundedOutput::new(stdout, budget.clone());
        let transport = AsyncRwTransport::new_client(stdout, stdin);
        let transport = transport.with_max_line_length(MESSAGE_BYTES_MAX);
        let handler = Handler::default();
        let served: Boxed<_> = Box::pin(serve_client(handler.clone(), transport));
        match tokio::time::timeout(START_TIME_MAX, served).await {
            Ok(Ok(service)) => Ok(Self {
                service,
                process: Mutex::new(Some(process)),
                handler,
                budget,
            }),
            Ok(Err(ClientInitializeError::ConnectionClosed(_)))
            | Ok(Err(ClientInitializeError::TransportError { .. })) => Err(ServerError::Ended {
                what: "initialize",
                how: process.end().await,
            }),
            Ok(Err(error)) => Err(not_initialized(&error)),
            Err(_) => Err(silent("initialize")),
        }
    }

    async fn open_remote(url: &Url, opening: &Opening) -> Result<Self, ServerError> {
        let origin = url.origin().ascii_serialization().parse();
        let origin = origin.map_err(|_| ServerError::Protocol {
            what: "initialize",
            reason: "its URL has no origin".to_owned(),
        })?;
        let client = remote::client(&origin, &opening.credentials).await?;
        let config = StreamableHttpClientTransportConfig::with_uri(url.as_str());
        let transport = StreamableHttpClientTransport::with_client(client, config);
        let handler = Handler::default();
        let served: Boxed<_> = Box::pin(serve_client(handler.clone(), transport));
        match tokio::time::timeout(START_TIME_MAX, served).await {
            Ok(Ok(service)) => Ok(Self {
                service,
                process: Mutex::new(None),
                handler,
                budget: Budget::default(),
            }),
            Ok(Err(error)) => Err(not_initialized(&error)),
            Err(_) => Err(silent("initialize")),
        }
    }

    /// The present list of the server.
    pub(crate) async fn listing(&self) -> Result<Listing, ServerError> {
        let peer = self.service.peer().clone();
        let read: Boxed<_> = Box::pin(async move { Listing::read(&peer).await });
        match tokio::time::timeout(START_TIME_MAX, read).await {
            Ok(Ok(listing)) => {
                self.budget.renew();
                Ok(listing)
            }
            Ok(Err(ListingError::Server(error))) => Err(error),
            Ok(Err(ListingError::Service(error))) => Err(self.explain("tools/list", error).await),
            Err(_) => Err(silent("tools/list")),
        }
    }

    /// Calls the tool that the server knows as `tool`. Dropping the future cancels the call.
    pub(crate) async fn call(
        &self,
        tool: &str,
        arguments: Map<String, Value>,
    ) -> Result<CallToolResponse, ServiceError> {
        let mut call = CallToolRequestParams::new(tool.to_owned());
        call.arguments = Some(arguments);
        let peer = self.service.peer().clone();
        let called: Boxed<_> = Box::pin(async move { peer.call_tool_once(call).await });
        let answered = called.await;
        self.budget.renew();
        answered
    }

    /// True if the server has said that its list is another one.
    pub(crate) fn take_list_changed(&self) -> bool {
        self.handler.take_list_changed()
    }

    /// True if the server, or the connection to it, has ended.
    pub(crate) fn is_closed(&self) -> bool {
        self.service.is_closed() || self.service.peer().is_transport_closed()
    }

    /// The error that `what` ended with, with what is known of the server's end.
    pub(crate) async fn explain(&self, what: &'static str, error: ServiceError) -> ServerError {
        match error {
            ServiceError::TransportClosed | ServiceError::TransportSend(_) => {
                let mut process = self.process.lock().await;
                let how = match &mut *process {
                    Some(process) => process.end().await,
                    None => shortened(&error.to_string()),
                };
                ServerError::Ended { what, how }
            }
            ServiceError::McpError(error) => ServerError::Protocol {
                what,
                reason: shortened(&error.message),
            },
            other => ServerError::Protocol {
                what,
                reason: shortened(&other.to_string()),
            },
        }
    }
}

fn silent(what: &'static str) -> ServerError {
    ServerError::Silent {
        what,
        time: START_TIME_MAX,
    }
}

fn not_initialized(error: &ClientInitializeError) -> ServerError {
    ServerError::Protocol {
        what: "initialize",
        reason: shortened(&error.to_string()),
    }
}

/// The beginning of a stranger's text, on one line.
fn shortened(text: &str) -> String {
    let text: String = text.chars().take(ERROR_CHARS_MAX).collect();
    escape_line(&text)
}
