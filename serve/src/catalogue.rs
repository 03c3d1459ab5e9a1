//! The `Catalogue`: the functions, prompts and resources that a server offers to agents.
//! Each function is an `Offer`; a `Presentation` says whether they are listed or searched.

use std::collections::HashMap;

use rmcp::model::{self, MetaObject, Tool as Definition};
use tool_hub_agent::conversation::answer::nearest;
use tool_hub_agent::definition::Dialect;
use tool_hub_agent::definition::condense::condense;
use tool_hub_agent::definition::export::export;
use tool_hub_agent::definition::result::ResultShape;
use tool_hub_agent::definition::stored_result_schema::schema_allowing_stored;
use tool_hub_host::Tool;
use tool_hub_manifest::{FunctionName, FunctionSpec, Icon, SpecError, ToolKey, visible_name};

use crate::built_in::BuiltIn;
use crate::index::Index;
use crate::offerings::Offerings;
use crate::{discovery, provenance};

/// The longest text of an answer, in bytes, that is handed over whole unless somebody says
/// otherwise: about ten thousand tokens, from where on clients begin to complain.
pub const ANSWER_BYTES_MAX: usize = 32 << 10;
/// The most functions that are listed one by one unless somebody says otherwise. Several
/// consumers refuse a request with more than 128.
pub const LISTED_MAX: usize = 100;

/// One function, offered to agents.
#[derive(Clone)]
pub struct Offer {
    /// The description that the agent reads: the visible name and the toolbox's own description are
    /// already in it.
    pub spec: FunctionSpec,
    /// The tool that answers.
    pub tool: Tool,
    /// The tool's function that answers.
    pub function: FunctionName,
    /// Another name that it answers to and that is not listed: the one it had before its tool got
    /// more functions.
    pub alias: Option<String>,
}

impl Offer {
    /// All functions of a tool, without duplicates, in the order and words of the manifest, under
    /// the tool's name in the toolbox.
    ///
    /// # Errors
    /// When a name becomes longer than agents accept.
    pub fn all(key: &ToolKey, tool: &Tool) -> Result<Vec<Self>, SpecError> {
        let functions = tool.functions();
        functions
            .iter()
            .map(|function| {
                let mut spec = condense(&function.spec);
                spec.name = visible_name(key, &function.name, functions.len())?;
                Ok(Self {
                    spec,
                    tool: tool.clone(),
                    function: function.name.clone(),
                    alias: None,
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
    withdrawn: HashMap<String, String>,
    offerings: Offerings,
    built_ins: Vec<BuiltInEntry>,
    /// Longer answers are kept for the agent to read in pieces.
    answer_bytes_max: Option<usize>,
    /// The index that finds functions that are not listed.
    index: Option<Index>,
}

/// The form of functions for an agent, which reads all of a list and all of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Presentation {
    /// The longest text of an answer, in bytes, that is handed over whole. Of a longer one the
    /// agent gets the beginning, and reads the rest with `read_answer`.
    pub answer_bytes_max: Option<usize>,
    /// The most functions that are listed one by one. Of more the agent gets `search_tools`,
    /// `describe_tool` and `call_tool`; all can still be called by their own names.
    pub listed_max: Option<usize>,
}

impl Default for Presentation {
    /// [`ANSWER_BYTES_MAX`] and [`LISTED_MAX`].
    fn default() -> Self {
        Self {
            answer_bytes_max: Some(ANSWER_BYTES_MAX),
            listed_max: Some(LISTED_MAX),
        }
    }
}

/// An offer, and values that are made of it once instead of at every call.
pub(crate) struct Entry {
    pub(crate) offer: Offer,
    pub(crate) definition: Definition,
    /// Absent if the function declares no output schema: then the shape is told from each result.
    pub(crate) shape: Option<ResultShape>,
    /// The metadata of all that the tool answers.
    pub(crate) provenance: MetaObject,
}

/// A function of the server itself.
pub(crate) struct BuiltInEntry {
    pub(crate) built_in: BuiltIn,
    pub(crate) spec: FunctionSpec,
    pub(crate) definition: Definition,
    /// The metadata of its answers, if they come from tools.
    pub(crate) provenance: Option<MetaObject>,
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
    /// A function would be called as one that the server has itself.
    #[error("`{name}` is a function of the server itself; load that tool under another name")]
    Reserved {
        /// The name.
        name: String,
    },
    /// Agents would refuse the definition.
    #[error("`{name}` cannot be offered: {reason}")]
    Refused {
        /// The name.
        name: String,
        /// The reason of the refusal.
        reason: String,
    },
    /// The schemas are not what the protocol demands.
    #[error("`{name}` cannot be offered: its definition is malformed")]
    Malformed {
        /// The name.
        name: String,
        /// The fault.
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
                definition: definition(&offer.spec, offer.tool.icon())?,
                shape: shape(&offer.spec),
                provenance: provenance::of(Some(&offer.tool)),
                offer,
            });
        }
        for (index, entry) in entries.iter().enumerate() {
            if let Some(alias) = &entry.offer.alias {
                by_name.entry(alias.clone()).or_insert(index);
            }
        }
        Ok(Self {
            entries,
            by_name,
            withdrawn: HashMap::new(),
            offerings: Offerings::default(),
            built_ins: Vec::new(),
            answer_bytes_max: None,
            index: None,
        })
    }

    /// Offers the prompts and resources of `tools`, too, each under the toolbox's name of it.
    /// Where several tools could read a resource, the first one does.
    #[must_use]
    pub fn with_prompts_and_resources(
        mut self,
        tools: impl IntoIterator<Item = (ToolKey, Tool)>,
    ) -> Self {
        self.offerings = Offerings::new(tools);
        self
    }

    /// Says of functions that are not offered any more why that is, by the names under which agents
    /// may call them nevertheless.
    #[must_use]
    pub fn with_withdrawn(mut self, withdrawn: HashMap<String, String>) -> Self {
        self.withdrawn = withdrawn;
        self
    }

    /// The reason why the function that agents called `name` is not offered any more.
    pub(crate) fn withdrawn(&self, name: &str) -> Option<&str> {
        self.withdrawn.get(name).map(String::as_str)
    }

    /// The prompts and resources of the tools.
    pub(crate) fn offerings(&self) -> &Offerings {
        &self.offerings
    }

    /// Puts the functions before an agent in this way. A catalogue lists every function and
    /// hands every answer over whole where nobody says so.
    ///
    /// # Errors
    /// When a function is called as one of those that this adds.
    pub fn presented(mut self, presentation: Presentation) -> Result<Self, CatalogueError> {
        let mut added = Vec::new();
        if presentation
            .listed_max
            .is_some_and(|max| self.entries.len() > max)
        {
            self.index = Some(discovery::index(self.specs()));
            added.extend([
                BuiltIn::SearchTools,
                BuiltIn::DescribeTool,
                BuiltIn::CallTool,
            ]);
        }
        self.answer_bytes_max = presentation.answer_bytes_max;
        if self.answer_bytes_max.is_some() && self.allow_stored_answers()? {
            added.push(BuiltIn::ReadAnswer);
        }
        for built_in in added {
            let spec = built_in.spec(self.entries.len());
            if self.by_name.contains_key(&spec.name) {
                return Err(CatalogueError::Reserved { name: spec.name });
            }
            self.built_ins.push(BuiltInEntry {
                built_in,
                definition: definition(&spec, None)?,
                // Stored answers are the text of tools; the descriptions that searches find were
                // approved.
                provenance: (built_in == BuiltIn::ReadAnswer).then(|| provenance::of(None)),
                spec,
            });
        }
        Ok(self)
    }

    /// Widens the output schemas of results that may be long, so that a stored one fits as well:
    /// clients check what they get. Returns true if any answer may be long.
    fn allow_stored_answers(&mut self) -> Result<bool, CatalogueError> {
        let mut any = false;
        for entry in &mut self.entries {
            let spec = &entry.offer.spec;
            // Content without a schema may be text.
            any |= spec.output_schema.is_none();
            if let Some(either) = spec.output_schema.as_ref().and_then(schema_allowing_stored) {
                let travels = FunctionSpec {
                    output_schema: Some(either),
                    ..spec.clone()
                };
                entry.definition = definition(&travels, entry.offer.tool.icon())?;
                any = true;
            }
        }
        Ok(any)
    }

    /// The names agents call, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().map(|entry| &*entry.offer.spec.name)
    }

    /// The descriptions of all functions, listed or not, in order.
    pub(crate) fn specs(&self) -> impl ExactSizeIterator<Item = &FunctionSpec> {
        self.entries.iter().map(|entry| &entry.offer.spec)
    }

    /// The functions that answer best to `query`, where functions have to be searched for.
    pub(crate) fn search(&self, query: &str) -> impl Iterator<Item = &FunctionSpec> {
        let places = self.index.as_ref().map(|index| index.search(query));
        let places = places.unwrap_or_default().into_iter();
        places.map(|place| &self.entries[place].offer.spec)
    }

    /// The longest text of an answer, in bytes, that is handed over whole.
    pub(crate) fn answer_bytes_max(&self) -> Option<usize> {
        self.answer_bytes_max
    }

    /// The place of the function of the server itself that agents call `name`.
    pub(crate) fn built_in(&self, name: &str) -> Option<usize> {
        self.built_ins
            .iter()
            .position(|entry| entry.spec.name == name)
    }

    /// The function of the server itself at `index`, as [`Catalogue::built_in`] gave it.
    pub(crate) fn built_in_at(&self, index: usize) -> &BuiltInEntry {
        &self.built_ins[index]
    }

    /// Returns true if every function is listed.
    pub(crate) fn lists_all(&self) -> bool {
        self.index.is_none()
    }

    /// Every function, listed or not, and how long answers are read, for clients that need no
    /// search: programs read all of a list.
    pub(crate) fn described(&self) -> impl Iterator<Item = (&FunctionSpec, &Definition)> {
        let functions = self.entries.iter();
        let functions = functions.map(|entry| (&entry.offer.spec, &entry.definition));
        let own = self.built_ins.iter();
        let reading = own.filter(|entry| entry.built_in == BuiltIn::ReadAnswer);
        functions.chain(reading.map(|entry| (&entry.spec, &entry.definition)))
    }

    /// The place of the function that agents call `name`. The only function of a tool also answers
    /// to `key__function`, which is its name once the tool has a second one.
    pub(crate) fn position(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).copied().or_else(|| {
            let (key, function) = name.split_once("__")?;
            let index = *self.by_name.get(key)?;
            (self.entries[index].offer.function.as_str() == function).then_some(index)
        })
    }

    /// The function at `index`, as [`Catalogue::position`] gave it.
    pub(crate) fn at(&self, index: usize) -> &Entry {
        &self.entries[index]
    }

    /// The names that are listed with what the Model Context Protocol says of them, in order.
    pub(crate) fn definitions(&self) -> impl Iterator<Item = (&str, &Definition)> {
        let entries = self.entries.iter().filter(|_| self.lists_all());
        let functions = entries.map(|entry| (&*entry.offer.spec.name, &entry.definition));
        let built_ins = self.built_ins.iter();
        functions.chain(built_ins.map(|entry| (&*entry.spec.name, &entry.definition)))
    }

    /// The name that was probably meant by one that is not offered.
    pub(crate) fn nearest(&self, name: &str) -> Option<&str> {
        let built_ins = self.built_ins.iter().map(|entry| &*entry.spec.name);
        nearest(name, self.names().chain(built_ins))
    }
}

/// The shape of the structured results of a function that declares what they are.
fn shape(spec: &FunctionSpec) -> Option<ResultShape> {
    spec.output_schema.as_ref().map(ResultShape::of_schema)
}

fn definition(spec: &FunctionSpec, icon: Option<&Icon>) -> Result<Definition, CatalogueError> {
    let mut export = export(std::slice::from_ref(spec), Dialect::Mcp);
    if let Some(refusal) = export.losses.iter().find(|loss| loss.kind.is_refusal()) {
        return Err(CatalogueError::Refused {
            name: spec.name.clone(),
            reason: refusal.kind.to_string(),
        });
    }
    let definition = serde_json::from_value(export.tools[0].take());
    let mut definition: Definition = definition.map_err(|source| CatalogueError::Malformed {
        name: spec.name.clone(),
        source,
    })?;
    definition.icons = icon.map(|icon| {
        let shown = model::Icon::new(icon.uri()).with_mime_type(icon.media_type());
        vec![shown]
    });
    Ok(definition)
}
