//! Builds the interpreter that Python projects share, or finds it from an earlier build.

use std::path::Path;

use serde_json::json;
use tool_hub_host::authoring::CONTRACT;
use tool_hub_manifest::{Digest, Interpreter};

use super::{componentize, memory_access};
use crate::build::project::{Project, built};
use crate::files;
use crate::session::Session;

/// The name of the world and of the interpreter's file, among the toolchains.
const NAME: &str = "python-interpreter";
/// The module that it is made of.
const MODULE: &str = "python_interpreter";

const WORLD: &str = include_str!("interpreter/world.wit");
const SOURCE: &str = include_str!("interpreter/python_interpreter.py");

/// The interpreter, of this version of the command. componentize-py makes other bytes of the same
/// sources each time, so it is built once and kept: tools share what has the same digest.
pub(super) async fn interpreter(
    project: Project<'_>,
    toolchain: &Path,
    session: &Session,
) -> anyhow::Result<Interpreter> {
    let access = include_str!("interpreter/memory.wat");
    let all = json!([
        access,
        WORLD,
        SOURCE,
        CONTRACT.files,
        toolchain.file_name().map(|it| it.display().to_string())
    ]);
    let key = Digest::of(all.to_string().as_bytes());
    let file = session
        .config
        .settings
        .toolchains
        .join(format!("{NAME}-{}.wasm", &key.hex()[..16]));
    if file.is_file() {
        return Ok(Interpreter::hashed(built(&file)?));
    }
    session
        .printer
        .note("building the interpreter that all tools in Python share, once");
    let place = project.scratch.join(NAME);
    files::write_new(&place.join("wit/world.wit"), WORLD.as_bytes())?;
    for (name, text) in CONTRACT.files {
        let path = place.join("wit/deps/tool-hub-tool").join(name);
        files::write_new(&path, text.as_bytes())?;
    }
    let source = place.join("source").join(format!("{MODULE}.py"));
    files::write_new(&source, SOURCE.as_bytes())?;
    let environment = place.join("environment");
    std::fs::create_dir_all(environment.join("lib/site-packages"))?;
    let component = place.join("interpreter.wasm");
    let mut command = componentize(project, toolchain, &environment);
    command
        .arg("--wit-path")
        .arg(place.join("wit"))
        .args(["--world", NAME, "--quiet", "componentize", "--python-path"])
        .arg(place.join("source"))
        .arg("--output")
        .arg(&component)
        .arg(MODULE);
    let doing = "building the interpreter with componentize-py";
    super::process::run(doing, &mut command, &session.printer).await?;
    let bytes = memory_access::add(&built(&component)?)?;
    files::write(&file, &bytes)?;
    Ok(Interpreter::hashed(bytes))
}
