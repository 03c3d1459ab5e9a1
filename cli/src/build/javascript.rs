//! Builds JavaScript projects: esbuild bundles modules, and QuickJS makes a component of them.
//! It is the QuickJS back end of jco.

mod bundle;
pub(super) mod development;
mod errors;
mod export_check;
mod source_map;
mod wasi;

use std::path::{Path, PathBuf};

use tool_hub_manifest::ExportName;

use super::functions::javascript::{MODULE, PROJECT};
use super::process;
use super::project::{Project, built};
use super::toolchain::{NPM_CI, Toolchain};
use super::wit::wit_files;
use crate::files;
use crate::session::Session;
use crate::terminal::problem::Problem;
use bundle::{Bundle, BundleSources, Bundler, Entry, bundle_sources};

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

/// Builds the project with esbuild and componentize-qjs.
pub(super) async fn build(project: Project<'_>, session: &Session) -> anyhow::Result<Vec<u8>> {
    let bundled = bundle_sources(project, session).await?;
    let toolchain = COMPONENTIZE_QJS
        .directory(project, session)
        .await?
        .join("node_modules");
    let source = project.build.source.as_deref().unwrap_or(DEFAULT_SOURCE);
    let bundle = bundle(project, &bundled, &toolchain, session).await?;
    let component = project.scratch.join("tool.wasm");
    let wit = project.scratch.join("wit");
    wasi::write_wit(
        &wit,
        &wit_files(project.wit_parent())?,
        project.docs.world_name(),
        &bundle.imports,
    )?;
    let mut building = project.command(toolchain.join(".bin/componentize-qjs"));
    building
        .arg("--wit")
        .arg(wit)
        .arg("--js")
        .arg(&bundle.path)
        .args(["--world", wasi::WORLD, "--sync", "--output"])
        .arg(&component)
        .current_dir(project.scratch);
    let run = process::run(
        "building with componentize-qjs",
        &mut building,
        &session.printer,
    )
    .await;
    run.map_err(|error| {
        let error = export_check::explained(error, project.directory, source);
        errors::of_evaluation(error, &bundle.path, &bundled.directory)
    })?;
    wasi::with_names_of_wasi(built(&component)?)
}

/// Finds or makes the module that exports what the WIT says, for the project in `directory`.
fn entry(project: Project<'_>, directory: &Path) -> anyhow::Result<Entry> {
    // The code that is generated around plain functions exports what the WIT says.
    if let Some((written, file)) = project.functions.zip(project.build.functions.as_ref()) {
        return Ok(Entry {
            path: written.generated().join(MODULE),
            name: PROJECT,
            module: directory.join(file),
        });
    }
    let source = project.build.source.as_deref().unwrap_or(DEFAULT_SOURCE);
    let (path, module) = entry_with_check(project, directory, source)?;
    Ok(Entry {
        path,
        name: export_check::MODULE,
        module,
    })
}

/// Puts the modules of the project into one file.
async fn bundle(
    project: Project<'_>,
    bundled: &BundleSources,
    toolchain: &Path,
    session: &Session,
) -> anyhow::Result<Bundle> {
    let entry = entry(project, &bundled.directory)?;
    let mut bundler = Bundler::new(project, bundled, toolchain, &entry)?;
    bundler.arguments(&[
        "--format=esm",
        "--sourcemap=external",
        "--sources-content=false",
    ]);
    bundler.run(&session.printer).await
}

/// Writes the entry module that checks the exports of the module `source` in `directory`; returns
/// the paths of both.
fn entry_with_check(
    project: Project<'_>,
    directory: &Path,
    source: &str,
) -> anyhow::Result<(PathBuf, PathBuf)> {
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
