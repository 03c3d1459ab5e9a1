//! Generates a project from a file of plain functions: the file as it is, a manifest and a card.

use std::path::Path;

use toml_edit::{DocumentMut, value};
use tool_hub_agent::definition::interface::{Interface, interface};

use super::describe;
use super::names::Names;
use super::template::Template;
use crate::build::specs;
use crate::files;
use crate::text::functions::definitions;

/// The `Cargo.toml` of a project of functions in Rust.
const CARGO_MANIFEST: &str = include_str!("../../templates/functions/Cargo.toml");

/// A file of plain functions.
pub(crate) struct PlainFile {
    template: Template,
    name: String,
    text: String,
    interface: Interface,
}

impl PlainFile {
    /// The template for a file with this name, if its functions are read.
    pub(crate) fn template(file: &Path) -> Option<Template> {
        Some(match tool_hub_source::Language::of(file)? {
            tool_hub_source::Language::Python => Template::Python,
            tool_hub_source::Language::JavaScript | tool_hub_source::Language::TypeScript => {
                Template::Javascript
            }
            tool_hub_source::Language::Rust => Template::Rust,
            _ => return None,
        })
    }

    /// Reads the file at `path`, which errors call `shown`.
    ///
    /// # Errors
    /// When it cannot be read, or one of its functions cannot be described to a model.
    pub(crate) fn read(path: &Path, shown: &Path, template: Template) -> anyhow::Result<Self> {
        let definitions = definitions(path, shown, &[])?;
        let name = path.file_name().unwrap_or_default();
        Ok(Self {
            template,
            name: name.to_string_lossy().into_owned(),
            text: files::read_text(path, files::DOCUMENT_BYTES_MAX)?,
            interface: interface(&specs(&definitions)),
        })
    }

    /// The file's name in the project.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// The functions' types.
    pub(super) fn interface(&self) -> &Interface {
        &self.interface
    }

    /// The files of the project, of which `common` are those of every scaffold.
    pub(super) fn files(
        &self,
        common: &[(&'static str, String)],
        names: &Names,
    ) -> anyhow::Result<Vec<(String, String)>> {
        let mut files = vec![(self.name.clone(), self.text.clone())];
        for (path, text) in common {
            let text = match *path {
                "tool.toml" => manifest(text, &self.name, describe::description(&self.interface))?,
                "README.md" => describe::card(&self.interface, text, names),
                ".gitignore" => text.clone(),
                _ => continue,
            };
            files.push(((*path).to_owned(), text));
        }
        if self.template == Template::Rust {
            let text = CARGO_MANIFEST
                .replace("{{wit_name}}", &names.package())
                .replace("{{file}}", &self.name);
            files.push(("Cargo.toml".to_owned(), text));
        }
        Ok(files)
    }
}

/// A project's manifest, whose functions are those of `file`.
pub(super) fn manifest(text: &str, file: &str, description: String) -> anyhow::Result<String> {
    let text = text.replace("from wit/world.wit", &format!("from {file}"));
    let mut manifest: DocumentMut = text.parse()?;
    manifest["description"] = value(description);
    manifest["build"]["functions"] = value(file);
    Ok(manifest.to_string())
}
