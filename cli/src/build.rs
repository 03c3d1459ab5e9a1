//! Builds a project directory into a component, by the builder for the project's language.

mod c;
mod card;
mod claims;
mod functions;
mod interpreter;
mod javascript;
mod npm;
pub(crate) mod process;
mod project;
mod proposal;
mod python;
mod rust;
pub(crate) mod scratch;
mod sources;
mod toolchain;
mod trust;
mod walk;
mod wit;

use std::path::Path;

use tool_hub_host::authoring::Docs;
use tool_hub_host::{HostError, inspect};
use tool_hub_manifest::{Build, Digest, Grants, Language, Verified};

use crate::session::Session;
use crate::terminal::problem::Problem;
use crate::terminal::signals;
use crate::toolbox::sandbox;

pub(crate) use c::CBindings;
pub(crate) use card::{FinishedCard, finished as finished_card};
pub(crate) use claims::explained as explained_claims;
pub(crate) use functions::server::{
    FILE as SERVER_FILE, LIST as LIST_TOOLS, ListedTool, ServerEntry, ServerFile,
};
pub(crate) use functions::{Functions, specs};
use interpreter::pinning::{self, Wanted};
pub(crate) use interpreter::recipe::{have_same_recipe, in_sbom as interpreter_in_sbom};
pub(crate) use javascript::development::SCRIPT_VARIABLE;
pub(crate) use javascript::types::TypeCheck;
pub(crate) use npm::lock_of as npm_lock;
pub(crate) use process::conversation::converse;
pub(crate) use process::{output_of, spawn, status_of};
use project::Project;
pub(crate) use project::{BuiltComponent, Form, read_author_manifest};
pub(crate) use proposal::{proposal, proposed};
pub(crate) use python::imported::{Imported, companions, imported};
pub(crate) use python::stand_ins::package_name;
pub(crate) use python::unpacked::UnpackedPackage;
pub(crate) use rust::{TARGET, ensure_target, has_target};
pub(crate) use sources::{SourceStamps, Sources, copy as copy_sources};
pub(crate) use trust::{obtain as obtain_trust, remember as remember_trust};
pub(crate) use walk::{Bounds, Walk};
pub(crate) use wit::{
    WitFile, add_packages, explained as explained_wit, package_directory, wit_files, wit_sources,
    world_without_exports, write_dependencies,
};

/// The locks that a build may write into the project: cargo's, and that of Python's packages.
pub(crate) const LOCKS: [&str; 2] = ["Cargo.lock", python::lock::LOCK];

/// Why a project in Rust or C has no interpreter.
const COMPILED: &str = "its language is compiled";

/// Pins the interpreter that the project in `directory` takes from another package: the one that
/// `anew` names, which its manifest names from then on, or else the one that the manifest names and
/// no build has pinned. The author is asked about it, unless `approved` is its digest.
///
/// # Errors
/// When the package cannot be had or has no such interpreter, and when the author does not agree.
pub(crate) async fn pin_interpreter(
    directory: &Path,
    anew: Option<&str>,
    approved: Option<Digest>,
    session: &Session,
) -> anyhow::Result<()> {
    let Some(section) = read_author_manifest(directory)?.build else {
        return Ok(());
    };
    let named = match (anew, &section.interpreter) {
        (Some(anew), _) => anew,
        (None, Some(named)) if !pinning::is_pinned(named, directory)? => named,
        (None, _) => return Ok(()),
    };
    let recipes = match section.language {
        Language::Python => vec![python::interpreter::recipe()],
        Language::Javascript => javascript::interpreter::recipes().to_vec(),
        // The build itself refuses what its manifest names.
        Language::Rust | Language::C if anew.is_none() => return Ok(()),
        Language::Rust | Language::C => {
            return Err(Problem::user(format!("no interpreter runs this tool: {COMPILED}")).into());
        }
    };
    let wanted = Wanted {
        named,
        approved,
        recipes: &recipes,
    };
    pinning::pin(wanted, directory, session).await?;
    match anew {
        Some(anew) => pinning::name_in_manifest(anew, directory),
        None => Ok(()),
    }
}

/// Builds the component of the project in `directory`. The check of types that no compiler looked
/// at is under way then.
///
/// # Errors
/// When a build tool cannot be had or fails, and when the user asks to stop. In any case no
/// program is left running, and no temporary file remains.
pub(crate) async fn component(
    directory: &Path,
    build: &Build,
    docs: &Docs,
    functions: Option<&Functions>,
    form: Form,
    session: &Session,
) -> anyhow::Result<(BuiltComponent, Option<TypeCheck>)> {
    let scratch = scratch::directory("tool-build-", &session.config)?;
    let project = Project {
        directory,
        build,
        docs,
        functions,
        form,
        scratch: scratch.path(),
    };
    let built = built(project, session).await;
    built.map_err(signals::or_interrupted)
}

/// Loads the tool of the project in `directory`, if it holds a program, as its users' hosts will.
/// Whatever is wrong with its modules shows then.
///
/// # Errors
/// When the program cannot be loaded, or the sandbox cannot be set up.
pub(crate) async fn check_program(
    directory: &Path,
    verified: &Verified,
    build: &Build,
    session: &Session,
) -> anyhow::Result<()> {
    if verified.interpreter().is_none() {
        return Ok(());
    }
    let host = sandbox::open_host(&session.config)?;
    let approved = inspect(verified)?.approve(Grants::none())?;
    match host.load(approved).await?.prepare().await {
        Ok(()) => Ok(()),
        Err(HostError::Program { reason, .. }) if build.language == Language::Javascript => {
            Err(javascript::cannot_be_loaded(&reason))
        }
        Err(HostError::Program { reason, .. }) => {
            let module = python::entry(build);
            let module = module
                .strip_suffix(".py")
                .unwrap_or(module)
                .replace('/', ".");
            let project = python::errors::LoadedProject {
                directory,
                module: &module,
            };
            Err(python::errors::cannot_be_loaded(&reason, project))
        }
        Err(error) => Err(error.into()),
    }
}

async fn built(
    project: Project<'_>,
    session: &Session,
) -> anyhow::Result<(BuiltComponent, Option<TypeCheck>)> {
    match project.build.language {
        Language::Rust => {
            interpreter::refuse_named(project, COMPILED)?;
            Ok((rust::build(project, session).await?, None))
        }
        Language::C => {
            interpreter::refuse_named(project, COMPILED)?;
            Ok((c::build(project, session).await?, None))
        }
        Language::Python => Ok((python::build(project, session).await?, None)),
        Language::Javascript => {
            // A program is as it will be in a package.
            if project.form == Form::Development
                && project.functions.is_none()
                && let Some(built) = javascript::development::build(project, session).await?
            {
                return Ok(built);
            }
            javascript::build(project, session).await
        }
    }
}
