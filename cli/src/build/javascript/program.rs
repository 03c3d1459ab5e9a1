//! Makes the program of a project of plain functions: a script, for the shared interpreter.

use std::path::Path;

use serde_json::json;
use tool_hub_host::authoring::program_component;

use super::bundle::{Bundle, Bundler, MINIFIED, bundle_sources};
use super::componentize::COMPONENTIZE_QJS;
use super::errors::{is_top_level_await, missing_in_package};
use super::interpreter::{Flavour, interpreter};
use super::node;
use super::types::TypeCheck;
use crate::build::functions::Functions;
use crate::build::functions::javascript::{MODULE, PROJECT, STAND_INS};
use crate::build::project::{BuiltComponent, Project};
use crate::build::wit::{wit_files, wit_sources};
use crate::files;
use crate::session::Session;

/// The place at which the script hands over its functions.
const FUNCTIONS: &str = "globalThis.toolHubProgram";

/// The most packages that a server's packages import and that are not installed.
const MISSING_MAX: usize = 32;

/// Builds the project, which is made of `functions`.
///
/// # Errors
/// When its code cannot be bundled, or a build tool cannot be had.
pub(super) async fn build(
    project: Project<'_>,
    functions: &Functions,
    session: &Session,
) -> anyhow::Result<(BuiltComponent, Option<TypeCheck>)> {
    let bundled = bundle_sources(project, session).await?;
    let types = match &project.build.functions {
        // The types of frameworks are in packages that the project does not have.
        Some(_) if functions.have_framework() => None,
        Some(file) => TypeCheck::start(project, file, &bundled, session).await?,
        None => None,
    };
    let toolchain = COMPONENTIZE_QJS.directory(project, session).await?;
    let toolchain = toolchain.join("node_modules");
    let entry = project.scratch.join("program.js");
    let module = functions.generated().join(MODULE);
    files::write(&entry, entry_of(&module).as_bytes())?;
    let node = match functions.is_server() {
        true => Some(node::packages(project, session).await?),
        false => None,
    };
    let bundler = |missing: &[String]| -> anyhow::Result<Bundler<'_>> {
        let mut bundler = Bundler::new(project, &bundled, &toolchain, &entry)?;
        if let (Some(node), Some(module)) = (&node, functions.server_module()) {
            let packages = bundled.packages.clone();
            let packages = packages.unwrap_or_else(|| bundled.directory.join("node_modules"));
            node::add(
                &mut bundler,
                functions.generated(),
                (module, &packages),
                node,
                missing,
            )?;
            return Ok(bundler);
        }
        if let Some(file) = &project.build.functions {
            bundler.alias(PROJECT, &bundled.directory.join(file));
        }
        if functions.have_framework() {
            for (name, path) in STAND_INS {
                bundler.alias(name, &functions.generated().join(path));
            }
        }
        Ok(bundler)
    };
    let (bundle, value) = match functions.is_server() {
        true => server(bundler, session).await?,
        false => {
            let mut at_once = bundler(&[])?;
            at_once.arguments(&["--format=iife", "--banner:js=\"use strict\";"]);
            at_once.arguments(&MINIFIED);
            match at_once.run(&session.printer).await {
                Err(error) if is_top_level_await(&error) => waiting(bundler(&[])?, session).await?,
                bundle => (bundle?, format!(";{FUNCTIONS}")),
            }
        }
    };
    let script = std::fs::read_to_string(&bundle.path)?;
    let flavour = match functions.is_server() {
        true => Flavour::Node,
        false => Flavour::of(&script),
    };
    let mut build_tools = COMPONENTIZE_QJS.build_tools();
    if functions.is_server() {
        build_tools.extend(node::build_tools());
    }
    let program = json!({
        "script": format!("{script}{value}"),
        "map": bundle.map_for(&bundled.directory)?,
    });
    let wit = wit_files(functions.generated())?;
    let built = BuiltComponent {
        bytes: program_component(&wit_sources(&wit), None, &program.to_string())?,
        script: None,
        interpreter: Some(interpreter(flavour, project, &toolchain, session).await?),
        packages: bundle.packages,
        build_tools,
    };
    Ok((built, types))
}

/// The bundle of modules that wait, and what its value is got by.
async fn waiting(bundler: Bundler<'_>, session: &Session) -> anyhow::Result<(Bundle, String)> {
    let bundle = bundler.run_waiting(FUNCTIONS, &session.printer).await?;
    Ok((bundle, String::new()))
}

/// The bundle of a server, which waits for the server to start. Packages that others import and
/// that are not installed fail where they are needed, as in Node.
async fn server<'a>(
    bundler: impl Fn(&[String]) -> anyhow::Result<Bundler<'a>>,
    session: &Session,
) -> anyhow::Result<(Bundle, String)> {
    let mut missing: Vec<String> = Vec::new();
    loop {
        let error = match waiting(bundler(&missing)?, session).await {
            Ok(bundle) => return Ok(bundle),
            Err(error) => error,
        };
        match missing_in_package(&error) {
            Some(name) if missing.len() < MISSING_MAX && !missing.contains(&name) => {
                missing.push(name);
                // A name with a path goes before the one that it begins with.
                missing.sort_by_key(|name| usize::MAX - name.len());
            }
            _ => return Err(error),
        }
    }
}

/// The module that hands over the functions of the one at `module`. If it exported them, the bundle
/// would have code for that, which each call would copy.
fn entry_of(module: &Path) -> String {
    format!(
        "import {{ functions }} from {};\n{FUNCTIONS} = functions;\n",
        json!(module)
    )
}
