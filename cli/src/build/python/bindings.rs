//! The `Bindings` of a program with WIT of its own: the modules `wit_world`, by componentize-py.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use serde::Serialize;
use tool_hub_host::authoring::{ImportedInterface, ProgramWorld};

use super::componentize::componentize;
use super::interpreter::INTERFACES;
use crate::build::process;
use crate::build::project::Project;
use crate::build::wit::{WitFile, wit_files, wit_sources};
use crate::files;
use crate::session::Session;

/// The modules that componentize-py makes for a project's world, and the world.
pub(super) struct Bindings {
    /// The directory with the package `wit_world`.
    pub(super) directory: PathBuf,
    pub(super) world: World,
    /// The project's WIT, without comments.
    pub(super) wit: Vec<WitFile>,
}

/// The world of a program, as `tool_hub_wit.py` reads it.
#[derive(Debug, Serialize)]
pub(super) struct World {
    #[serde(flatten)]
    world: ProgramWorld,
    /// The interfaces that are the interpreter's own, by the names of their modules.
    imports: BTreeMap<String, String>,
}

impl Bindings {
    /// Makes the bindings of `project`. `Err` has the reason for which the project's world is none
    /// for a program.
    pub(super) async fn make(
        project: Project<'_>,
        toolchain: &Path,
        session: &Session,
    ) -> anyhow::Result<Result<Self, String>> {
        let wit_directory = without_comments(project)?;
        let wit = wit_files(project.scratch)?;
        let world = ProgramWorld::new(&wit_sources(&wit), project.build.world.as_deref())?;
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
        let imports = modules(&world.imports);
        if let Some(interface) = keep_only_generated(&directory, &imports)? {
            return Ok(Err(format!("{interface} has no module of its name")));
        }
        Ok(Ok(Self {
            directory,
            world: World { world, imports },
            wit,
        }))
    }
}

/// The project's WIT, without the lines that are comments. componentize-py makes string literals
/// of them as they are: three quotation marks in what somebody else wrote would be followed by
/// code.
fn without_comments(project: Project<'_>) -> anyhow::Result<PathBuf> {
    let directory = project.scratch.join("wit");
    for (path, text) in wit_files(project.directory)? {
        let is_code = |line: &&str| !line.trim_start().starts_with("//");
        let code: String = text.split_inclusive('\n').filter(is_code).collect();
        files::write_new(&directory.join(path), code.as_bytes())?;
    }
    Ok(directory)
}

/// The reason for which a program cannot have `world`, if there is one.
fn unfit(world: &ProgramWorld) -> Option<String> {
    if let Some(export) = world.not_callable.first() {
        return Some(format!("{export} cannot be written as JSON"));
    }
    let mut foreign = world.imports.iter();
    let foreign = foreign.find(|it| !it.has_only_types && !INTERFACES.contains(&it.name.as_str()));
    foreign.map(|import| format!("the shared interpreter does not import {}", import.name))
}

/// The interfaces among `imports` that are the interpreter's own, by the names that componentize-py
/// gives their modules: the last part of their name, or all of it where that is not enough.
fn modules(imports: &[ImportedInterface]) -> BTreeMap<String, String> {
    let last = |import: &ImportedInterface| {
        let path = without_version(&import.name);
        path.rsplit('/').next().unwrap_or(path).to_owned()
    };
    let own = imports.iter();
    let own = own.filter(|import| INTERFACES.contains(&import.name.as_str()));
    let named = own.map(|import| {
        let short = last(import);
        let is_alone = imports.iter().filter(|other| last(other) == short).count() == 1;
        let module = match is_alone {
            true => short,
            false => without_version(&import.name).to_owned(),
        };
        (module.replace(['-', ':', '/'], "_"), import.name.clone())
    });
    named.collect()
}

fn without_version(name: &str) -> &str {
    name.split('@').next().unwrap_or(name)
}

/// Removes from `directory` what the interpreter has itself, and the modules of `imports`. Returns
/// the interface whose module is not there, if there is one.
fn keep_only_generated(
    directory: &Path,
    imports: &BTreeMap<String, String>,
) -> anyhow::Result<Option<String>> {
    let entries = std::fs::read_dir(directory).context("the bindings cannot be read")?;
    for entry in entries {
        let path = entry?.path();
        if path.is_dir() && path.file_name().is_some_and(|name| name != "wit_world") {
            std::fs::remove_dir_all(&path)?;
        } else if path.is_file() {
            std::fs::remove_file(&path)?;
        }
    }
    for (module, interface) in imports {
        let path = directory.join(format!("wit_world/imports/{module}.py"));
        if !path.is_file() {
            return Ok(Some(interface.clone()));
        }
        std::fs::remove_file(path)?;
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORLD: &str = "package a:b;
        interface types { type name = string; }
        world tool {
            import types;
            import tool-hub:tool/types@0.1.0;
            import tool-hub:tool/toolbox@0.1.0;
            export f: func();
        }";

    fn world(text: &str) -> ProgramWorld {
        let wit = [(PathBuf::from("world.wit"), text.to_owned())];
        ProgramWorld::new(&wit_sources(&wit), None).unwrap()
    }

    #[test]
    fn interfaces_of_one_name_have_longer_names() {
        let named = modules(&world(WORLD).imports);
        let named: Vec<(&str, &str)> = named.iter().map(|(m, i)| (&**m, &**i)).collect();
        let expect = [
            ("tool_hub_tool_types", "tool-hub:tool/types@0.1.0"),
            ("toolbox", "tool-hub:tool/toolbox@0.1.0"),
        ];
        assert_eq!(named, expect);
        assert_eq!(unfit(&world(WORLD)), None);
    }

    #[test]
    fn the_converter_has_a_module_for_each_interface() {
        let names = include_str!("interpreter/tool_hub_wit.py");
        for interface in INTERFACES {
            assert!(names.contains(&format!("\"{interface}\": ")), "{interface}");
        }
    }

    #[test]
    fn a_world_with_resources_is_for_no_program() {
        let resource =
            "package a:b; world tool { export i: interface { resource r; f: func(r: r); } }";
        let reason = unfit(&world(resource)).unwrap();
        assert!(reason.contains("cannot be written as JSON"), "{reason}");
    }
}
