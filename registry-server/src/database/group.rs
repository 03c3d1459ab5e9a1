//! Group commit: commits to different repositories that SQLite makes durable together.
//!
//! SQLite has one writer, and every transaction waits for the disk at its end. So a commit does not end its transaction as long as others
//! wait for their turn: the next one goes on in it, behind a savepoint of its own, and when all have had their turn who waited when the
//! first was done, it is ended for all of them. Nobody is told of success before that.
//!
//! What members wrote is not seen outside before the end, so two commits to one repository are never in one group: the second has to see
//! the first when it reads what it builds on.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use scopeguard::ScopeGuard;
use sqlx::{Any, AnyConnection, AnyPool, AssertSqlSafe, Executor as _, Transaction};
use tokio::runtime::Handle;
use tokio::sync::{Mutex, OwnedMutexGuard, oneshot};

use crate::error::RegistryError;

/// The turn to write. A group that stays open between two turns lies in it.
pub(super) type Turn = OwnedMutexGuard<Option<Group>>;

/// How a transaction ended for all of its members.
type End = Result<(), Arc<sqlx::Error>>;

/// An open transaction, and those who wait for its end.
pub(super) struct Group {
    number: u64,
    /// How many had their turn. Each has a savepoint, so that what it wrote can be taken back alone.
    turns: u64,
    transaction: Transaction<'static, Any>,
    members: Vec<oneshot::Sender<End>>,
    repositories: HashSet<String>,
}

impl Group {
    async fn begin(pool: &AnyPool) -> Result<Self, sqlx::Error> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        Ok(Self {
            number: NUMBER.fetch_add(1, Ordering::Relaxed),
            turns: 1,
            transaction: pool.begin_with("BEGIN IMMEDIATE; SAVEPOINT turn_1").await?,
            members: Vec::new(),
            repositories: HashSet::new(),
        })
    }

    /// Keeps what was written up to here, whatever becomes of the next member's part.
    async fn next_turn(&mut self) -> Result<(), sqlx::Error> {
        let last = self.turns;
        self.turns += 1;
        let sql = format!("RELEASE turn_{last}; SAVEPOINT turn_{}", self.turns);
        self.transaction.execute(AssertSqlSafe(sql)).await?;
        Ok(())
    }

    /// Takes back what was written in this turn.
    async fn take_back(&mut self) -> Result<(), sqlx::Error> {
        let sql = format!("ROLLBACK TO turn_{}", self.turns);
        self.transaction.execute(AssertSqlSafe(sql)).await?;
        Ok(())
    }

    async fn end(self) {
        tell(self.members, self.transaction.commit().await);
    }
}

fn tell(members: Vec<oneshot::Sender<End>>, end: Result<(), sqlx::Error>) {
    let end = end.map_err(Arc::new);
    for member in members {
        // Whoever has gone does not want to know.
        let _ = member.send(end.clone());
    }
}

/// Those who write to SQLite, one after another.
#[derive(Clone, Default)]
pub(super) struct Queue(Arc<Mutex<Option<Group>>>);

impl Queue {
    /// Waits for a turn with no group.
    pub(super) async fn turn(&self) -> Result<Turn, RegistryError> {
        let turn = Arc::clone(&self.0).lock_owned().await;
        if turn.is_none() {
            return Ok(turn);
        }
        end(turn).await
    }

    /// Waits for a turn in a group without a commit to this repository.
    pub(super) async fn join(
        &self,
        pool: &AnyPool,
        repository: &str,
    ) -> Result<Member, RegistryError> {
        let mut turn = Arc::clone(&self.0).lock_owned().await;
        let is_taken = |group: &Group| group.repositories.contains(repository);
        if turn.as_ref().is_some_and(is_taken) {
            turn = end(turn).await?;
        }
        let (group, is_open) = match turn.take() {
            Some(group) => (group, true),
            None => (Group::begin(pool).await?, false),
        };
        let queue = self.clone();
        let mut part = scopeguard::guard(Part { group, turn, queue }, take_back as fn(Part));
        if is_open {
            part.group.next_turn().await?;
        }
        part.group.repositories.insert(repository.to_owned());
        Ok(Member(part))
    }
}

/// Ends the group, in a task of its own: whoever is in it waits, also when the one who ends it goes away.
async fn end(mut turn: Turn) -> Result<Turn, RegistryError> {
    let ending = tokio::spawn(async move {
        if let Some(group) = turn.take() {
            group.end().await;
        }
        turn
    });
    ending.await.map_err(|_| cut_off())
}

fn cut_off() -> RegistryError {
    RegistryError::Damaged("a transaction was cut off at its end".to_owned())
}

/// A commit whose turn it is; when it is dropped, what it wrote is taken back.
pub(super) struct Member(ScopeGuard<Part, fn(Part)>);

struct Part {
    group: Group,
    turn: Turn,
    queue: Queue,
}

impl Member {
    pub(super) fn connection(&mut self) -> &mut AnyConnection {
        &mut self.0.group.transaction
    }

    /// Gives the turn to the next, and waits until the group has ended.
    pub(super) async fn commit(self) -> Result<(), RegistryError> {
        let Part {
            mut group,
            mut turn,
            queue,
        } = ScopeGuard::into_inner(self.0);
        let (teller, told) = oneshot::channel();
        let number = group.number;
        group.members.push(teller);
        let is_first = group.members.len() == 1;
        *turn = Some(group);
        drop(turn);
        if is_first {
            tokio::spawn(async move {
                // Behind all who wait at this moment.
                let turn = queue.0.lock_owned().await;
                if turn.as_ref().is_some_and(|group| group.number == number) {
                    let _ = end(turn).await;
                }
            });
        }
        let end = told.await.map_err(|_| cut_off())?;
        end.map_err(RegistryError::Commit)
    }
}

/// Takes back what a member wrote that did not come to its end.
fn take_back(part: Part) {
    // Without a runtime the process ends, and with it the transaction.
    if let Ok(runtime) = Handle::try_current() {
        runtime.spawn(part.take_back());
    }
}

impl Part {
    async fn take_back(mut self) {
        if self.group.members.is_empty() {
            return;
        }
        match self.group.take_back().await {
            // The first of the members is on the way to end it.
            Ok(()) => *self.turn = Some(self.group),
            // SQLite has given up the whole transaction, as it does when the disk is full.
            Err(error) => tell(self.group.members, Err(error)),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::database::{Database, Writing};

    struct Scratch {
        database: Database,
        _directory: tempfile::TempDir,
    }

    /// A database with the repositories `a`, `b` and `c`.
    async fn scratch() -> Scratch {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("registry.sqlite");
        let database = Database::open_sqlite(&path).await.unwrap();
        let mut writing = database.write().await.unwrap();
        for sql in [
            "INSERT INTO accounts (id, kind, name, name_folded, full_name, created_ms) VALUES ('o', 'user', 'o', 'o', '', 0)",
            "INSERT INTO repositories (id, kind, owner, name, name_folded, private, created_ms, modified_ms) \
             VALUES ('a', 'model', 'o', 'a', 'a', 0, 0, 0), ('b', 'model', 'o', 'b', 'b', 0, 0, 0), ('c', 'model', 'o', 'c', 'c', 0, 0, 0)",
        ] {
            writing.run(sqlx::query(sql)).await.unwrap();
        }
        writing.commit().await.unwrap();
        Scratch {
            database,
            _directory: directory,
        }
    }

    impl Scratch {
        async fn write(&self, repository: &str) -> Writing {
            let writing = self.database.write_with_others(repository).await;
            let mut writing = writing.unwrap();
            writing.touch_repository(repository, 7).await.unwrap();
            writing
        }

        /// The repositories that were written to, as everybody sees it.
        async fn written(&self) -> String {
            let written: Vec<String> =
                sqlx::query_scalar("SELECT id FROM repositories WHERE modified_ms = 7 ORDER BY id")
                    .fetch_all(&self.database.pool)
                    .await
                    .unwrap();
            written.concat()
        }
    }

    /// Lets everybody come as far as they get.
    async fn settle() {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }

    #[tokio::test]
    async fn who_waits_is_taken_along_and_all_end_together() {
        let scratch = scratch().await;
        let first = scratch.write("a").await;
        let (first, second, seen) = tokio::join!(
            async {
                settle().await;
                first.commit().await
            },
            async {
                let second = scratch.write("b").await;
                settle().await;
                assert_eq!(
                    scratch.written().await,
                    "",
                    "the first waits for the second"
                );
                second.commit().await
            },
            async {
                settle().await;
                scratch.database.write().await.unwrap();
                scratch.written().await
            },
        );
        first.unwrap();
        second.unwrap();
        assert_eq!(seen, "ab", "who has to be alone waits for the end");
    }

    #[tokio::test]
    async fn what_is_dropped_is_taken_back_alone() {
        let scratch = scratch().await;
        let first = scratch.write("a").await;
        let (first, (), third) = tokio::join!(
            async {
                settle().await;
                first.commit().await
            },
            async { drop(scratch.write("b").await) },
            async {
                // Behind the second.
                tokio::task::yield_now().await;
                scratch.write("c").await.commit().await
            },
        );
        first.unwrap();
        third.unwrap();
        assert_eq!(scratch.written().await, "ac");
        drop(scratch.write("b").await);
        assert_eq!(scratch.written().await, "ac");
        scratch.database.write().await.unwrap();
    }

    #[tokio::test]
    async fn a_second_commit_to_a_repository_sees_the_first() {
        let scratch = scratch().await;
        let first = scratch.write("a").await;
        let (first, second) = tokio::join!(first.commit(), async {
            let second = scratch.database.write_with_others("a").await.unwrap();
            assert_eq!(scratch.written().await, "a");
            second.commit().await
        });
        first.unwrap();
        second.unwrap();
    }

    #[tokio::test]
    async fn a_transaction_that_cannot_end_fails_for_all() {
        let scratch = scratch().await;
        let first = scratch.write("a").await;
        let (first, second) = tokio::join!(
            async {
                settle().await;
                first.commit().await
            },
            async {
                let mut second = scratch.write("b").await;
                for sql in [
                    "PRAGMA defer_foreign_keys = ON",
                    "UPDATE repositories SET owner = 'nobody' WHERE id = 'b'",
                ] {
                    second.run(sqlx::query(sql)).await.unwrap();
                }
                second.commit().await
            },
        );
        for end in [first, second] {
            assert!(matches!(end, Err(RegistryError::Commit(_))), "{end:?}");
        }
        assert_eq!(scratch.written().await, "");
        scratch.write("c").await.commit().await.unwrap();
        assert_eq!(scratch.written().await, "c");
    }
}
