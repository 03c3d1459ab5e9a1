//! Tests that granting dangerous directories takes `--insist`, and a checkout's files are no trap.
//! Traps are links, pipes and endless files.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use serde_json::json;
use tool_hub_host::authoring::derive_manifest;
use tool_hub_manifest::{Access, DirectoryRequest};

use crate::support::adder::adder;
use crate::support::loading::digest;
use crate::support::{Home, Ran, Terminal, Test, test};

pub(crate) fn tests() -> Vec<Test> {
    vec![
        test("places::dangerous_directories", dangerous_directories),
        test("places::ordinary_directories", ordinary_directories),
        test("places::insisted_on", insisted_on),
        test("places::became_dangerous", became_dangerous),
        test("places::asked_at_a_terminal", asked_at_a_terminal),
        test("places::what_a_checkout_holds", what_a_checkout_holds),
        test(
            "places::a_checkout_without_an_end",
            a_checkout_without_an_end,
        ),
        test("places::a_guard_that_is_a_link", a_guard_that_is_a_link),
    ]
}

/// A user with a package that asks for a directory `work`.
fn with_asking(access: Access) -> Home {
    let home = Home::new();
    let mut manifest = derive_manifest(&adder(), "adder".parse().expect("a name")).expect("a tool");
    manifest.capabilities.directories.push(DirectoryRequest {
        name: "work".parse().expect("a name"),
        access,
        why: String::new(),
    });
    home.write("adder/tool.toml", manifest.to_toml());
    home.write("adder/tool.wasm", adder());
    home
}

fn load(home: &Home, directory: &Path, insisted: &[&Path]) -> Ran {
    let digest = digest(home, "./adder");
    let grant = format!("work={}", directory.display());
    let mut arguments = vec![
        "load",
        "./adder",
        "--approve",
        &digest,
        "--allow-dir",
        &grant,
    ];
    for place in insisted {
        arguments.extend(["--insist", place.to_str().expect("a path")]);
    }
    home.run(arguments)
}

#[track_caller]
fn refused(ran: &Ran, says: &str) {
    let said = ran.stderr();
    assert_eq!(ran.code(), 3, "{said}");
    assert!(said.contains(says), "{says:?} in {said}");
}

fn made(path: PathBuf) -> PathBuf {
    fs::create_dir_all(&path).expect("a directory");
    path
}

fn home_file(home: &Home, name: &str) {
    let path = home.path().join(name);
    made(path.parent().expect("a parent").to_owned());
    fs::write(path, "").expect("a file");
}

/// Directories that people grant every day, wherever their home is.
fn ordinary_directories() {
    let hidden = Home::new();
    let inner = made(hidden.path().join(".cache/tests/home"));
    let elsewhere = tempfile::tempdir().expect("a directory");
    let elsewhere = elsewhere.path().canonicalize().expect("a directory");
    for home in ["/", "/root", &*inner.to_string_lossy()] {
        let writer = with_asking(Access::ReadWrite).with("HOME", home);
        for place in [
            writer.work().join("app"),
            writer.work().join("app/.data"),
            elsewhere.join("app"),
            inner.join("app"),
        ] {
            load(&writer, &made(place), &[]).ok();
        }
    }
}

fn dangerous_directories() {
    let (reader, writer) = (with_asking(Access::Read), with_asking(Access::ReadWrite));
    for home in [&reader, &writer] {
        for name in [
            ".ssh",
            ".gnupg",
            ".aws",
            ".config/some",
            ".codex",
            ".cursor",
            ".vim",
            ".nvm/versions",
            ".vscode-server",
            ".local/share/applications",
            ".cache/huggingface",
        ] {
            // The token of `hf` is kept there.
            home_file(home, ".cache/huggingface/token");
            let place = made(home.path().join(name));
            refused(&load(home, &place, &[]), "is not granted as `work`");
        }
        for place in ["/etc", "/proc"] {
            refused(&load(home, Path::new(place), &[]), "is not granted");
        }
        refused(&load(home, home.path(), &[]), "the home directory");
        refused(&load(home, &home.tool_home(), &[]), "keeps its own files");
    }
    // Directories from which programs are run or configured are dangerous with write access.
    for name in [
        "desk/app/.git/hooks",
        "desk/app/.vscode",
        "bin",
        ".local/bin",
        ".local/lib/python3.12",
        ".cache/x",
        "go/bin",
        "desk/tree/.claude/x",
        "desk/app/.github/workflows",
    ] {
        let place = made(writer.path().join(name));
        refused(&load(&writer, &place, &[]), "is not granted");
        load(&reader, &made(reader.path().join(name)), &[]).ok();
    }
    for (place, holder) in [
        ("/usr/share", "/usr"),
        ("/var/lib", "/var"),
        ("/opt", "/opt"),
    ] {
        let place = Path::new(place);
        refused(
            &load(&writer, place, &[]),
            &format!("{holder}, which holds programs"),
        );
        load(&reader, place, &[]).ok();
    }
    let project = writer.work().join("app");
    for (name, says) in [
        (".git", "whose hooks and settings make git run programs"),
        (
            ".vscode",
            "whose settings decide which programs an agent starts",
        ),
        ("AGENTS.md", "which tells agents what to do"),
        (".github", "which tells agents what to do"),
        (".roo", "which tells agents what to do"),
        (".envrc", "which starts programs"),
        (".husky", "which starts programs"),
    ] {
        let _ = fs::remove_dir_all(&project);
        made(project.join(name));
        refused(&load(&writer, &project, &[]), says);
        load(&writer, &made(project.join("data")), &[]).ok();
    }
    // A directory of the search path, and one that contains it.
    let tools = made(writer.work().join("tools/bin"));
    let path = format!("{}:/usr/bin:/bin", tools.display());
    let writer = writer.with("PATH", &path);
    refused(&load(&writer, &tools, &[]), "on the search path");
    refused(
        &load(&writer, &writer.work().join("tools"), &[]),
        "on the search path",
    );
    // Only the directory that was granted in the end is recorded.
    let tools = writer.tool("list --json").json();
    let granted = &tools["tools"][0]["grants"]["directories"]["work"]["path"];
    assert_eq!(*granted, json!(project.join("data")));
}

fn insisted_on() {
    let home = with_asking(Access::ReadWrite);
    let project = made(home.work().join("app"));
    let (git, code) = (made(project.join(".git")), made(project.join(".vscode")));
    let hint = format!(
        "add: --insist {} --insist {}",
        git.display(),
        code.display()
    );
    refused(&load(&home, &project, &[]), &hint);
    refused(&load(&home, &project, &[&git]), ".vscode");
    load(&home, &project, &[&git, &code]).ok();
    let list = home.tool("list --json").json();
    let granted = &list["tools"][0]["grants"]["directories"]["work"];
    assert_eq!(granted["despite"], json!([git, code]));
    assert_eq!(home.tool("call adder.add a=20 b=22").ok().trim(), "42");
    // Insisting is refused if nothing is dangerous, and if the danger cannot be overridden.
    let other = load(&home, &project.join("other"), &[&git]);
    assert_eq!(other.code(), 1, "{}", other.stderr());
    let toolbox = home.work().join("toolbox.toml");
    let ran = load(&home, &home.work(), &[&toolbox]);
    assert_eq!(ran.code(), 1, "{}", ran.stderr());
    assert!(ran.stderr().contains("has no effect"), "{}", ran.stderr());
}

/// Granted directories are checked again whenever the tool is loaded: a harmless one may have
/// become dangerous.
fn became_dangerous() {
    let home = with_asking(Access::ReadWrite);
    let project = made(home.work().join("app"));
    load(&home, &project, &[]).ok();
    let call = || home.tool("call adder.add a=20 b=22");
    assert_eq!(call().ok().trim(), "42");
    for name in [".git", ".mcp.json", "toolbox.toml"] {
        let place = project.join(name);
        fs::write(&place, "").expect("a file");
        refused(&call(), name);
        fs::remove_file(&place).expect("a file");
        call().ok();
    }
    // The directory of the toolbox in force is never granted with write access.
    home.write("toolbox.toml", "");
    refused(&load(&home, &home.work(), &[]), "toolbox.toml");
    refused(&load(&home, &home.work(), &[]), "hint: grant a directory");
}

fn asked_at_a_terminal() {
    let home = with_asking(Access::ReadWrite);
    let project = made(home.work().join("app"));
    let git = made(project.join(".git"));
    let mut terminal = Terminal::start(home.command(["load", "./adder"]));
    terminal.wait_for("Which directory may it use as `work`");
    terminal.answer(&home.tool_home().display().to_string());
    terminal.wait_for("this directory cannot be granted: it ");
    terminal.wait_for("Which directory may it use as `work`");
    terminal.answer("app");
    terminal.wait_for("This is dangerous: it holds");
    terminal.answer("yes");
    terminal.wait_for("Which directory may it use as `work`");
    terminal.answer("app");
    terminal.wait_for("anything else to choose another");
    terminal.answer("insist");
    terminal.wait_for("Type yes to approve");
    terminal.answer("yes");
    let ended = terminal.end();
    assert_eq!(ended.status.code(), Some(0), "{}", ended.shown);
    let shown = ended.shown.replace("\r\n", "");
    assert!(shown.contains("and what"), "{shown}");
    let list = home.tool("list --json").json();
    let granted = &list["tools"][0]["grants"]["directories"]["work"];
    assert_eq!(granted["despite"], json!([git]));
}

/// Ends with an error, at once and without much memory.
#[track_caller]
fn ends_soon(home: &Home, line: &str, what: &str) -> String {
    let mut command = home.shell(&format!("ulimit -v 8000000; exec timeout 20 tool {line}"));
    let output = command.output().expect("a shell");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let code = output.status.code();
    assert!(matches!(code, Some(1 | 3)), "{what}: {code:?} {said}");
    said
}

fn pipe(path: &Path) {
    let made = std::process::Command::new("mkfifo").arg(path).status();
    assert!(made.expect("mkfifo starts").success());
}

/// A project whose WIT is a maze of links, and one whose icon nobody ever writes.
fn a_checkout_without_an_end() {
    let home = Home::new();
    home.tool("new maze --lang javascript").ok();
    let maze = home.work().join("maze");
    for name in ["a", "b"] {
        symlink(".", maze.join("wit").join(name)).expect("a link");
    }
    let said = ends_soon(&home, "build maze", "links to where they are");
    assert!(said.contains("more than 16 deep"), "{said}");
    for name in ["a", "b"] {
        fs::remove_file(maze.join("wit").join(name)).expect("a link");
    }
    symlink("/", maze.join("wit/all")).expect("a link");
    let said = ends_soon(&home, "build maze", "a link to everything");
    assert!(said.contains("is too large to be read"), "{said}");
    fs::remove_file(maze.join("wit/all")).expect("a link");
    let manifest = fs::read_to_string(maze.join("tool.toml")).expect("a manifest");
    let manifest = manifest.replace("[build]\n", "[build]\nicon = \"pipe\"\n");
    home.write("maze/tool.toml", manifest);
    pipe(&maze.join("pipe"));
    let said = ends_soon(&home, "build maze", "an icon that is a pipe");
    assert!(said.contains("not a regular file"), "{said}");
}

/// Links to devices, pipes and endless files are neither waited for nor read to their end.
fn what_a_checkout_holds() {
    let home = with_asking(Access::Read);
    pipe(&home.work().join("pipe"));
    let endless = fs::File::create(home.work().join("endless")).expect("a file");
    endless.set_len(1 << 40).expect("a file with a hole");
    for target in ["/dev/zero", "pipe", "endless"] {
        for (name, command) in [
            ("toolbox.lock", "list"),
            ("toolbox.lock", "verify"),
            ("project/tool.toml", "build project"),
            ("dist/tool.toml", "inspect ./dist"),
            ("dist/tool.wasm", "inspect ./dist"),
        ] {
            home.write("toolbox.toml", "");
            home.write(
                "dist/tool.toml",
                fs::read(home.work().join("adder/tool.toml")).expect("it"),
            );
            home.write("dist/tool.wasm", adder());
            home.write("project/tool.toml", "");
            let place = home.work().join(name);
            let _ = fs::remove_file(&place);
            symlink(home.work().join(target), &place).expect("a link");
            ends_soon(&home, command, &format!("{name} -> {target}"));
            fs::remove_file(&place).expect("a link");
        }
    }
}

fn a_guard_that_is_a_link() {
    let home = with_asking(Access::Read);
    home.write("toolbox.toml", "");
    let planted = home.path().join("planted");
    symlink(&planted, home.work().join(".toolbox.guard")).expect("a link");
    let notes = made(home.work().join("notes"));
    let ran = load(&home, &notes, &[]);
    assert_eq!(ran.code(), 1, "{}", ran.stderr());
    assert!(
        ran.stderr().contains("cannot be locked"),
        "{}",
        ran.stderr()
    );
    assert!(!planted.exists());
}
