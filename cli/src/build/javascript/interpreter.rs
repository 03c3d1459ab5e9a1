//! Builds the interpreter that JavaScript projects share, or finds it from an earlier build.

use std::path::Path;

use serde_json::json;
use tool_hub_host::authoring::CONTRACT;
use tool_hub_manifest::Interpreter;

use super::bundle::{BundleSources, Bundler, FILES};
use super::{Componentize, wasi};
use crate::build::interpreter::KeptInterpreter;
use crate::build::project::{Project, built};
use crate::build::wit::WitFile;
use crate::files;
use crate::session::Session;

/// The name of its world and of its file, among the toolchains.
const NAME: &str = "javascript-interpreter";

const WORLD: &str = include_str!("interpreter/world.wit");
/// Its modules; the first is its component's.
const MODULES: [(&str, &str); 2] = [
    ("interpreter.js", include_str!("interpreter/interpreter.js")),
    ("functions.js", include_str!("interpreter/functions.js")),
];

/// The interpreter, of this version of the command.
pub(super) async fn interpreter(
    project: Project<'_>,
    toolchain: &Path,
    session: &Session,
) -> anyhow::Result<Interpreter> {
    let made_with = toolchain.parent().and_then(Path::file_name);
    let made_with = made_with.map(|name| name.display().to_string());
    let wasi = wasi::PACKAGES.map(|package| package.text);
    let kept = KeptInterpreter {
        name: NAME,
        language: "JavaScript",
        sources: &json!([WORLD, MODULES, FILES, CONTRACT.files, wasi, made_with]),
    };
    kept.obtain(made(project, toolchain, session), session)
        .await
}

async fn made(
    project: Project<'_>,
    toolchain: &Path,
    session: &Session,
) -> anyhow::Result<Vec<u8>> {
    let place = project.scratch.join("interpreter");
    for (name, text) in MODULES {
        files::write(&place.join(name), text.as_bytes())?;
    }
    let sources = BundleSources {
        directory: place.clone(),
        packages: None,
    };
    let mut bundler =
        Bundler::with_prelude(project, &sources, toolchain, &place.join(MODULES[0].0))?;
    bundler.arguments(&["--format=esm"]);
    let bundle = bundler.run(&session.printer).await?;
    let contract = CONTRACT.files.iter().map(|(name, text)| {
        let path = Path::new("deps").join(CONTRACT.directory()).join(name);
        (path, (*text).to_owned())
    });
    let world = [("world.wit".into(), WORLD.to_owned())];
    let wit: Vec<WitFile> = world.into_iter().chain(contract).collect();
    wasi::write_wit(&place.join("wit"), &wit, NAME, &bundle.imports)?;
    let component = place.join("interpreter.wasm");
    let making = Componentize {
        wit: &place.join("wit"),
        world: wasi::WORLD,
        js: &bundle.path,
    };
    making.run(project, toolchain, &component, session).await?;
    wasi::with_names_of_wasi(built(&component)?)
}
