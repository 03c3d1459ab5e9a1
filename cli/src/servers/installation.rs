//! Installs the package that `npx` or `uvx` would fetch, once, into a directory of its own.
//!
//! npm runs no scripts of packages, and pip takes wheels only: nothing of a package runs before it
//! is in a cage. The directory is named by the digest of all that is in it, and read-only there.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use serde_json::Value;
use tokio::process::Command;
use tool_hub_manifest::{ServerPackage, ServerPackageRegistry, ServerPackages, ServerProcess};
use tool_hub_mcp_client::tree_digest;

use crate::build::process;
use crate::servers::program::{Interpreter, interpreter};
use crate::session::Session;
use crate::terminal::problem::Problem;

/// The arguments of `npx` or `uvx`: the package, its program, packages that are installed with it,
/// and the program's arguments.
#[derive(Debug, PartialEq, Eq)]
struct Wanted<'a> {
    package: &'a str,
    program: Option<&'a str>,
    with: Vec<&'a str>,
    arguments: &'a [String],
}

/// The flags of `npx` or `uvx` that are known here.
struct Flags {
    /// Those that change nothing here.
    ignored: &'static [&'static str],
    /// Those before the name of a package, whose program follows.
    package: &'static [&'static str],
    /// Those before the name of a package that is installed besides.
    with: &'static [&'static str],
}

const NPX: Flags = Flags {
    ignored: &["-y", "--yes", "-q", "--quiet"],
    package: &["-p", "--package"],
    with: &[],
};

const UVX: Flags = Flags {
    ignored: &["-q", "--quiet"],
    package: &["--from", "--spec"],
    with: &["--with", "-w"],
};

/// The process that `npx` with `words` would start.
///
/// # Errors
/// When the words name no package of npm, or it cannot be installed.
pub(crate) async fn npx(words: &[String], session: &Session) -> anyhow::Result<ServerProcess> {
    let wanted = wanted(words, &NPX)?;
    check_package(wanted.package)?;
    let staging = staging(session)?;
    let place = staging.path();
    let mut command = Command::new("npm");
    command
        .args([
            "install",
            "--silent",
            "--no-audit",
            "--no-fund",
            "--ignore-scripts",
        ])
        .args(["--no-save", "--allow-git=none", "--prefix"])
        .arg(place)
        .arg(wanted.package)
        .current_dir(place);
    let doing = format!("installing {}", wanted.package);
    process::run(&doing, &mut command, &session.printer).await?;
    let package = place.join("node_modules").join(bare_name(wanted.package));
    let program = program_of_npm(&package, &wanted)?;
    let contents = npm_contents(place)?;
    let packages = settled(staging, "npm", contents, session)?;
    let node = interpreter("node", &session.config).await?;
    let script = packages
        .path
        .join("node_modules")
        .join(bare_name(wanted.package))
        .join(program);
    let mut arguments = vec![script.to_string_lossy().into_owned()];
    arguments.extend_from_slice(wanted.arguments);
    Ok(started(node, arguments, packages))
}

/// The process that `uvx` with `words` would start.
///
/// # Errors
/// When the words name no package of PyPI, or it cannot be installed.
pub(crate) async fn uvx(words: &[String], session: &Session) -> anyhow::Result<ServerProcess> {
    let wanted = wanted(words, &UVX)?;
    let packages = wanted.with.iter().chain([&wanted.package]);
    for package in packages {
        check_package(package)?;
    }
    let (name, version) = match wanted.package.split_once('@') {
        Some((name, "latest")) => (name, None),
        Some((name, version)) => (name, Some(version)),
        None => (wanted.package, None),
    };
    let requirement = match version {
        Some(version) => format!("{name}=={version}"),
        None => name.to_owned(),
    };
    let staging = staging(session)?;
    let place = staging.path();
    let python = interpreter("python3", &session.config).await?;
    let mut command = Command::new(&python.program);
    command
        .args([
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
        ])
        .args(["--only-binary=:all:", "--no-compile", "--target"])
        .arg(place)
        .arg(&requirement)
        .args(&wanted.with)
        .current_dir(place);
    process::run(
        &format!("installing {requirement}"),
        &mut command,
        &session.printer,
    )
    .await?;
    let bare = name
        .split(['[', '=', '<', '>', '~', '!'])
        .next()
        .unwrap_or(name);
    let program = wanted.program.unwrap_or(bare);
    let script = Path::new("bin").join(program);
    if program.contains('/') || !place.join(&script).is_file() {
        return Err(
            Problem::user(format!("{requirement} has no program called `{program}`"))
                .hint(format!(
                    "it has: {}",
                    names_in(&place.join("bin")).join(", ")
                ))
                .into(),
        );
    }
    let contents = pypi_contents(place)?;
    let packages = settled(staging, "pypi", contents, session)?;
    let (directory, script) = (&packages.path, packages.path.join(script));
    let code = format!(
        "import runpy, site, sys; site.addsitedir({}); sys.argv[0] = {}; \
         runpy.run_path({}, run_name='__main__')",
        literal(&directory.to_string_lossy()),
        literal(program),
        literal(&script.to_string_lossy())
    );
    // Of the interpreter's own packages and the user's it reads none.
    let mut arguments = vec!["-I".to_owned(), "-S".to_owned(), "-c".to_owned(), code];
    arguments.extend_from_slice(wanted.arguments);
    Ok(started(python, arguments, packages))
}

fn started(
    interpreter: Interpreter,
    arguments: Vec<String>,
    packages: ServerPackages,
) -> ServerProcess {
    let mut all = interpreter.packages;
    all.push(packages);
    ServerProcess {
        program: interpreter.program,
        arguments,
        files: Vec::new(),
        packages: all,
    }
}

/// Splits `words` as the launcher does: its own flags, the package or program, and the arguments.
fn wanted<'a>(words: &'a [String], flags: &Flags) -> anyhow::Result<Wanted<'a>> {
    let mut package = None;
    let mut with = Vec::new();
    let mut at = 0;
    while let Some(word) = words.get(at).map(String::as_str) {
        let (flag, value) = match word.split_once('=') {
            Some((flag, value)) => (flag, Some(value)),
            None => (word, None),
        };
        at += 1;
        let takes_value = flags.package.contains(&flag) || flags.with.contains(&flag);
        if takes_value {
            let value = value.or_else(|| {
                at += 1;
                words.get(at - 1).map(String::as_str)
            });
            match flags.package.contains(&flag) {
                true => package = value,
                // uv takes a list as well.
                false => with.extend(value.into_iter().flat_map(|it| it.split(','))),
            }
        } else if word == "--" || flags.ignored.contains(&word) {
            continue;
        } else if word.starts_with('-') {
            return Err(
                Problem::user(format!("the flag `{word}` is not known here"))
                    .hint("name the package, then the server's arguments")
                    .into(),
            );
        } else {
            return Ok(Wanted {
                package: package.unwrap_or(word),
                program: package.map(|_| word),
                with,
                arguments: &words[at..],
            });
        }
    }
    Err(Problem::user("no package is named")
        .hint("such as: mcp:npx -y @modelcontextprotocol/server-memory, or mcp:uvx mcp-server-time")
        .into())
}

/// Refuses what is no package of a registry: a path, an address, a repository.
fn check_package(package: &str) -> anyhow::Result<()> {
    let name = package.strip_prefix('@').unwrap_or(package);
    let slashes = name.matches('/').count();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.~/@[],=<>!^".contains(c);
    let is_package = name.chars().all(is_plain)
        && name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && slashes == usize::from(package.starts_with('@'));
    match is_package {
        true => Ok(()),
        false => Err(
            Problem::user(format!("`{package}` is not a package of a registry"))
                .hint(
                    "packages are named as in the registry, with a version after @ if one is meant",
                )
                .into(),
        ),
    }
}

/// The name of an npm package without its version.
fn bare_name(package: &str) -> &str {
    match package.char_indices().skip(1).find(|(_, c)| *c == '@') {
        Some((at, _)) => &package[..at],
        None => package,
    }
}

/// The file that npm would start, below the package's directory.
fn program_of_npm(package: &Path, wanted: &Wanted<'_>) -> anyhow::Result<PathBuf> {
    let path = package.join("package.json");
    let text = std::fs::read_to_string(&path)
        .with_context(|| format!("{} cannot be read", path.display()))?;
    let manifest: Value = serde_json::from_str(&text)?;
    let bare = bare_name(wanted.package);
    let own = bare.rsplit('/').next().unwrap_or(bare);
    let file = match &manifest["bin"] {
        Value::String(file) => Some(file.as_str()),
        Value::Object(programs) => {
            let named = programs.get(wanted.program.unwrap_or(own));
            let only = programs.values().next().filter(|_| programs.len() == 1);
            named.or(only).and_then(Value::as_str)
        }
        _ => None,
    };
    let file = file.map(|file| file.trim_start_matches("./"));
    let is_inside = |file: &&str| {
        let mut parts = Path::new(file).components();
        parts.all(|part| matches!(part, std::path::Component::Normal(_)))
    };
    file.filter(is_inside).map(PathBuf::from).ok_or_else(|| {
        Problem::user(format!("{bare} has no program that npx would start"))
            .hint("name one of its programs: mcp:npx -p PACKAGE PROGRAM")
            .into()
    })
}

fn npm_contents(place: &Path) -> anyhow::Result<Vec<ServerPackage>> {
    let path = place.join("node_modules/.package-lock.json");
    let text = std::fs::read_to_string(&path)
        .with_context(|| format!("{} cannot be read", path.display()))?;
    let lock: Value = serde_json::from_str(&text)?;
    let packages = lock["packages"].as_object().into_iter().flatten();
    let mut contents: Vec<ServerPackage> = packages
        .filter_map(|(place, package)| {
            let (_, name) = place.rsplit_once("node_modules/")?;
            let version = package["version"].as_str()?;
            Some(package_of(ServerPackageRegistry::Npm, name, version))
        })
        .collect();
    contents.sort_unstable();
    contents.dedup();
    Ok(contents)
}

fn pypi_contents(place: &Path) -> anyhow::Result<Vec<ServerPackage>> {
    let mut contents: Vec<ServerPackage> = names_in(place)
        .iter()
        .filter_map(|name| name.strip_suffix(".dist-info")?.split_once('-'))
        .map(|(name, version)| package_of(ServerPackageRegistry::Pypi, name, version))
        .collect();
    contents.sort_unstable();
    Ok(contents)
}

fn package_of(registry: ServerPackageRegistry, name: &str, version: &str) -> ServerPackage {
    ServerPackage {
        registry,
        name: name.to_owned(),
        version: version.to_owned(),
    }
}

fn names_in(directory: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let mut names: Vec<String> = names.collect();
    names.sort_unstable();
    names
}

fn staging(session: &Session) -> anyhow::Result<tempfile::TempDir> {
    let servers = &session.config.settings.servers;
    std::fs::create_dir_all(servers)
        .with_context(|| format!("{} cannot be made", servers.display()))?;
    // npm installs nothing into a directory that is reached through a link.
    let real = servers.canonicalize()?;
    let staging = tempfile::Builder::new()
        .prefix(".installing-")
        .tempdir_in(real);
    staging.with_context(|| format!("{} cannot be written", servers.display()))
}

/// Moves what was installed to the place that its digest names.
fn settled(
    staging: tempfile::TempDir,
    registry: &str,
    contents: Vec<ServerPackage>,
    session: &Session,
) -> anyhow::Result<ServerPackages> {
    // npm writes names of the directory into these two, which nothing at run time reads.
    for file in ["package.json", "package-lock.json"] {
        let _ = std::fs::remove_file(staging.path().join(file));
    }
    let _ = std::fs::remove_file(staging.path().join("node_modules/.package-lock.json"));
    let digest = tree_digest(staging.path())?;
    let name = format!("{registry}-{}", &digest.hex()[..32]);
    let path = session.config.settings.servers.canonicalize()?.join(name);
    if !path.is_dir() {
        std::fs::rename(staging.path(), &path)
            .with_context(|| format!("{} cannot be made", path.display()))?;
        // It is in its place; there is nothing left to clean up.
        let _ = staging.keep();
    }
    Ok(ServerPackages {
        path,
        digest: Some(digest),
        contents,
    })
}

/// `text` as a literal of Python, which reads those of JSON.
fn literal(text: &str) -> String {
    Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_are_told_from_flags_and_arguments() {
        let words = |line: &str| -> Vec<String> { line.split(' ').map(str::to_owned).collect() };
        let read = |line: &str, flags: &Flags| {
            let words = words(line);
            let wanted = wanted(&words, flags);
            wanted.map(|it| {
                (
                    it.package.to_owned(),
                    it.program.map(str::to_owned),
                    it.arguments.len(),
                )
            })
        };
        let npx = |line| read(line, &NPX).ok();
        let some = |package: &str, program: Option<&str>, arguments| {
            Some((package.to_owned(), program.map(str::to_owned), arguments))
        };
        assert_eq!(npx("-y @a/b -x /y"), some("@a/b", None, 2));
        assert_eq!(npx("-p a b c"), some("a", Some("b"), 1));
        assert_eq!(npx("--package=a b"), some("a", Some("b"), 0));
        assert_eq!(npx("-y"), None);
        assert_eq!(npx("--call a"), None);
        assert_eq!(npx("--with a b"), None);
        let uvx = |line| read(line, &UVX).ok();
        assert_eq!(uvx("--with b<2 --from a c d"), some("a", Some("c"), 1));
    }

    #[test]
    fn packages_are_installed_with_others() {
        let line = ["--with=a<2,b", "-w", "c", "d", "--with"].map(str::to_owned);
        let wanted = wanted(&line, &UVX).unwrap();
        assert_eq!((wanted.package, wanted.with), ("d", vec!["a<2", "b", "c"]));
    }

    #[test]
    fn packages_come_from_a_registry() {
        for package in ["@a/b", "@a/b@1.0", "a", "a@^1", "a[x]==1"] {
            assert!(check_package(package).is_ok(), "{package}");
        }
        for package in [
            "./a",
            "a/b",
            "https://a",
            "git+ssh://a",
            "/a",
            "@a/b/c",
            "a;b",
            "-a",
        ] {
            assert!(check_package(package).is_err(), "{package}");
        }
    }

    #[test]
    fn literals_hold_any_text() {
        assert_eq!(literal("a'\"\\"), r#""a'\"\\""#);
    }
}
