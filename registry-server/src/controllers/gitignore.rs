//! Finds which files of an upload `.gitignore` leaves out; reads such a pattern file from a commit.

use http::StatusCode;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::database::commits::Commit;
use crate::database::repositories::Repository;
use crate::error::RegistryError;
use crate::history::{ListedKind, list_entries};
use crate::http::Refusal;
use crate::names::RepositoryPath;
use crate::registry::Registry;

/// The file with the patterns; those of directories below are not looked at.
const IGNORE_FILE: &str = ".gitignore";
/// Longest such file. Compiling one of this length takes a tenth of a second and some megabytes at
/// worst.
const IGNORE_FILE_BYTES_MAX: usize = 16 << 10;

/// For each path whether it is to be left out: by the patterns that come with the commit, else by
/// those of the revision.
///
/// Patterns that git would not understand count for nothing.
pub(super) async fn ignored(
    registry: &Registry,
    repository: &Repository,
    commit: &Commit,
    patterns: Option<String>,
    paths: Vec<String>,
) -> Result<Vec<bool>, Refusal> {
    let patterns = match patterns {
        Some(patterns) => Some(patterns),
        None => {
            // Reads one byte more than allowed, to detect a file that is too long.
            let bytes_max = IGNORE_FILE_BYTES_MAX + 1;
            stored_patterns(registry, repository, commit, IGNORE_FILE, bytes_max).await?
        }
    };
    let Some(patterns) = patterns else {
        return Ok(vec![false; paths.len()]);
    };
    if patterns.len() > IGNORE_FILE_BYTES_MAX {
        return Err(too_long());
    }
    let matching = tokio::task::spawn_blocking(move || {
        let Some(rules) = compile(&patterns) else {
            return vec![false; paths.len()];
        };
        paths.iter().map(|path| is_ignored(&rules, path)).collect()
    });
    matching
        .await
        .map_err(|_| RegistryError::Damaged("matching a .gitignore failed".to_owned()).into())
}

/// Reads the beginning of a file of patterns.
pub(super) async fn stored_patterns(
    registry: &Registry,
    repository: &Repository,
    commit: &Commit,
    file: &str,
    bytes_max: usize,
) -> Result<Option<String>, Refusal> {
    let (database, id) = (registry.database(), &repository.id);
    let found = list_entries(database, id, commit, &[file.to_owned()]).await?;
    let Some(ListedKind::File(Some(blob))) = found.first().map(|entry| entry.kind) else {
        return Ok(None);
    };
    let content = registry.content();
    let bytes = content
        .head(&blob.sha256, blob.size_bytes, bytes_max)
        .await?;
    Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
}

fn too_long() -> Refusal {
    Refusal::new(
        StatusCode::UNPROCESSABLE_ENTITY,
        format!("the repository's {IGNORE_FILE} has more than {IGNORE_FILE_BYTES_MAX} bytes"),
    )
}

fn compile(patterns: &str) -> Option<Gitignore> {
    let mut rules = GitignoreBuilder::new("");
    for line in patterns.lines() {
        // What cannot be compiled is left out by the builder.
        let _ = rules.add_line(None, line);
    }
    rules.build().ok()
}

/// Only what can be a path in a repository is matched: the rules take nothing else.
fn is_ignored(rules: &Gitignore, path: &str) -> bool {
    RepositoryPath::parse_stored(path).is_ok()
        && rules.matched_path_or_any_parents(path, false).is_ignore()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(patterns: &str, path: &str, expect: bool) {
        let rules = compile(patterns).unwrap();
        assert_eq!(is_ignored(&rules, path), expect, "{patterns:?} {path:?}");
    }

    #[test]
    fn patterns() {
        check("", "a", false);
        check("# a\n", "a", false);
        check("nested/*\n", "nested/file.bin", true);
        check("nested/\n", "nested/deep/file.bin", true);
        check("nested/\n", "nested", false);
        check("*.log\r\n!keep.log\r\n", "a/b.log", true);
        check("*.log\n!keep.log\n", "a/keep.log", false);
        check("/a\n", "b/a", false);
        check("[\n*.log\n", "b.log", true);
    }

    #[test]
    fn what_is_no_path_is_not_matched() {
        for path in ["/etc/passwd", "../a", "", "a//b", "C:\\a"] {
            check("*\n", path, false);
        }
    }
}
