//! Makes the program of a project of plain functions: a script, for the shared interpreter.

use serde_json::json;
use tool_hub_host::authoring::program_component;

use super::bundle::{Bundler, bundle_sources};
use super::componentize::COMPONENTIZE_QJS;
use super::interpreter::{Flavour, interpreter};
use super::types::TypeCheck;
use crate::build::functions::Functions;
use crate::build::functions::javascript::{MODULE, PROJECT};
use crate::build::project::{BuiltComponent, Project};
use crate::build::wit::{wit_files, wit_sources};
use crate::session::Session;

/// The name that the script has for what it exports.
const EXPORTS: &str = "toolHubProgram";

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
        Some(file) => TypeCheck::start(project, file, &bundled, session).await?,
        None => None,
    };
    let toolchain = COMPONENTIZE_QJS.directory(project, session).await?;
    let toolchain = toolchain.join("node_modules");
    let entry = functions.generated().join(MODULE);
    let mut bundler = Bundler::new(project, &bundled, &toolchain, &entry)?;
    if let Some(file) = &project.build.functions {
        bundler.alias(PROJECT, &bundled.directory.join(file));
    }
    // Without white space, and so without comments that name directories of this machine.
    bundler.arguments(&[
        "--format=iife",
        &format!("--global-name={EXPORTS}"),
        "--banner:js=\"use strict\";",
        "--minify-whitespace",
        "--legal-comments=inline",
    ]);
    let bundle = bundler.run(&session.printer).await?;
    let script = std::fs::read_to_string(&bundle.path)?;
    let flavour = Flavour::of(&script);
    let program = json!({
        "script": format!("{script};{EXPORTS}.functions"),
        "map": bundle.map_for(&bundled.directory)?,
    });
    let wit = wit_files(functions.generated())?;
    let built = BuiltComponent {
        bytes: program_component(&wit_sources(&wit), None, &program.to_string())?,
        script: None,
        interpreter: Some(interpreter(flavour, project, &toolchain, session).await?),
        packages: bundle.packages,
    };
    Ok((built, types))
}
