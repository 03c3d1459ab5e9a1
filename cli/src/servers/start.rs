//! Finds what is started of a local MCP server: its program, its files, its packages.

use std::path::Path;

use anyhow::Context as _;
use tool_hub_manifest::{
    Digest, ServerAddress, ServerCommand, ServerFile, ServerProcess, ServerStart,
};

use crate::servers::installation;
use crate::servers::program::{
    Interpreter, interpreter, is_of_the_system, real, root_of, unhashed,
};
use crate::session::Session;
use crate::settings::config::Config;
use crate::terminal::problem::Problem;

/// The endings of files that are programs for an interpreter.
const CODE: [&str; 9] = ["py", "pyz", "js", "mjs", "cjs", "ts", "rb", "sh", "jar"];
/// Programs that start containers, which no cage holds.
const CONTAINERS: [&str; 3] = ["docker", "podman", "nerdctl"];
/// The most bytes of a program's file that are hashed.
const FILE_BYTES_MAX: u64 = 1 << 30;

/// Finds the program of the server at `address`. Packages that `npx` and `uvx` would fetch are
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
        _ => installed(command, &session.config).await?,
    };
    Ok(ServerStart::Process(process))
}

/// A program that is there.
async fn installed(command: &ServerCommand, config: &Config) -> anyhow::Result<ServerProcess> {
    let Interpreter { program, packages } = interpreter(command.program(), config).await?;
    let mut process = ServerProcess {
        packages,
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
