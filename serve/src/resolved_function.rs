//! Finds a function of a toolset by the name asked for, and holds it while the toolset changes.

use std::fmt;
use std::sync::Arc;

use rmcp::model::{MetaObject, Tool as Definition};
use tool_hub_agent::definition::result::ResultShape;
use tool_hub_manifest::FunctionSpec;
use tool_hub_manifest::contract::Failure;

use crate::catalogue::{BuiltInEntry, Catalogue, Entry};
use crate::discovery;
use crate::quoted_text::quoted_name;
use crate::toolset::Toolset;

/// A function that somebody asked for. It stays what it is when the toolset changes. Cloning is
/// cheap.
#[derive(Clone)]
pub(crate) struct ResolvedFunction {
    toolset: Toolset,
    catalogue: Arc<Catalogue>,
    position: Position,
}

/// A place in a catalogue.
#[derive(Clone, Copy)]
enum Position {
    Function(usize),
    BuiltIn(usize),
}

/// Nothing of that name is offered. Its text is for the agent.
#[derive(Debug, thiserror::Error)]
pub(crate) struct UnknownFunction {
    /// Cut and escaped.
    name: String,
    nearest: Option<String>,
    /// The reason why it was offered before and is not any more.
    withdrawn: Option<String>,
    /// True if the names are to be had from a list.
    is_listed: bool,
}

impl ResolvedFunction {
    /// The functions that `toolset` lists, in order.
    pub(crate) fn listed(toolset: &Toolset) -> Vec<Self> {
        let catalogue = toolset.catalogue();
        let names = catalogue.definitions().map(|(name, _)| name);
        let found = names.map(|name| Self::of(toolset.clone(), catalogue.clone(), name));
        found.filter_map(Result::ok).collect()
    }

    /// The function of `toolset` that agents call `name`.
    pub(crate) fn find(toolset: &Toolset, name: &str) -> Result<Self, UnknownFunction> {
        Self::of(toolset.clone(), toolset.catalogue(), name)
    }

    fn of(
        toolset: Toolset,
        catalogue: Arc<Catalogue>,
        name: &str,
    ) -> Result<Self, UnknownFunction> {
        let function = catalogue.position(name).map(Position::Function);
        let found = function.or_else(|| catalogue.built_in(name).map(Position::BuiltIn));
        match found {
            Some(position) => Ok(Self {
                toolset,
                catalogue,
                position,
            }),
            None => Err(UnknownFunction::new(name, &catalogue)),
        }
    }

    /// The description for agents.
    pub(crate) fn spec(&self) -> &FunctionSpec {
        match self.entry() {
            Ok(entry) => &entry.offer.spec,
            Err(built_in) => &built_in.spec,
        }
    }

    /// The same as the Model Context Protocol says it.
    pub(crate) fn definition(&self) -> &Definition {
        match self.entry() {
            Ok(entry) => &entry.definition,
            Err(built_in) => &built_in.definition,
        }
    }

    /// The shape of its structured results. Absent if the function declares none: then the shape is
    /// told from each result.
    pub(crate) fn shape(&self) -> Option<ResultShape> {
        self.entry().ok()?.shape
    }

    /// The metadata of all that it answers, if that is a stranger's text.
    pub(crate) fn provenance(&self) -> Option<&MetaObject> {
        match self.entry() {
            Ok(entry) => Some(&entry.provenance),
            Err(built_in) => built_in.provenance.as_ref(),
        }
    }

    /// The tool's function that agents call `name`.
    pub(crate) fn other(&self, name: &str) -> Result<Self, Failure> {
        match self.catalogue.position(name) {
            Some(index) => Ok(Self {
                toolset: self.toolset.clone(),
                catalogue: self.catalogue.clone(),
                position: Position::Function(index),
            }),
            None => {
                let unknown = UnknownFunction::new(name, &self.catalogue);
                Err(discovery::unknown(unknown.to_string()))
            }
        }
    }

    pub(crate) fn toolset(&self) -> &Toolset {
        &self.toolset
    }

    pub(crate) fn catalogue(&self) -> &Catalogue {
        &self.catalogue
    }

    /// The entry in the catalogue: of a tool's function, or of one that is built in.
    pub(crate) fn entry(&self) -> Result<&Entry, &BuiltInEntry> {
        match self.position {
            Position::Function(index) => Ok(self.catalogue.at(index)),
            Position::BuiltIn(index) => Err(self.catalogue.built_in_at(index)),
        }
    }
}

impl UnknownFunction {
    pub(crate) fn new(name: &str, catalogue: &Catalogue) -> Self {
        let withdrawn = catalogue.withdrawn(name).map(str::to_owned);
        let name = quoted_name(name);
        Self {
            withdrawn,
            nearest: catalogue.nearest(&name).map(str::to_owned),
            is_listed: catalogue.lists_all(),
            name,
        }
    }

    /// The name that was probably meant.
    pub(crate) fn nearest(&self) -> Option<&str> {
        self.nearest.as_deref()
    }
}

impl fmt::Display for UnknownFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, nearest, .. } = self;
        if let Some(reason) = &self.withdrawn {
            return write!(
                f,
                "`{name}` is not offered any more: {reason}; do not try again"
            );
        }
        match nearest {
            Some(nearest) => write!(f, "unknown tool `{name}`; did you mean `{nearest}`?"),
            None if self.is_listed => {
                write!(f, "unknown tool `{name}`; list the tools to see every name")
            }
            None => write!(f, "unknown tool `{name}`; search_tools finds every name"),
        }
    }
}
