//! Decides from `.gitattributes` which files go over LFS; writes the one of a new repository.

use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::gitignore::stored_patterns;
use crate::database::commits::Commit;
use crate::database::repositories::Repository;
use crate::error::RegistryError;
use crate::http::Refusal;
use crate::names::{RepositoryKind, RepositoryPath};
use crate::registry::Registry;

/// The file of attributes. Those in subdirectories are ignored.
pub(super) const ATTRIBUTES_FILE: &str = ".gitattributes";
/// The bytes of the file that are read, up to the end of a line. Some of these files name each file
/// of a data set; a longer one must not make all uploads fail.
const ATTRIBUTES_BYTES_MAX: usize = 16 << 10;

/// The patterns that the Hub sends over LFS in every repository, without `*.wasm`. A tool's
/// component goes inside of the commit, which all clients support; the Python client with Xet, its
/// usual installation, does not support LFS.
const MODEL_PATTERNS: &str = "*.7z *.arrow *.bin *.bz2 *.ckpt *.ftz *.gz *.h5 *.joblib *.lfs.* *.mlmodel *.model *.msgpack *.npy *.npz \
     *.onnx *.ot *.parquet *.pb *.pickle *.pkl *.pt *.pth *.rar *.safetensors saved_model/**/* *.tar.* *.tar *.tflite *.tgz *.xz *.zip \
     *.zst *tfevents*";
/// The patterns that the Hub sends over LFS in data sets, in addition.
const DATASET_PATTERNS: &str = "*.lz4 *.mds *.pcm *.sam *.raw *.aac *.flac *.mp3 *.ogg *.wav *.bmp *.gif *.png *.tiff *.jpg *.jpeg \
     *.webp *.mp4 *.webm";

/// The attributes of a new repository, or of one without any.
pub(super) fn standard_attributes(kind: RepositoryKind) -> String {
    let more = match kind {
        RepositoryKind::Dataset => DATASET_PATTERNS,
        _ => "",
    };
    let patterns = MODEL_PATTERNS
        .split_whitespace()
        .chain(more.split_whitespace());
    let lines = patterns.map(|pattern| format!("{pattern} filter=lfs diff=lfs merge=lfs -text\n"));
    lines.chain(["*.wasm binary\n".to_owned()]).collect()
}

/// For each path, true if it is sent over LFS. The attributes in the commit are used, else those of
/// the revision, else the standard ones.
pub(super) async fn sent_over_lfs(
    registry: &Registry,
    repository: &Repository,
    commit: &Commit,
    attributes: Option<String>,
    paths: Vec<String>,
) -> Result<Vec<bool>, Refusal> {
    let attributes = match attributes {
        Some(attributes) => Some(attributes),
        None => {
            stored_patterns(
                registry,
                repository,
                commit,
                ATTRIBUTES_FILE,
                ATTRIBUTES_BYTES_MAX,
            )
            .await?
        }
    };
    let attributes = attributes.unwrap_or_else(|| standard_attributes(repository.kind));
    let matching = tokio::task::spawn_blocking(move || {
        let rules = compile(&attributes);
        let over_lfs = |path: &String| rules.as_ref().is_some_and(|rules| is_lfs(rules, path));
        paths.iter().map(over_lfs).collect()
    });
    matching
        .await
        .map_err(|_| RegistryError::Damaged("matching a .gitattributes failed".to_owned()).into())
}

/// Compiles the attributes as `.gitignore` patterns, whose last match also counts.
fn compile(attributes: &str) -> Option<Gitignore> {
    let mut rules = GitignoreBuilder::new("");
    let read = attributes.get(..attributes.floor_char_boundary(ATTRIBUTES_BYTES_MAX));
    let read = match read {
        Some(cut) if cut.len() < attributes.len() => cut.rsplit_once('\n').map_or("", |(it, _)| it),
        _ => attributes,
    };
    for (pattern, over_lfs) in read.lines().filter_map(rule) {
        let sign = if over_lfs { "" } else { "!" };
        // The builder skips patterns that do not compile.
        let _ = rules.add_line(None, &format!("{sign}{pattern}"));
    }
    rules.build().ok()
}

/// The pattern of a line about LFS, and whether it selects or excludes LFS.
fn rule(line: &str) -> Option<(&str, bool)> {
    let line = line.trim();
    let (pattern, attributes) = match line.strip_prefix('"') {
        Some(quoted) => quoted.split_once('"')?,
        None => line.split_once(char::is_whitespace)?,
    };
    // Comments, macros, negated patterns, which attributes do not have, and patterns for
    // directories, which match no file.
    if line.starts_with(['#', '[', '!']) || pattern.ends_with('/') || pattern.contains("\\\"") {
        return None;
    }
    let mut filters = attributes.split_whitespace().filter_map(|it| {
        let (name, value) = it.split_once('=').unwrap_or((it, ""));
        let name = name.trim_start_matches(['-', '!']);
        (name == "filter").then_some(value == "lfs")
    });
    Some((pattern, filters.next_back()?))
}

/// Matches only valid repository paths, since the matcher cannot take others.
fn is_lfs(rules: &Gitignore, path: &str) -> bool {
    RepositoryPath::parse_stored(path).is_ok() && rules.matched(path, false).is_ignore()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(attributes: &str, path: &str, expect: bool) {
        let rules = compile(attributes).unwrap();
        assert_eq!(is_lfs(&rules, path), expect, "{attributes:?} {path:?}");
    }

    #[test]
    fn attributes() {
        check("", "a.bin", false);
        check(
            "*.bin filter=lfs diff=lfs merge=lfs -text\r\n",
            "a/b.bin",
            true,
        );
        check("*.bin filter=lfs", "a.bin.txt", false);
        check("*.bin binary", "a.bin", false);
        check("# *.bin filter=lfs", "a.bin", false);
        check(
            "*.bin filter=lfs\nsmall.bin -filter\n",
            "a/small.bin",
            false,
        );
        check(
            "*.bin filter=lfs\nsmall.bin !filter text\n",
            "small.bin",
            false,
        );
        check("*.bin filter=lfs\n*.bin filter=other\n", "a.bin", false);
        check("*.bin -filter filter=lfs", "a.bin", true);
        check("/a.bin filter=lfs", "b/a.bin", false);
        check("data/** filter=lfs", "data/a/b.csv", true);
        check("data filter=lfs", "data/b.csv", false);
        check("data/ filter=lfs", "data", false);
        check("\"a b.bin\" filter=lfs", "a b.bin", true);
        check("!*.bin filter=lfs", "a.bin", false);
        check("[attr]big filter=lfs", "big", false);
        check("*.bin filter=lfs", "../a.bin", false);
    }

    #[test]
    fn a_long_file_counts_up_to_a_line() {
        let long = "a-long-name.csv filter=lfs\n".repeat(1_000);
        check(&format!("*.bin filter=lfs\n{long}"), "a.bin", true);
        check(&format!("{long}*.bin filter=lfs\n"), "a.bin", false);
        check(&"é".repeat(20_000), "a.bin", false);
    }

    #[test]
    fn what_the_hub_sends_over_lfs() {
        let model = standard_attributes(RepositoryKind::Model);
        for path in [
            "a.bin",
            "x/model.safetensors",
            "m.onnx",
            "d.parquet",
            "z.zip",
            "saved_model/a/b",
            "events.tfevents.1",
            "a.tar.gz",
        ] {
            check(&model, path, true);
        }
        for path in [
            "tool.wasm",
            "tool.toml",
            "README.md",
            "a.png",
            ".gitattributes",
            "config.json",
        ] {
            check(&model, path, false);
        }
        check(&standard_attributes(RepositoryKind::Dataset), "a.png", true);
    }
}
