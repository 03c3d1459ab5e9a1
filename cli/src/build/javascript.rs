//! Builds JavaScript projects: esbuild bundles modules, and QuickJS makes a component of them.
//! It is the QuickJS back end of jco.

mod console;
pub(super) mod development;
mod errors;
mod export_check;
mod source_map;

use std::path::{Path, PathBuf};

use tokio::process::Command;
use tool_hub_manifest::ExportName;

use super::functions::javascript::{MODULE, PROJECT};
use super::npm::{self, INSTALLED, PACKAGES};
use super::project::{Project, built};
use super::toolchain::{NPM_CI, Toolchain};
use super::wit::wit_files;
use super::{process, sources, trust};
use crate::files;
use crate::session::Session;
use crate::terminal::printer::Printer;
use crate::terminal::problem::Problem;

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

/// Modules that go before a project's own code, by the names of their files.
const PRELUDE: [(&str, &str); 2] = [
    ("random.js", include_str!("javascript/random.js")),
    ("console.js", console::MODULE),
];

/// The module that is built when the manifest names none.
const DEFAULT_SOURCE: &str = "tool.js";

/// What a bundler that sees a copy of the project may miss.
const NOT_SEEN: &str = "it saw a copy of the project's sources, without node_modules, dist, target \
                        and what lies outside; where you trust those: tool build --trust";

/// Builds the project with esbuild and componentize-qjs.
pub(super) async fn build(project: Project<'_>, session: &Session) -> anyhow::Result<Vec<u8>> {
    let bundled = bundle_sources(project, session).await?;
    let toolchain = COMPONENTIZE_QJS
        .directory(project, session)
        .await?
        .join("node_modules");
    let source = project.build.source.as_deref().unwrap_or(DEFAULT_SOURCE);
    let bundle = bundle(project, &bundled, &toolchain, &session.printer).await?;
    let component = project.scratch.join("tool.wasm");
    let wit = project.scratch.join("wit");
    console::write_wit(
        &wit,
        &wit_files(project.wit_parent())?,
        project.docs.world_name(),
    )?;
    let mut building = project.command(toolchain.join(".bin/componentize-qjs"));
    building
        .arg("--wit")
        .arg(wit)
        .arg("--js")
        .arg(&bundle)
        .args(["--world", console::WORLD, "--sync", "--output"])
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
        errors::of_evaluation(error, &bundle, &bundled.directory)
    })?;
    built(&component)
}

/// The module with which a bundle begins.
struct Entry {
    path: PathBuf,
    /// The name by which it imports the project's module.
    name: &'static str,
    /// The project's module.
    module: PathBuf,
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
    printer: &Printer,
) -> anyhow::Result<PathBuf> {
    let bundle = project.scratch.join("bundle.js");
    let entry = entry(project, &bundled.directory)?;
    let mut bundling = bundler(project, bundled, toolchain, &entry)?;
    bundling
        .args([
            "--format=esm",
            "--sourcemap=external",
            "--sources-content=false",
        ])
        .arg(format!("--outfile={}", bundle.display()));
    run_bundler(project, bundled, &mut bundling, printer).await?;
    Ok(bundle)
}

/// The command that bundles `entry` and all that it imports, without the form of the output.
fn bundler(
    project: Project<'_>,
    bundled: &BundleSources,
    toolchain: &Path,
    entry: &Entry,
) -> anyhow::Result<Command> {
    let mut bundling = project.command(esbuild(toolchain)?);
    bundling
        // The packages of a trusted project take precedence.
        .envs(bundled.packages.as_ref().map(|place| ("NODE_PATH", place)))
        .arg(&entry.path)
        .arg(format!("--alias:{}={}", entry.name, entry.module.display()))
        .args([
            "--bundle",
            "--platform=neutral",
            "--main-fields=module,main",
        ])
        // What a component imports is no module that could be bundled; the host has nothing else.
        .args(["--external:tool-hub:*", "--external:wasi:*"])
        .args(["--log-level=warning"])
        .current_dir(&bundled.directory);
    for (name, text) in PRELUDE {
        let module = project.scratch.join(name);
        files::write(&module, text.as_bytes())?;
        bundling.arg(format!("--inject:{}", module.display()));
    }
    Ok(bundling)
}

async fn run_bundler(
    project: Project<'_>,
    bundled: &BundleSources,
    bundling: &mut Command,
    printer: &Printer,
) -> anyhow::Result<()> {
    let run = process::run("bundling with esbuild", bundling, printer).await;
    let is_copy = bundled.directory != project.directory;
    run.map(drop)
        .map_err(|error| errors::of_bundler(error, is_copy.then_some(NOT_SEEN)))
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

/// The directory in which a project is bundled.
struct BundleSources {
    /// The directory with its modules.
    directory: PathBuf,
    /// The directory with the packages of its lock, where those are not in the project.
    packages: Option<PathBuf>,
}

/// Finds the directory in which the project is bundled: its own, where the user trusts the
/// project's own packages; else a copy without those, since nothing says what they hold.
///
/// # Errors
/// When the lock names something other than packages of a registry, or cannot be installed.
async fn bundle_sources(project: Project<'_>, session: &Session) -> anyhow::Result<BundleSources> {
    let directory = project.directory;
    if trust::is_given(directory, &session.config)? {
        let packages = match directory.join(INSTALLED).is_file() {
            true => None,
            false => npm::packages(project, session).await?,
        };
        let directory = directory.to_owned();
        return Ok(BundleSources {
            directory,
            packages,
        });
    }
    if directory.join(PACKAGES).exists() {
        session.printer.warning(&format!(
            "{PACKAGES} of the project is not taken: nothing says what those packages hold"
        ));
        session
            .printer
            .hint("the lock's packages are taken; to take yours: tool build --trust");
    }
    let packages = npm::packages(project, session).await?;
    let copy = project.scratch.join("project");
    sources::copy(directory, &copy)?;
    Ok(BundleSources {
        directory: copy,
        packages,
    })
}

/// The native esbuild program. The `esbuild` script of npm only searches for it, and would search
/// the project's packages too.
fn esbuild(toolchain: &Path) -> anyhow::Result<PathBuf> {
    let platforms = std::fs::read_dir(toolchain.join("@esbuild"));
    let programs = platforms.into_iter().flatten().flatten();
    let mut programs = programs.map(|platform| platform.path().join("bin/esbuild"));
    programs
        .find(|program| program.is_file())
        .ok_or_else(|| Problem::user("esbuild has no program for this machine").into())
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
