//! Builds JavaScript projects: esbuild bundles modules, and QuickJS makes a component of them.
//! It is the QuickJS back end of jco.

mod bundle;
pub(super) mod development;
mod errors;
mod export_check;
mod interpreter;
mod native;
mod packages;
mod program;
mod source_map;
mod wasi;

use std::path::{Path, PathBuf};

use tool_hub_manifest::ExportName;

use super::process;
use super::project::{BuiltComponent, Project, built};
use super::toolchain::{NPM_CI, Toolchain};
use super::wit::wit_files;
use crate::files;
use crate::session::Session;
use crate::terminal::problem::Problem;
pub(super) use errors::cannot_be_loaded;

use bundle::{Bundle, BundleSources, Bundler, bundle_sources};

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

/// The module that is built when the manifest names none.
const DEFAULT_SOURCE: &str = "tool.js";

/// Builds the project: plain functions as a program, others with componentize-qjs.
pub(super) async fn build(
    project: Project<'_>,
    session: &Session,
) -> anyhow::Result<BuiltComponent> {
    match project.functions {
        Some(functions) => program::build(project, functions, session).await,
        None => component(project, session).await,
    }
}

/// Builds the project with esbuild and componentize-qjs.
async fn component(project: Project<'_>, session: &Session) -> anyhow::Result<BuiltComponent> {
    let bundled = bundle_sources(project, session).await?;
    let toolchain = COMPONENTIZE_QJS
        .directory(project, session)
        .await?
        .join("node_modules");
    let bundle = bundle(project, &bundled, &toolchain, session).await?;
    let component = project.scratch.join("tool.wasm");
    let wit = project.scratch.join("wit");
    wasi::write_wit(
        &wit,
        &wit_files(project.wit_parent())?,
        project.docs.world_name(),
        &bundle.imports,
    )?;
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
    Ok(built)
}

/// A run of componentize-qjs.
struct Componentize<'a> {
    wit: &'a Path,
    world: &'a str,
    /// The module that it makes a component of.
    js: &'a Path,
}

impl Componentize<'_> {
    /// Makes the component `output`.
    async fn run(
        &self,
        project: Project<'_>,
        toolchain: &Path,
        output: &Path,
        session: &Session,
    ) -> anyhow::Result<()> {
        let mut building = project.command(toolchain.join(".bin/componentize-qjs"));
        building
            .arg("--wit")
            .arg(self.wit)
            .arg("--js")
            .arg(self.js)
            .args(["--world", self.world, "--sync", "--output"])
            .arg(output)
            .current_dir(project.scratch);
        let doing = "building with componentize-qjs";
        process::run(doing, &mut building, &session.printer).await?;
        Ok(())
    }
}

/// The file of the module that exports the functions of the WIT.
fn source(project: Project<'_>) -> &str {
    project.build.source.as_deref().unwrap_or(DEFAULT_SOURCE)
}

/// Puts the modules of the project into one file.
async fn bundle(
    project: Project<'_>,
    bundled: &BundleSources,
    toolchain: &Path,
    session: &Session,
) -> anyhow::Result<Bundle> {
    let (entry, module) = entry(project, &bundled.directory)?;
    let mut bundler = Bundler::with_prelude(project, bundled, toolchain, &entry)?;
    bundler.alias(export_check::MODULE, &module);
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

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn every_package_of_the_toolchain_is_named_by_a_hash() {
        let (_, lock) = COMPONENTIZE_QJS.lock[1];
        let lock: Value = serde_json::from_str(lock).unwrap();
        let packages = lock["packages"].as_object().unwrap();
        assert!(packages.len() > 2);
        for (place, package) in packages.iter().filter(|(place, _)| !place.is_empty()) {
            let hash = package["integrity"].as_str().unwrap_or_default();
            assert!(hash.starts_with("sha512-"), "{place}: {hash:?}");
            let elsewhere = ["resolved", "link"].map(|key| package.get(key));
            assert_eq!(elsewhere, [None, None], "{place}");
        }
    }

    #[test]
    fn no_package_runs_a_script() {
        assert_eq!(COMPONENTIZE_QJS.install, NPM_CI);
        assert!(NPM_CI.contains(&"--ignore-scripts"));
        assert_eq!(NPM_CI[..2], ["npm", "ci"], "which takes what the lock says");
    }
}
