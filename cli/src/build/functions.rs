//! Generates the WIT and the source that offer a file of plain functions as a tool.
//! They are written anew for each build, so they always match the functions.

mod framework_tools;
pub(super) mod javascript;
pub(super) mod node_stand_ins;
mod plain;
pub(super) mod python;
mod python_values;
pub(super) mod rust;
pub(crate) mod server;

use std::path::Path;

use tempfile::TempDir;
use tool_hub_agent::definition::interface::{Interface, interface};
use tool_hub_manifest::{Build, ExportName, FunctionSpec, Language, Manifest, package_file};
use tool_hub_source::Definition;

use super::claims::line_of_key;
use super::scratch;
use crate::files;
use crate::scaffold::Names;
use crate::settings::config::Config;
use crate::terminal::problem::Problem;
use crate::text::functions::definitions;
use plain::Plain;
use server::{ListedTool, ServerFile};

/// Functions of a file, and what was written around them.
#[derive(Debug)]
pub(crate) struct Functions {
    generated: TempDir,
    package: String,
    interface: Interface,
    kind: FunctionKind,
}

/// The kind of functions in a file.
#[derive(Debug)]
enum FunctionKind {
    Plain,
    /// Tools of a framework.
    Tools,
    /// A server's tools, one for each operation; none where they are still to be listed.
    Server {
        module: String,
        tools: Vec<ListedTool>,
    },
}

impl Functions {
    /// Reads the file that the manifest of the project in `directory` names, and writes the WIT and
    /// the source around it. `None` if it names none.
    ///
    /// # Errors
    /// When a function of it cannot be described to a model, or offered as a tool's.
    pub(crate) fn of(
        directory: &Path,
        manifest: &Manifest,
        build: &Build,
        config: &Config,
    ) -> anyhow::Result<Option<Self>> {
        let Some(file) = &build.functions else {
            return Ok(None);
        };
        if !directory.join(file).exists() {
            return Err(missing(directory, file).into());
        }
        if file == server::FILE {
            return Self::of_server(directory, manifest, build, config).map(Some);
        }
        let definitions = definitions(&directory.join(file), Path::new(file), &[])?.definitions;
        if of_source(file) != Some(build.language) {
            return Err(other_language(file).into());
        }
        let interface = interface(&specs(&definitions));
        let names = Names::of(&manifest.name);
        let package = format!("tools:{}", names.package());
        let generated = scratch::directory("tool-functions-", config)?;
        let plain = Plain {
            file,
            definitions: &definitions,
            interface: &interface,
        };
        let has_tools = definitions.iter().any(|it| it.tool.is_some());
        let sources = match build.language {
            Language::Python if has_tools => framework_tools::sources(plain),
            Language::Python => vec![python::source(plain)?],
            Language::Javascript if has_tools => {
                let mut sources = javascript::stand_ins();
                sources.push(javascript::source(plain)?);
                sources
            }
            Language::Javascript => vec![javascript::source(plain)?],
            Language::Rust => rust::source(plain, directory, &names)?,
            Language::C => return Err(other_language(file).into()),
        };
        let write = |path: &str, text: &str| {
            files::write_new(&generated.path().join(path), text.as_bytes())
        };
        write("wit/world.wit", &interface.to_wit(&package))?;
        for (path, text) in sources {
            write(path, &text)?;
        }
        let kind = match has_tools {
            true => FunctionKind::Tools,
            false => FunctionKind::Plain,
        };
        Ok(Some(Self {
            generated,
            package,
            interface,
            kind,
        }))
    }

    /// Writes the WIT and the source around the server that `tools.json` names.
    fn of_server(
        directory: &Path,
        manifest: &Manifest,
        build: &Build,
        config: &Config,
    ) -> anyhow::Result<Self> {
        let text = files::read_text(&directory.join(server::FILE), files::DOCUMENT_BYTES_MAX)?;
        let server = ServerFile::read(&text)?;
        if !matches!(build.language, Language::Python | Language::Javascript) {
            return Err(other_language(server::FILE).into());
        }
        let interface = server.interface();
        let package = format!("tools:{}", Names::of(&manifest.name).package());
        let generated = scratch::directory("tool-functions-", config)?;
        let write = |path: &str, text: &str| {
            files::write_new(&generated.path().join(path), text.as_bytes())
        };
        write("wit/world.wit", &interface.to_wit(&package))?;
        for (path, text) in server.sources(build.language, &interface)? {
            write(path, &text)?;
        }
        Ok(Self {
            generated,
            package,
            interface,
            kind: FunctionKind::Server {
                module: server.server.module,
                tools: server.tools.unwrap_or_default(),
            },
        })
    }

    /// The directory of what was written: `wit`, and the source.
    pub(crate) fn generated(&self) -> &Path {
        self.generated.path()
    }

    /// True if they are tools of a framework, for which modules stand in.
    pub(crate) fn have_framework(&self) -> bool {
        !matches!(self.kind, FunctionKind::Plain)
    }

    /// True if they are the tools of a server, whose modules are in a package.
    pub(crate) fn is_server(&self) -> bool {
        self.server_module().is_some()
    }

    /// The module that starts the server, if they are the tools of one.
    pub(crate) fn server_module(&self) -> Option<&str> {
        match &self.kind {
            FunctionKind::Server { module, .. } => Some(module),
            FunctionKind::Plain | FunctionKind::Tools => None,
        }
    }

    /// Adds to the manifest the export of each function whose name does not tell it.
    pub(crate) fn complete(&self, manifest: &mut Manifest) -> anyhow::Result<()> {
        let interface = format!("{}/functions", self.package);
        if let FunctionKind::Server { tools, .. } = &self.kind {
            for (operation, tool) in self.interface.operations.iter().zip(tools) {
                let function = manifest
                    .functions
                    .entry(operation.name.clone())
                    .or_default();
                tool.complete(function)?;
            }
        }
        for operation in &self.interface.operations {
            if operation.wit.replace('-', "_") != operation.name.as_str() {
                let function = manifest
                    .functions
                    .entry(operation.name.clone())
                    .or_default();
                function.export = Some(ExportName::in_interface(&interface, &operation.wit)?);
            }
        }
        Ok(())
    }
}

/// The error of a project without the file of functions that its manifest names.
fn missing(directory: &Path, file: &str) -> Problem {
    let text = std::fs::read_to_string(directory.join(package_file::MANIFEST));
    let line = line_of_key(&text.unwrap_or_default(), "functions");
    Problem::user(format!(
        "{}:{line}: there is no {file} in the project",
        package_file::MANIFEST
    ))
    .hint("`functions` in [build] names the file of plain functions, beside tool.toml")
}

/// The language of a file of functions.
fn of_source(file: &str) -> Option<Language> {
    Some(match tool_hub_source::Language::of(Path::new(file))? {
        tool_hub_source::Language::Python => Language::Python,
        tool_hub_source::Language::Rust => Language::Rust,
        _ => Language::Javascript,
    })
}

/// The error of functions that the project's language cannot offer.
fn other_language(file: &str) -> Problem {
    Problem::user(format!(
        "tool.toml says that the tool is in another language than {file}"
    ))
    .hint("write the language of the file as `language` in [build]")
}

/// The functions as agents are told of them. A component's type has no place for the description of
/// the result, so it is added to the function's.
pub(crate) fn specs(definitions: &[Definition]) -> Vec<FunctionSpec> {
    let specs = definitions.iter().map(|definition| {
        let output = definition.output.as_ref();
        let returns = output.and_then(|output| output["description"].as_str());
        let description = match returns.filter(|returns| !returns.is_empty()) {
            Some(returns) => format!("{}\n\nReturns: {returns}", definition.description),
            None => definition.description.clone(),
        };
        FunctionSpec {
            name: definition.name.clone(),
            title: None,
            description,
            input_schema: definition.input_schema(),
            output_schema: definition.output_schema(),
            annotations: Default::default(),
        }
    });
    specs.collect()
}
