//! The `Bindings` of a program with WIT of its own: the modules `wit_world`, by componentize-py.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use serde::Serialize;
use tool_hub_host::authoring::{ImportedInterface, ProgramWorld, WitSource, program_component};

use super::componentize::componentize;
use super::interpreter::INTERFACES;
use super::without_comments;
use crate::build::process;
use crate::build::project::Project;
use crate::build::wit::{WitFile, wit_files};
use crate::session::Session;

/// The modules of each world that a project may have, and the world itself.
pub(super) struct Bindings<'a> {
    /// The directory with the package `wit_world`.
    pub(super) directory: PathBuf,
    pub(super) world: World,
    project: Project<'a>,
    wit: Vec<WitFile>,
}

/// The world of a program, as `tool_hub_wit.py` reads it.
#[derive(Debug, Serialize)]
pub(super) struct World {
    #[serde(flatten)]
    world: ProgramWorld,
    /// The interfaces that are the interpreter's own, by the names of their modules.
    imports: BTreeMap<String, String>,
}

impl<'a> Bindings<'a> {
    /// Makes the bindings of `project`. `Err` has the reason for which the project's world is none
    /// for a program.
    pub(super) async fn make(
        project: Project<'a>,
        toolchain: &Path,
        session: &Session,
    ) -> anyhow::Result<Result<Self, String>> {
        let wit_directory = without_comments(project)?;
        let wit = wit_files(project.scratch)?;
        let world = ProgramWorld::new(&sources(&wit), project.build.world.as_deref())?;
        if let Some(reason) = unfit(&world) {
            return Ok(Err(reason));
        }
        let directory = project.scratch.join("bindings");
        let mut command = componentize(project, toolchain, project.scratch);
        let name = project.build.world.iter();
        command
            .arg("--wit-path")
            .arg(wit_directory)
            .args(name.flat_map(|name| ["--world", name]))
            .args(["--quiet", "bindings"])
            .arg(&directory);
        let doing = "making Python's modules of the WIT with componentize-py";
        process::run(doing, &mut command, &session.printer).await?;
        let own = world.imports.iter();
        let own = own.filter(|import| INTERFACES.contains(&import.name.as_str()));
        let own = own.map(|import| (module_of(import), import.name.clone()));
        let imports: BTreeMap<String, String> = own.collect();
        keep_only_generated(&directory, &imports)?;
        Ok(Ok(Self {
            directory,
            world: World { world, imports },
            project,
            wit,
        }))
    }

    /// The component of the project, with `program`.
    pub(super) fn component(&self, program: &str) -> anyhow::Result<Vec<u8>> {
        let world = self.project.build.world.as_deref();
        Ok(program_component(&sources(&self.wit), world, program)?)
    }
}

fn sources(wit: &[WitFile]) -> Vec<WitSource<'_>> {
    let sources = wit.iter();
    let sources = sources.map(|(path, contents)| WitSource { path, contents });
    sources.collect()
}

/// The reason for which a program cannot have `world`, if there is one.
fn unfit(world: &ProgramWorld) -> Option<String> {
    if let Some(export) = world.not_callable.first() {
        return Some(format!("{export} cannot be written as JSON"));
    }
    let mut foreign = world.imports.iter();
    let foreign = foreign.find(|it| !it.has_only_types && !INTERFACES.contains(&it.name.as_str()));
    if let Some(import) = foreign {
        return Some(format!(
            "the shared interpreter does not import {}",
            import.name
        ));
    }
    // componentize-py gives such modules other names.
    let mut names = BTreeSet::new();
    let mut imports = world.imports.iter();
    let twice = imports.find(|import| !names.insert(module_of(import)))?;
    Some(format!(
        "there is another interface of the name of {}",
        twice.name
    ))
}

/// The name of the module of an interface.
fn module_of(import: &ImportedInterface) -> String {
    let path = import.name.split('@').next().unwrap_or(&import.name);
    let name = path.rsplit('/').next().unwrap_or(path);
    name.replace('-', "_")
}

/// Removes from `directory` what the interpreter has itself, and the modules of `imports`.
fn keep_only_generated(directory: &Path, imports: &BTreeMap<String, String>) -> anyhow::Result<()> {
    let entries = std::fs::read_dir(directory).context("the bindings cannot be read")?;
    for entry in entries {
        let path = entry?.path();
        if path.is_dir() && path.file_name().is_some_and(|name| name != "wit_world") {
            std::fs::remove_dir_all(&path)?;
        } else if path.is_file() {
            std::fs::remove_file(&path)?;
        }
    }
    for module in imports.keys() {
        std::fs::remove_file(directory.join(format!("wit_world/imports/{module}.py")))?;
    }
    Ok(())
}
