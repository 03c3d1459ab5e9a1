//! Keeps the interpreters that projects of one language share, or takes one from another package.

pub(super) mod lock;
mod memory_access;
pub(super) mod pinning;
pub(super) mod recipe;

use tool_hub_manifest::Interpreter;

use super::project::{Project, built};
use crate::files;
use crate::session::Session;
use crate::terminal::problem::Problem;
use recipe::Recipe;

/// The interpreter for `project`, of a certain recipe. It is the one that the project's manifest
/// names; or else that of an earlier build from the same recipe, or the one that `making` makes,
/// with access to its memory. Its bytes may differ from build to build, so it is built once: tools
/// share what has the same digest.
///
/// # Errors
/// When the named one is not pinned, cannot be had or is of another recipe, and when none can be
/// made.
pub(super) async fn obtain(
    recipe: &Recipe,
    project: Project<'_>,
    making: impl Future<Output = anyhow::Result<Vec<u8>>>,
    session: &Session,
) -> anyhow::Result<Interpreter> {
    if let Some(named) = &project.build.interpreter {
        return pinning::pinned(named, recipe, project.directory, session).await;
    }
    let toolchains = &session.config.settings.toolchains;
    let file = toolchains.join(recipe.file_name());
    if file.is_file() {
        return Ok(Interpreter::hashed(built(&file)?));
    }
    session.printer.note(&format!(
        "building the interpreter that all tools in {} share, once",
        language(project)
    ));
    let mut bytes = memory_access::add(&making.await?)?;
    recipe.write_into(&mut bytes)?;
    match files::write_new(&file, &bytes) {
        // Another process was first, with other bytes: all take those.
        Err(_) if file.is_file() => Ok(Interpreter::hashed(built(&file)?)),
        written => {
            written?;
            Ok(Interpreter::hashed(bytes))
        }
    }
}

/// Refuses a project that names an interpreter for a component which needs none, because of `why`.
pub(super) fn refuse_named(project: Project<'_>, why: &str) -> anyhow::Result<()> {
    match project.build.interpreter {
        None => Ok(()),
        Some(_) => Err(Problem::user(format!(
            "[build] in tool.toml names an `interpreter`, and the tool is run by none: {why}"
        ))
        .hint("remove `interpreter` from tool.toml")
        .into()),
    }
}

fn language(project: Project<'_>) -> &'static str {
    use tool_hub_manifest::Language;
    match project.build.language {
        Language::Rust => "Rust",
        Language::Python => "Python",
        Language::Javascript => "JavaScript",
        Language::C => "C",
    }
}
