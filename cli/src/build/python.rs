//! Builds Python projects: programs for a shared interpreter, or components with componentize-py.
//! A project becomes a component where its WIT has what the interpreter has not.

mod bindings;
mod componentize;
mod dependencies;
pub(super) mod errors;
mod failing_imports;
pub(super) mod imported;
pub(super) mod interpreter;
pub(super) mod lock;
mod method_check;
mod modules;
mod native;
mod packages;
mod program;
mod requirement;
mod resolution;
pub(super) mod stand_ins;
pub(super) mod unpacked;

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use tool_hub_host::authoring::program_component;
use tool_hub_manifest::Build;

use bindings::{Bindings, World};
use componentize::{COMPONENTIZE_PY, componentize};
use failing_imports::InterpreterKind;
use packages::Packages;

use super::functions::Functions;
use super::functions::python::MODULE;
use super::interpreter::refuse_named;
use super::project::{BuiltComponent, Project, built};
use super::wit::{WitFile, wit_files, wit_sources};
use super::{process, sources};
use crate::session::Session;
use crate::terminal::problem::Problem;

/// The module that is built when the manifest names none.
const DEFAULT_SOURCE: &str = "app.py";

/// The directories that modules of a build are imported from.
struct ImportPath {
    /// A copy of the project's sources.
    project: PathBuf,
    /// A virtual environment with copies of packages: of those that the project asks for, or,
    /// where it names none, of the user's own.
    environment: PathBuf,
    /// The packages that the project asks for.
    packages: Option<Packages>,
}

impl ImportPath {
    async fn of(
        project: Project<'_>,
        interpreter: InterpreterKind,
        session: &Session,
    ) -> anyhow::Result<Self> {
        let Session { config, printer } = session;
        let packages = Packages::of(project, session).await?;
        let path = Self {
            project: project.scratch.join("project"),
            environment: project.scratch.join("environment"),
            packages,
        };
        sources::copy(project.directory, &path.project)?;
        match &path.packages {
            // A program has them in an archive.
            Some(_) if interpreter == InterpreterKind::Shared => {
                copy_packages(&[], &path.environment)?
            }
            Some(packages) => {
                copy_packages(std::slice::from_ref(&packages.directory), &path.environment)?;
            }
            // The user's environment would have the framework itself.
            None if project.functions.is_some_and(Functions::have_framework) => {
                copy_packages(&[], &path.environment)?;
            }
            None => {
                let environment = config.virtual_environment.as_deref();
                copy_packages(&site_packages(environment), &path.environment)?;
            }
        }
        for import in failing_imports::find(&path.project, entry(project.build), interpreter) {
            printer.warning(&import.to_string());
            printer.hint(import.hint());
        }
        Ok(path)
    }
}

/// Builds the project: as a program, or with componentize-py where no program can have its WIT.
pub(super) async fn build(
    project: Project<'_>,
    session: &Session,
) -> anyhow::Result<BuiltComponent> {
    let toolchain = COMPONENTIZE_PY.directory(project, session).await?;
    if let Some(functions) = project.functions {
        let entries = [entry(project.build)];
        let sources = ProgramSources {
            generated: functions.generated(),
            wit: &wit_files(functions.generated())?,
            main: &format!("{MODULE}.py"),
            others: match functions.is_server() {
                true => &[],
                false => &entries,
            },
            world: None,
        };
        return build_program(project, sources, &toolchain, session).await;
    }
    let source = checked_source(project)?;
    match Bindings::make(project, &toolchain, session).await? {
        Ok(bindings) => {
            let sources = ProgramSources {
                generated: &bindings.directory,
                wit: &bindings.wit,
                main: source,
                others: &["wit_world/__init__.py", "wit_world/exports/__init__.py"],
                world: Some(&bindings.world),
            };
            build_program(project, sources, &toolchain, session).await
        }
        Err(reason) => {
            refuse_named(project, &reason)?;
            session.printer.note(&format!(
                "the component holds an interpreter of its own, because {reason}"
            ));
            build_component(project, source, &toolchain, session).await
        }
    }
}

/// The parts of a program that are made for it, and the module that is loaded first.
struct ProgramSources<'a> {
    /// The directory of generated modules.
    generated: &'a Path,
    wit: &'a [WitFile],
    main: &'a str,
    /// Modules that are part of it though `main` may not import them.
    others: &'a [&'a str],
    /// The world that the classes of `main` implement, if it has any.
    world: Option<&'a World>,
}

/// Makes a program of the project's modules, and gives it the interpreter that all share.
async fn build_program(
    project: Project<'_>,
    sources: ProgramSources<'_>,
    toolchain: &Path,
    session: &Session,
) -> anyhow::Result<BuiltComponent> {
    let ProgramSources {
        generated,
        wit,
        main,
        others,
        world,
    } = sources;
    let path = ImportPath::of(project, InterpreterKind::Shared, session).await?;
    let environment = path.environment.join("lib/site-packages");
    let directories = [generated, &path.project, &environment];
    let packages = path.packages.as_ref();
    let program = program::program(&directories, main, others, packages, world)?;
    let name = world.and(project.build.world.as_deref());
    Ok(BuiltComponent {
        bytes: program_component(&wit_sources(wit), name, &program)?,
        script: None,
        interpreter: Some(interpreter::interpreter(project, toolchain, session).await?),
        packages: path.packages.map_or_else(Vec::new, |it| it.all),
        build_tools: COMPONENTIZE_PY.build_tools(),
    })
}

/// Builds the project with componentize-py. It imports the project's modules in a sandbox that can
/// write to every directory on the import path, so it gets copies of the project's sources and of
/// the packages of the user's virtual environment.
async fn build_component(
    project: Project<'_>,
    source: &str,
    toolchain: &Path,
    session: &Session,
) -> anyhow::Result<BuiltComponent> {
    let component = project.scratch.join("tool.wasm");
    let module = source
        .strip_suffix(".py")
        .unwrap_or(source)
        .replace('/', ".");
    let path = ImportPath::of(project, InterpreterKind::Own, session).await?;
    let mut command = componentize(project, toolchain, &path.environment);
    command
        .arg("--wit-path")
        .arg(project.scratch.join("wit"))
        .args(
            project
                .build
                .world
                .iter()
                .flat_map(|world| ["--world", world]),
        )
        .args(["--quiet", "componentize", "--python-path"])
        .arg(&path.project)
        .arg("--output")
        .arg(&component)
        .arg(&module);
    let doing = "building with componentize-py";
    let run = process::run(doing, &mut command, &session.printer).await;
    let loaded = errors::LoadedProject {
        directory: project.directory,
        module: &module,
    };
    run.map_err(|error| errors::explained(error, loaded))?;
    let mut built = BuiltComponent::whole(built(&component)?);
    built.packages = path.packages.map_or_else(Vec::new, |it| it.all);
    built.build_tools = COMPONENTIZE_PY.build_tools();
    Ok(built)
}

/// The file of the module that is loaded first, whose classes are compared with the WIT.
fn checked_source(project: Project<'_>) -> anyhow::Result<&str> {
    let source = entry(project.build);
    if !project.directory.join(source).exists() {
        return Err(missing_source(source).into());
    }
    method_check::check(project, source)?;
    Ok(source)
}

/// The error of a project without the file that is loaded first.
fn missing_source(source: &str) -> Problem {
    Problem::user(format!("there is no {source} in the project"))
        .hint("[build] source in tool.toml names the module that is loaded first")
}

/// The file of the author's module that is loaded first.
pub(super) fn entry(build: &Build) -> &str {
    let named = build.functions.as_deref().or(build.source.as_deref());
    named.unwrap_or(DEFAULT_SOURCE)
}

/// The directories of the packages in a virtual environment.
fn site_packages(environment: Option<&Path>) -> Vec<PathBuf> {
    let library = environment.map(|environment| environment.join("lib"));
    let versions = library.map(std::fs::read_dir);
    let versions = versions.into_iter().flatten().flatten().flatten();
    let found = versions.map(|version| version.path().join("site-packages"));
    found.filter(|directory| directory.is_dir()).collect()
}

/// Creates a virtual environment at `place` with copies of the packages in `directories`. If there
/// are none, it stays empty: without any, componentize-py would use the machine's packages.
fn copy_packages(directories: &[PathBuf], place: &Path) -> anyhow::Result<()> {
    let packages = place.join("lib/site-packages");
    std::fs::create_dir_all(&packages)
        .with_context(|| format!("{} cannot be made", packages.display()))?;
    for directory in directories {
        sources::copy_packages(directory, &packages)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files;

    #[test]
    fn only_the_user_s_own_environment_is_taken() {
        let directory = tempfile::tempdir().unwrap();
        let at = |path: &str| directory.path().join(path);
        let module = at("mine/lib/python3.12/site-packages/package/__init__.py");
        files::write(&module, b"x = 1").unwrap();
        copy_packages(&site_packages(None), &at("none")).unwrap();
        copy_packages(&site_packages(Some(&at("mine"))), &at("copy")).unwrap();
        assert_eq!(
            std::fs::read_dir(at("none/lib/site-packages"))
                .unwrap()
                .count(),
            0
        );
        assert!(at("copy/lib/site-packages/package/__init__.py").is_file());
    }
}
