//! Finds the last commit that changed each of some paths, without reading a whole history.
//!
//! Histories may be long, so nothing here reads a whole one. A commit that is the only one of its
//! generation in its repository belongs to every history that is at least as long. Where histories
//! fork, commits are found by walking back from the nearest such commit.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use gix_hash::ObjectId;
use sqlx::AssertSqlSafe;

use super::commits::{Commit, CommitPosition};
use super::connection::Database;
use super::engine::Engine;
use super::keys::RepositoryKey;
use super::sql::{BATCH_MAX, placeholders};
use super::stored_object_id::object_id;
use crate::error::RegistryError;

/// The most commits that one query walks over. If a path was last changed before them, at a time
/// when histories were forked, its last commit is not reported.
const STEPS_MAX: i64 = 10_000;
/// The most changes to all queried paths that are read where histories fork.
const CHANGES_MAX: usize = 500_000;

impl Engine {
    /// SQL that turns the JSON list of strings `list` into rows of `value`.
    fn texts(self, list: &str) -> String {
        match self {
            Self::Sqlite => format!("json_each({list}) AS wanted"),
            Self::Postgres => {
                format!("json_array_elements_text(CAST({list} AS JSON)) AS wanted (value)")
            }
        }
    }
}

impl Database {
    /// The last commit in the history of `head` that changed each path. Paths for which finding it
    /// would take too long a walk are left out.
    pub(crate) async fn last_changes(
        &self,
        repository: &RepositoryKey,
        head: &Commit,
        paths: &[&str],
    ) -> Result<HashMap<String, Commit>, RegistryError> {
        let mut last = HashMap::new();
        let paths: Vec<String> = paths.iter().map(|path| (*path).to_owned()).collect();
        let forked = self.settle_alone(repository, head, &paths, head.generation, &mut last);
        let forked = forked.await?;
        if let Some(newest) = forked.values().max() {
            let (from, oid) = self.at_or_after(repository, head, *newest).await?;
            let first = from - STEPS_MAX;
            let walked = self.walk(repository, &oid, first).await?;
            let paths: Vec<String> = forked.into_keys().collect();
            let found = self.newest_among(repository, from, &paths, &walked).await?;
            last.extend(found.into_iter().map(|(path, (_, oid))| (path, oid)));
            let older: Vec<String> = paths
                .into_iter()
                .filter(|path| !last.contains_key(path))
                .collect();
            self.settle_alone(repository, head, &older, first - 1, &mut last)
                .await?;
        }
        let oids: Vec<ObjectId> = last.values().copied().collect();
        let commits = self.commits(repository, &oids).await?;
        let commits: HashMap<ObjectId, Commit> = commits
            .into_iter()
            .map(|commit| (commit.oid, commit))
            .collect();
        let known = last
            .into_iter()
            .filter_map(|(path, oid)| Some((path, commits.get(&oid)?.clone())));
        Ok(known.collect())
    }

    /// Adds to `last` each path whose newest change, up to `generation`, was made by the head or by
    /// a commit that is the only one of its generation. Returns the generation of the newest change
    /// of every other path.
    async fn settle_alone(
        &self,
        repository: &RepositoryKey,
        head: &Commit,
        paths: &[String],
        generation: i64,
        last: &mut HashMap<String, ObjectId>,
    ) -> Result<BTreeMap<String, i64>, RegistryError> {
        let newest = self.newest_changes(repository, generation, paths).await?;
        let generations: BTreeSet<i64> = newest.iter().map(|(_, (it, _))| *it).collect();
        let generations: Vec<i64> = generations.into_iter().collect();
        let mut known = self.alone(repository, &generations).await?;
        known.insert(head.generation, head.oid);
        let mut forked = BTreeMap::new();
        for (path, (generation, oid)) in newest {
            if known.get(&generation) == Some(&oid) {
                last.insert(path, oid);
            } else {
                forked.insert(path, generation);
            }
        }
        Ok(forked)
    }

    /// The newest change of each path up to `generation`, in any history.
    async fn newest_changes(
        &self,
        repository: &RepositoryKey,
        generation: i64,
        paths: &[String],
    ) -> Result<Vec<(String, CommitPosition)>, RegistryError> {
        let sql = format!(
            "SELECT wanted.value AS path, (SELECT generation || ' ' || commit_oid FROM changes WHERE repository = $1 \
             AND path = wanted.value AND generation <= $2 ORDER BY generation DESC, commit_oid DESC LIMIT 1) AS newest FROM {}",
            self.engine.texts("$3")
        );
        let mut newest = Vec::with_capacity(paths.len());
        for batch in paths.chunks(BATCH_MAX) {
            let query = sqlx::query_as(AssertSqlSafe(sql.clone()))
                .bind(repository)
                .bind(generation)
                .bind(serde_json::json!(batch).to_string());
            newest.extend(parse_positions(query.fetch_all(&self.pool).await?)?);
        }
        Ok(newest)
    }

    /// The newest change of each path that was made by one of these commits, none of which is newer
    /// than `generation`.
    async fn newest_among(
        &self,
        repository: &RepositoryKey,
        generation: i64,
        paths: &[String],
        commits: &[String],
    ) -> Result<Vec<(String, CommitPosition)>, RegistryError> {
        let changes_max = (CHANGES_MAX / paths.len().max(1)).max(1);
        let sql = format!(
            "SELECT wanted.value AS path, (SELECT n.generation || ' ' || n.commit_oid FROM ( \
                 SELECT generation, commit_oid FROM changes WHERE repository = $1 AND path = wanted.value AND generation <= $2 \
                 ORDER BY generation DESC, commit_oid DESC LIMIT $4) n \
             WHERE n.commit_oid IN (SELECT wanted.value FROM {}) ORDER BY n.generation DESC LIMIT 1) AS newest FROM {}",
            self.engine.texts("$5"),
            self.engine.texts("$3")
        );
        let mut newest = Vec::with_capacity(paths.len());
        for batch in paths.chunks(BATCH_MAX) {
            let query = sqlx::query_as(AssertSqlSafe(sql.clone()))
                .bind(repository)
                .bind(generation)
                .bind(serde_json::json!(batch).to_string())
                .bind(i64::try_from(changes_max).unwrap_or(i64::MAX))
                .bind(serde_json::json!(commits).to_string());
            newest.extend(parse_positions(query.fetch_all(&self.pool).await?)?);
        }
        Ok(newest)
    }

    /// Those commits that are the only one of their generation, among these generations.
    async fn alone(
        &self,
        repository: &RepositoryKey,
        generations: &[i64],
    ) -> Result<HashMap<i64, ObjectId>, RegistryError> {
        let mut alone = HashMap::with_capacity(generations.len());
        for batch in generations.chunks(BATCH_MAX) {
            let sql = format!(
                "SELECT generation, MIN(oid) FROM commits WHERE repository = $1 AND generation IN ({}) \
                 GROUP BY generation HAVING COUNT(*) = 1",
                placeholders(2, batch.len())
            );
            let mut query = sqlx::query_as::<_, (i64, String)>(AssertSqlSafe(sql)).bind(repository);
            for generation in batch {
                query = query.bind(*generation);
            }
            for (generation, oid) in query.fetch_all(&self.pool).await? {
                alone.insert(generation, object_id(&oid)?);
            }
        }
        Ok(alone)
    }

    /// The ids of the commits from `from` back to the generation `first`.
    async fn walk(
        &self,
        repository: &RepositoryKey,
        from: &ObjectId,
        first: i64,
    ) -> Result<Vec<String>, RegistryError> {
        let walked = sqlx::query_scalar(
            "WITH RECURSIVE chain (oid, parent) AS ( \
                 SELECT oid, parent FROM commits WHERE repository = $1 AND oid = $2 \
                 UNION ALL \
                 SELECT c.oid, c.parent FROM chain CROSS JOIN commits c \
                 WHERE c.repository = $1 AND c.oid = chain.parent AND c.generation >= $3 \
             ) SELECT oid FROM chain",
        );
        let walked = walked.bind(repository).bind(from.to_string()).bind(first);
        Ok(walked.fetch_all(&self.pool).await?)
    }
}

/// Parses rows of a path with the generation and the commit of its newest change. Paths without a
/// change are left out.
fn parse_positions(
    rows: Vec<(String, Option<String>)>,
) -> Result<Vec<(String, CommitPosition)>, RegistryError> {
    let position = |text: &str| -> Option<CommitPosition> {
        let (generation, oid) = text.split_once(' ')?;
        Some((generation.parse().ok()?, object_id(oid).ok()?))
    };
    rows.into_iter()
        .filter_map(|(path, newest)| Some((path, newest?)))
        .map(|(path, newest)| match position(&newest) {
            Some(position) => Ok((path, position)),
            None => Err(RegistryError::Damaged(format!("the change {newest:?}"))),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A repository `r` whose main history has `length` commits, with ids `0…`. Another history,
    /// with ids `a…`, forks from it after 100 commits and ends at 3,000. Each commit of the main
    /// one touches `busy`; `old` was touched at 10, `both` at 90, at 200 and on the fork at 2,500.
    async fn repository(database: &Database, length: i64) {
        let numbers = |from: i64, to: i64| {
            format!(
                "WITH RECURSIVE numbers (i) AS (SELECT {from} UNION ALL SELECT i + 1 FROM numbers WHERE i < {to})"
            )
        };
        let commits = |numbers: String, oid: &str, parent: &str| {
            format!(
                "{numbers} INSERT INTO commits (repository, oid, tree, parent, generation, title, message, author, written_ms, data) \
                 SELECT 'r', {oid}, printf('%040d', 0), {parent}, i, '', '', '', 0, x'' FROM numbers"
            )
        };
        let statements = [
            "INSERT INTO accounts (id, kind, name, name_folded, full_name, created_ms) VALUES ('a', 'user', 'a', 'a', 'a', 0)".to_owned(),
            "INSERT INTO repositories (id, kind, owner, name, name_folded, private, created_ms, modified_ms) \
             VALUES ('r', 'model', 'a', 'r', 'r', 0, 0, 0)"
                .to_owned(),
            commits(
                numbers(1, length),
                "printf('%040d', i)",
                "CASE i WHEN 1 THEN NULL ELSE printf('%040d', i - 1) END",
            ),
            commits(
                numbers(101, 3_000),
                "printf('a%039d', i)",
                "CASE i WHEN 101 THEN printf('%040d', 100) ELSE printf('a%039d', i - 1) END",
            ),
            format!(
                "{} INSERT INTO changes SELECT 'r', 'busy', i, printf('%040d', i) FROM numbers",
                numbers(1, length)
            ),
            "INSERT INTO changes VALUES ('r', 'old', 10, printf('%040d', 10)), ('r', 'both', 90, printf('%040d', 90)), \
             ('r', 'both', 200, printf('%040d', 200)), ('r', 'both', 2500, printf('a%039d', 2500))"
                .to_owned(),
        ];
        for statement in statements {
            let done = sqlx::query(AssertSqlSafe(statement)).execute(&database.pool);
            done.await.unwrap();
        }
    }

    fn key() -> RepositoryKey {
        RepositoryKey::from("r")
    }

    async fn head(database: &Database, oid: String) -> Commit {
        database
            .commit(&key(), &object_id(&oid).unwrap())
            .await
            .unwrap()
            .unwrap()
    }

    #[tokio::test]
    async fn changes_are_those_of_the_own_line() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("registry.sqlite");
        let database = Database::open_sqlite(&path).await.unwrap();
        repository(&database, 5_000).await;
        let paths = ["busy", "old", "both", "missing"];
        let (main, fork) = (|i: i64| format!("{i:040}"), |i: i64| format!("a{i:039}"));
        for (oid, expect) in [
            (main(5_000), [main(5_000), main(10), main(200)]),
            (main(3_000), [main(3_000), main(10), main(200)]),
            (main(150), [main(150), main(10), main(90)]),
            (main(5), [main(5), String::new(), String::new()]),
            (fork(3_000), [main(100), main(10), fork(2_500)]),
            (fork(2_400), [main(100), main(10), main(90)]),
        ] {
            let head = head(&database, oid.clone()).await;
            let last = database.last_changes(&key(), &head, &paths).await.unwrap();
            let oid_of = |commit: &Commit| commit.oid.to_string();
            let found = |path: &str| last.get(path).map(oid_of).unwrap_or_default();
            assert_eq!(
                [found("busy"), found("old"), found("both")],
                expect,
                "{oid}"
            );
            assert!(!last.contains_key("missing"));
        }
        for (oid, skip, expect) in [
            (main(5_000), 0, main(5_000)),
            (main(5_000), 1_500, main(3_500)),
            (main(5_000), 2_500, main(2_500)),
            (main(5_000), 4_950, main(50)),
            (fork(3_000), 400, fork(2_600)),
            (fork(3_000), 2_900, main(100)),
            (fork(3_000), 2_999, main(1)),
        ] {
            let head = head(&database, oid).await;
            let page = database.history(&key(), &head, skip, 2).await.unwrap();
            assert_eq!(page[0].oid.to_string(), expect);
            assert_eq!(page.len(), if head.generation - skip > 1 { 2 } else { 1 });
        }
    }

    #[tokio::test]
    async fn a_long_history_costs_what_a_short_one_does() {
        let mut took = Vec::new();
        for length in [4_000, 80_000] {
            let scratch = tempfile::tempdir().unwrap();
            let path = scratch.path().join("registry.sqlite");
            let database = Database::open_sqlite(&path).await.unwrap();
            repository(&database, length).await;
            let head = head(&database, format!("{length:040}")).await;
            let ask = async || {
                let started = std::time::Instant::now();
                for _ in 0..5 {
                    database
                        .last_changes(&key(), &head, &["busy", "old"])
                        .await
                        .unwrap();
                    database
                        .history(&key(), &head, length - 50, 10)
                        .await
                        .unwrap();
                }
                started.elapsed()
            };
            // The fastest of several runs, because the machine may be busy.
            let mut quickest = ask().await;
            for _ in 0..4 {
                quickest = quickest.min(ask().await);
            }
            took.push(quickest);
        }
        assert!(took[1] < took[0] * 5, "{took:?}");
    }
}
