//! The `Project` that a builder is given, and readers of its manifest and of the built component.
//! A project has directories, its `[build]` section and its WIT.

use std::path::Path;

use anyhow::Context as _;
use tokio::process::Command;
use tool_hub_host::IncludedPackage;
use tool_hub_host::authoring::{BuildTool, Docs};
use tool_hub_manifest::{Build, Interpreter, Manifest, package_file};
use tool_hub_registry_client::COMPONENT_BYTES_MAX;

use super::functions::Functions;
use crate::files;
use crate::terminal::problem::Problem;

/// The purpose of a build: a package to publish, or one run of `tool dev`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// A package, which holds all that it is made of.
    Package,
    /// One run of `tool dev`, for which it may lack its script.
    Development,
}

/// A component, and what it lacks.
pub(crate) struct BuiltComponent {
    pub(crate) bytes: Vec<u8>,
    /// The script that it takes from a variable of the tool.
    pub(crate) script: Option<String>,
    /// The interpreter that runs the program in it, if it holds one.
    pub(crate) interpreter: Option<Interpreter>,
    /// The packages of others that are part of it, as far as the builder can tell them.
    pub(crate) packages: Vec<IncludedPackage>,
    /// The programs that it was built with.
    pub(crate) build_tools: Vec<BuildTool>,
}

impl BuiltComponent {
    /// A component that lacks nothing.
    pub(super) fn whole(bytes: Vec<u8>) -> Self {
        Self {
            bytes,
            script: None,
            interpreter: None,
            packages: Vec::new(),
            build_tools: Vec::new(),
        }
    }
}

/// A project that is about to be built.
#[derive(Debug, Clone, Copy)]
pub(super) struct Project<'a> {
    /// The directory that holds the author's manifest.
    pub(super) directory: &'a Path,
    /// The manifest's `[build]` section.
    pub(super) build: &'a Build,
    /// The exports of its WIT and their comments.
    pub(super) docs: &'a Docs,
    /// The generated code around plain functions, where the project is made of them.
    pub(super) functions: Option<&'a Functions>,
    /// The purpose of the build.
    pub(super) form: Form,
    /// The directory for everything that goes when the build ends.
    pub(super) scratch: &'a Path,
}

impl Project<'_> {
    /// The directory that holds the project's directory `wit`.
    pub(super) fn wit_parent(&self) -> &Path {
        let written = self.functions.map(Functions::generated);
        written.unwrap_or(self.directory)
    }

    /// A command for a build. Its temporary files are in the scratch directory and go with it.
    pub(super) fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        command.env("TMPDIR", self.scratch);
        command
    }
}

/// Reads the component that a build program wrote to `path`.
pub(super) fn built(path: &Path) -> anyhow::Result<Vec<u8>> {
    files::read_regular(path, COMPONENT_BYTES_MAX)
        .with_context(|| format!("{} cannot be read", path.display()))
}

/// The author's manifest of the project in `directory`.
pub(crate) fn read_author_manifest(directory: &Path) -> anyhow::Result<Manifest> {
    let path = directory.join(package_file::MANIFEST);
    match files::read_if_present(&path)? {
        Some(text) => Ok(text.parse()?),
        None => Err(Problem::user(format!(
            "there is no tool project in {}",
            directory.display()
        ))
        .hint("make one with: tool new NAME")
        .into()),
    }
}
