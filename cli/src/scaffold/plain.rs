//! Generates a project from a file of plain functions: the file as it is, a manifest and a card.

use std::path::Path;

use serde_json::{Map, Value, json};
use toml_edit::{Array, DocumentMut, InlineTable, Item, Table, value};
use tool_hub_agent::definition::interface::{Interface, interface};
use tool_hub_source::{Definition, Framework, Language, Setting, module_imports};

use super::describe;
use super::names::Names;
use super::template::Template;
use crate::build::{Imported, imported, specs};
use crate::files;
use crate::text::functions::{FileFunctions, definitions};

/// The `Cargo.toml` of a project of functions in Rust.
const CARGO_MANIFEST: &str = include_str!("../../templates/functions/Cargo.toml");

/// A file of plain functions.
pub(crate) struct PlainFile {
    template: Template,
    name: String,
    text: String,
    interface: Interface,
    tools: FrameworkTools,
    /// What is told of the parts of the file that do not become functions.
    left_out: Vec<String>,
    /// The license, where it is not the author's own.
    license: Option<String>,
    license_texts: Vec<(String, String)>,
}

/// What a file of a framework's tools brings along.
#[derive(Default)]
struct FrameworkTools {
    frameworks: Vec<Framework>,
    /// The parameters of its classes that whoever runs the tool has to say.
    settings: Vec<Setting>,
    requirements: Vec<String>,
    /// The packages of npm that it imports, with their versions.
    npm: Map<String, Value>,
    /// The modules beside it: their paths and sources.
    modules: Vec<(String, String)>,
}

impl FrameworkTools {
    /// Those of `file` in `directory`. There is nothing where it has plain functions.
    fn of(definitions: &[Definition], directory: &Path, file: &str) -> anyhow::Result<Self> {
        let mut found = Self::default();
        let tools = definitions.iter().filter_map(|it| it.tool.as_ref());
        for tool in tools {
            if !found.frameworks.contains(&tool.framework) {
                found.frameworks.push(tool.framework);
            }
            for setting in &tool.settings {
                let mut known = found.settings.iter();
                if !known.any(|known| known.variable() == setting.variable()) {
                    found.settings.push(setting.clone());
                }
            }
        }
        if found.frameworks.is_empty() {
            return Ok(found);
        }
        let path = directory.join(file);
        if let Some(language @ (Language::JavaScript | Language::TypeScript)) = Language::of(&path)
        {
            let text = files::read_text(&path, files::DOCUMENT_BYTES_MAX)?;
            let known = files::read_if_present(&directory.join("package.json"))?;
            found.npm = npm_packages(&text, language, &known.unwrap_or_default());
            return Ok(found);
        }
        let Imported {
            modules,
            requirements,
        } = imported(directory, file);
        found.requirements = requirements;
        for module in modules {
            let text = files::read_text(&directory.join(&module), files::DOCUMENT_BYTES_MAX)?;
            found.modules.push((module, text));
        }
        Ok(found)
    }
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
        let directory = path.parent().unwrap_or(Path::new("."));
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        Self::read_in(directory, &name, shown, template)
    }

    /// Reads `file` in `directory`, from which its modules are imported.
    ///
    /// # Errors
    /// As [`PlainFile::read`].
    pub(crate) fn read_in(
        directory: &Path,
        file: &str,
        shown: &Path,
        template: Template,
    ) -> anyhow::Result<Self> {
        let path = directory.join(file);
        let FileFunctions {
            definitions,
            left_out,
        } = definitions(&path, shown, &[])?;
        let tools = FrameworkTools::of(&definitions, directory, file)?;
        // A file that needs no other one is a module by itself.
        let name = match tools.modules.is_empty() {
            true => file.rsplit('/').next().unwrap_or(file),
            false => file,
        };
        Ok(Self {
            template,
            name: name.to_owned(),
            text: files::read_text(&path, files::DOCUMENT_BYTES_MAX)?,
            interface: interface(&specs(&definitions)),
            tools,
            left_out,
            license: None,
            license_texts: Vec::new(),
        })
    }

    /// Says whose license the file has: an SPDX expression, and the texts by their names.
    pub(crate) fn belongs_to(&mut self, license: Option<String>, texts: Vec<(String, String)>) {
        self.license = license;
        self.license_texts = texts;
    }

    /// The frameworks that its tools are written for; none where it has plain functions.
    pub(crate) fn frameworks(&self) -> &[Framework] {
        &self.tools.frameworks
    }

    /// The parts of the file that do not become functions, and why.
    pub(crate) fn left_out(&self) -> &[String] {
        &self.left_out
    }

    /// The packages that it imports, as requirements.
    pub(crate) fn requirements(&self) -> &[String] {
        &self.tools.requirements
    }

    /// True if it imports packages of npm, which a lock has to pin.
    pub(crate) fn needs_npm(&self) -> bool {
        !self.tools.npm.is_empty()
    }

    /// The parameters of its classes that become variables of the tool.
    pub(crate) fn settings(&self) -> &[Setting] {
        &self.tools.settings
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
                "tool.toml" => {
                    let text = manifest(text, &self.name, describe::description(&self.interface))?;
                    let text = with_variables(text, &self.tools.settings)?;
                    with_license(text, self.license.as_deref())?
                }
                "README.md" => describe::card(&self.interface, text, names),
                ".gitignore" => text.clone(),
                _ => continue,
            };
            files.push(((*path).to_owned(), text));
        }
        files.extend(self.tools.modules.iter().cloned());
        files.extend(self.license_texts.iter().cloned());
        if !self.tools.requirements.is_empty() {
            let text = self.tools.requirements.join("\n") + "\n";
            files.push(("requirements.txt".to_owned(), text));
        }
        if !self.tools.npm.is_empty() {
            let package = json!({ "private": true, "dependencies": self.tools.npm });
            files.push(("package.json".to_owned(), format!("{package:#}\n")));
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

/// The manifest with this license in place of the template's.
fn with_license(text: String, license: Option<&str>) -> anyhow::Result<String> {
    let Some(license) = license else {
        return Ok(text);
    };
    let mut manifest: DocumentMut = text.parse()?;
    manifest["license"] = value(license);
    Ok(manifest.to_string())
}

/// The manifest with a variable for each setting.
fn with_variables(text: String, settings: &[Setting]) -> anyhow::Result<String> {
    if settings.is_empty() {
        return Ok(text);
    }
    let mut manifest: DocumentMut = text.parse()?;
    let mut variables = Array::new();
    for setting in settings {
        let mut variable = InlineTable::new();
        variable.insert("name", setting.variable().into());
        if setting.is_secret() {
            variable.insert("secret", true.into());
        }
        let why = format!("`{}` of {}", setting.parameter, setting.class);
        variable.insert("why", why.into());
        variables.push(variable);
    }
    let mut capabilities = Table::new();
    capabilities.insert("variables", value(variables));
    manifest.insert("capabilities", Item::Table(capabilities));
    Ok(manifest.to_string())
}

/// The packages of npm that the module `text` imports, without those of frameworks; with the
/// versions that `known`, a `package.json`, asks for.
fn npm_packages(text: &str, language: Language, known: &str) -> Map<String, Value> {
    let known: Value = serde_json::from_str(known).unwrap_or_default();
    let modules = module_imports(text, language).into_iter();
    let packages = modules.filter_map(|module| {
        let is_own = module.starts_with(['.', '/']) || module.starts_with("node:");
        let depth = if module.starts_with('@') { 2 } else { 1 };
        let name = module.split('/').take(depth).collect::<Vec<_>>().join("/");
        let is_framework = name == "ai" || name.starts_with("@modelcontextprotocol/");
        (!is_own && !is_framework).then_some(name)
    });
    packages
        .map(|name| {
            let version = &known["dependencies"][&name];
            let version = version.as_str().unwrap_or("*").into();
            (name, version)
        })
        .collect()
}
