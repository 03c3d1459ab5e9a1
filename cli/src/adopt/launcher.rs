//! Tells which package, file or address a server's command starts, and what it is started with.

use std::path::Path;

use url::Url;

use super::configured_server::LocalCommand;

/// The thing that a command starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Launcher {
    /// A package of npm, with its version where the command names one: `name` or `name@1.2.3`.
    Npm(String),
    /// A package of PyPI: `name` or `name==1.2.3`.
    Pypi(String),
    /// A module of Python, of a package that the command does not name.
    Module(String),
    /// A file of source code.
    File(String),
    /// A program that passes everything on to this address.
    Bridge(Url),
    /// A program that runs containers.
    Container(String),
    /// Any other program.
    Program,
}

/// Programs that fetch or build what they start, for which a cage gives them too little.
const FETCHING: [&str; 5] = ["uv", "npm", "pnpm", "yarn", "bun"];

/// The words by which a process is loaded: as they are, but for packages of npm that something else
/// than `npx` starts. `None` for what fetches or builds what it starts.
pub(crate) fn loadable(command: &LocalCommand) -> Option<Vec<String>> {
    let (launched, own) = launcher(command);
    let name = program_name(&command.program);
    let begins = |words: &[&str]| {
        let args = command.args.iter().map(String::as_str);
        args.zip(words.iter().copied())
            .all(|(arg, word)| arg == word)
            && command.args.len() > words.len()
    };
    let is_loaded = match name {
        "npx" | "uvx" | "pipx" => true,
        "npm" => begins(&["exec"]) || begins(&["x"]),
        "uv" => begins(&["tool", "run"]),
        _ => !FETCHING.contains(&name) && !["bunx", "cmd"].contains(&name),
    };
    if is_loaded {
        let words = std::iter::once(&command.program).chain(&command.args);
        return Some(words.cloned().collect());
    }
    match launched {
        Launcher::Npm(package) => {
            let words = ["npx".to_owned(), "-y".to_owned(), package].into_iter();
            Some(words.chain(own.iter().cloned()).collect())
        }
        _ => None,
    }
}

/// The name of a program without its directory and the endings of Windows.
fn program_name(program: &str) -> &str {
    let name = program.rsplit(['/', '\\']).next().unwrap_or(program);
    let bare = name.strip_suffix(".exe").or(name.strip_suffix(".cmd"));
    bare.unwrap_or(name)
}

/// Reads `command`: the thing it starts, and the arguments that are the server's own.
pub(crate) fn launcher(command: &LocalCommand) -> (Launcher, &[String]) {
    read(&command.program, &command.args)
}

fn read<'a>(program: &str, args: &'a [String]) -> (Launcher, &'a [String]) {
    let name = program_name(program);
    match (name, args) {
        // Windows starts scripts so.
        ("cmd", [c, inner, rest @ ..]) if c.eq_ignore_ascii_case("/c") => read(inner, rest),
        ("env", [inner, rest @ ..]) if !inner.starts_with('-') && !inner.contains('=') => {
            read(inner, rest)
        }
        ("npx" | "bunx", args) => npm(args),
        ("pnpm" | "yarn", [dlx, rest @ ..]) if dlx == "dlx" => npm(rest),
        ("bun", [x, rest @ ..]) if x == "x" => npm(rest),
        ("uvx", args) => pypi(args),
        ("uv", [tool, run, rest @ ..]) if tool == "tool" && run == "run" => pypi(rest),
        ("pipx", [run, rest @ ..]) if run == "run" => pypi(rest),
        ("uv", [run, rest @ ..]) if run == "run" => match rest {
            [file, own @ ..] if is_source(file) => (Launcher::File(file.clone()), own),
            _ => (Launcher::Program, args),
        },
        ("docker" | "podman" | "nerdctl", args) => (Launcher::Container(name.to_owned()), args),
        ("node" | "bun" | "deno", [file, own @ ..]) if is_source(file) => {
            (Launcher::File(file.clone()), own)
        }
        (python, args) if is_python(python) => match args {
            [m, module, own @ ..] if m == "-m" => (Launcher::Module(module.clone()), own),
            [file, own @ ..] if is_source(file) => (Launcher::File(file.clone()), own),
            _ => (Launcher::Program, args),
        },
        (_, args) => (Launcher::Program, args),
    }
}

fn is_python(name: &str) -> bool {
    let version = name.strip_prefix("python");
    version.is_some_and(|version| version.chars().all(|c| c.is_ascii_digit() || c == '.'))
}

fn is_source(file: &str) -> bool {
    let endings = ["py", "js", "mjs", "ts", "mts"];
    let ending = Path::new(file).extension();
    !file.starts_with('-') && ending.is_some_and(|it| endings.iter().any(|one| it == *one))
}

/// The words after `npx`.
fn npm(args: &[String]) -> (Launcher, &[String]) {
    let mut named = None;
    let mut rest = args;
    while let [word, more @ ..] = rest {
        match (word.as_str(), more) {
            ("-y" | "--yes" | "-q" | "--quiet" | "--silent" | "--bun", _) => rest = more,
            ("-p" | "--package", [package, more @ ..]) => {
                named = Some(package.clone());
                rest = more;
            }
            (word, _) if word.starts_with("--package=") => {
                named = word.strip_prefix("--package=").map(str::to_owned);
                rest = more;
            }
            (word, _) if word.starts_with('-') => return (Launcher::Program, args),
            (word, own) => {
                // With --package the word is the name of a program in that package.
                let package = named.unwrap_or_else(|| word.to_owned());
                return (npm_package(package, own), own);
            }
        }
    }
    (Launcher::Program, args)
}

fn npm_package(package: String, own: &[String]) -> Launcher {
    let name = match package.rfind('@') {
        Some(at @ 1..) => &package[..at],
        _ => &package,
    };
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "@/-_.".contains(c);
    let is_name = match name.strip_prefix('@') {
        Some(scoped) => scoped.split('/').count() == 2,
        None => !name.contains('/'),
    };
    if name == "mcp-remote"
        && let Some(url) = own.iter().find_map(|word| word.parse::<Url>().ok())
        && matches!(url.scheme(), "https" | "http")
    {
        return Launcher::Bridge(url);
    }
    match is_name && name.chars().all(is_plain) {
        true => Launcher::Npm(package),
        // A path, a repository or an archive.
        false => Launcher::Program,
    }
}

/// The words after `uvx`.
fn pypi(args: &[String]) -> (Launcher, &[String]) {
    let mut named = None;
    let mut rest = args;
    while let [word, more @ ..] = rest {
        match (word.as_str(), more) {
            ("-q" | "--quiet" | "--refresh" | "--isolated" | "--no-cache", _) => rest = more,
            ("--from" | "--spec", [package, more @ ..]) => {
                named = Some(package.clone());
                rest = more;
            }
            ("--python" | "-p", [_, more @ ..]) => rest = more,
            (word, _) if word.starts_with('-') => return (Launcher::Program, args),
            (word, own) => {
                let package = named.unwrap_or_else(|| word.to_owned());
                return match pypi_package(&package) {
                    Some(package) => (Launcher::Pypi(package), own),
                    None => (Launcher::Program, args),
                };
            }
        }
    }
    (Launcher::Program, args)
}

/// A package as PyPI names it: `uvx` also takes `name@1.2.3` and `name@latest`.
fn pypi_package(word: &str) -> Option<String> {
    let (name, version) = match (word.split_once("=="), word.split_once('@')) {
        (Some((name, version)), _) => (name, Some(version)),
        (None, Some((name, "latest"))) => (name, None),
        (None, Some((name, version))) => (name, Some(version)),
        (None, None) => (word, None),
    };
    // Extras of a package do not change its functions.
    let name = name.split_once('[').map_or(name, |(name, _)| name);
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    let is_version = |c: char| c.is_ascii_alphanumeric() || "+.!".contains(c);
    if name.is_empty()
        || !name.chars().all(is_plain)
        || version.is_some_and(|version| version.is_empty() || !version.chars().all(is_version))
    {
        return None;
    }
    Some(match version {
        Some(version) => format!("{name}=={version}"),
        None => name.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, expect: Launcher, own: &str) {
        let mut words = line.split(' ').map(str::to_owned);
        let program = words.next().unwrap();
        let args: Vec<String> = words.collect();
        let (found, rest) = read(&program, &args);
        assert_eq!((found, rest.join(" ")), (expect, own.to_owned()), "{line}");
    }

    #[test]
    fn packages_are_found() {
        let npm = |name: &str| Launcher::Npm(name.to_owned());
        let pypi = |name: &str| Launcher::Pypi(name.to_owned());
        check("npx -y @scope/server-x /a", npm("@scope/server-x"), "/a");
        check("/usr/bin/npx x@1.2.3 --y z", npm("x@1.2.3"), "--y z");
        check("npx --package=@a/b@2 b -v", npm("@a/b@2"), "-v");
        check("npx -p a b", npm("a"), "");
        check(r"cmd /c npx -y x", npm("x"), "");
        check("pnpm dlx x", npm("x"), "");
        check(
            "uvx mcp-server-time --local-timezone=UTC",
            pypi("mcp-server-time"),
            "--local-timezone=UTC",
        );
        check("uvx x@latest", pypi("x"), "");
        check("uvx x@1.0", pypi("x==1.0"), "");
        check("uvx --from a[extra]==1.0 b c", pypi("a==1.0"), "c");
        check("uv tool run x", pypi("x"), "");
        check("pipx run --spec a b", pypi("a"), "");
    }

    #[test]
    fn a_process_is_loaded_by_its_words() {
        let loaded = |line: &str| {
            let mut words = line.split(' ').map(str::to_owned);
            let command = LocalCommand {
                program: words.next().unwrap(),
                args: words.collect(),
                env: Default::default(),
                directory: None,
            };
            loadable(&command).map(|words| words.join(" "))
        };
        for line in [
            "npx -y a /b",
            "uvx a",
            "uv tool run a",
            "npm exec a",
            "/opt/server a",
        ] {
            assert_eq!(loaded(line).as_deref(), Some(line));
        }
        for line in ["bunx a b", "pnpm dlx a b", "cmd /c npx a b"] {
            assert_eq!(loaded(line).as_deref(), Some("npx -y a b"), "{line}");
        }
        for line in ["uv run a.py", "npm run a", "uv"] {
            assert_eq!(loaded(line), None, "{line}");
        }
    }

    #[test]
    fn other_commands_are_told_apart() {
        let file = |path: &str| Launcher::File(path.to_owned());
        check("python3.12 /a/b.py x", file("/a/b.py"), "x");
        check("uv run server.py", file("server.py"), "");
        check("node dist/a.mjs", file("dist/a.mjs"), "");
        check(
            "python -m a_b --c",
            Launcher::Module("a_b".to_owned()),
            "--c",
        );
        check(
            "docker run -i x",
            Launcher::Container("docker".to_owned()),
            "run -i x",
        );
        let url = "https://a.example/mcp".parse().unwrap();
        check(
            "npx mcp-remote https://a.example/mcp",
            Launcher::Bridge(url),
            "https://a.example/mcp",
        );
        check("uv run --with a b", Launcher::Program, "run --with a b");
        check("npx github:a/b", Launcher::Program, "");
        check("npx ./here", Launcher::Program, "");
        check(
            "uvx --from git+https://a.example/b c",
            Launcher::Program,
            "--from git+https://a.example/b c",
        );
        check("npx --call x", Launcher::Program, "--call x");
        check("/opt/server a", Launcher::Program, "a");
    }
}
