//! Builds JavaScript projects: esbuild bundles modules, and QuickJS makes a component of them.
//! It is the QuickJS back end of jco.

mod bundle;
mod componentize;
pub(super) mod development;
mod errors;
mod export_check;
pub(super) mod interpreter;
mod module_names;
mod native;
pub(super) mod node;
mod packages;
mod program;
mod source_map;
pub(super) mod types;
mod wasi;

use std::path::{Path, PathBuf};

use tool_hub_manifest::ExportName;

use super::interpreter::refuse_named;
use super::project::{BuiltComponent, Project, built};
use super::wit::{WitFile, package_names, wit_files};
use crate::files;
use crate::session::Session;
use crate::terminal::problem::Problem;
pub(super) use errors::cannot_be_loaded;

use bundle::{Bundle, BundleSources, Bundler, bundle_sources};
use componentize::{COMPONENTIZE_QJS, Componentize};
use types::TypeCheck;

/// The module that is built when the manifest names none.
const DEFAULT_SOURCE: &str = "tool.js";

/// Builds the project: plain functions as a program, others with componentize-qjs. In TypeScript
/// the check of its types is under way then.
pub(super) async fn build(
    project: Project<'_>,
    session: &Session,
) -> anyhow::Result<(BuiltComponent, Option<TypeCheck>)> {
    match project.functions {
        Some(functions) => program::build(project, functions, session).await,
        None => {
            refuse_named(project, "a project with WIT of its own holds QuickJS")?;
            component(project, session).await
        }
    }
}

/// Builds the project with esbuild and componentize-qjs.
async fn component(
    project: Project<'_>,
    session: &Session,
) -> anyhow::Result<(BuiltComponent, Option<TypeCheck>)> {
    let bundled = bundle_sources(project, session).await?;
    let types = TypeCheck::start(project, source(project), &bundled, session).await?;
    let toolchain = COMPONENTIZE_QJS
        .directory(project, session)
        .await?
        .join("node_modules");
    let own = wit_files(project.wit_parent())?;
    let bundle = bundle(project, &own, &bundled, &toolchain, session).await?;
    let component = project.scratch.join("tool.wasm");
    let wit = project.scratch.join("wit");
    wasi::write_wit(&wit, &own, project.docs.world_name(), &bundle.imports)?;
    let making = Componentize {
        wit: &wit,
        world: wasi::WORLD,
        js: &bundle.path,
    };
    let run = making.run(project, &toolchain, &component, session).await;
    run.map_err(|error| {
        let error = export_check::explained(error, project.directory, source(project));
        errors::of_evaluation(error, &bundle.path, &bundled.directory)
    })?;
    let mut built = BuiltComponent::whole(wasi::with_names_of_wasi(built(&component)?)?);
    built.packages = bundle.packages;
    built.build_tools = COMPONENTIZE_QJS.build_tools();
    Ok((built, types))
}

/// The file of the module that exports the functions of the WIT.
fn source(project: Project<'_>) -> &str {
    project.build.source.as_deref().unwrap_or(DEFAULT_SOURCE)
}

/// Puts the modules of the project into one file.
async fn bundle(
    project: Project<'_>,
    wit: &[WitFile],
    bundled: &BundleSources,
    toolchain: &Path,
    session: &Session,
) -> anyhow::Result<Bundle> {
    let (entry, module) = entry(project, &bundled.directory)?;
    let mut bundler = Bundler::with_prelude(project, bundled, toolchain, &entry)?;
    bundler.alias(export_check::MODULE, &module);
    for package in package_names(wit) {
        bundler.provided(package);
    }
    bundler.arguments(&["--format=esm"]);
    bundler.run(&session.printer).await
}

/// Writes the entry module that checks the exports of the project's module in `directory`; returns
/// the paths of both.
fn entry(project: Project<'_>, directory: &Path) -> anyhow::Result<(PathBuf, PathBuf)> {
    let source = source(project);
    let module = directory.join(source);
    if !module.exists() {
        return Err(
            Problem::user(format!("there is no {source} in the project"))
                .hint("[build] source in tool.toml names the module that exports the functions")
                .into(),
        );
    }
    let entry = project.scratch.join("export_check.js");
    let exports: Vec<ExportName> = project.docs.exports().collect();
    files::write(&entry, export_check::source(exports.iter()).as_bytes())?;
    Ok((entry, module))
}
