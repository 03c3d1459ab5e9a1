//! JavaScript projects: esbuild puts the project's modules into one file, and the QuickJS
//! back end of jco makes a component of it.

use std::path::PathBuf;

use anyhow::Context as _;

use super::functions::javascript::MODULE;
use super::{Project, Toolchain, process};
use crate::config::Config;
use crate::files;
use crate::printer::Printer;

/// jco's back end by itself: jco brings eight times as much, none of which is used here.
const COMPONENTIZE_QJS: Toolchain = Toolchain {
    name: "componentize-qjs-0.4.5",
    install: &[
        "npm",
        "install",
        "--silent",
        "--no-audit",
        "--no-fund",
        "--prefix",
        "{directory}",
        "componentize-qjs@0.4.5",
        "esbuild@0.28.2",
    ],
};

/// What goes before a project's own code.
const RANDOM: &str = include_str!("random.js");

/// The module that is built when the manifest names none.
const DEFAULT_SOURCE: &str = "tool.js";

/// Builds the project with esbuild and componentize-qjs.
pub(super) async fn build(
    project: Project<'_>,
    config: &Config,
    printer: &Printer,
) -> anyhow::Result<Vec<u8>> {
    let programs = COMPONENTIZE_QJS
        .directory(project, config, printer)
        .await?
        .join("node_modules/.bin");
    install_dependencies(project, printer).await?;
    let (bundle, component) = (
        project.scratch.join("bundle.js"),
        project.scratch.join("tool.wasm"),
    );
    let written = project.functions.map(|it| it.generated().join(MODULE));
    let source = project.build.source.as_deref().unwrap_or(DEFAULT_SOURCE);
    let source = written.unwrap_or_else(|| PathBuf::from(source));
    let random = project.scratch.join("random.js");
    files::write(&random, RANDOM.as_bytes())?;
    let mut bundling = project.command(programs.join("esbuild"));
    bundling
        .arg(source)
        .arg(format!("--inject:{}", random.display()))
        .args([
            "--bundle",
            "--format=esm",
            "--platform=neutral",
            "--main-fields=module,main",
        ])
        // What a component imports is no module that could be bundled; the host has nothing else.
        .args(["--external:tool-hub:*", "--external:wasi:*"])
        .args(["--log-level=warning"])
        .arg(format!("--outfile={}", bundle.display()))
        .current_dir(project.directory);
    process::run("bundling with esbuild", &mut bundling, printer).await?;
    let mut building = project.command(programs.join("componentize-qjs"));
    building
        .arg("--wit")
        .arg(project.wit())
        .arg("--js")
        .arg(&bundle)
        .args(
            project
                .build
                .world
                .iter()
                .flat_map(|world| ["--world", world]),
        )
        .args(["--sync", "--output"])
        .arg(&component)
        .current_dir(project.scratch);
    process::run("building with componentize-qjs", &mut building, printer).await?;
    std::fs::read(&component).with_context(|| format!("{} cannot be read", component.display()))
}

/// What npm writes into `node_modules` last, so that an installation that was cut short is
/// done again.
const INSTALLED: &str = "node_modules/.package-lock.json";

/// Installs what `package-lock.json` names, where it is not installed yet. Scripts of
/// packages are not run: a build must not run what nobody looked at.
async fn install_dependencies(project: Project<'_>, printer: &Printer) -> anyhow::Result<()> {
    let directory = project.directory;
    if !directory.join("package-lock.json").is_file() || directory.join(INSTALLED).is_file() {
        return Ok(());
    }
    let mut command = project.command("npm");
    command
        .args([
            "ci",
            "--silent",
            "--no-audit",
            "--no-fund",
            "--ignore-scripts",
        ])
        .current_dir(directory);
    process::run("installing the project's packages", &mut command, printer)
        .await
        .map(drop)
}
