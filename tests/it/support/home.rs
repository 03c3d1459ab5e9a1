//! A test user with a home and a working directory of their own, who runs the real command.

use std::ffi::OsStr;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};

use tempfile::TempDir;

use super::kept;
use super::ran::Ran;

/// One person's home and working directory. Nothing of the machine's user is seen or changed.
pub(crate) struct Home {
    directory: TempDir,
    variables: Vec<(String, String)>,
}

/// The directory of what builds components, which is fetched once.
pub(crate) fn toolchains() -> PathBuf {
    let toolchains = kept().join("toolchains");
    std::fs::create_dir_all(&toolchains).expect("a directory for toolchains");
    toolchains
}

/// The cache of compiled code that the homes of this run share, once one of them was made.
static COMPILED_CODE: Mutex<Option<TempDir>> = Mutex::new(None);

/// The directory of the code that this run's tests compiled. An interpreter takes a quarter of a
/// minute, and is compiled once for all homes as it is for all tools of one home. A run finds
/// nothing of an earlier one, whose compiler may have been another.
pub(crate) fn compiled_code() -> PathBuf {
    let mut place = COMPILED_CODE.lock().unwrap_or_else(PoisonError::into_inner);
    let place = place.get_or_insert_with(|| tempfile::tempdir().expect("a directory for code"));
    place.path().to_owned()
}

/// Removes what the run compiled.
pub(crate) fn remove_compiled_code() {
    let mut place = COMPILED_CODE.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(place) = place.take() {
        place.close().expect("the compiled code is removed");
    }
}

impl Home {
    pub(crate) fn new() -> Self {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let home = Self {
            directory,
            variables: Vec::new(),
        };
        std::fs::create_dir(home.work()).expect("a working directory");
        // Toolchains of other languages are large; every home shares those that are kept.
        let cache = home.path().join("home/cache");
        std::fs::create_dir_all(&cache).expect("a cache directory");
        std::os::unix::fs::symlink(toolchains(), cache.join("toolchains")).expect("a link");
        std::os::unix::fs::symlink(compiled_code(), cache.join("compiled")).expect("a link");
        // Tools of tests were published a moment ago.
        home.configure("");
        home
    }

    /// Writes `config.toml` with these settings, and that versions may be new.
    pub(crate) fn configure(&self, settings: &str) {
        let text = format!("release_age_days = 0\n{settings}");
        std::fs::write(self.tool_home().join("config.toml"), text).expect("config.toml");
    }

    /// The same person with a cache of compiled code of their own, for tests of the cache itself.
    pub(crate) fn compiling_alone(self) -> Self {
        std::fs::remove_file(self.tool_home().join("cache/compiled")).expect("a link");
        self
    }

    /// The directory that everything of this person is in.
    pub(crate) fn path(&self) -> &Path {
        self.directory.path()
    }

    /// Leaves this person only those of the kept toolchains whose names `is_kept` agrees to, as on
    /// a machine that has no others. What is made then is not kept.
    pub(crate) fn keep_toolchains(&self, is_kept: impl Fn(&str) -> bool) {
        let place = self.tool_home().join("cache/toolchains");
        std::fs::remove_file(&place).expect("a link");
        std::fs::create_dir(&place).expect("a directory");
        for entry in std::fs::read_dir(toolchains()).expect("toolchains") {
            let from = entry.expect("a toolchain").path();
            let name = from.file_name().and_then(OsStr::to_str).expect("a name");
            if is_kept(name) {
                std::os::unix::fs::symlink(&from, place.join(name)).expect("a link");
            }
        }
    }

    /// Where commands are started.
    pub(crate) fn work(&self) -> PathBuf {
        self.path().join("desk")
    }

    /// `TOOL_HUB_HOME` of this person.
    pub(crate) fn tool_home(&self) -> PathBuf {
        self.path().join("home")
    }

    /// Every file of this person's, in order. Links are not followed.
    pub(crate) fn files(&self) -> Vec<PathBuf> {
        super::files(self.path())
    }

    /// The same person with an environment variable set.
    pub(crate) fn with(mut self, name: &str, value: &str) -> Self {
        self.variables.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Writes a file below the working directory.
    pub(crate) fn write(&self, path: &str, contents: impl AsRef<[u8]>) -> PathBuf {
        let path = self.work().join(path);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
        std::fs::write(&path, contents).expect("a file");
        path
    }

    /// The same, in a file that nobody else can read.
    pub(crate) fn write_private(&self, path: &str, contents: impl AsRef<[u8]>) -> PathBuf {
        use std::os::unix::fs::PermissionsExt as _;
        let path = self.write(path, contents);
        let mine = std::fs::Permissions::from_mode(0o600);
        std::fs::set_permissions(&path, mine).expect("a file of our own");
        path
    }

    /// The command `tool` with `arguments`, ready to be started.
    pub(crate) fn command<I: AsRef<OsStr>>(
        &self,
        arguments: impl IntoIterator<Item = I>,
    ) -> Command {
        let mut command = self.program(env!("CARGO_BIN_EXE_tool"));
        command.args(arguments);
        command
    }

    /// A line as it is typed at a shell that finds `tool`, ready to be started.
    pub(crate) fn shell(&self, line: &str) -> Command {
        let mut command = self.program_among("sh", &[]);
        command.args(["-c", line]);
        command
    }

    /// Any program that finds `tool`, ready to be started. Programs in `directories`, itself
    /// included, come before those of the machine.
    pub(crate) fn program_among(&self, program: &str, directories: &[PathBuf]) -> Command {
        let tool = Path::new(env!("CARGO_BIN_EXE_tool"));
        let machines = std::env::var_os("PATH").expect("the machine has programs");
        let directories = directories.iter().map(PathBuf::as_path);
        let paths: Vec<PathBuf> = directories
            .chain(tool.parent())
            .map(Path::to_owned)
            .chain(std::env::split_paths(&machines))
            .collect();
        let mut command = self.program(program);
        command.env("PATH", std::env::join_paths(paths).expect("a path"));
        command
    }

    /// Any program, as this person would start it.
    fn program(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command
            .current_dir(self.work())
            .env_clear()
            .envs(std::env::vars().filter(|(name, _)| is_needed(name)))
            .env("CARGO_HOME", users("CARGO_HOME", ".cargo"))
            .env("RUSTUP_HOME", users("RUSTUP_HOME", ".rustup"))
            .env("HOME", self.path())
            .env("TOOL_HUB_HOME", self.tool_home())
            .envs(self.variables.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null());
        command
    }

    /// Runs `tool` with `arguments`, split at spaces.
    pub(crate) fn tool(&self, arguments: &str) -> Ran {
        self.run(arguments.split_whitespace())
    }

    /// Runs `tool` with `arguments`.
    pub(crate) fn run<I: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = I>) -> Ran {
        let output = self
            .command(arguments)
            .output()
            .expect("the command starts");
        Ran {
            output,
            home: self.path().to_owned(),
        }
    }

    /// Runs a program of this person's to its end.
    pub(crate) fn ran(&self, mut command: Command) -> Ran {
        Ran {
            output: command.output().expect("the command starts"),
            home: self.path().to_owned(),
        }
    }

    /// Runs `tool` with `arguments` and additional environment variables.
    pub(crate) fn run_with(&self, arguments: &[&str], variables: &[(&str, &str)]) -> Ran {
        let mut command = self.command(arguments);
        command.envs(variables.iter().copied());
        Ran {
            output: command.output().expect("the command starts"),
            home: self.path().to_owned(),
        }
    }

    /// Runs `tool` with `input` on its standard input.
    pub(crate) fn run_with_input(&self, arguments: &str, input: &str) -> Ran {
        let mut command = self.command(arguments.split_whitespace());
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().expect("the command starts");
        let mut stdin = child.stdin.take().expect("a pipe");
        stdin
            .write_all(input.as_bytes())
            .expect("the command reads");
        drop(stdin);
        let output = child.wait_with_output().expect("the command ends");
        Ran {
            output,
            home: self.path().to_owned(),
        }
    }
}

/// Where the machine's user keeps a toolchain: what `variable` says, else below their home.
fn users(variable: &str, usual: &str) -> PathBuf {
    let home = || PathBuf::from(std::env::var("HOME").expect("the user has a home")).join(usual);
    std::env::var(variable).map_or_else(|_| home(), PathBuf::from)
}

/// What the compilers and package clients that `tool build` starts have to be told; none of
/// it is read by `tool` itself.
fn is_needed(name: &str) -> bool {
    const NAMES: [&str; 3] = ["PATH", "RUSTUP_TOOLCHAIN", "LANG"];
    const PREFIXES: [&str; 6] = ["PIP_", "NODE_", "NPM_", "npm_", "SSL_", "PYENV_"];
    NAMES.contains(&name) || PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}
