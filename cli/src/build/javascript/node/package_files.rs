//! The files of a package that its server may read while it runs, such as texts and templates.

use std::collections::BTreeMap;
use std::path::Path;

use crate::files;

/// The endings of their names.
const ENDINGS: [&str; 19] = [
    "css", "csv", "ejs", "graphql", "hbs", "htm", "html", "json", "md", "mustache", "prompt",
    "sql", "svg", "toml", "tsv", "txt", "xml", "yaml", "yml",
];

/// Files that are for people and programs that install the package.
const NOT_READ: [&str; 6] = [
    "changelog.md",
    "contributing.md",
    "license.md",
    "package-lock.json",
    "readme.md",
    "tsconfig.json",
];

/// The longest file that is taken, the most bytes of all, and the most entries that are looked at.
/// All calls hold them in memory.
const FILE_BYTES_MAX: u64 = 128 << 10;
const BYTES_MAX: usize = 512 << 10;
const ENTRIES_MAX: usize = 5000;

/// The texts in `directory`, that of `package`, by their paths from where packages lie. Where there
/// are too many the first ones are taken, the highest directory before others.
///
/// # Errors
/// When the directory cannot be read.
pub(super) fn texts(directory: &Path, package: &str) -> std::io::Result<BTreeMap<String, String>> {
    let mut texts = BTreeMap::new();
    let mut bytes = 0;
    let mut entries_left = ENTRIES_MAX;
    let mut directories = vec![(directory.to_owned(), package.to_owned())];
    while let Some((directory, place)) = directories.pop() {
        let mut entries = std::fs::read_dir(&directory)?
            .take(entries_left)
            .collect::<std::io::Result<Vec<_>>>()?;
        entries_left -= entries.len();
        entries.sort_by_key(std::fs::DirEntry::file_name);
        for entry in entries {
            let Some(name) = entry.file_name().to_str().map(str::to_owned) else {
                continue;
            };
            let kind = entry.file_type()?;
            let path = format!("{place}/{name}");
            if kind.is_dir() && name != "node_modules" && !name.starts_with('.') {
                directories.insert(0, (entry.path(), path));
            } else if kind.is_file() && is_read(&name) {
                let text = files::read_regular(&entry.path(), FILE_BYTES_MAX);
                let Some(text) = text.ok().and_then(|it| String::from_utf8(it).ok()) else {
                    continue;
                };
                if bytes + text.len() <= BYTES_MAX {
                    bytes += text.len();
                    texts.insert(path, text);
                }
            }
        }
    }
    Ok(texts)
}

fn is_read(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    let ending = lower.rsplit_once('.').map_or("", |it| it.1);
    ENDINGS.contains(&ending) && !NOT_READ.contains(&lower.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_the_package_are_taken() {
        let place = tempfile::tempdir().unwrap();
        for path in [
            "package.json",
            "README.md",
            "dist/index.js",
            "dist/prompts/ask.md",
            "node_modules/other/data.json",
        ] {
            files::write(&place.path().join(path), path.as_bytes()).unwrap();
        }
        files::write(&place.path().join("long.txt"), &vec![b'a'; 200 << 10]).unwrap();
        files::write(&place.path().join("not_text.txt"), &[0xff, 0xfe]).unwrap();
        let found = texts(place.path(), "@s/a").unwrap();
        let names: Vec<&str> = found.keys().map(String::as_str).collect();
        assert_eq!(names, ["@s/a/dist/prompts/ask.md", "@s/a/package.json"]);
    }
}
