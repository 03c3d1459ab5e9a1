//! Finds what is started of a local MCP server: its program, its files, its packages.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use tool_hub_manifest::{
    Digest, ServerAddress, ServerCommand, ServerFile, ServerPackages, ServerProcess, ServerStart,
};

use crate::servers::installation;
use crate::session::Session;
use crate::settings::config::Config;
use crate::terminal::problem::Problem;

/// Directories of programs and libraries that every caged program reads.
const SYSTEM: [&str; 6] = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64"];
/// The endings of files that are programs for an interpreter.
const CODE: [&str; 9] = ["py", "pyz", "js", "mjs", "cjs", "ts", "rb", "sh", "jar"];
/// Files that lie at the root of a package or an environment.
const ROOTS: [&str; 4] = [
    "pyvenv.cfg",
    "package.json",
    "node_modules",
    "pyproject.toml",
];
/// Programs that start containers, which no cage holds.
const CONTAINERS: [&str; 3] = ["docker", "podman", "nerdctl"];
/// The most bytes of a program's file that are hashed.
const FILE_BYTES_MAX: u64 = 1 << 30;

/// What is started of the server at `address`. Packages that `npx` and `uvx` would fetch are
/// installed; nothing of them runs.
///
/// # Errors
/// When a program is not there, or is of a kind that cannot be caged.
pub(crate) async fn start_of(
    address: &ServerAddress,
    session: &Session,
) -> anyhow::Result<ServerStart> {
    let command = match address {
        ServerAddress::Remote(url) => {
            return Ok(ServerStart::Remote {
                url: url.url().clone(),
            });
        }
        ServerAddress::Command(command) => command,
    };
    let name = Path::new(command.program()).file_name();
    let name = name.map(|name| name.to_string_lossy().into_owned());
    let name = name.unwrap_or_default();
    let words = command.arguments();
    let process = match (name.as_str(), words.first().map(String::as_str)) {
        ("npx", _) => installation::npx(words, session).await?,
        ("npm", Some("exec" | "x")) => installation::npx(&words[1..], session).await?,
        ("uvx", _) => installation::uvx(words, session).await?,
        ("uv", Some("tool")) if words.get(1).is_some_and(|word| word == "run") => {
            installation::uvx(&words[2..], session).await?
        }
        ("pipx", Some("run")) => installation::uvx(&words[1..], session).await?,
        (program, _) if CONTAINERS.contains(&program) => {
            return Err(Problem::user(format!(
                "`{program}` starts a container, which does not run in the cage"
            ))
            .hint("name the command that the container starts, if it is installed here")
            .into());
        }
        ("uv" | "npm" | "pnpm" | "yarn" | "bunx", _) => {
            return Err(Problem::user(format!(
                "`{name}` fetches or builds what it starts, for which it needs what no cage gives"
            ))
            .hint("name npx or uvx with a package, or the server's own program")
            .into());
        }
        _ => installed(command, &session.config)?,
    };
    Ok(ServerStart::Process(process))
}

/// A program that is there.
fn installed(command: &ServerCommand, config: &Config) -> anyhow::Result<ServerProcess> {
    let program = find(command.program(), config)?;
    let mut process = ServerProcess {
        packages: packages_of(&program, config)?,
        arguments: command.arguments().to_vec(),
        files: Vec::new(),
        program: program.clone(),
    };
    if !is_of_the_system(&real(&program)) {
        process.files.push(hashed(&program)?);
    }
    for word in command.arguments() {
        let path = Path::new(word);
        let ending = path.extension().and_then(|ending| ending.to_str());
        let is_code = ending.is_some_and(|ending| CODE.contains(&ending));
        if is_code && path.is_absolute() && path.is_file() {
            process.files.push(hashed(path)?);
            let root = root_of(path, config)?;
            if !process.packages.iter().any(|it| root.starts_with(&it.path)) {
                process.packages.push(unhashed(root));
            }
        }
    }
    Ok(process)
}

/// The program that `name` means: a path, or the first of that name in `PATH`.
///
/// # Errors
/// When there is none.
pub(crate) fn find(name: &str, config: &Config) -> anyhow::Result<PathBuf> {
    let found = match name.contains('/') {
        true => Some(PathBuf::from(name)).filter(|path| path.is_file()),
        false => {
            let places = config.settings.search_path.iter();
            let mut places = places.map(|directory| directory.join(name));
            places.find(|path| path.is_file())
        }
    };
    found.ok_or_else(|| {
        Problem::user(format!("the program `{name}` is not there"))
            .hint("give its path, or install it first")
            .into()
    })
}

/// The directories that `program` reads beside the system's: its environment, or where an
/// interpreter that a user installed keeps its libraries.
///
/// # Errors
/// When that would be a directory with other things of the user.
pub(crate) fn packages_of(program: &Path, config: &Config) -> anyhow::Result<Vec<ServerPackages>> {
    let mut packages = Vec::new();
    // The path as it is named may lead into a virtual environment, and its target out of it.
    for path in [program.to_owned(), real(program)] {
        if is_of_the_system(&path) {
            continue;
        }
        let root = match root_of(&path, config) {
            Ok(root) if root.join("pyvenv.cfg").is_file() => root,
            root => match prefix(&path).filter(|prefix| !holds_the_users(prefix, config)) {
                Some(prefix) => prefix,
                None => root?,
            },
        };
        if !packages.iter().any(|it: &ServerPackages| it.path == root) {
            packages.push(unhashed(root));
        }
    }
    Ok(packages)
}

/// The directory around `bin`, which an interpreter was installed into.
fn prefix(program: &Path) -> Option<PathBuf> {
    let directory = program.parent()?;
    let is_bin = directory.file_name().is_some_and(|name| name == "bin");
    is_bin
        .then(|| directory.parent().map(Path::to_owned))
        .flatten()
}

/// The root of the package or environment that `file` is in, else its directory.
fn root_of(file: &Path, config: &Config) -> anyhow::Result<PathBuf> {
    let directory = file.parent().context("a file has no directory")?;
    let mut around = directory
        .ancestors()
        .take_while(|directory| !holds_the_users(directory, config));
    let root = around.find(|directory| ROOTS.iter().any(|name| directory.join(name).exists()));
    let root = root.unwrap_or(directory).to_owned();
    let mut own = config
        .settings
        .own_directories()
        .into_iter()
        .map(|own| real(&own));
    if own.any(|own| own.starts_with(&root) || root.starts_with(&own)) {
        return Err(Problem::refused(format!(
            "{} lies beside files of the toolbox, which the server would read",
            file.display()
        ))
        .hint("move the server into a directory of its own")
        .into());
    }
    if holds_the_users(&root, config) {
        return Err(Problem::refused(format!(
            "{} lies in {}, all of which the server would read",
            file.display(),
            root.display()
        ))
        .hint("move the server into a directory of its own")
        .into());
    }
    Ok(root)
}

/// True for the home directory and all that holds it.
fn holds_the_users(directory: &Path, config: &Config) -> bool {
    let home = real(&config.settings.home);
    home.starts_with(real(directory))
}

fn is_of_the_system(path: &Path) -> bool {
    let local = Path::new("/usr/local");
    SYSTEM.iter().any(|system| path.starts_with(system)) || path.starts_with(local)
}

fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

fn unhashed(path: PathBuf) -> ServerPackages {
    ServerPackages {
        path,
        digest: None,
        contents: Vec::new(),
    }
}

fn hashed(path: &Path) -> anyhow::Result<ServerFile> {
    let size = path.metadata().map(|metadata| metadata.len());
    let unreadable = || format!("{} cannot be read", path.display());
    if size.with_context(unreadable)? > FILE_BYTES_MAX {
        return Err(Problem::refused(format!("{} has more than 1 GiB", path.display())).into());
    }
    let bytes = std::fs::read(path).with_context(unreadable)?;
    Ok(ServerFile {
        path: path.to_owned(),
        digest: Digest::of(&bytes),
    })
}
