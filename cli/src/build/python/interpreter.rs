//! Builds the interpreter that Python projects share, or finds it from an earlier build.

use std::path::Path;

use serde_json::json;
use tool_hub_host::authoring::PACKAGES;
use tool_hub_manifest::Interpreter;

use super::componentize::{COMPONENTIZE_PY, componentize};
use crate::build::interpreter::obtain;
use crate::build::interpreter::recipe::Recipe;
use crate::build::process;
use crate::build::project::{Project, built};
use crate::files;
use crate::session::Session;

/// The name of the world and of the interpreter's file, among the toolchains.
const NAME: &str = "python-interpreter";

const WORLD: &str = include_str!("interpreter/world.wit");
/// The modules that are part of the interpreter besides, by their names.
const MODULES: [(&str, &str); 9] = [
    (
        "tool_hub_ctypes",
        include_str!("interpreter/tool_hub_ctypes.py"),
    ),
    (
        "tool_hub_event_loop",
        include_str!("interpreter/tool_hub_event_loop.py"),
    ),
    (
        "tool_hub_functions",
        include_str!("interpreter/tool_hub_functions.py"),
    ),
    (
        "tool_hub_http",
        include_str!("interpreter/tool_hub_http.py"),
    ),
    (
        "tool_hub_interpreters",
        include_str!("interpreter/tool_hub_interpreters.py"),
    ),
    (
        "tool_hub_packages",
        include_str!("interpreter/tool_hub_packages.py"),
    ),
    ("tool_hub_ssl", include_str!("interpreter/tool_hub_ssl.py")),
    (
        "tool_hub_threads",
        include_str!("interpreter/tool_hub_threads.py"),
    ),
    ("tool_hub_wit", include_str!("interpreter/tool_hub_wit.py")),
];
/// The interfaces that programs may import: the interpreter's world has them, and `tool_hub_wit.py`
/// their modules.
pub(super) const INTERFACES: [&str; 13] = [
    "tool-hub:tool/interaction@0.1.0",
    "tool-hub:tool/toolbox@0.1.0",
    "tool-hub:tool/types@0.1.0",
    "wasi:clocks/monotonic-clock@0.2.0",
    "wasi:http/outgoing-handler@0.2.0",
    "wasi:http/types@0.2.0",
    "wasi:io/error@0.2.0",
    "wasi:io/poll@0.2.0",
    "wasi:io/streams@0.2.0",
    "wasi:keyvalue/atomics@0.2.0-draft",
    "wasi:keyvalue/batch@0.2.0-draft",
    "wasi:keyvalue/store@0.2.0-draft",
    "wasi:logging/logging@0.1.0-draft",
];
/// The interfaces of WASI that it imports, by the paths of their files.
const WASI: [(&str, &str); 3] = [
    ("wasi-clocks/clocks.wit", include_str!("../wasi/clocks.wit")),
    ("wasi-http/http.wit", include_str!("../wasi/http.wit")),
    ("wasi-io/io.wit", include_str!("../wasi/io.wit")),
];
/// The worlds that are built one after the other, and the module and its source for each.
const STEPS: [(&str, &str, &str); 2] = [
    (
        "standard-library",
        "standard_library",
        include_str!("interpreter/standard_library.py"),
    ),
    (
        NAME,
        "python_interpreter",
        include_str!("interpreter/python_interpreter.py"),
    ),
];

/// The recipe of the interpreter of this version of the command.
pub(in crate::build) fn recipe() -> Recipe {
    let packages: Vec<_> = PACKAGES.iter().map(|package| package.files).collect();
    let made_with = COMPONENTIZE_PY.directory_name();
    Recipe::new(
        NAME,
        &json!([WORLD, MODULES, WASI, STEPS, packages, made_with]),
    )
}

/// The interpreter for the project. componentize-py makes other bytes of the same sources each
/// time.
pub(super) async fn interpreter(
    project: Project<'_>,
    toolchain: &Path,
    session: &Session,
) -> anyhow::Result<Interpreter> {
    obtain(
        &recipe(),
        project,
        made(project, toolchain, session),
        session,
    )
    .await
}

async fn made(
    project: Project<'_>,
    toolchain: &Path,
    session: &Session,
) -> anyhow::Result<Vec<u8>> {
    let place = project.scratch.join(NAME);
    let write = |path: String, text: &str| files::write_new(&place.join(path), text.as_bytes());
    write("wit/world.wit".to_owned(), WORLD)?;
    for package in PACKAGES {
        for (name, text) in package.files {
            write(format!("wit/deps/{}/{name}", package.directory()), text)?;
        }
    }
    for (path, text) in WASI {
        write(format!("wit/deps/{path}"), text)?;
    }
    for (module, source) in MODULES {
        write(format!("source/{module}.py"), source)?;
    }
    let environment = place.join("environment");
    std::fs::create_dir_all(environment.join("lib/site-packages"))?;
    let component = place.join("interpreter.wasm");
    for (world, module, source) in STEPS {
        write(format!("source/{module}.py"), source)?;
        let mut command = componentize(project, toolchain, &environment);
        command
            .arg("--wit-path")
            .arg(place.join("wit"))
            .args(["--world", world, "--quiet", "componentize", "--python-path"])
            .arg(place.join("source"))
            .arg("--output")
            .arg(&component)
            .arg(module);
        let doing = "building the interpreter with componentize-py";
        process::run(doing, &mut command, &session.printer).await?;
    }
    built(&component)
}
