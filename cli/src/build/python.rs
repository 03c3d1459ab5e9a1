//! Python projects: componentize-py, which puts CPython and the project's modules into one
//! component.

use anyhow::Context as _;
use tokio::process::Command;

use super::{Project, Toolchain, process};
use crate::config::Config;
use crate::printer::Printer;

const COMPONENTIZE_PY: Toolchain = Toolchain {
    name: "componentize-py-0.17.2",
    install: &[
        "python3", "-m", "pip", "install", "--quiet", "--target", "{directory}", "componentize-py==0.17.2",
    ],
};

/// The module that is built when the manifest names none.
const DEFAULT_SOURCE: &str = "app.py";

/// Builds the project with componentize-py.
pub(super) async fn build(
    project: Project<'_>,
    config: &Config,
    printer: &Printer,
) -> anyhow::Result<Vec<u8>> {
    let toolchain = COMPONENTIZE_PY.directory(config, printer).await?;
    let contract = tool_hub_host::authoring::contract_directory()?;
    let output = tempfile::tempdir()?;
    let component = output.path().join("tool.wasm");
    let source = project.build.source.as_deref().unwrap_or(DEFAULT_SOURCE);
    let module = source.strip_suffix(".py").unwrap_or(source).replace('/', ".");
    let world = project.build.world.as_deref();
    let mut command = Command::new("python3");
    command
        .args(["-c", "import componentize_py; componentize_py.script()"])
        .env("PYTHONPATH", &toolchain)
        .current_dir(project.directory);
    process::run("building with componentize-py", &mut command, printer).await?;
    std::fs::read(&component).with_context(|| format!("{} cannot be read", component.display()))
}
