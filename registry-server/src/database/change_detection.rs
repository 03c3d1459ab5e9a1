//! Watches for changes of the database: a number that grows when any process has written.
//!
//! One connection asks for everybody: whoever comes while it is asking waits for the next answer,
//! so that an answer is never older than the request, and under load one query serves many. The
//! connection writes nothing itself, because SQLite counts for each connection what the others have
//! written.

use sqlx::{AnyConnection, Connection as _, Executor as _};
use tokio::sync::{mpsc, oneshot};

use super::engine::Engine;

/// Requests in the queue; when it is full, further ones wait for room in it.
const WAITING_MAX: usize = 1_024;

/// A state of the database, counted by this process.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Version(u64);

#[cfg(test)]
impl Version {
    pub(crate) fn new(number: u64) -> Self {
        Self(number)
    }
}

/// Asks for the version.
#[derive(Clone)]
pub(super) struct VersionWatch(mpsc::Sender<Message>);

enum Message {
    Ask(oneshot::Sender<Option<Version>>),
    Close(oneshot::Sender<()>),
}

impl VersionWatch {
    /// Must be called in a runtime. Nothing is connected before the first request.
    pub(super) fn start(engine: Engine, url: String, session: &'static str) -> Self {
        let (sender, messages) = mpsc::channel(WAITING_MAX);
        let watcher = Watcher {
            engine,
            url,
            session,
            connection: None,
            last: None,
            version: Version::default(),
        };
        tokio::spawn(watcher.run(messages));
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

struct Watcher {
    engine: Engine,
    url: String,
    session: &'static str,
    connection: Option<AnyConnection>,
    /// The version that the database reported last.
    last: Option<String>,
    version: Version,
}

impl Watcher {
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
            Ok(said) => {
                if self.last.as_ref() != Some(&said) {
                    self.version.0 += 1;
                    self.last = Some(said);
                }
                Some(self.version)
            }
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
                // Answers on different connections cannot be compared.
                self.last = None;
                none.insert(connection)
            }
        };
        match self.engine {
            Engine::Sqlite => {
                let counted = sqlx::query_scalar("PRAGMA data_version").fetch_one(connection);
                counted.await.map(|number: i64| number.to_string())
            }
            Engine::Postgres => {
                let snapshot = "SELECT CAST(pg_current_snapshot() AS TEXT)";
                sqlx::query_scalar(snapshot).fetch_one(connection).await
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

#[cfg(test)]
mod tests {
    use crate::database::Database;

    async fn commit(database: &Database, round: u32) {
        let mut writing = database.write().await.unwrap();
        let statement = format!("CREATE TABLE probe{round} (id)");
        let statement = sqlx::query(sqlx::AssertSqlSafe(statement));
        writing.run(statement).await.unwrap();
        writing.commit().await.unwrap();
    }

    #[tokio::test]
    async fn a_version_grows_with_commits_and_with_nothing_else() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("registry.sqlite");
        let database = Database::open_sqlite(&path).await.unwrap();
        let other = Database::open_sqlite(&path).await.unwrap();
        let version = async || database.version().await.unwrap();
        let mut last = version().await;
        for round in 0..50 {
            other.users().await.unwrap();
            drop(other.write().await.unwrap());
            assert_eq!(version().await, last, "nothing was committed");
            let writer = if round % 2 == 0 { &other } else { &database };
            commit(writer, round).await;
            let next = version().await;
            assert!(next > last, "a commit was not seen");
            last = next;
        }
        for database in [&other, &database] {
            sqlx::query("PRAGMA wal_checkpoint(TRUNCATE)")
                .execute(&database.pool)
                .await
                .unwrap();
        }
        let before = version().await;
        commit(&other, 50).await;
        assert!(version().await > before, "not seen after a checkpoint");
    }
}
