//! Shared by the MCP tests: a catalogue of one real tool, and scripted clients in sessions.

use std::future::Future;
use std::sync::{Arc, Mutex};

use rmcp::model::{
    CallToolRequestParams, ClientCapabilities, ClientConfig, ElicitRequestParams, ElicitResult,
    ElicitationAction, ElicitationCapability, Implementation, ProgressNotificationParam,
    ProtocolVersion,
};
use rmcp::service::{NotificationContext, RequestContext, RunningService};
use rmcp::{ClientHandler, ClientLifecycleMode, ClientServiceExt, ErrorData, RoleClient};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tool_hub_host::authoring::derive_manifest;
use tool_hub_host::{Approved, Host, HostConfig};
use tool_hub_manifest::{Confirmation, FunctionName, Grants, Package, Verified};
use tool_hub_serve::{Catalogue, End, Offer, Toolset, serve};

/// A catalogue of [`offers`].
pub(crate) async fn catalogue(calls_max: u32) -> Catalogue {
    Catalogue::new(offers(calls_max).await).unwrap()
}

/// The functions of `guest.wat` under the key `guest`. `calls_max` calls run at once.
pub(crate) async fn offers(calls_max: u32) -> Vec<Offer> {
    let component = wat::parse_str(include_str!("guest.wat")).unwrap();
    let mut manifest = derive_manifest(&component, "guest".parse().unwrap()).unwrap();
    let bounds: FunctionName = "bounds".parse().unwrap();
    let bounds = &mut manifest.functions[&bounds];
    bounds.title = Some("Bounds".into());
    bounds.description = "Gives both bounds back.".into();
    bounds.read_only = Some(true);
    bounds.idempotent = Some(true);
    let echo: FunctionName = "echo".parse().unwrap();
    let drop = [("text".parse().unwrap(), vec![json!("drop")])];
    manifest.functions[&echo].confirm = Some(Confirmation::Values(drop.into()));
    let package = Package {
        manifest: manifest.to_toml().into_bytes(),
        component,
        interpreter: None,
        sbom: None,
    };
    let verified = Verified::check(package).unwrap();
    let approved = Approved::from_lock_record(verified, Grants::none()).unwrap();
    let mut config = HostConfig::new();
    config.calls_in_flight_max = calls_max;
    let host = Host::new(config).unwrap();
    let tool = host.load(approved).await.unwrap();
    Offer::all(&"guest".parse().unwrap(), &tool).unwrap()
}

pub(crate) fn params(function: &str, arguments: Value) -> CallToolRequestParams {
    let Value::Object(arguments) = arguments else {
        panic!("arguments are an object");
    };
    CallToolRequestParams::new(format!("guest__{function}")).with_arguments(arguments)
}

/// Which revision the client speaks.
#[derive(Clone, Copy)]
pub(crate) enum Era {
    /// 2025-11-25: `initialize`, then a session.
    Session,
    /// 2026-07-28: every request stands alone.
    Stateless,
}

/// How far a call is: done, total, message.
type Report = (f64, Option<f64>, Option<String>);

/// The person behind a client.
pub(crate) struct Person {
    says: Option<ElicitResult>,
    pub(crate) asked: Arc<Mutex<Vec<String>>>,
    pub(crate) heard: Arc<Mutex<Vec<Report>>>,
    told: Option<mpsc::UnboundedSender<()>>,
}

impl Person {
    pub(crate) fn absent() -> Self {
        Self {
            says: None,
            asked: Arc::default(),
            heard: Arc::default(),
            told: None,
        }
    }

    pub(crate) fn answering(answer: Value) -> Self {
        Self {
            says: Some(ElicitResult::new(ElicitationAction::Accept).with_content(answer)),
            ..Self::absent()
        }
    }

    pub(crate) fn declining() -> Self {
        Self {
            says: Some(ElicitResult::new(ElicitationAction::Decline)),
            ..Self::absent()
        }
    }
}

impl ClientHandler for Person {
    fn get_info(&self) -> ClientConfig {
        let mut capabilities = ClientCapabilities::default();
        capabilities.elicitation = self.says.is_some().then(ElicitationCapability::default);
        ClientConfig::new(capabilities, Implementation::new("test", "0"))
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        _context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let ElicitRequestParams::FormElicitationParams { message, .. } = request else {
            return Err(ErrorData::invalid_params("a form was expected", None));
        };
        self.asked.lock().unwrap().push(message);
        Ok(self.says.clone().expect("only who can answer is asked"))
    }

    async fn on_progress(
        &self,
        progress: ProgressNotificationParam,
        _context: NotificationContext<RoleClient>,
    ) {
        let heard = (progress.progress, progress.total, progress.message);
        self.heard.lock().unwrap().push(heard);
    }

    async fn on_tool_list_changed(&self, _context: NotificationContext<RoleClient>) {
        let told = self.told.as_ref().expect("sessions want to know");
        // A session that is closing has no use for it.
        let _ = told.send(());
    }
}

/// A client and the server that answers it.
pub(crate) struct Session {
    pub(crate) client: RunningService<RoleClient, Person>,
    pub(crate) toolset: Toolset,
    /// One for each time that the client was told of a change.
    pub(crate) changes: mpsc::UnboundedReceiver<()>,
    server: JoinHandle<End>,
    stop: oneshot::Sender<()>,
}

impl Session {
    pub(crate) async fn open(era: Era, person: Person) -> Self {
        Self::open_with(4, era, person).await
    }

    pub(crate) async fn open_with(calls_max: u32, era: Era, person: Person) -> Self {
        Self::open_on(catalogue(calls_max).await, era, person).await
    }

    /// A session with a server that offers `catalogue`.
    pub(crate) async fn open_on(catalogue: Catalogue, era: Era, mut person: Person) -> Self {
        let (ours, theirs) = tokio::io::duplex(64 * 1024);
        let (reader, writer) = tokio::io::split(theirs);
        let (stop, stopped) = oneshot::channel();
        let shutdown = async {
            if stopped.await.is_err() {
                std::future::pending().await
            }
        };
        let toolset = Toolset::new(catalogue);
        let serving = serve(toolset.clone(), reader, writer, shutdown);
        let server = tokio::spawn(async { serving.await.unwrap() });
        let lifecycle = match era {
            Era::Session => ClientLifecycleMode::Initialize,
            Era::Stateless => ClientLifecycleMode::Discover {
                preferred_versions: vec![ProtocolVersion::V_2026_07_28],
            },
        };
        let (told, changes) = mpsc::unbounded_channel();
        person.told = Some(told);
        let client = person.serve_with_lifecycle(ours, lifecycle).await.unwrap();
        Self {
            client,
            toolset,
            changes,
            server,
            stop,
        }
    }

    /// The result of a call, as it went over the wire.
    pub(crate) fn call(&self, function: &str, arguments: Value) -> impl Future<Output = Value> {
        let called = self.client.call_tool(params(function, arguments));
        async { serde_json::to_value(called.await.unwrap()).unwrap() }
    }

    /// The result of a call of a function of the server itself.
    pub(crate) fn call_built_in(
        &self,
        name: &str,
        arguments: Value,
    ) -> impl Future<Output = Value> {
        let Value::Object(arguments) = arguments else {
            panic!("arguments are an object");
        };
        let params = CallToolRequestParams::new(name.to_owned()).with_arguments(arguments);
        let called = self.client.call_tool(params);
        async { serde_json::to_value(called.await.unwrap()).unwrap() }
    }

    /// The names that are listed, in order.
    pub(crate) async fn names(&self) -> Vec<String> {
        let tools = self.client.list_all_tools().await.unwrap();
        tools.into_iter().map(|tool| tool.name.into()).collect()
    }

    /// Closes the client's side.
    pub(crate) async fn close(self) -> End {
        self.client.cancel().await.unwrap();
        self.server.await.unwrap()
    }

    /// Tells the server to stop.
    pub(crate) async fn shut_down(self) -> End {
        self.stop.send(()).unwrap();
        self.server.await.unwrap()
    }
}

/// Sends messages, closes the input, and gives back whatever was written, line by line.
pub(crate) async fn lines(catalogue: Catalogue, messages: &[Value]) -> (Vec<Value>, End) {
    let (ours, theirs) = tokio::io::duplex(64 * 1024);
    let (reader, writer) = tokio::io::split(theirs);
    let (mut output, mut input) = tokio::io::split(ours);
    let server = tokio::spawn(serve(
        catalogue.into(),
        reader,
        writer,
        std::future::pending(),
    ));
    for message in messages {
        let line = format!("{message}\n");
        input.write_all(line.as_bytes()).await.unwrap();
    }
    input.shutdown().await.unwrap();
    let mut text = String::new();
    output.read_to_string(&mut text).await.unwrap();
    let written = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    (written, server.await.unwrap().unwrap())
}
