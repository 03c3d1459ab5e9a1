//! Runs esbuild, which makes one file of a project's modules and of what the engine lacks.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde::Deserialize;
use tokio::process::Command;

use super::module_names::ModuleNames;
use super::source_map::SourceMap;
use super::{errors, packages};
use crate::build::npm::{self, INSTALLED, PACKAGES};
use crate::build::project::Project;
use crate::build::{process, sources, trust};
use crate::files;
use crate::session::Session;
use crate::terminal::printer::Printer;
use crate::terminal::problem::Problem;
use tool_hub_host::IncludedPackage;

/// Modules that go before a project's own code, in this order. What `web/globals.js` exports is
/// taken only where the project names it.
const PRELUDE: [&str; 4] = [
    "random.js",
    "console.js",
    "web/promise.js",
    "web/globals.js",
];

/// The files of the prelude, and the modules that they import.
pub(super) const FILES: [(&str, &str); 19] = [
    ("random.js", include_str!("random.js")),
    ("random_numbers.js", include_str!("random_numbers.js")),
    ("trace.js", TRACE),
    ("console.js", include_str!("console.js")),
    ("web/package.json", include_str!("web/package.json")),
    ("web/abort.js", include_str!("web/abort.js")),
    ("web/blob.js", include_str!("web/blob.js")),
    ("web/body.js", include_str!("web/body.js")),
    ("web/bytes.js", include_str!("web/bytes.js")),
    ("web/crypto.js", include_str!("web/crypto.js")),
    ("web/events.js", include_str!("web/events.js")),
    ("web/fetch.js", include_str!("web/fetch.js")),
    ("web/form.js", include_str!("web/form.js")),
    ("web/globals.js", include_str!("web/globals.js")),
    ("web/headers.js", include_str!("web/headers.js")),
    ("web/message.js", include_str!("web/message.js")),
    ("web/pairs.js", include_str!("web/pairs.js")),
    ("web/promise.js", include_str!("web/promise.js")),
    ("web/stream.js", include_str!("web/stream.js")),
];

/// The module that makes traces of errors.
pub(super) const TRACE: &str = include_str!("trace.js");

/// The name by which generated code imports the directory `web`.
const WEB: &str = "tool-hub-web";

/// The name by which the directory `web` imports the packages of the toolchain.
const TOOLCHAIN: &str = "tool-hub-packages";

/// Nothing in the engine would go on with its own `async` functions, so they are made of others.
const WITHOUT_ASYNC: [&str; 3] = [
    "--supported:async-await=false",
    "--supported:async-generator=false",
    "--supported:for-await=false",
];

/// Has the source map beside the output.
const MAPPED: [&str; 2] = ["--sourcemap=external", "--sources-content=false"];

/// Leaves out white space, and so comments that name directories of this machine.
pub(super) const MINIFIED: [&str; 2] = ["--minify-whitespace", "--legal-comments=inline"];

/// The hint at files that are not in the copy of a project that the bundler reads.
const NOT_SEEN: &str = "it saw a copy of the project's sources, without node_modules, dist, target \
                        and what lies outside; where you trust those: tool build --trust";

/// A bundle, and the modules that it takes from the component.
pub(super) struct Bundle {
    pub(super) path: PathBuf,
    pub(super) imports: BTreeSet<String>,
    /// The project's packages of which something is in it.
    pub(super) packages: Vec<IncludedPackage>,
}

impl Bundle {
    /// The source map as a text, with the names of files as they are in the project in `directory`
    /// and in packages, and none for what was put around them.
    pub(super) fn map_for(&self, directory: &Path) -> anyhow::Result<String> {
        let map = std::fs::read(self.path.with_extension("js.map"))?;
        let map: SourceMap = serde_json::from_slice(&map)?;
        let place = self.path.parent().unwrap_or(directory);
        Ok(serde_json::to_string(&map.named(place, directory))?)
    }
}

/// The metafile that esbuild writes beside a bundle, as far as it is read.
#[derive(Deserialize)]
struct Metafile {
    outputs: BTreeMap<String, OutputFile>,
}

#[derive(Deserialize)]
struct OutputFile {
    imports: Vec<Imported>,
    inputs: BTreeMap<String, Contribution>,
}

/// A module's part in the bundle.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Contribution {
    bytes_in_output: u64,
}

#[derive(Deserialize)]
struct Imported {
    path: String,
    #[serde(default)]
    external: bool,
}

/// The command that bundles a module and all that it imports.
pub(super) struct Bundler<'a> {
    command: Command,
    project: Project<'a>,
    bundled: &'a BundleSources,
    toolchain: PathBuf,
}

impl<'a> Bundler<'a> {
    /// A command for `entry` that lacks the form of the output.
    pub(super) fn new(
        project: Project<'a>,
        bundled: &'a BundleSources,
        toolchain: &Path,
        entry: &Path,
    ) -> anyhow::Result<Self> {
        let mut command = project.command(esbuild(toolchain)?);
        command
            // The packages of a trusted project take precedence.
            .envs(bundled.packages.as_ref().map(|place| ("NODE_PATH", place)))
            .arg(entry)
            .args([
                "--bundle",
                "--platform=neutral",
                "--main-fields=module,main",
                "--log-level=warning",
            ])
            .args(MAPPED)
            .args(WITHOUT_ASYNC)
            .current_dir(&bundled.directory);
        Ok(Self {
            command,
            project,
            bundled,
            toolchain: toolchain.to_owned(),
        })
    }

    /// A command for `entry`, with what the engine lacks before it.
    pub(super) fn with_prelude(
        project: Project<'a>,
        bundled: &'a BundleSources,
        toolchain: &Path,
        entry: &Path,
    ) -> anyhow::Result<Self> {
        let scratch = project.scratch;
        for (name, text) in FILES {
            files::write(&scratch.join(name), text.as_bytes())?;
        }
        let mut bundler = Self::new(project, bundled, toolchain, entry)?;
        bundler.alias(WEB, &scratch.join("web"));
        bundler.alias(TOOLCHAIN, toolchain);
        bundler
            .command
            // The host provides what a component imports, so there is no module to bundle.
            .args([
                "--external:tool-hub:*",
                "--external:wasi:*",
                "--external:host:*",
            ])
            .args(PRELUDE.map(|name| format!("--inject:{}", scratch.join(name).display())));
        Ok(bundler)
    }

    /// Has the bundle take the module or directory at `path` by `name`.
    pub(super) fn alias(&mut self, name: &str, path: &Path) {
        self.command
            .arg(format!("--alias:{name}={}", path.display()));
    }

    /// Has the bundle import the interfaces of the WIT `package`: the host or another tool provides
    /// them.
    pub(super) fn provided(&mut self, package: &str) {
        self.command.arg(format!("--external:{package}/*"));
    }

    /// Has modules find packages in `directory` too.
    pub(super) fn packages_at(&mut self, directory: &Path) {
        let places = self.bundled.packages.iter().map(PathBuf::as_path);
        let places = places
            .chain([directory])
            .map(|place| place.display().to_string());
        let separator = if cfg!(windows) { ";" } else { ":" };
        let places: Vec<String> = places.collect();
        self.command.env("NODE_PATH", places.join(separator));
    }

    pub(super) fn arguments(&mut self, arguments: &[&str]) {
        self.command.args(arguments);
    }

    /// Writes the bundle.
    ///
    /// # Errors
    /// When esbuild refuses the project's code.
    pub(super) async fn run(self, printer: &Printer) -> anyhow::Result<Bundle> {
        self.run_to("bundle.js", printer).await
    }

    /// Writes a bundle of which modules wait: a script whose value is the promise of what `value`
    /// is then. It is the body of an `async` function, and bundled once more to turn that into
    /// others too.
    ///
    /// # Errors
    /// When esbuild refuses the project's code.
    pub(super) async fn run_waiting(
        mut self,
        value: &str,
        printer: &Printer,
    ) -> anyhow::Result<Bundle> {
        self.arguments(&[
            "--format=esm",
            "--supported:async-await=true",
            "--supported:async-generator=true",
            "--supported:for-await=true",
            "--sourcemap=inline",
            "--banner:js=\"use strict\";(async()=>{",
            &format!("--footer:js=return {value};}})()"),
        ]);
        let program = self.command.as_std().get_program().to_owned();
        let project = self.project;
        let bundle = self.run_to("waiting.js", printer).await?;
        let path = project.scratch.join("bundle.js");
        let mut command = project.command(program);
        command
            .arg(&bundle.path)
            .args(WITHOUT_ASYNC)
            .args(MINIFIED)
            .args(MAPPED)
            .args(["--log-level=warning"])
            .arg(format!("--outfile={}", path.display()));
        process::run("bundling with esbuild", &mut command, printer).await?;
        Ok(Bundle { path, ..bundle })
    }

    async fn run_to(mut self, name: &str, printer: &Printer) -> anyhow::Result<Bundle> {
        let path = self.project.scratch.join(name);
        let meta = self.project.scratch.join("bundle.json");
        self.command
            .arg(format!("--metafile={}", meta.display()))
            .arg(format!("--outfile={}", path.display()));
        let run = process::run("bundling with esbuild", &mut self.command, printer).await;
        let is_copy = self.bundled.directory != self.project.directory;
        let directory = &self.bundled.directory;
        run.map_err(|error| {
            let error = packages::explained(error, directory);
            errors::of_bundler(error, is_copy.then_some(NOT_SEEN))
        })?;
        let meta: Metafile = serde_json::from_slice(&std::fs::read(meta)?)?;
        let inputs = meta
            .outputs
            .values()
            .flat_map(|output| output.inputs.keys());
        let names = ModuleNames::of(inputs.map(String::as_str), directory, self.project.scratch);
        rename_modules(&path, &names)?;
        let (mut imports, mut modules) = (BTreeSet::new(), Vec::new());
        for output in meta.outputs.into_values() {
            let external = output.imports.into_iter().filter(|import| import.external);
            imports.extend(external.map(|import| import.path));
            let inputs = output.inputs.into_iter();
            let used = inputs.filter(|(_, part)| part.bytes_in_output > 0);
            modules.extend(used.map(|(path, _)| path));
        }
        if let Some(error) = errors::missing_global(&modules, directory) {
            return Err(error);
        }
        Ok(Bundle {
            path,
            imports,
            packages: packages::of_modules(&modules, directory, &self.toolchain)?,
        })
    }
}

/// Gives the modules of the bundle at `path` other names, in its source map too.
fn rename_modules(path: &Path, names: &ModuleNames) -> anyhow::Result<()> {
    let (text, shifts) = names.applied(&std::fs::read_to_string(path)?);
    let place = path.with_extension("js.map");
    if let Some(map) = SourceMap::read(&place).and_then(|map| map.shifted(&shifts)) {
        files::write(&place, serde_json::to_string(&map)?.as_bytes())?;
    }
    Ok(files::write(path, text.as_bytes())?)
}

/// The directory in which a project is bundled.
pub(super) struct BundleSources {
    /// The directory with its modules.
    pub(super) directory: PathBuf,
    /// The directory with the packages of its lock, where those are not in the project.
    pub(super) packages: Option<PathBuf>,
}

/// Finds the directory in which the project is bundled: its own, where the user trusts the
/// project's own packages; else a copy without those, since nothing says what they hold.
///
/// # Errors
/// When the lock names something other than packages of a registry, or cannot be installed.
pub(super) async fn bundle_sources(
    project: Project<'_>,
    session: &Session,
) -> anyhow::Result<BundleSources> {
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
    native_program(&toolchain.join("@esbuild"), &["bin/esbuild"])
        .ok_or_else(|| Problem::user("esbuild has no program for this machine").into())
}

/// The program at one of the `paths` in a package of `scope`: npm installs the package for this
/// machine only.
pub(super) fn native_program(scope: &Path, paths: &[&str]) -> Option<PathBuf> {
    let platforms = std::fs::read_dir(scope).into_iter().flatten().flatten();
    let mut programs = platforms.flat_map(|platform| {
        let place = platform.path();
        paths.iter().map(move |path| place.join(path))
    });
    programs.find(|program| program.is_file())
}
