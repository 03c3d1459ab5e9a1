//! The version of a PostgreSQL database: two equal snapshots see the same rows.
//!
//! One connection asks for everybody: whoever comes while it is asking waits for the next answer, so that an answer is never older than
//! the question, and under load one question serves many.

use sqlx::{AnyConnection, Connection as _, Executor as _};
use tokio::sync::{mpsc, oneshot};

use super::{Seen, Version};

/// Those who may wait at once; further ones wait to wait.
const WAITING_MAX: usize = 1_024;

/// Asks for the version.
#[derive(Clone)]
pub(in crate::database) struct Snapshots(mpsc::Sender<Message>);

enum Message {
    Ask(oneshot::Sender<Option<Version>>),
    Close(oneshot::Sender<()>),
}

impl Snapshots {
    /// Must be called in a runtime. Nothing is connected before the first question.
    pub(in crate::database) fn start(url: String, session: &'static str) -> Self {
        let (sender, messages) = mpsc::channel(WAITING_MAX);
        let watch = Watch {
            url,
            session,
            connection: None,
            seen: Seen::default(),
        };
        tokio::spawn(watch.run(messages));
        Self(sender)
    }

    pub(super) async fn now(&self) -> Option<Version> {
        let (answer, answered) = oneshot::channel();
        self.0.send(Message::Ask(answer)).await.ok()?;
        answered.await.ok()?
    }

    pub(super) async fn close(&self) {
        let (done, closed) = oneshot::channel();
        if self.0.send(Message::Close(done)).await.is_ok() {
            let _ = closed.await;
        }
    }
}

struct Watch {
    url: String,
    session: &'static str,
    connection: Option<AnyConnection>,
    seen: Seen<String>,
}

impl Watch {
    async fn run(mut self, mut messages: mpsc::Receiver<Message>) {
        while let Some(mut message) = messages.recv().await {
            let mut waiting = Vec::new();
            loop {
                match message {
                    Message::Ask(answer) => waiting.push(answer),
                    Message::Close(done) => {
                        self.disconnect().await;
                        let _ = done.send(());
                        return;
                    }
                }
                match messages.try_recv() {
                    Ok(next) => message = next,
                    Err(_) => break,
                }
            }
            let version = self.look().await;
            for answer in waiting {
                let _ = answer.send(version);
            }
        }
        self.disconnect().await;
    }

    async fn look(&mut self) -> Option<Version> {
        match self.ask().await {
            Ok(snapshot) => Some(self.seen.look(snapshot)),
            Err(error) => {
                tracing::warn!(%error, "the database does not say whether it changed");
                self.connection = None;
                None
            }
        }
    }

    async fn ask(&mut self) -> Result<String, sqlx::Error> {
        let connection = match &mut self.connection {
            Some(connection) => connection,
            none => {
                let mut connection = AnyConnection::connect(&self.url).await?;
                connection.execute(self.session).await?;
                // It may be another database that answers at the address by now.
                self.seen.forget();
                none.insert(connection)
            }
        };
        sqlx::query_scalar("SELECT CAST(pg_current_snapshot() AS TEXT)")
            .fetch_one(connection)
            .await
    }

    async fn disconnect(&mut self) {
        if let Some(connection) = self.connection.take()
            && let Err(error) = connection.close().await
        {
            tracing::debug!(%error, "a connection was not closed in order");
        }
    }
}
