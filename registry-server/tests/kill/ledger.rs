//! A type for acknowledged commits, and checks that their files and histories are still there.

use std::collections::BTreeSet;

use futures::TryStreamExt as _;

use crate::support::{TestRegistry, hex};

/// Requests at the same time.
const READERS: usize = 8;

/// A commit that a server has said is done.
#[derive(Debug, Clone)]
pub(crate) struct Acknowledged {
    pub(crate) repository: String,
    pub(crate) commit: String,
    /// Paths, and the SHA-256 of what is there.
    pub(crate) files: Vec<(String, String)>,
}

/// Reads every file of these commits and compares its digest; tells how many there were.
pub(crate) async fn check(hub: &TestRegistry, commits: &[Acknowledged]) -> Result<usize, String> {
    let files = commits.iter().flat_map(|commit| {
        let files = commit.files.iter();
        files.map(move |(path, digest)| (commit, path, digest))
    });
    let reading =
        futures::stream::iter(files.map(Ok::<_, String>)).map_ok(async |(commit, path, digest)| {
            let address = format!("/{}/resolve/{}/{path}", commit.repository, commit.commit);
            let response = hub.get(&address).await;
            if response.status() != 200 {
                return Err(format!("{address}: {}", response.status()));
            }
            let bytes = response.bytes().await.map_err(|error| error.to_string())?;
            match hex(&bytes) == *digest {
                true => Ok(1),
                false => Err(format!("{address} holds other bytes")),
            }
        });
    let read = reading.try_buffer_unordered(READERS);
    read.try_fold(0, async |sum, one| Ok(sum + one)).await
}

/// Looks for these commits in the histories of their branches.
pub(crate) async fn check_histories(
    hub: &TestRegistry,
    commits: &[Acknowledged],
) -> Result<(), String> {
    let repositories: BTreeSet<&str> = commits.iter().map(|it| it.repository.as_str()).collect();
    for repository in repositories {
        let there = history(hub, repository).await;
        for commit in commits.iter().filter(|it| it.repository == repository) {
            if !there.contains(&commit.commit) {
                return Err(format!("{} of {repository} is lost", commit.commit));
            }
        }
    }
    Ok(())
}

/// The ids of all commits of the main branch.
async fn history(hub: &TestRegistry, repository: &str) -> BTreeSet<String> {
    let mut ids = BTreeSet::new();
    for page in 0.. {
        let path = format!("/api/models/{repository}/commits/main?limit=1000&p={page}");
        let commits = hub.get_json(&path).await;
        let commits = commits.as_array().unwrap();
        let before = ids.len();
        ids.extend(
            commits
                .iter()
                .map(|it| it["id"].as_str().unwrap().to_owned()),
        );
        if commits.len() < 1_000 || ids.len() == before {
            break;
        }
    }
    ids
}
