//! Python projects: componentize-py, which puts CPython and the project's modules into one
//! component.

use std::ffi::OsStr;
use std::path::PathBuf;

use anyhow::Context as _;

use super::functions::python::MODULE;
use super::{Functions, Project, Toolchain, process, wit_files};
use crate::config::Config;
use crate::files;
use crate::printer::Printer;

/// The program is a native module of the package, so that it needs no environment of its own
/// but a place on Python's path.
const COMPONENTIZE_PY: Toolchain = Toolchain {
    name: "componentize-py-0.25.1",
    install: &[
        "python3",
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-deps",
        "--target",
        "{directory}",
        "componentize-py==0.25.1",
    ],
};

/// The module that is built when the manifest names none.
const DEFAULT_SOURCE: &str = "app.py";

/// Builds the project with componentize-py. WASI is left as it is rather than stubbed out: a
/// stub would bake one seed into the component, and every call would draw the same "random"
/// numbers.
pub(super) async fn build(
    project: Project<'_>,
    config: &Config,
    printer: &Printer,
) -> anyhow::Result<Vec<u8>> {
    let toolchain = COMPONENTIZE_PY.directory(project, config, printer).await?;
    let component = project.scratch.join("tool.wasm");
    let source = project.build.source.as_deref().unwrap_or(DEFAULT_SOURCE);
    let module = match project.functions {
        Some(_) => MODULE.to_owned(),
        None => source
            .strip_suffix(".py")
            .unwrap_or(source)
            .replace('/', "."),
    };
    let mut command = project.command("python3");
    command
        .args([
            "-c",
            "import sys, componentize_py; sys.exit(componentize_py.script())",
        ])
        .arg("--wit-path")
        .arg(without_comments(project)?)
        .args(
            project
                .build
                .world
                .iter()
                .flat_map(|world| ["--world", world]),
        )
        .args(["--quiet", "componentize", "--python-path"])
        .arg(project.directory)
        .args(
            project
                .functions
                .iter()
                .flat_map(|written| [OsStr::new("--python-path"), written.generated().as_os_str()]),
        )
        .arg("--output")
        .arg(&component)
        .arg(module)
        .env("PYTHONPATH", &toolchain)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .current_dir(project.scratch);
    process::run("building with componentize-py", &mut command, printer).await?;
    std::fs::read(&component).with_context(|| format!("{} cannot be read", component.display()))
}

/// The project's WIT, without the lines that are comments. componentize-py makes string literals
/// of them as they are: three quotation marks in what somebody else wrote would be followed by
/// code.
fn without_comments(project: Project<'_>) -> anyhow::Result<PathBuf> {
    let written = project.functions.map(Functions::generated);
    let directory = project.scratch.join("wit");
    for (path, text) in wit_files(written.unwrap_or(project.directory))? {
        let is_code = |line: &&str| !line.trim_start().starts_with("//");
        let code: String = text.split_inclusive('\n').filter(is_code).collect();
        files::write_new(&directory.join(path), code.as_bytes())?;
    }
    Ok(directory)
}
