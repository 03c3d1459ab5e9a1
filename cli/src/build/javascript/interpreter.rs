//! Builds the interpreter that JavaScript projects share, or finds it from an earlier build.

use std::path::Path;

use serde_json::json;
use tool_hub_host::authoring::CONTRACT;
use tool_hub_manifest::Interpreter;

use super::bundle::{BundleSources, Bundler, FILES};
use super::componentize::{COMPONENTIZE_QJS, Componentize};
use super::wasi;
use crate::build::interpreter::obtain;
use crate::build::interpreter::recipe::Recipe;
use crate::build::project::{Project, built};
use crate::build::wit::WitFile;
use crate::files;
use crate::session::Session;

/// The name of the interpreters' world.
const NAME: &str = "javascript-interpreter";

const WORLD: &str = include_str!("interpreter/world.wit");
const MODULES: [(&str, &str); 5] = [
    ("functions.js", include_str!("interpreter/functions.js")),
    ("globals.js", include_str!("interpreter/globals.js")),
    ("interpreter.js", include_str!("interpreter/interpreter.js")),
    (
        "interpreter_with_node.js",
        include_str!("interpreter/interpreter_with_node.js"),
    ),
    (
        "interpreter_with_web.js",
        include_str!("interpreter/interpreter_with_web.js"),
    ),
];

/// Globals that only [`Flavour::Web`] has. `File`, of which nothing can be made without another one
/// of these, stands in many texts.
const WEB: [&str; 11] = [
    "Blob",
    "fetch",
    "FormData",
    "Headers",
    "Request",
    "Response",
    "structuredClone",
    "TextDecoder",
    "TextEncoder",
    "URL",
    "URLSearchParams",
];

/// One of the interpreters, by what it has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Flavour {
    /// The language, timers, `console` and random values.
    Plain,
    /// That, and what browsers have besides, of which HTTP.
    Web,
    /// That, and the variables and directories of which parts of Node are made.
    Node,
}

impl Flavour {
    /// The smallest that has all globals that `script` names, be it in a text.
    pub(super) fn of(script: &str) -> Self {
        let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
        let mut words = script.split(|c: char| !is_part(c));
        match words.any(|word| WEB.contains(&word)) {
            true => Self::Web,
            false => Self::Plain,
        }
    }

    /// The beginning of its file's name, among the toolchains.
    fn name(self) -> &'static str {
        match self {
            Self::Plain => "javascript-interpreter",
            Self::Web => "javascript-interpreter-with-web",
            Self::Node => "javascript-interpreter-with-node",
        }
    }

    /// The module of its component.
    fn module(self) -> &'static str {
        match self {
            Self::Plain => "interpreter.js",
            Self::Web => "interpreter_with_web.js",
            Self::Node => "interpreter_with_node.js",
        }
    }
}

/// The recipes of the interpreters of this version of the command.
pub(in crate::build) fn recipes() -> [Recipe; 3] {
    [Flavour::Plain, Flavour::Web, Flavour::Node].map(recipe)
}

fn recipe(flavour: Flavour) -> Recipe {
    let made_with = COMPONENTIZE_QJS.directory_name();
    let wasi = wasi::PACKAGES.map(|package| package.text);
    let sources = json!([WORLD, MODULES, FILES, CONTRACT.files, wasi, made_with]);
    Recipe::new(flavour.name(), &sources)
}

/// The interpreter for the project.
pub(super) async fn interpreter(
    flavour: Flavour,
    project: Project<'_>,
    toolchain: &Path,
    session: &Session,
) -> anyhow::Result<Interpreter> {
    let making = made(flavour, project, toolchain, session);
    obtain(&recipe(flavour), project, making, session).await
}

async fn made(
    flavour: Flavour,
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
        Bundler::with_prelude(project, &sources, toolchain, &place.join(flavour.module()))?;
    // It takes memory for each character of its source.
    bundler.arguments(&["--format=esm", "--minify-whitespace", "--minify-syntax"]);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_names_a_part_of_the_web_has_it() {
        for (script, flavour) in [
            ("function f(a){return a+1}", Flavour::Plain),
            ("const prefetch=1,x=fetchAll(URLS)", Flavour::Plain),
            ("await fetch(u)", Flavour::Web),
            ("globalThis[\"URL\"]", Flavour::Web),
            ("new globalThis.TextDecoder", Flavour::Web),
        ] {
            assert_eq!(Flavour::of(script), flavour, "{script}");
        }
    }

    #[test]
    fn what_only_one_has_are_globals() {
        let globals = include_str!("web/globals.js");
        for name in WEB {
            let line = format!("export {{ {name}, {name} as \"globalThis.{name}\" }};");
            assert!(globals.contains(&line), "{name}");
        }
    }
}
