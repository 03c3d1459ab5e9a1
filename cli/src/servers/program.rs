//! Finds a local program: its own path, and the directories that it reads beside the system's.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use tokio::process::Command;
use tool_hub_manifest::ServerPackages;

use crate::build::process;
use crate::settings::config::Config;
use crate::terminal::problem::Problem;

/// Directories of programs and libraries that every caged program reads.
const SYSTEM: [&str; 6] = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64"];
/// Files that lie at the root of a package or an environment.
const ROOTS: [&str; 4] = [
    "pyvenv.cfg",
    "package.json",
    "node_modules",
    "pyproject.toml",
];
/// Has Python tell its path, and the directories of its environment and of itself.
const ASK_PYTHON: &str =
    "import sys; print(sys.executable, sys.prefix, sys.base_prefix, sep='\\n')";
/// Has Node tell its path.
const ASK_NODE: &str = "process.execPath";

/// A program by its own path, and the directories that it reads beside the system's.
pub(crate) struct Interpreter {
    pub(crate) program: PathBuf,
    pub(crate) packages: Vec<ServerPackages>,
}

/// The program that `name` means. Python and Node are asked where they are: what is found in `PATH`
/// may be a script of a version manager, which starts another program.
///
/// # Errors
/// When there is none, or it reads a directory with other things of the user.
pub(crate) async fn interpreter(name: &str, config: &Config) -> anyhow::Result<Interpreter> {
    let found = find(name, config)?;
    let file = found.file_name().unwrap_or_default().to_string_lossy();
    let question = match file {
        _ if file.starts_with("python") => ["-I", "-c", ASK_PYTHON],
        _ if file == "node" || file == "nodejs" => ["--no-warnings", "-p", ASK_NODE],
        _ => {
            return Ok(Interpreter {
                packages: packages_of(&found, config)?,
                program: found,
            });
        }
    };
    let mut command = Command::new(&found);
    // Not in the working directory, where files can name another version.
    command.args(question).current_dir(&config.settings.home);
    let output = process::output_of(&mut command).await?;
    let text = String::from_utf8_lossy(&output.stdout);
    let mut lines = text.lines().map(PathBuf::from);
    let program = lines
        .next()
        .filter(|path| path.is_absolute() && path.is_file());
    let program = program.ok_or_else(|| {
        Problem::user(format!("`{name}` does not say where it is"))
            .hint("give the path of the interpreter itself")
    })?;
    let mut packages = packages_of(&program, config)?;
    for directory in lines.filter(|path| !is_of_the_system(path)) {
        if holds_the_users(&directory, config) {
            return Err(read_whole(&program, &directory).into());
        }
        if !packages.iter().any(|it| directory.starts_with(&it.path)) {
            packages.push(unhashed(directory));
        }
    }
    Ok(Interpreter { program, packages })
}

/// The program that `name` means: a path, or the first of that name in `PATH`.
fn find(name: &str, config: &Config) -> anyhow::Result<PathBuf> {
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
fn packages_of(program: &Path, config: &Config) -> anyhow::Result<Vec<ServerPackages>> {
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
pub(crate) fn root_of(file: &Path, config: &Config) -> anyhow::Result<PathBuf> {
    let directory = file.parent().context("a file has no directory")?;
    let mut around = directory
        .ancestors()
        .take_while(|directory| !holds_the_users(directory, config));
    let root = around.find(|directory| ROOTS.iter().any(|name| directory.join(name).exists()));
    let root = root.unwrap_or(directory).to_owned();
    if holds_the_users(&root, config) {
        return Err(read_whole(file, &root).into());
    }
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
    Ok(root)
}

/// The refusal of a program that would read all of the user's `directory`.
fn read_whole(file: &Path, directory: &Path) -> Problem {
    Problem::refused(format!(
        "{} lies in {}, all of which the server would read",
        file.display(),
        directory.display()
    ))
    .hint("move the server into a directory of its own")
}

/// True for the home directory and all that holds it.
fn holds_the_users(directory: &Path, config: &Config) -> bool {
    let home = real(&config.settings.home);
    home.starts_with(real(directory))
}

pub(crate) fn is_of_the_system(path: &Path) -> bool {
    SYSTEM.iter().any(|system| path.starts_with(system))
}

pub(crate) fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

pub(crate) fn unhashed(path: PathBuf) -> ServerPackages {
    ServerPackages {
        path,
        digest: None,
        contents: Vec::new(),
    }
}
