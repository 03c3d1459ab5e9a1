//! What is offered: functions under the names agents call them by.

use std::collections::HashMap;

use rmcp::model::{Icon, Tool as Definition};
use tool_hub_agent::{Dialect, ResultShape, export};
use tool_hub_host::Tool;
use tool_hub_manifest::{FunctionName, FunctionSpec, SpecError, ToolKey, visible_name};

use crate::beside::Beside;

/// One function, offered to agents.
#[derive(Clone)]
pub struct Offer {
    /// What the agent reads: the visible name and the toolbox's own description are
    /// already in it.
    pub spec: FunctionSpec,
    /// The tool that answers.
    pub tool: Tool,
    /// Which of the tool's functions answers.
    pub function: FunctionName,
}

impl Offer {
    /// Every function of a tool, in the manifest's order and words, under the toolbox's name
    /// of the tool.
    ///
    /// # Errors
    /// When a name becomes longer than agents accept.
    pub fn all(key: &ToolKey, tool: &Tool) -> Result<Vec<Self>, SpecError> {
        let functions = tool.functions();
        functions
            .iter()
            .map(|function| {
                let mut spec = function.spec.clone();
                spec.name = visible_name(key, &function.name, functions.len())?;
                Ok(Self {
                    spec,
                    tool: tool.clone(),
                    function: function.name.clone(),
                })
            })
            .collect()
    }
}

/// Functions in the order in which agents see them, no two of the same name, and what tools
/// offer beside them.
pub struct Catalogue {
    entries: Vec<Entry>,
    by_name: HashMap<String, usize>,
    beside: Beside,
}

/// An offer and what is made of it once instead of at every call.
pub(crate) struct Entry {
    pub(crate) offer: Offer,
    pub(crate) definition: Definition,
    /// Absent when the function declares no shape and every result speaks for itself.
    pub(crate) shape: Option<ResultShape>,
}

/// Functions cannot be offered together.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CatalogueError {
    /// Two functions would be called by one name.
    #[error("two functions are called `{name}`")]
    NameTaken {
        /// The name.
        name: String,
    },
    /// Agents would refuse the definition.
    #[error("`{name}` cannot be offered: {reason}")]
    Refused {
        /// The name.
        name: String,
        /// What they would refuse.
        reason: String,
    },
    /// The schemas are not what the protocol demands.
    #[error("`{name}` cannot be offered: its definition is malformed")]
    Malformed {
        /// The name.
        name: String,
        /// What is wrong.
        source: serde_json::Error,
    },
}

impl Catalogue {
    /// Offers these functions, in this order.
    ///
    /// # Errors
    /// When two functions have the same name, or agents would refuse a name or a schema.
    pub fn new(offers: impl IntoIterator<Item = Offer>) -> Result<Self, CatalogueError> {
        let mut entries = Vec::new();
        let mut by_name = HashMap::new();
        for offer in offers {
            let name = offer.spec.name.clone();
            if by_name.insert(name.clone(), entries.len()).is_some() {
                return Err(CatalogueError::NameTaken { name });
            }
            entries.push(Entry {
                definition: definition(&offer)?,
                shape: offer
                    .spec
                    .output_schema
                    .as_ref()
                    .map(ResultShape::of_schema),
                offer,
            });
        }
        Ok(Self {
            entries,
            by_name,
            beside: Beside::default(),
        })
    }

    /// Offers the prompts and resources of `tools`, too, each under the toolbox's name of it.
    /// Where several tools could read a resource, the first one does.
    #[must_use]
    pub fn with_prompts_and_resources(
        mut self,
        tools: impl IntoIterator<Item = (ToolKey, Tool)>,
    ) -> Self {
        self.beside = Beside::new(tools);
        self
    }

    /// What tools offer beside functions.
    pub(crate) fn beside(&self) -> &Beside {
        &self.beside
    }

    /// The names agents call, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().map(|entry| &*entry.offer.spec.name)
    }

    pub(crate) fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter()
    }

    pub(crate) fn position(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).copied()
    }

    /// The function at `index`, as [`Catalogue::position`] gave it.
    pub(crate) fn at(&self, index: usize) -> &Entry {
        &self.entries[index]
    }

    /// The names agents call with what the Model Context Protocol says of them, in order.
    pub(crate) fn definitions(&self) -> impl Iterator<Item = (&str, &Definition)> {
        self.entries
            .iter()
            .map(|entry| (&*entry.offer.spec.name, &entry.definition))
    }

    /// The name that was probably meant by one that is not offered: at most two letters
    /// away. Likeness would mislead, since all functions of a tool begin alike.
    pub(crate) fn nearest(&self, name: &str) -> Option<&str> {
        self.names()
            .map(|offered| (strsim::damerau_levenshtein(name, offered), offered))
            .filter(|(edits, _)| *edits <= 2)
            .min_by_key(|(edits, _)| *edits)
            .map(|(_, offered)| offered)
    }
}

fn definition(offer: &Offer) -> Result<Definition, CatalogueError> {
    let spec = &offer.spec;
    let mut export = export(std::slice::from_ref(spec), Dialect::Mcp);
    if let Some(refusal) = export.losses.iter().find(|loss| loss.lost.is_refusal()) {
        return Err(CatalogueError::Refused {
            name: spec.name.clone(),
            reason: refusal.lost.to_string(),
        });
    }
    let definition = serde_json::from_value(export.tools[0].take());
    let mut definition: Definition = definition.map_err(|source| CatalogueError::Malformed {
        name: spec.name.clone(),
        source,
    })?;
    definition.icons = offer.tool.icon().map(|icon| {
        let shown = Icon::new(icon.uri()).with_mime_type(icon.media_type());
        vec![shown]
    });
    Ok(definition)
}
