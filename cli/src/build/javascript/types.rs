//! Has the TypeScript compiler check the types of a project, beside the rest of its build.
//! esbuild, which makes the bundle, leaves types out and looks at none.

mod mistakes;
mod settings;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tempfile::TempDir;
use tokio::process::Command;
use tokio::time::timeout;

use super::bundle::{BundleSources, native_program};
use crate::build::process::{self, RunningProgram};
use crate::build::project::{Form, Project};
use crate::build::scratch;
use crate::build::sources;
use crate::build::toolchain::{NPM_CI, Toolchain};
use crate::files;
use crate::session::Session;
use crate::terminal::diagnosis;
use crate::terminal::exit::Exit;
use crate::terminal::problem::Problem;
use crate::terminal::signals;

/// The compiler in native code, which takes a tenth of a second.
const TYPESCRIPT: Toolchain<'_> = Toolchain {
    name: "typescript-7.0.2",
    lock: &[
        ("package.json", include_str!("types/package.json")),
        ("package-lock.json", include_str!("types/package-lock.json")),
    ],
    install: &NPM_CI,
};

/// The globals of a tool, which no library of the compiler has as they are.
const GLOBALS: &str = include_str!("types/globals.d.ts");

/// Packages of types that name globals which no tool has: they are empty for a checked project.
const OTHER_RUNTIMES: [&str; 3] = ["bun", "deno", "node"];

/// The longest check. A type can be written that takes the compiler without end.
const TIME_MAX: Duration = Duration::from_secs(60);

/// A check of types that is under way. It is given up when this is dropped.
pub(crate) struct TypeCheck {
    compiler: RunningProgram,
    /// What the compiler said of mistakes in the project's own settings.
    wrong_settings: String,
    /// The directory with the project's files, which the compiler names relative to it.
    project: PathBuf,
    /// All that the check needs and a build removes at its end.
    _scratch: TempDir,
}

impl TypeCheck {
    /// Starts to check the module at `file` in the project, and all of the project that it imports.
    /// `None` if the module is not in TypeScript.
    ///
    /// # Errors
    /// When the compiler cannot be had or started, and when the project cannot be copied.
    pub(super) async fn start(
        project: Project<'_>,
        file: &str,
        bundled: &BundleSources,
        session: &Session,
    ) -> anyhow::Result<Option<Self>> {
        let ending = Path::new(file).extension().and_then(|it| it.to_str());
        if !matches!(ending, Some("ts" | "mts")) {
            return Ok(None);
        }
        let Some(toolchain) = toolchain(project, session).await? else {
            return Ok(None);
        };
        let scope = toolchain.join("node_modules/@typescript");
        let program = native_program(&scope, &["lib/tsc", "lib/tsc.exe"]);
        let program =
            program.ok_or_else(|| Problem::user("TypeScript has no program for this machine"))?;
        let scratch = scratch::directory("tool-types-", &session.config)?;
        let place = scratch.path().canonicalize()?;
        let checked = directory_to_check(project, bundled, &place)?;
        for runtime in OTHER_RUNTIMES {
            let types = place.join("types").join(runtime).join("index.d.ts");
            files::write(&types, b"export {};\n")?;
        }
        files::write(&place.join("globals.d.ts"), GLOBALS.as_bytes())?;
        let command = |arguments: &[&Path]| {
            let mut command = Command::new(&program);
            command.args(arguments).current_dir(&checked);
            command
        };
        let own = settings::of_project(&checked, &place, command).await?;
        let settings = settings::of_check(&own.settings, &checked, file, &place);
        let path = place.join("tsconfig.json");
        files::write(&path, settings.to_string().as_bytes())?;
        let mut command = command(&[Path::new("--project"), &path]);
        command.args(["--pretty", "false"]);
        Ok(Some(Self {
            compiler: process::start(&mut command)?,
            wrong_settings: own.mistakes,
            project: checked,
            _scratch: scratch,
        }))
    }

    /// Waits for the end of the check.
    ///
    /// # Errors
    /// When a type is wrong, when the check takes too long, and when the user asks to stop.
    pub(crate) async fn finish(self) -> anyhow::Result<()> {
        let Ok(output) = timeout(TIME_MAX, self.compiler.output()).await else {
            return Err(Problem::user(format!(
                "the types could not be checked in {} seconds (TIME_MAX)",
                TIME_MAX.as_secs()
            ))
            .hint("write simpler types")
            .into());
        };
        let output = output?;
        let said = String::from_utf8_lossy(&output.stdout);
        if let Some(error) = mistakes::told(&said, &self.wrong_settings, &self.project) {
            return Err(error);
        }
        match output.status.code() {
            // 1 and 2 are for mistakes, which may be elsewhere.
            Some(0..=2) => Ok(()),
            _ => Err(
                Problem::user(format!("TypeScript ended with {}", output.status))
                    .caused_by(String::from_utf8_lossy(&output.stderr).into_owned())
                    .into(),
            ),
        }
    }
}

/// The directory of the compiler. Work on a project goes on without it, so there is none where
/// `tool dev` cannot have it, which then does not wait for it again.
async fn toolchain(project: Project<'_>, session: &Session) -> anyhow::Result<Option<PathBuf>> {
    static IS_MISSING: AtomicBool = AtomicBool::new(false);
    if project.form == Form::Development && IS_MISSING.load(Ordering::Relaxed) {
        return Ok(None);
    }
    match TYPESCRIPT.directory(project, session).await {
        Ok(directory) => Ok(Some(directory)),
        Err(error) => {
            let error = signals::or_interrupted(error);
            let is_stopped = diagnosis::of(&error).exit == Exit::Interrupted;
            if project.form == Form::Package || is_stopped {
                return Err(error);
            }
            IS_MISSING.store(true, Ordering::Relaxed);
            let printer = &session.printer;
            printer.warning(&format!("types are not checked here: {error:#}"));
            printer.hint(
                "connect to npm's registry and start `tool dev` again; `tool build` needs it",
            );
            Ok(None)
        }
    }
}

/// The directory with the project in which the compiler finds its packages too: the project's own
/// where they are there, else a copy beside a link to those of its lock.
fn directory_to_check(
    project: Project<'_>,
    bundled: &BundleSources,
    place: &Path,
) -> anyhow::Result<PathBuf> {
    if bundled.packages.is_none() && bundled.directory == project.directory {
        return Ok(project.directory.canonicalize()?);
    }
    let copy = place.join("project");
    sources::copy(project.directory, &copy)?;
    if let Some(packages) = &bundled.packages {
        link(packages, &place.join("node_modules"))?;
    }
    Ok(copy)
}

#[cfg(unix)]
fn link(packages: &Path, place: &Path) -> std::io::Result<()> {
    std::os::unix::fs::symlink(packages, place)
}

#[cfg(windows)]
fn link(packages: &Path, place: &Path) -> std::io::Result<()> {
    std::os::windows::fs::symlink_dir(packages, place)
}
