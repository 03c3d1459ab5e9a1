//! A memory cache of found repositories, revisions and tree entries, until the database changes.
//!
//! Each answer is stored under the version of the database that was read before its query ran. A
//! reader first reads the current version, and takes only answers of that version or a later one.
//! So once a write has finished, nobody sees older data.

use std::collections::HashMap;
use std::future::Future;
use std::sync::{Mutex, PoisonError};

use crate::database::Database;
use crate::database::change_detection::Version;
use crate::database::commits::Commit;
use crate::database::keys::RepositoryKey;
use crate::database::repositories::Repository;
use crate::error::RegistryError;
use crate::history::{ListedEntry, find_entry, resolve_revision};
use crate::names::RepositoryId;

/// Bytes of one table; a full one is emptied.
const TABLE_BYTES_MAX: usize = 2 << 20;
/// Bytes that an answer takes beside its texts, about.
const ANSWER_BYTES: usize = 512;

/// Answers by what was asked. Without a version nothing is remembered.
pub(crate) struct QueryCache {
    database: Database,
    repositories: Table<Repository>,
    commits: Table<Commit>,
    entries: Table<ListedEntry>,
}

impl QueryCache {
    pub(crate) fn new(database: Database) -> Self {
        Self {
            database,
            repositories: Table::default(),
            commits: Table::default(),
            entries: Table::default(),
        }
    }

    /// [`Database::repository`], as of `version` or later.
    pub(crate) async fn repository(
        &self,
        version: Option<Version>,
        id: &RepositoryId,
    ) -> Result<Option<Repository>, RegistryError> {
        let key = format!(
            "{} {} {}",
            id.kind.word(),
            id.owner.folded(),
            id.name.folded()
        );
        // Private repositories are not cached: an answer faster than that for a missing one would
        // tell that they exist.
        let card_bytes = |found: &Repository| {
            (!found.private).then(|| ANSWER_BYTES + found.card.as_ref().map_or(0, String::len))
        };
        let asking = self.database.repository(id);
        self.repositories
            .get_or(version, key, card_bytes, asking)
            .await
    }

    /// [`resolve_revision`], as of `version` or later.
    pub(crate) async fn revision(
        &self,
        version: Option<Version>,
        repository: &RepositoryKey,
        revision: &str,
    ) -> Result<Option<Commit>, RegistryError> {
        let message_bytes =
            |found: &Commit| Some(ANSWER_BYTES + found.title.len() + found.message.len());
        let asking = resolve_revision(&self.database, repository, revision);
        let key = format!("{repository} {revision}");
        self.commits
            .get_or(version, key, message_bytes, asking)
            .await
    }

    /// [`find_entry`], as of `version` or later.
    pub(crate) async fn entry(
        &self,
        version: Option<Version>,
        repository: &RepositoryKey,
        commit: &Commit,
        path: &str,
    ) -> Result<Option<ListedEntry>, RegistryError> {
        let path_bytes = |found: &ListedEntry| Some(ANSWER_BYTES + found.path.len());
        let asking = find_entry(&self.database, repository, commit, path);
        let key = format!("{repository} {} {path}", commit.tree);
        self.entries.get_or(version, key, path_bytes, asking).await
    }
}

/// Answers of one kind, all of one version.
struct Table<T>(Mutex<Answers<T>>);

struct Answers<T> {
    version: Option<Version>,
    bytes: usize,
    by_key: HashMap<String, T>,
}

impl<T> Default for Table<T> {
    fn default() -> Self {
        Self(Mutex::new(Answers {
            version: None,
            bytes: 0,
            by_key: HashMap::new(),
        }))
    }
}

impl<T: Clone> Table<T> {
    /// The cached answer, else the one that `asking` gives. That there is none is not remembered,
    /// nor what `size` gives no bytes for.
    async fn get_or(
        &self,
        version: Option<Version>,
        key: String,
        size: impl Fn(&T) -> Option<usize>,
        asking: impl Future<Output = Result<Option<T>, RegistryError>>,
    ) -> Result<Option<T>, RegistryError> {
        let Some(version) = version else {
            return asking.await;
        };
        if let Some(cached) = self.get(version, &key) {
            return Ok(Some(cached));
        }
        let answer = asking.await?;
        if let Some(found) = &answer
            && let Some(bytes) = size(found)
        {
            let bytes = bytes + key.len();
            self.put(version, key, found.clone(), bytes);
        }
        Ok(answer)
    }

    fn get(&self, version: Version, key: &str) -> Option<T> {
        let answers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // A later version's answers are as good for whoever asked before it.
        match answers.version {
            Some(current) if current >= version => answers.by_key.get(key).cloned(),
            _ => None,
        }
    }

    fn put(&self, version: Version, key: String, answer: T, bytes: usize) {
        let mut answers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if answers.version.is_some_and(|current| current > version) {
            return;
        }
        if answers.version != Some(version) || answers.bytes + bytes > TABLE_BYTES_MAX {
            answers.by_key.clear();
            answers.bytes = 0;
            answers.version = Some(version);
        }
        if bytes <= TABLE_BYTES_MAX && answers.by_key.insert(key, answer).is_none() {
            answers.bytes += bytes;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(table: &Table<u8>, version: u64, key: &str, bytes: usize) {
        table.put(Version::new(version), key.to_owned(), 7, bytes);
    }

    #[track_caller]
    fn check(table: &Table<u8>, version: u64, key: &str, expect: bool) {
        assert_eq!(table.get(Version::new(version), key).is_some(), expect);
    }

    #[test]
    fn answers_go_with_their_version() {
        let table = Table::default();
        put(&table, 1, "a", 10);
        check(&table, 1, "a", true);
        check(&table, 1, "b", false);
        check(&table, 2, "a", false);
        put(&table, 2, "b", 10);
        check(&table, 2, "a", false);
        check(&table, 2, "b", true);
        // Whoever was slow does not bring back what was true before.
        put(&table, 1, "a", 10);
        check(&table, 2, "a", false);
        check(&table, 1, "b", true);
    }

    #[test]
    fn a_table_is_bounded() {
        let table = Table::default();
        put(&table, 1, "large", TABLE_BYTES_MAX + 1);
        check(&table, 1, "large", false);
        put(&table, 1, "a", TABLE_BYTES_MAX - 10);
        put(&table, 1, "b", 10);
        check(&table, 1, "a", true);
        put(&table, 1, "c", 1);
        check(&table, 1, "a", false);
        check(&table, 1, "c", true);
    }
}
