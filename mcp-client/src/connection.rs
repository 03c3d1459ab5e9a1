//! The `Connection` to one approved server: started at its first call, checked, started again.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value};
use tokio::runtime::Handle;
use tokio::sync::{Mutex, Semaphore};
use tokio::task::JoinHandle;
use tokio::time::Instant;
use tool_hub_host::{ApprovedServer, Change, ServerCall, ServerConnection};
use tool_hub_manifest::ServerTool;
use tool_hub_manifest::contract::{Failure, FailureKind, Reply};

use crate::drift::Drift;
use crate::error::ServerError;
use crate::opening::{Opening, Surroundings};
use crate::reply;
use crate::session::Session;

/// The most calls of one server at a time. Others wait.
const CALLS_MAX: usize = 16;
/// The most starts in a row of a server that answers no call.
const STARTS_MAX: u32 = 3;
/// The time after which one that ended that often is started again.
const WAIT: Duration = Duration::from_secs(60);

/// Something about a server that its user should know. Texts of the server in it are unescaped.
#[derive(Debug)]
#[non_exhaustive]
pub enum ServerNotice<'a> {
    /// Its list differs from the approved one.
    Drifted {
        /// The server's name in the toolbox.
        name: &'a str,
        /// The differences.
        changes: &'a [Change],
        /// The tools that were not approved, which are not offered.
        added: &'a [String],
    },
}

/// Whoever is told.
pub(crate) type Tell = Arc<dyn Fn(ServerNotice<'_>) + Send + Sync>;

/// A connection to one approved server.
pub(crate) struct Connection {
    inner: Arc<Inner>,
    runtime: Handle,
}

struct Inner {
    server: ApprovedServer,
    surroundings: Surroundings,
    tell: Tell,
    calls: Arc<Semaphore>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    open: Option<Arc<Open>>,
    /// The starts since a call was answered, and the last of them.
    starts: u32,
    last: Option<Instant>,
}

/// A session, and how its list differed from what was approved when it was last read.
struct Open {
    session: Session,
    drift: Mutex<Arc<Drift>>,
}

/// A task that ends with its handle.
struct Attached<T>(JoinHandle<T>);

impl<T> Drop for Attached<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Connection {
    pub(crate) fn new(
        server: ApprovedServer,
        surroundings: Surroundings,
        runtime: Handle,
        tell: Tell,
    ) -> Self {
        let inner = Arc::new(Inner {
            server,
            surroundings,
            tell,
            calls: Arc::new(Semaphore::new(CALLS_MAX)),
            state: Mutex::default(),
        });
        Self { inner, runtime }
    }
}

impl ServerConnection for Connection {
    fn call<'a>(
        &'a self,
        call: ServerCall<'a>,
    ) -> Pin<Box<dyn Future<Output = Result<Reply, Failure>> + Send + 'a>> {
        let inner = Arc::clone(&self.inner);
        let function = call.function.to_owned();
        let arguments = call.arguments;
        let called = async move { inner.call(&function, arguments).await };
        let mut task = Attached(self.runtime.spawn(called));
        Box::pin(async move {
            (&mut task.0).await.unwrap_or_else(|error| {
                let message = format!("the call of the server was not finished: {error}");
                Err(Failure::new(FailureKind::Internal, message))
            })
        })
    }
}

impl Inner {
    async fn call(&self, function: &str, arguments: Map<String, Value>) -> Result<Reply, Failure> {
        let tool = self.server.description().tool(function).ok_or_else(|| {
            let message = format!("the server has no tool for `{function}`");
            Failure::new(FailureKind::UnknownFunction, message)
        })?;
        let _permit = Arc::clone(&self.calls).acquire_owned().await;
        let open = self.open().await.map_err(|error| self.failure(&error))?;
        self.check(&open, tool).await?;
        match open.session.call(&tool.name, arguments).await {
            Ok(response) => {
                self.state.lock().await.starts = 0;
                reply::of_response(response)
            }
            Err(error) => Err(self.failure(&open.session.explain("tools/call", error).await)),
        }
    }

    /// The session, which is opened where there is none.
    async fn open(&self) -> Result<Arc<Open>, ServerError> {
        let mut state = self.state.lock().await;
        if let Some(open) = &state.open
            && !open.session.is_closed()
        {
            return Ok(Arc::clone(open));
        }
        state.open = None;
        if state.starts >= STARTS_MAX
            && let Some(passed) = state.last.map(|last| last.elapsed())
        {
            if passed < WAIT {
                return Err(ServerError::TooOften {
                    times: state.starts,
                    wait: WAIT - passed,
                });
            }
            state.starts = 0;
        }
        state.starts += 1;
        state.last = Some(Instant::now());
        let opening = Opening::approved(&self.server);
        let session = Session::open(&opening, &self.surroundings).await?;
        let drift = self.drift(&session).await?;
        let open = Arc::new(Open {
            session,
            drift: Mutex::new(drift),
        });
        state.open = Some(Arc::clone(&open));
        Ok(open)
    }

    /// How what the server lists now differs from what was approved. The person is told.
    async fn drift(&self, session: &Session) -> Result<Arc<Drift>, ServerError> {
        // What it says before it is asked counts for this answer.
        session.take_list_changed();
        let drift = Drift::between(self.server.description(), session.listing().await?);
        if !drift.is_empty() {
            (self.tell)(ServerNotice::Drifted {
                name: self.server.name(),
                changes: &drift.changes,
                added: &drift.added,
            });
        }
        Ok(Arc::new(drift))
    }

    /// Refuses a tool that is not what was approved.
    async fn check(&self, open: &Open, tool: &ServerTool) -> Result<(), Failure> {
        let mut drift = open.drift.lock().await;
        if open.session.take_list_changed() {
            let found = self.drift(&open.session).await;
            *drift = found.map_err(|error| self.failure(&error))?;
        }
        match drift.refused(&tool.spec.name) {
            None => Ok(()),
            Some(difference) => Err(self.changed(&format!(
                "the server has changed `{}` since it was approved:\n{difference}",
                tool.spec.name
            ))),
        }
    }

    /// A failure of something that is not what was approved.
    fn changed(&self, message: &str) -> Failure {
        let name = self.server.name();
        let capability = format!("server {name} as it is now");
        Failure::new(FailureKind::Denied { capability }, message).with_fix(format!(
            "do not call it again; a person can look at the change and approve it with: \
             tool update {name}"
        ))
    }

    fn failure(&self, error: &ServerError) -> Failure {
        let name = self.server.name();
        if error.is_change() {
            return self.changed(&format!("`{name}` was not started: {}", with_causes(error)));
        }
        let failure = Failure::new(
            FailureKind::Unavailable,
            format!("`{name}`: {}", with_causes(error)),
        );
        match error {
            ServerError::Ended { .. }
            | ServerError::Silent { .. }
            | ServerError::TooOften { .. } => failure.retryable(),
            ServerError::NoCredential { name } => failure.with_fix(format!(
                "a person can keep one with: tool credential set {name}"
            )),
            _ => failure,
        }
    }
}

fn with_causes(error: &ServerError) -> String {
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(next) = cause {
        text = format!("{text}: {next}");
        cause = next.source();
    }
    text
}
