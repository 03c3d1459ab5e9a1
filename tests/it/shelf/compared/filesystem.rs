//! The tool `filesystem` beside `@modelcontextprotocol/server-filesystem`.

use std::path::Path;

use serde_json::json;

use super::pair::{Pair, of_node};
use crate::support::{Home, root};

pub(super) fn filesystem() {
    let home = Home::new();
    let [theirs, ours] = ["theirs", "ours"].map(|name| {
        let place = home.work().join(name);
        copy(&root().join("sample-tools/filesystem/tests/files"), &place);
        place.canonicalize().expect("a directory")
    });
    let mut server = of_node("filesystem");
    server.arg(&theirs);
    let directory = format!("files={}", ours.display());
    let mut pair = Pair::start(
        server,
        &home,
        "filesystem",
        &["--allow-dir", &directory],
        &[],
    );
    // The server writes whole paths.
    pair.wording = vec![
        (format!("{}/", theirs.display()), ""),
        (theirs.display().to_string(), "/files"),
    ];

    let edits = json!([{ "oldText": "b", "newText": "B" }, { "oldText": "i\nj", "newText": "I" }]);
    for (function, arguments) in [
        ("read_text_file", json!({ "path": "docs/plan.md" })),
        (
            "read_text_file",
            json!({ "path": "docs/plan.md", "head": 2 }),
        ),
        (
            "read_text_file",
            json!({ "path": "docs/plan.md", "tail": 2 }),
        ),
        ("read_file", json!({ "path": "docs/list.txt" })),
        (
            "read_multiple_files",
            json!({ "paths": ["docs/plan.md", "docs/list.txt"] }),
        ),
        ("read_media_file", json!({ "path": "dot.gif" })),
        ("list_directory", json!({ "path": "." })),
        ("list_directory_with_sizes", json!({ "path": "docs" })),
        (
            "list_directory_with_sizes",
            json!({ "path": "docs", "sortBy": "size" }),
        ),
        (
            "directory_tree",
            json!({ "path": "docs", "excludePatterns": ["*.md"] }),
        ),
        (
            "write_file",
            json!({ "path": "docs/new.md", "content": "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\n" }),
        ),
        (
            "edit_file",
            json!({ "path": "docs/new.md", "edits": edits, "dryRun": true }),
        ),
        (
            "edit_file",
            json!({ "path": "docs/new.md", "edits": edits }),
        ),
        (
            "edit_file",
            json!({ "path": "docs/list.txt", "edits": [{ "oldText": "bread\nsalt", "newText": "cake\n  pepper" }] }),
        ),
        ("read_text_file", json!({ "path": "docs/list.txt" })),
        ("create_directory", json!({ "path": "x/y/z" })),
        ("create_directory", json!({ "path": "x/y/z" })),
        (
            "move_file",
            json!({ "source": "docs/new.md", "destination": "x/new.md" }),
        ),
        ("search_files", json!({ "path": ".", "pattern": "**/*.md" })),
        ("search_files", json!({ "path": ".", "pattern": "*.md" })),
        (
            "search_files",
            json!({ "path": "docs", "pattern": "*", "excludePatterns": ["plan*"] }),
        ),
        ("list_allowed_directories", json!({})),
    ] {
        pair.same(function, arguments);
    }
    for (function, arguments) in [
        (
            "edit_file",
            json!({ "path": "docs/list.txt", "edits": [{ "oldText": "gone", "newText": "" }] }),
        ),
        (
            "move_file",
            json!({ "source": "docs/list.txt", "destination": "x/new.md" }),
        ),
        ("read_text_file", json!({ "path": "../secret" })),
        ("read_text_file", json!({ "path": "/etc/passwd" })),
        ("read_text_file", json!({ "path": "nothing" })),
    ] {
        pair.both_refuse(function, arguments);
    }
    assert_eq!(files(&ours), files(&theirs));
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a directory");
    for entry in std::fs::read_dir(from).expect("a directory") {
        let entry = entry.expect("an entry");
        match entry.path().is_dir() {
            true => copy(&entry.path(), &to.join(entry.file_name())),
            false => {
                std::fs::copy(entry.path(), to.join(entry.file_name())).expect("a copy");
            }
        }
    }
}

/// All files below a directory, with what they hold.
fn files(place: &Path) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    let mut waiting = vec![place.to_owned()];
    while let Some(directory) = waiting.pop() {
        for entry in std::fs::read_dir(directory).expect("a directory") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                waiting.push(path);
                continue;
            }
            let name = path
                .strip_prefix(place)
                .expect("a path below")
                .display()
                .to_string();
            found.push((name, std::fs::read(&path).expect("a file")));
        }
    }
    found.sort();
    found
}
