//! Generates a project from function definitions: WIT, source with stubs, and a manifest.
//! The manifest has what WIT cannot say.

use toml_edit::{DocumentMut, Item, Table, value};
use tool_hub_agent::definition::Loss;
use tool_hub_agent::definition::import::Import;
use tool_hub_agent::definition::interface::{Interface, Operation, interface};
use tool_hub_manifest::FunctionSpec;

use super::names::Names;
use super::template::Template;
use super::{c, describe, javascript, python, rust};

/// Functions that are defined.
pub(crate) struct DefinedFunctions {
    source: String,
    skipped: Vec<String>,
    interface: Interface,
}

impl DefinedFunctions {
    pub(crate) fn of(import: Import) -> Self {
        Self::of_specs(&import.source.to_string(), &import.specs, import.skipped)
    }

    /// Functions that come from `source`, where those in `skipped` could not be read.
    pub(super) fn of_specs(source: &str, specs: &[FunctionSpec], skipped: Vec<String>) -> Self {
        Self {
            source: source.to_owned(),
            interface: interface(specs),
            skipped,
        }
    }

    /// The same functions with replies and failures of the contract, and with `losses` before those
    /// of their types.
    pub(super) fn with_replies(mut self, losses: Vec<Loss>) -> Self {
        self.interface = self.interface.with_replies();
        self.interface.losses.splice(0..0, losses);
        self
    }

    /// Their types.
    pub(super) fn interface(&self) -> &Interface {
        &self.interface
    }

    /// The format or program that the definitions come from.
    pub(crate) fn source(&self) -> &str {
        &self.source
    }

    /// The definitions that were left out, and the reasons.
    pub(crate) fn skipped(&self) -> &[String] {
        &self.skipped
    }

    /// The contents of the file at `path`; `text` is what it holds in a project that greets.
    pub(super) fn file(
        &self,
        path: &str,
        text: String,
        names: &Names,
        template: Template,
    ) -> anyhow::Result<String> {
        Ok(match path {
            "wit/world.wit" => self.interface.to_wit(&format!("tools:{}", names.package())),
            "tool.toml" => self.manifest(&text, names)?,
            "README.md" => describe::card(&self.interface, &text, names),
            path if path == template.source() => match template {
                Template::Rust => rust::source(&self.interface, names),
                Template::Python => python::source(&self.interface, names),
                Template::Javascript => javascript::source(&self.interface, names),
                Template::C => c::source(&self.interface, names)?,
            },
            _ => text,
        })
    }

    /// The manifest with a description, and with what agents are told beside the WIT.
    fn manifest(&self, text: &str, names: &Names) -> anyhow::Result<String> {
        let mut manifest: DocumentMut = text.parse()?;
        manifest["description"] = value(describe::description(&self.interface));
        let mut functions = Table::new();
        functions.set_implicit(true);
        for operation in &self.interface.operations {
            let table = manifest_entry(operation, names);
            if !table.is_empty() {
                functions.insert(operation.name.as_str(), Item::Table(table));
            }
        }
        if !functions.is_empty() {
            manifest.insert("functions", Item::Table(functions));
        }
        Ok(manifest.to_string())
    }
}

/// The manifest's entry of a function, for texts that its WIT does not hold.
fn manifest_entry(operation: &Operation, names: &Names) -> Table {
    let mut table = Table::new();
    if operation.wit.replace('-', "_") != operation.name.as_str() {
        let export = format!("tools:{}/functions.{}", names.package(), operation.wit);
        table.insert("export", value(export));
    }
    if let Some(title) = &operation.title {
        table.insert("title", value(title));
    }
    let hints = operation.annotations;
    for (name, hint) in [
        ("read_only", hints.read_only),
        ("idempotent", hints.idempotent),
        ("destructive", hints.destructive),
        ("open_world", hints.open_world),
    ] {
        if let Some(hint) = hint {
            table.insert(name, value(hint));
        }
    }
    table
}

#[cfg(test)]
mod tests;
