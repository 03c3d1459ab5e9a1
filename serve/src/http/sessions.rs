//! Stores the sessions of MCP clients of revision 2025-11-25 and older, within bounds.
//! Their number and idle time are bounded. A request whose client leaves is cancelled.

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use futures::Stream;
use rmcp::model::{
    CancelledNotification, CancelledNotificationParam, ClientJsonRpcMessage, JsonRpcMessage,
    RequestId, ServerJsonRpcMessage,
};
use rmcp::transport::streamable_http_server::session::local::{LocalSessionManager, SessionError};
use rmcp::transport::streamable_http_server::session::{
    ServerSseMessage, SessionId, SessionManager,
};

/// Sessions at once. A client whose session is gone is told so, and opens another.
const SESSIONS_MAX: usize = 256;
/// The time for which an idle session is kept. A person may think about a question for ten minutes.
const IDLE_MAX: Duration = Duration::from_secs(15 * 60);

/// Keeps sessions in memory.
pub(super) struct Sessions {
    local: Arc<LocalSessionManager>,
    /// The time of each session's last use.
    used: Mutex<HashMap<SessionId, Instant>>,
}

type Local = LocalSessionManager;
type Error = <Local as SessionManager>::Error;

impl Sessions {
    pub(super) fn new() -> Self {
        let mut local = LocalSessionManager::default();
        local.session_config.keep_alive = Some(IDLE_MAX);
        // A stream that broke is not resumed, so nothing is kept for that.
        local.session_config.sse_retry = None;
        local.session_config.completed_cache_ttl = Duration::ZERO;
        Self {
            local: Arc::new(local),
            used: Mutex::default(),
        }
    }

    fn used(&self) -> MutexGuard<'_, HashMap<SessionId, Instant>> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The session that was left alone the longest, where there is no room for another.
    fn superfluous(&self) -> Option<SessionId> {
        let used = self.used();
        let oldest = used.iter().min_by_key(|(_, at)| **at);
        let (id, _) = oldest.filter(|_| used.len() >= SESSIONS_MAX)?;
        Some(id.clone())
    }
}

impl SessionManager for Sessions {
    type Error = Error;
    type Transport = <Local as SessionManager>::Transport;

    async fn create_session(&self) -> Result<(SessionId, Self::Transport), Error> {
        if let Some(id) = self.superfluous() {
            self.close_session(&id).await?;
        }
        let (id, transport) = self.local.create_session().await?;
        self.used().insert(id.clone(), Instant::now());
        Ok((id, transport))
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, Error> {
        self.local.initialize_session(id, message).await
    }

    async fn has_session(&self, id: &SessionId) -> Result<bool, Error> {
        if let Some(at) = self.used().get_mut(id) {
            *at = Instant::now();
        }
        self.local.has_session(id).await
    }

    async fn close_session(&self, id: &SessionId) -> Result<(), Error> {
        self.used().remove(id);
        self.local.close_session(id).await
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Error> {
        let request = match &message {
            JsonRpcMessage::Request(request) => Some(request.id.clone()),
            _ => None,
        };
        let messages = self.local.create_stream(id, message).await?;
        Ok(Answer {
            messages: Box::pin(messages),
            call: request.map(|request| Call {
                sessions: self.local.clone(),
                session: id.clone(),
                request,
            }),
        })
    }

    async fn accept_message(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<(), Error> {
        self.local.accept_message(id, message).await
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Error> {
        self.local.create_standalone_stream(id).await
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Error> {
        // Only the stream that belongs to no request: a call ends with the stream that it began
        // with.
        if last_event_id.contains('/') {
            return Err(SessionError::InvalidEventId.into());
        }
        self.local.resume(id, last_event_id).await
    }
}

/// The answer to a request, until its end. If it is dropped before, because the client has left, it
/// cancels the request.
struct Answer {
    messages: Pin<Box<dyn Stream<Item = ServerSseMessage> + Send + Sync>>,
    /// Absent once it is over.
    call: Option<Call>,
}

/// A request that is being answered.
struct Call {
    sessions: Arc<Local>,
    session: SessionId,
    request: RequestId,
}

impl Stream for Answer {
    type Item = ServerSseMessage;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let next = self.messages.as_mut().poll_next(context);
        match next {
            Poll::Ready(Some(mut message)) => {
                // With an id, a client would try to resume here on another stream.
                message.event_id = None;
                Poll::Ready(Some(message))
            }
            Poll::Ready(None) => {
                self.call = None;
                Poll::Ready(None)
            }
            Poll::Pending => Poll::Pending,
        }
    }
}

impl Drop for Answer {
    fn drop(&mut self) {
        if let Some(call) = self.call.take() {
            tokio::spawn(call.cancel());
        }
    }
}

impl Call {
    async fn cancel(self) {
        let reason = "the client has left".to_owned();
        let why = CancelledNotificationParam::new(Some(self.request), Some(reason));
        let notification = CancelledNotification::new(why);
        let message = ClientJsonRpcMessage::notification(notification.into());
        if let Err(error) = self.sessions.accept_message(&self.session, message).await {
            tracing::debug!(%error, "the session of a client that left is gone, too");
        }
    }
}
