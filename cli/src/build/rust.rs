//! Builds Rust projects with cargo for `wasm32-wasip2`, and installs that target if it is missing.

mod errors;
mod packages;
mod shared;
mod target;

use std::path::{Path, PathBuf};

use serde::Deserialize;
use tokio::process::Command;
use tool_hub_host::authoring::BuildTool;

use super::functions::Functions;
use super::functions::rust::CARGO_MANIFEST;
use super::process;
use super::project::{BuiltComponent, Form, Project, built};
use crate::files;
use crate::session::Session;
use crate::terminal::printer::Printer;
use crate::terminal::problem::Problem;
use packages::LOCK;
use shared::SharedBuild;
pub(crate) use target::TARGET;

/// Settings of cargo for `tool dev`: a third of the work, for code that is somewhat larger. All
/// else stays as the project has it: overflows and assertions do what they do in the package.
const DEVELOPMENT: [(&str, &str); 5] = [
    ("CARGO_PROFILE_RELEASE_INCREMENTAL", "true"),
    ("CARGO_PROFILE_RELEASE_LTO", "off"),
    ("CARGO_PROFILE_RELEASE_OPT_LEVEL", "1"),
    ("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16"),
    ("CARGO_PROFILE_RELEASE_STRIP", "debuginfo"),
];

/// Builds the project with cargo, adding the target through rustup when it is missing.
pub(super) async fn build(
    project: Project<'_>,
    session: &Session,
) -> anyhow::Result<BuiltComponent> {
    ensure_target(project.directory, &session.printer).await?;
    let mut command = project.command("cargo");
    command
        .args([
            "build",
            "--quiet",
            "--release",
            "--target",
            TARGET,
            "--message-format=json-render-diagnostics",
        ])
        .current_dir(project.directory);
    if let Some(home) = &session.config.cargo_home {
        command.arg("--config").arg(without_home(home));
    }
    if project.form == Form::Development {
        command.envs(DEVELOPMENT);
    }
    let lock = project.directory.join(LOCK);
    let written = project.functions.map(Functions::generated);
    if let Some(written) = written {
        command
            .arg("--manifest-path")
            .arg(written.join(CARGO_MANIFEST))
            .arg("--target-dir")
            .arg(project.directory.join("target"));
        if let Some(text) = files::read_if_present(&lock)? {
            files::write(&written.join(LOCK), text.as_bytes())?;
        }
    }
    let manifest = written.unwrap_or(project.directory).join(CARGO_MANIFEST);
    let shared = SharedBuild::of(project, &manifest, TARGET, session).await?;
    if let Some(shared) = &shared {
        shared.use_for(&mut command);
    }
    let output = process::run("building with cargo", &mut command, &session.printer)
        .await
        .map_err(|error| errors::explained(error, project.directory))?;
    if let Some(written) = written
        && let Some(text) = files::read_if_present(&written.join(LOCK))?
    {
        files::write(&lock, text.as_bytes())?;
    }
    let path = component_path(&output.stdout)
        .ok_or_else(|| errors::no_component(&manifest, CARGO_MANIFEST))?;
    let mut built = BuiltComponent::whole(built(&path)?);
    if project.form == Form::Package {
        built.packages = packages::of_project(project, &manifest, session).await?;
        built.build_tools = vec![compiler(project).await?];
    }
    Ok(built)
}

/// True if the compiler in use in `directory` has the WebAssembly target. `rustc` may be rustup's
/// proxy, which starts the toolchain that a file in `directory` names.
pub(crate) async fn has_target(directory: &Path) -> anyhow::Result<bool> {
    let mut command = Command::new("rustc");
    command
        .args(["--print", "target-libdir", "--target", TARGET])
        .current_dir(directory);
    let output = process::output_of(&mut command).await.map_err(|error| {
        Problem::user("a Rust toolchain is needed and cannot be found")
            .caused_by(error)
            .hint("install one with rustup, or write the tool in another language: tool new NAME --lang python")
    })?;
    let directory = String::from_utf8_lossy(&output.stdout);
    Ok(output.status.success() && PathBuf::from(directory.trim()).is_dir())
}

/// Adds the target with rustup if the compiler in use in `directory` does not have it.
pub(crate) async fn ensure_target(directory: &Path, printer: &Printer) -> anyhow::Result<()> {
    if has_target(directory).await? {
        return Ok(());
    }
    add_target(directory, printer).await
}

async fn add_target(directory: &Path, printer: &Printer) -> anyhow::Result<()> {
    let mut command = Command::new("rustup");
    command
        .args(["target", "add", TARGET])
        .current_dir(directory);
    let doing = format!("adding the Rust target {TARGET}");
    let added = process::run(&doing, &mut command, printer).await;
    added.map(drop).map_err(|error| {
        Problem::user(format!(
            "the Rust target {TARGET} is missing and cannot be added"
        ))
        .caused_by(error)
        .hint(format!(
            "add it where the network allows: rustup target add {TARGET}"
        ))
        .into()
    })
}

/// The setting of cargo by which a component does not tell of the user's directory of packages, as
/// the places of panics would. A project's own flags for the target go before it.
fn without_home(home: &Path) -> String {
    let flag = format!("--remap-path-prefix={}=/cargo", home.display());
    let flags = toml_edit::Array::from_iter([flag]);
    format!("build.rustflags={flags}")
}

/// The compiler in use in the project's directory.
async fn compiler(project: Project<'_>) -> anyhow::Result<BuildTool> {
    let mut command = project.command("rustc");
    command.arg("--version").current_dir(project.directory);
    let output = process::output_of(&mut command).await?;
    let said = String::from_utf8_lossy(&output.stdout);
    Ok(BuildTool {
        name: "rustc".to_owned(),
        version: said.trim().trim_start_matches("rustc ").to_owned(),
    })
}

#[derive(Deserialize)]
struct Message {
    reason: String,
    target: Option<MessageTarget>,
    #[serde(default)]
    filenames: Vec<PathBuf>,
}

#[derive(Deserialize)]
struct MessageTarget {
    kind: Vec<String>,
}

/// The component among cargo's messages: the last library built as a `cdylib`, which is the
/// project's own, since cargo builds dependencies first.
fn component_path(messages: &[u8]) -> Option<PathBuf> {
    messages
        .split(|byte| *byte == b'\n')
        .filter_map(|line| serde_json::from_slice::<Message>(line).ok())
        .filter(|message| message.reason == "compiler-artifact")
        .filter(|message| {
            let target = message.target.as_ref();
            target.is_some_and(|target| target.kind.iter().any(|kind| kind == "cdylib"))
        })
        .flat_map(|message| message.filenames)
        .rfind(|path| {
            path.extension()
                .is_some_and(|extension| extension == "wasm")
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_component_does_not_tell_of_its_author_s_home() {
        for home in ["/home/ada/.cargo", "C:\\Users\\a \"b\"\\.cargo"] {
            let setting: toml_edit::DocumentMut = without_home(Path::new(home)).parse().unwrap();
            let flag = setting["build"]["rustflags"][0].as_str();
            let expect = format!("--remap-path-prefix={home}=/cargo");
            assert_eq!(flag, Some(expect.as_str()));
        }
    }

    #[test]
    fn the_project_s_own_component_is_found() {
        let messages = br#"{"reason":"compiler-artifact","target":{"kind":["lib"]},"filenames":["/x/liba.rlib"]}
{"reason":"compiler-artifact","target":{"kind":["cdylib"]},"filenames":["/x/b.wasm"]}
{"reason":"build-finished","success":true}
not json
"#;
        assert_eq!(component_path(messages), Some(PathBuf::from("/x/b.wasm")));
        assert_eq!(component_path(b""), None);
    }
}
