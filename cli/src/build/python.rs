//! Builds Python projects: programs for a shared interpreter, or components with componentize-py.
//! A project becomes a component where its WIT has what the interpreter has not.

mod bindings;
mod componentize;
mod dependencies;
pub(super) mod errors;
mod failing_imports;
mod interpreter;
pub(super) mod lock;
mod method_check;
mod modules;
mod native;
mod packages;
mod program;
mod requirement;

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use tool_hub_host::authoring::{WitSource, program_component};
use tool_hub_manifest::Build;

use bindings::Bindings;
use componentize::{COMPONENTIZE_PY, componentize};
use packages::Packages;

use super::functions::Functions;
use super::functions::python::MODULE;
use super::project::{BuiltComponent, Project, built};
use super::wit::wit_files;
use super::{process, sources};
use crate::files;
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
    async fn of(project: Project<'_>, is_program: bool, session: &Session) -> anyhow::Result<Self> {
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
            Some(_) if is_program => copy_packages(&[], &path.environment)?,
            Some(packages) => {
                copy_packages(std::slice::from_ref(&packages.directory), &path.environment)?;
            }
            None => {
                let environment = config.virtual_environment.as_deref();
                copy_packages(&site_packages(environment), &path.environment)?;
            }
        }
        for import in failing_imports::find(&path.project, entry(project.build), is_program) {
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
        return build_functions(project, functions, &toolchain, session).await;
    }
    let source = checked_source(project)?;
    match Bindings::make(project, &toolchain, session).await? {
        Ok(bindings) => build_classes(project, source, &bindings, &toolchain, session).await,
        Err(reason) => {
            session.printer.note(&format!(
                "the component holds an interpreter of its own, because {reason}"
            ));
            build_component(project, source, &toolchain, session).await
        }
    }
}

/// Makes a program of the project's plain functions, for the interpreter that all share.
async fn build_functions(
    project: Project<'_>,
    functions: &Functions,
    toolchain: &Path,
    session: &Session,
) -> anyhow::Result<BuiltComponent> {
    let path = ImportPath::of(project, true, session).await?;
    let environment = path.environment.join("lib/site-packages");
    let directories = [functions.generated(), &path.project, &environment];
    let first = format!("{MODULE}.py");
    let packages = path.packages.as_ref();
    let program = program::program(
        &directories,
        &first,
        &[entry(project.build)],
        packages,
        None,
    )?;
    let wit = wit_files(functions.generated())?;
    let sources: Vec<WitSource<'_>> = wit
        .iter()
        .map(|(path, contents)| WitSource { path, contents })
        .collect();
    Ok(BuiltComponent {
        bytes: program_component(&sources, None, &program)?,
        script: None,
        interpreter: Some(interpreter::interpreter(project, toolchain, session).await?),
        packages: path.packages.map_or_else(Vec::new, |it| it.all),
    })
}

/// Makes a program of the project's classes, which implement the interfaces of its WIT.
async fn build_classes(
    project: Project<'_>,
    source: &str,
    bindings: &Bindings<'_>,
    toolchain: &Path,
    session: &Session,
) -> anyhow::Result<BuiltComponent> {
    let path = ImportPath::of(project, true, session).await?;
    let environment = path.environment.join("lib/site-packages");
    let directories = [&*bindings.directory, &path.project, &environment];
    let others = ["wit_world/__init__.py", "wit_world/exports/__init__.py"];
    let (packages, world) = (path.packages.as_ref(), Some(&bindings.world));
    let program = program::program(&directories, source, &others, packages, world)?;
    Ok(BuiltComponent {
        bytes: bindings.component(&program)?,
        script: None,
        interpreter: Some(interpreter::interpreter(project, toolchain, session).await?),
        packages: path.packages.map_or_else(Vec::new, |it| it.all),
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
    let path = ImportPath::of(project, false, session).await?;
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
