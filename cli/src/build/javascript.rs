//! JavaScript projects: esbuild puts the project's modules into one file, and the QuickJS
//! back end of jco makes a component of it.

use std::path::{Path, PathBuf};

use super::functions::javascript::MODULE;
use super::toolchain::NPM_CI;
use super::{Project, Toolchain, npm, process};
use crate::config::Config;
use crate::diagnosis::Problem;
use crate::files;
use crate::printer::Printer;

/// jco's back end by itself: jco brings eight times as much, none of which is used here.
const COMPONENTIZE_QJS: Toolchain<'_> = Toolchain {
    name: "componentize-qjs-0.4.5",
    lock: &[
        ("package.json", include_str!("javascript/package.json")),
        (
            "package-lock.json",
            include_str!("javascript/package-lock.json"),
        ),
    ],
    install: &NPM_CI,
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
    let packages = npm::packages(project, config, printer).await?;
    let toolchain = COMPONENTIZE_QJS
        .directory(project, config, printer)
        .await?
        .join("node_modules");
    let (bundle, component) = (
        project.scratch.join("bundle.js"),
        project.scratch.join("tool.wasm"),
    );
    let written = project.functions.map(|it| it.generated().join(MODULE));
    let source = project.build.source.as_deref().unwrap_or(DEFAULT_SOURCE);
    let source = written.unwrap_or_else(|| PathBuf::from(source));
    let random = project.scratch.join("random.js");
    files::write(&random, RANDOM.as_bytes())?;
    let mut bundling = project.command(esbuild(&toolchain)?);
    bundling
        // The project's own packages take precedence over these.
        .envs(packages.map(|place| ("NODE_PATH", place)))
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
    let mut building = project.command(toolchain.join(".bin/componentize-qjs"));
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
    super::built(&component)
}

/// The native esbuild program. The `esbuild` script of npm only searches for it, and would search
/// the project's packages too.
fn esbuild(toolchain: &Path) -> anyhow::Result<PathBuf> {
    let platforms = std::fs::read_dir(toolchain.join("@esbuild"));
    let programs = platforms.into_iter().flatten().flatten();
    let mut programs = programs.map(|platform| platform.path().join("bin/esbuild"));
    programs
        .find(|program| program.is_file())
        .ok_or_else(|| Problem::user("esbuild has no program for this machine").into())
}
