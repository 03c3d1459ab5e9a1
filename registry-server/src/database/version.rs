//! Whether the database is still the one it was: a number that grows when anybody, in this process or another, has changed something.
//!
//! Both engines can tell cheaply. One connection asks for everybody: whoever comes while it is asking waits for the next answer, so that
//! an answer is never older than the question, and under load one question serves many.

use sqlx::{AnyConnection, Connection as _, Executor as _};
use tokio::sync::{mpsc, oneshot};

use super::Engine;

/// Those who may wait at once; further ones wait to wait.
const WAITING_MAX: usize = 1_024;

/// A state of the database, counted by this process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Version(u64);

#[cfg(test)]
impl Version {
    pub(super) fn new(number: u64) -> Self {
        Self(number)
    }
}

/// Asks for the version.
#[derive(Clone)]
pub(super) struct Clock(mpsc::Sender<Message>);

enum Message {
    Ask(oneshot::Sender<Option<Version>>),
    Close(oneshot::Sender<()>),
}

/// How to connect.
#[derive(Clone)]
pub(super) struct Source {
    pub(super) url: String,
    pub(super) session: &'static str,
    pub(super) engine: Engine,
}

impl Clock {
    /// Must be called in a runtime. Nothing is connected before the first question.
    pub(super) fn start(source: Source) -> Self {
        let (sender, messages) = mpsc::channel(WAITING_MAX);
        tokio::spawn(run(source, messages));
        Self(sender)
    }

    /// The version at this moment or a later one; `None` when the database does not say.
    pub(super) async fn now(&self) -> Option<Version> {
        let (answer, answered) = oneshot::channel();
        self.0.send(Message::Ask(answer)).await.ok()?;
        answered.await.ok()?
    }

    /// Closes the connection.
    pub(super) async fn close(&self) {
        let (done, closed) = oneshot::channel();
        if self.0.send(Message::Close(done)).await.is_ok() {
            let _ = closed.await;
        }
    }
}

async fn run(source: Source, mut messages: mpsc::Receiver<Message>) {
    let mut watch = Watch {
        source,
        connection: None,
        seen: None,
        version: Version(0),
    };
    while let Some(mut message) = messages.recv().await {
        let mut waiting = Vec::new();
        loop {
            match message {
                Message::Ask(answer) => waiting.push(answer),
                Message::Close(done) => {
                    watch.disconnect().await;
                    let _ = done.send(());
                    return;
                }
            }
            match messages.try_recv() {
                Ok(next) => message = next,
                Err(_) => break,
            }
        }
        let version = watch.look().await;
        for answer in waiting {
            let _ = answer.send(version);
        }
    }
    watch.disconnect().await;
}

struct Watch {
    source: Source,
    connection: Option<AnyConnection>,
    /// What the engine said last, on this connection.
    seen: Option<String>,
    version: Version,
}

impl Watch {
    async fn look(&mut self) -> Option<Version> {
        match self.ask().await {
            Ok(said) => {
                if self.seen.as_ref() != Some(&said) {
                    self.version.0 += 1;
                    self.seen = Some(said);
                }
                Some(self.version)
            }
            Err(error) => {
                tracing::warn!(%error, "the database does not say whether it changed");
                self.connection = None;
                self.seen = None;
                None
            }
        }
    }

    async fn ask(&mut self) -> Result<String, sqlx::Error> {
        let connection = match &mut self.connection {
            Some(connection) => connection,
            none => {
                // What one connection says means nothing to another.
                self.seen = None;
                let mut connection = AnyConnection::connect(&self.source.url).await?;
                connection.execute(self.source.session).await?;
                none.insert(connection)
            }
        };
        match self.source.engine {
            // It changes when another connection has committed, in whatever process; this one never does.
            Engine::Sqlite => {
                let version: i64 = sqlx::query_scalar("PRAGMA data_version")
                    .fetch_one(connection)
                    .await?;
                Ok(version.to_string())
            }
            // Two equal snapshots see the same rows.
            Engine::Postgres => {
                sqlx::query_scalar("SELECT CAST(pg_current_snapshot() AS TEXT)")
                    .fetch_one(connection)
                    .await
            }
        }
    }

    async fn disconnect(&mut self) {
        if let Some(connection) = self.connection.take()
            && let Err(error) = connection.close().await
        {
            tracing::debug!(%error, "a connection was not closed in order");
        }
    }
}
