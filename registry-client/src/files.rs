//! Asks a registry which of some named files a commit has, with their lengths and hashes.
//! An answer with other files is refused.

use serde::Deserialize;
use tool_hub_manifest::Digest;

use crate::error::{Act, ClientError};
use crate::refusal;
use crate::registry::Registry;
use crate::resolved::Resolved;

/// One file of a tool, as the registry describes it: a claim like any other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ListedFile {
    pub(crate) name: &'static str,
    pub(crate) bytes: u64,
    /// The digest, where the registry knows one.
    pub(crate) digest: Option<Digest>,
}

#[derive(Deserialize)]
struct Entry {
    r#type: String,
    path: String,
    #[serde(default)]
    size: u64,
    lfs: Option<Lfs>,
}

#[derive(Deserialize)]
struct Lfs {
    oid: Option<Digest>,
    size: Option<u64>,
}

/// Those of `names` that are there at a commit. Asking for a few names is one small answer
/// however large the repo is, where listing its tree is a page for every thousand files.
pub(crate) async fn list(
    registry: &Registry,
    at: &Resolved,
    names: &[&'static str],
) -> Result<Vec<ListedFile>, ClientError> {
    let act = Act::ListFiles(at.repo.clone());
    let url = registry
        .wire
        .about(&at.repo, &["paths-info", at.commit.as_str()]);
    let form: Vec<_> = names.iter().map(|file| ("paths", *file)).collect();
    let entries: Vec<Entry> = registry.wire.post_form(&act, url, &form).await?;
    checked(&act, names, entries)
}

fn checked(
    act: &Act,
    names: &[&'static str],
    entries: Vec<Entry>,
) -> Result<Vec<ListedFile>, ClientError> {
    let mut files: Vec<ListedFile> = Vec::new();
    for entry in entries {
        let known = names.iter().find(|name| **name == entry.path);
        let Some(name) = known else {
            let what = format!("it lists `{}`, which was not asked for", entry.path);
            return Err(refusal::nonsense(act, &what));
        };
        if entry.r#type != "file" {
            return Err(refusal::nonsense(act, &format!("its {name} is not a file")));
        }
        if files.iter().any(|file| file.name == *name) {
            return Err(refusal::nonsense(act, &format!("it lists {name} twice")));
        }
        let lfs = entry.lfs.as_ref();
        files.push(ListedFile {
            name,
            bytes: lfs.and_then(|lfs| lfs.size).unwrap_or(entry.size),
            digest: lfs.and_then(|lfs| lfs.oid),
        });
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tool_hub_manifest::package_file;

    #[track_caller]
    fn check(answer: &str, expect: Result<&[(&str, u64)], &str>) {
        let act = Act::ListFiles("demo/x".parse().unwrap());
        let answer = serde_json::from_str(answer).unwrap();
        let found = checked(&act, &package_file::ALL, answer);
        match (found, expect) {
            (Ok(files), Ok(expect)) => {
                let files: Vec<_> = files.iter().map(|it| (it.name, it.bytes)).collect();
                assert_eq!(files, expect);
            }
            (Err(error), Err(expect)) => {
                let error = error.to_string();
                assert!(error.contains(expect), "{error}");
            }
            (found, _) => panic!("{found:?}"),
        }
    }

    #[test]
    fn only_what_was_asked_for() {
        check("[]", Ok(&[]));
        check(
            r#"[{"type":"file","path":"tool.toml","size":9,"oid":"x"},
                {"type":"file","path":"tool.wasm","size":131,"lfs":{"size":70,"oid":"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"}}]"#,
            Ok(&[("tool.toml", 9), ("tool.wasm", 70)]),
        );
        for name in [
            "../../.bashrc",
            "C:\\\\x",
            "tool.toml\\u0000",
            "Tool.toml",
            "tool.toml/",
            "/tool.toml",
            "",
        ] {
            check(
                &format!(r#"[{{"type":"file","path":"{name}"}}]"#),
                Err("was not asked for"),
            );
        }
        check(
            r#"[{"type":"directory","path":"tool.wasm"}]"#,
            Err("tool.wasm is not a file"),
        );
        check(
            r#"[{"type":"file","path":"tool.wasm"},{"type":"file","path":"tool.wasm"}]"#,
            Err("twice"),
        );
    }
}
