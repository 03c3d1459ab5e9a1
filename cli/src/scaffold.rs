//! Writes the files of a new project: a template, stubs, a client, or plain functions.
//! Stubs are of defined functions, and clients of a Gradio app or of an API.

mod c;
mod defined;
mod describe;
mod gradio;
mod javascript;
mod names;
mod openapi;
mod plain;
mod python;
mod rust;
mod server;
mod stub;
mod template;

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use tool_hub_agent::definition::interface::Interface;
use tool_hub_host::authoring::CONTRACT;
use tool_hub_manifest::ToolName;

use crate::build::package_directory;
use crate::files;

pub(crate) use defined::DefinedFunctions;
pub(crate) use describe::names as function_names;
pub(crate) use gradio::{GradioProject, LANGUAGE as CALLING_LANGUAGE};
pub(crate) use names::{Names, lower_camel, upper_camel};
pub(crate) use openapi::{ApiServer, OpenApiProject};
pub(crate) use plain::PlainFile;
pub(crate) use rust::{rust_ident, rust_type};
pub(crate) use server::ServerProject;
use template::{COMMON, TemplateFile};
pub(crate) use template::{SCAFFOLD_DESCRIPTION, Template};

/// The functions of a scaffold.
pub(crate) enum FunctionSource {
    /// One that greets people.
    Greeter,
    /// Functions that a file defines, not written yet.
    Defined(DefinedFunctions),
    /// Functions of a file that is kept as it is.
    Plain(PlainFile),
    /// The tools of a server that a package has.
    Server(ServerProject),
    /// Functions that an app offers.
    GradioProject(GradioProject),
    /// Functions that call an API.
    OpenApiProject(OpenApiProject),
}

impl FunctionSource {
    /// The types of functions that were read, and what these types cannot say.
    pub(crate) fn interface(&self) -> Option<&Interface> {
        match self {
            Self::Greeter => None,
            Self::Defined(defined) => Some(defined.interface()),
            Self::Plain(plain) => Some(plain.interface()),
            Self::Server(server) => Some(&server.interface),
            Self::GradioProject(calling) => Some(calling.defined().interface()),
            Self::OpenApiProject(calling) => Some(calling.defined().interface()),
        }
    }
}

/// Writes the scaffold beside its place and moves it there, so that a failure leaves nothing.
pub(crate) fn scaffold(
    directory: &Path,
    name: &ToolName,
    template: Template,
    body: &FunctionSource,
) -> anyhow::Result<()> {
    let parent = directory.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(parent)
        .with_context(|| format!("{} cannot be made", parent.display()))?;
    let staging = tempfile::Builder::new()
        .prefix(".tool-new-")
        .tempdir_in(parent)
        // The library's text names the temporary directory, which the user never wrote.
        .map_err(|error| std::io::Error::from(error.kind()))
        .with_context(|| format!("nothing can be made in {}", parent.display()))?;
    let names = Names::of(name);
    for (path, text) in contents(&names, template, body)? {
        files::write_new(&staging.path().join(path), text.as_bytes())?;
    }
    let staged = staging.keep();
    files::make_public(&staged)?;
    std::fs::rename(&staged, directory)
        .with_context(|| format!("{} cannot be made", directory.display()))
}

/// The files of a project: where each goes, and what it holds.
fn contents(
    names: &Names,
    template: Template,
    body: &FunctionSource,
) -> anyhow::Result<Vec<(PathBuf, String)>> {
    let filled = |files: &[TemplateFile]| -> Vec<(&'static str, String)> {
        let files = files.iter();
        files
            .map(|(path, text)| (*path, template.fill(text, names)))
            .collect()
    };
    let mut found = Vec::new();
    if let FunctionSource::Plain(plain) = body {
        for (path, text) in plain.files(&filled(&COMMON), names)? {
            found.push((PathBuf::from(path), text));
        }
        return Ok(found);
    }
    if let FunctionSource::Server(server) = body {
        for (path, text) in server.files(&filled(&COMMON), names)? {
            found.push((PathBuf::from(path), text));
        }
        return Ok(found);
    }
    if let (FunctionSource::Greeter, Template::Python) = (body, template) {
        // In Python functions need no WIT beside them.
        for (path, text) in [filled(&COMMON), filled(template.files())].concat() {
            let text = match path {
                "wit/world.wit" => continue,
                "tool.toml" => {
                    plain::manifest(&text, template.source(), SCAFFOLD_DESCRIPTION.to_owned())?
                }
                _ => text,
            };
            found.push((PathBuf::from(path), text));
        }
        return Ok(found);
    }
    for (path, text) in [filled(&COMMON), filled(template.files())].concat() {
        let text = match body {
            FunctionSource::Defined(defined) => defined.file(path, text, names, template)?,
            FunctionSource::GradioProject(calling) => calling.file(path, text, names)?,
            FunctionSource::OpenApiProject(calling) => calling.file(path, text, names)?,
            FunctionSource::Greeter | FunctionSource::Plain(_) | FunctionSource::Server(_) => text,
        };
        found.push((PathBuf::from(path), text));
    }
    let more = match body {
        FunctionSource::GradioProject(calling) => calling.more_files(),
        FunctionSource::OpenApiProject(calling) => calling.more_files(),
        _ => Vec::new(),
    };
    found.extend(
        more.into_iter()
            .map(|(path, text)| (PathBuf::from(path), text)),
    );
    for (name, text) in CONTRACT.files {
        let path = package_directory(&CONTRACT).join(name);
        found.push((path, (*text).to_owned()));
    }
    Ok(found)
}
