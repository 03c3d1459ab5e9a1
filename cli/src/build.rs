//! From a project directory to a component: one file per language.

mod javascript;
mod process;
mod python;
mod rust;
mod toolchain;
mod wit;

use std::path::Path;

use tool_hub_manifest::{Build, Language};

use crate::config::Config;
use crate::printer::Printer;

pub(crate) use process::output_of;
pub(crate) use rust::{TARGET, ensure_target, has_target};
pub(crate) use toolchain::Toolchain;

/// A project that is about to be built.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Project<'a> {
    /// The directory that holds the author's manifest.
    pub(crate) directory: &'a Path,
    /// The manifest's `[build]` section.
    pub(crate) build: &'a Build,
}

/// Builds the project's component and returns its bytes.
pub(crate) async fn component(
    project: Project<'_>,
    config: &Config,
    printer: &Printer,
) -> anyhow::Result<Vec<u8>> {
    match project.build.language {
        Language::Rust => rust::build(project, printer).await,
        Language::Python => python::build(project, config, printer).await,
        Language::Javascript => javascript::build(project, config, printer).await,
    }
}
