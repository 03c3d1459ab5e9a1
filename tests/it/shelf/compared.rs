//! Tools of the shelf beside the reference servers that they stand for, which run as they are published.
//! Both have the same functions, and answer the same calls with the same texts.

use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::public_clients::packages;
use crate::support::{Client, Home, Need, Test, guests, root, test};

const PYTHON: &[Need] = &[Need::PythonGuest, Need::PythonPackages];
const NODE: &[Need] = &[Need::PythonGuest, Need::NodePackages];

pub(super) fn tests() -> Vec<Test> {
    vec![
        test("shelf::time_is_the_reference", time).needs(PYTHON),
        test("shelf::filesystem_is_the_reference", filesystem).needs(NODE),
        test("shelf::memory_is_the_reference", memory).needs(NODE),
        test(
            "shelf::sequentialthinking_is_the_reference",
            sequentialthinking,
        )
        .needs(NODE),
        test("shelf::git_is_the_reference", git).needs(PYTHON),
    ]
}

/// A server that is published, and the tool that stands for it.
struct Pair {
    published: Client,
    tool: Client,
    /// Of what the published server says, what the tool says otherwise, and how.
    wording: Vec<(String, &'static str)>,
}

impl Pair {
    /// Starts both. The tool has all functions of the server but those that are `left_out`.
    #[track_caller]
    fn start(
        mut published: Command,
        home: &Home,
        tool: &str,
        flags: &[&str],
        left_out: &[&str],
    ) -> Self {
        let project = guests::built(tool);
        let mut arguments = vec!["dev", project.to_str().expect("UTF-8"), "--serve"];
        arguments.extend(flags);
        let mut serve = home.command(arguments);
        serve.stderr(Stdio::null());
        published.stderr(Stdio::null());
        let mut pair = Self {
            published: Client::start(published),
            tool: Client::start(serve),
            wording: Vec::new(),
        };
        let offered: Vec<String> = pair
            .tool
            .tools()
            .iter()
            .map(|name| own(name).to_owned())
            .collect();
        for name in pair.published.tools() {
            assert!(
                offered.contains(&name) != left_out.contains(&&*name),
                "{name}: {offered:?}"
            );
        }
        pair
    }

    /// Makes a call to both, whose answers are the same; the tool's is returned.
    #[track_caller]
    fn same(&mut self, function: &str, arguments: Value) -> Value {
        let (expected, found) = self.answers(function, &arguments);
        for answer in [&expected, &found] {
            assert_ne!(answer["isError"], true, "{function} {arguments}: {answer}");
        }
        let (mut expected, found) = (said(&expected), said(&found));
        if let Value::String(text) = &mut expected {
            for (theirs, ours) in &self.wording {
                *text = text.replace(theirs, ours);
            }
        }
        assert_eq!(found, expected, "{function} {arguments}");
        found
    }

    /// Makes a call to both, which both refuse.
    #[track_caller]
    fn both_refuse(&mut self, function: &str, arguments: Value) {
        let (expected, found) = self.answers(function, &arguments);
        for answer in [&expected, &found] {
            assert_eq!(answer["isError"], true, "{function} {arguments}: {answer}");
        }
    }

    #[track_caller]
    fn answers(&mut self, function: &str, arguments: &Value) -> (Value, Value) {
        let call = |client: &mut Client, name: &str| {
            client.ask(
                "tools/call",
                json!({ "name": name, "arguments": arguments }),
            )
        };
        let offered = self.tool.tools();
        let name = offered
            .iter()
            .find(|name| own(name) == function)
            .expect("the function");
        (
            call(&mut self.published, function),
            call(&mut self.tool, name),
        )
    }
}

/// The function's own name in the name that a client sees.
fn own(name: &str) -> &str {
    name.rsplit_once("__").map_or(name, |(_, own)| own)
}

/// What an answer says: its first part, as a value where its text is JSON.
#[track_caller]
fn said(answer: &Value) -> Value {
    let part = &answer["content"][0];
    match part["text"].as_str() {
        Some(text) => serde_json::from_str(text).unwrap_or_else(|_| text.trim_end().into()),
        None => part.clone(),
    }
}

fn of_python(package: &str, module: &str) -> Command {
    let mut server = Command::new("python3");
    server
        .args(["-m", module])
        .env("PYTHONPATH", packages::python(&[package]));
    server
}

/// A server of the project that publishes the reference servers, of its release of August 2026.
fn of_node(name: &str) -> Command {
    let package = format!("@modelcontextprotocol/server-{name}");
    let place = packages::node(&[&format!("{package}@2026.8.31")]);
    let mut server = Command::new("node");
    server.arg(
        place
            .join("node_modules")
            .join(package)
            .join("dist/index.js"),
    );
    server
}

fn time() {
    let home = Home::new();
    let server = of_python("mcp-server-time==2026.10.19", "mcp_server_time");
    let mut pair = Pair::start(server, &home, "time", &[], &[]);

    for (source, time, target) in [
        ("UTC", "16:30", "Asia/Tokyo"),
        ("Asia/Tokyo", "09:00", "America/Sao_Paulo"),
        ("Asia/Kathmandu", "00:10", "UTC"),
        ("Australia/Lord_Howe", "23:59", "Europe/Berlin"),
        ("America/New_York", "12:00", "America/New_York"),
    ] {
        let zones = json!({ "source_timezone": source, "time": time, "target_timezone": target });
        pair.same("convert_time", zones);
    }
    let (expected, found) =
        pair.answers("get_current_time", &json!({ "timezone": "Asia/Kolkata" }));
    let (expected, found) = (said(&expected), said(&found));
    for member in ["timezone", "is_dst"] {
        assert_eq!(found[member], expected[member]);
    }
    let names = |value: &Value| {
        value
            .as_object()
            .expect("an object")
            .keys()
            .cloned()
            .collect::<Vec<_>>()
    };
    assert_eq!(names(&found), names(&expected));

    let zones =
        json!({ "source_timezone": "UTC", "time": "4 pm", "target_timezone": "Asia/Tokyo" });
    pair.both_refuse("convert_time", zones);
    for timezone in ["Mars/Olympus", "europe/berlin", "../etc/passwd", ""] {
        pair.both_refuse("get_current_time", json!({ "timezone": timezone }));
    }
}

fn filesystem() {
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

fn memory() {
    let home = Home::new();
    let mut server = of_node("memory");
    server.env("MEMORY_FILE_PATH", home.work().join("memory.jsonl"));
    let mut pair = Pair::start(server, &home, "memory", &["--allow-storage"], &[]);

    let relations = json!([{ "from": "Ada", "to": "Engine", "relationType": "writes about" }]);
    for (function, arguments) in [
        ("read_graph", json!({})),
        (
            "create_entities",
            json!({ "entities": [
            { "name": "Ada", "entityType": "person", "observations": ["likes tea"] },
            { "name": "Engine", "entityType": "machine", "observations": [] },
        ] }),
        ),
        (
            "create_entities",
            json!({ "entities": [{ "name": "Ada", "entityType": "robot", "observations": [] }] }),
        ),
        ("create_relations", json!({ "relations": relations })),
        ("create_relations", json!({ "relations": relations })),
        (
            "add_observations",
            json!({ "observations": [{ "entityName": "Ada", "contents": ["likes tea", "plays the härp"] }] }),
        ),
        ("search_nodes", json!({ "query": "HÄRP" })),
        ("open_nodes", json!({ "names": ["Engine", "nobody"] })),
        ("read_graph", json!({})),
        (
            "delete_observations",
            json!({ "deletions": [{ "entityName": "Ada", "observations": ["likes tea"] }] }),
        ),
        ("delete_relations", json!({ "relations": relations })),
        ("delete_entities", json!({ "entityNames": ["Engine"] })),
        ("read_graph", json!({})),
    ] {
        pair.same(function, arguments.clone());
        if function.starts_with("read") {
            // What programs read is the same too, and not only the text.
            let (expected, found) = pair.answers(function, &arguments);
            assert_eq!(
                found["structuredContent"], expected["structuredContent"],
                "{function}"
            );
        }
    }
    let unknown = json!({ "observations": [{ "entityName": "Bob", "contents": ["x"] }] });
    pair.both_refuse("add_observations", unknown);
}

fn sequentialthinking() {
    let home = Home::new();
    let server = of_node("sequential-thinking");
    let mut pair = Pair::start(
        server,
        &home,
        "sequentialthinking",
        &["--allow-storage"],
        &[],
    );
    for more in [
        json!({ "thoughtNumber": 1, "totalThoughts": 3 }),
        json!({ "thoughtNumber": 2, "totalThoughts": 3, "branchFromThought": 1, "branchId": "other" }),
        json!({ "thoughtNumber": 4, "totalThoughts": 3, "isRevision": true, "revisesThought": 1 }),
    ] {
        let mut thought = json!({ "thought": "So it is.", "nextThoughtNeeded": true });
        let members = thought.as_object_mut().expect("an object");
        members.extend(more.as_object().expect("an object").clone());
        pair.same("sequentialthinking", thought);
    }
    let none = json!({ "thought": "x", "nextThoughtNeeded": false, "thoughtNumber": 0, "totalThoughts": 1 });
    pair.both_refuse("sequentialthinking", none);
}

fn git() {
    let home = Home::new();
    let repository = home.work().join("repos/engine");
    commit_twice(&home, &repository);
    let mut server = of_python("mcp-server-git==2026.10.19", "mcp_server_git");
    server.arg("--repository").arg(&repository);
    let directory = format!("repos={}", home.work().join("repos").display());
    let writing = [
        "git_add",
        "git_checkout",
        "git_commit",
        "git_create_branch",
        "git_reset",
    ];
    let mut pair = Pair::start(server, &home, "git", &["--allow-dir", &directory], &writing);
    // Git advises what to do next.
    pair.wording = ADVICE
        .map(|advice| (format!("\n  ({advice})"), ""))
        .to_vec();

    let repo_path = repository.to_str().expect("UTF-8").to_owned();
    for (function, arguments) in [
        ("git_status", json!({})),
        ("git_diff_unstaged", json!({})),
        ("git_diff_unstaged", json!({ "context_lines": 1 })),
        ("git_diff_staged", json!({})),
        ("git_diff", json!({ "target": "main" })),
        ("git_diff", json!({ "target": "HEAD~1" })),
        ("git_log", json!({})),
        ("git_log", json!({ "max_count": 1 })),
        ("git_show", json!({ "revision": "HEAD" })),
        ("git_show", json!({ "revision": "old" })),
        ("git_show", json!({ "revision": "v1" })),
        ("git_show", json!({ "revision": "main:steam.txt" })),
        ("git_show", json!({ "revision": "HEAD^{tree}" })),
        ("git_branch", json!({ "branch_type": "local" })),
        ("git_branch", json!({ "branch_type": "all" })),
        (
            "git_branch",
            json!({ "branch_type": "local", "contains": "HEAD" }),
        ),
        (
            "git_branch",
            json!({ "branch_type": "local", "not_contains": "HEAD" }),
        ),
    ] {
        pair.same_of_repository(&repo_path, function, arguments);
    }
}

const ADVICE: [&str; 4] = [
    "use \"git restore --staged <file>...\" to unstage",
    "use \"git add <file>...\" to update what will be committed",
    "use \"git restore <file>...\" to discard changes in working directory",
    "use \"git add <file>...\" to include in what will be committed",
];

impl Pair {
    /// As [`Pair::same`], of a repository that the server knows by its path and the tool by its name.
    #[track_caller]
    fn same_of_repository(&mut self, repo_path: &str, function: &str, arguments: Value) {
        let with = |path: &str| {
            let mut all = arguments.clone();
            all["repo_path"] = path.into();
            json!({ "name": function, "arguments": all })
        };
        let expected = said(&self.published.ask("tools/call", with(repo_path)));
        let mut ours = with("engine");
        ours["name"] = format!("git__{function}").into();
        let found = said(&self.tool.ask("tools/call", ours));
        let mut expected = expected.as_str().expect("a text").to_owned();
        for (theirs, ours) in &self.wording {
            expected = expected.replace(theirs, ours);
        }
        assert_eq!(found, expected, "{function} {arguments}");
    }
}

/// A repository with two commits, a branch, a tag, and changes of each kind that no commit has.
fn commit_twice(home: &Home, repository: &Path) {
    let write = |file: &str, text: &str| {
        let file = repository.join(file);
        std::fs::create_dir_all(file.parent().expect("a directory")).expect("a directory");
        std::fs::write(file, text).expect("a file");
    };
    let git = |line: &str, date: &str| {
        let done = Command::new("git")
            .args(line.split(' '))
            .current_dir(repository)
            .env("HOME", home.path())
            .envs([("GIT_AUTHOR_DATE", date), ("GIT_COMMITTER_DATE", date)])
            .envs(["GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"].map(|name| (name, "Ada")))
            .envs(["GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"].map(|name| (name, "ada@example.com")))
            .output()
            .expect("git starts");
        assert!(
            done.status.success(),
            "{line}: {}",
            String::from_utf8_lossy(&done.stderr)
        );
    };
    write("steam.txt", "one\ntwo\nthree\n");
    write("src/main.rs", "fn main() {}\n");
    write(".gitignore", "*.log\ntarget/\n");
    let [first, second] = ["2026-11-01T10:00:00+0100", "2026-11-02T10:00:00+0000"];
    git("init -q -b main", first);
    git("add .", first);
    git("commit -q -m Begin", first);
    git("branch old", first);
    write("steam.txt", "one\n2\nthree\nfour\n");
    write("lib/x.rs", "x");
    git("rm -q src/main.rs", second);
    git("add .", second);
    git("commit -q -m Change", second);
    git("tag -a v1 -m v1", second);
    git("update-ref refs/remotes/origin/main HEAD", second);
    write("staged.txt", "staged\n");
    git("add staged.txt", second);
    write("steam.txt", "one\n2\n3\nfour\n");
    write("new/deep/f", "1");
    write("untracked.txt", "1");
    write("a.log", "1");
    write("target/t", "1");
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
