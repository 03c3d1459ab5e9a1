//! The tool `git` beside `mcp-server-git`, of a repository that the test makes.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use super::pair::{Pair, of_python, said};
use crate::support::Home;

pub(super) fn git() {
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
    /// As [`Pair::same`]: the server knows the repository by its path, and the tool by its name.
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
