//! What every front end offers and calls: the functions of a catalogue, which may be replaced
//! while it is served.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use rmcp::model::{MetaObject, Tool as Definition};
use tokio::sync::watch;
use tool_hub_agent::{ResultShape, repair};
use tool_hub_host::{EmbeddedResource, Interaction, Outcome, ResourceContents};
use tool_hub_manifest::FunctionSpec;

use crate::built_in::{self, BuiltIn, CallTool, DescribeTool, ReadAnswer, SearchTools};
use crate::catalogue::{BuiltInEntry, Entry};
use crate::shelf::Shelf;
use crate::{Catalogue, discovery, tolerance};

/// How much of an unknown name is given back.
const SHOWN_CHARACTERS_MAX: usize = 80;

/// The functions that are offered now, to any number of clients. Cloning is cheap; clones
/// share everything.
#[derive(Clone)]
pub struct Toolset {
    offered: Arc<watch::Sender<Arc<Catalogue>>>,
    shelf: Arc<Shelf>,
}

/// A function that somebody asked for. It stays what it is when the toolset changes.
pub(crate) struct Callee {
    catalogue: Arc<Catalogue>,
    shelf: Arc<Shelf>,
    which: Which,
}

/// A place in a catalogue.
#[derive(Clone, Copy)]
enum Which {
    Function(usize),
    BuiltIn(usize),
}

/// Nothing of that name is offered. Its text is for the agent.
#[derive(Debug, thiserror::Error)]
pub(crate) struct UnknownFunction {
    /// Cut and escaped.
    name: String,
    nearest: Option<String>,
    /// Whether the names are to be had from a list.
    is_listed: bool,
}

impl Toolset {
    /// Offers what `catalogue` holds.
    pub fn new(catalogue: Catalogue) -> Self {
        Self {
            offered: Arc::new(watch::Sender::new(Arc::new(catalogue))),
            shelf: Arc::new(Shelf::new()),
        }
    }

    /// Offers what `catalogue` holds, from now on. Calls under way end as they began, and
    /// clients that want to know are told.
    pub fn replace(&self, catalogue: Catalogue) {
        self.offered.send_replace(Arc::new(catalogue));
    }

    /// The long answer that is kept at `uri`, whole.
    pub fn kept_answer(&self, uri: &str) -> Option<EmbeddedResource> {
        let kept = self.shelf.get(uri).filter(|kept| kept.uri() == uri)?;
        Some(EmbeddedResource {
            uri: uri.to_owned(),
            media_type: Some(kept.media_type.to_owned()),
            contents: ResourceContents::Text(kept.text.clone()),
        })
    }

    /// What is offered now.
    pub(crate) fn catalogue(&self) -> Arc<Catalogue> {
        self.offered.borrow().clone()
    }

    /// Wakes up at every replacement from now on.
    pub(crate) fn changes(&self) -> watch::Receiver<Arc<Catalogue>> {
        self.offered.subscribe()
    }

    /// The function that agents call `name`.
    pub(crate) fn function(&self, name: &str) -> Result<Callee, UnknownFunction> {
        let catalogue = self.catalogue();
        let which = match catalogue.position(name) {
            Some(index) => Which::Function(index),
            None => match catalogue.built_in(name) {
                Some(index) => Which::BuiltIn(index),
                None => return Err(UnknownFunction::new(name, &catalogue)),
            },
        };
        Ok(Callee {
            catalogue,
            shelf: self.shelf.clone(),
            which,
        })
    }
}

impl From<Catalogue> for Toolset {
    fn from(catalogue: Catalogue) -> Self {
        Self::new(catalogue)
    }
}

impl Callee {
    /// What agents read about it.
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

    /// The shape of its structured results. Absent when the function declares none and every
    /// result speaks for itself.
    pub(crate) fn shape(&self) -> Option<ResultShape> {
        self.entry().ok()?.shape
    }

    /// What is said of all that it answers, where that is a stranger's text.
    pub(crate) fn mark(&self) -> Option<&MetaObject> {
        match self.entry() {
            Ok(entry) => Some(&entry.mark),
            Err(built_in) => built_in.mark.as_ref(),
        }
    }

    /// The function that a call with `arguments` is really of, and its arguments: `call_tool`
    /// stands for another one, whose name is what people and results should be shown.
    pub(crate) fn meant(self, arguments: String) -> (Self, String) {
        match self.forwarded(&arguments) {
            Some(meant) => meant,
            None => (self, arguments),
        }
    }

    /// Calls it with the text of a JSON object, or of something that can be read as the one
    /// that was meant. What the agent gets is no longer than agents can read. Dropping the
    /// future stops the call.
    pub(crate) async fn call(&self, arguments: &str, interaction: Arc<dyn Interaction>) -> Outcome {
        let outcome = self.attempt(arguments, interaction.clone()).await;
        let outcome = match tolerance::is_refused(&outcome) {
            false => outcome,
            true => match repair(&self.spec().input_schema, arguments) {
                Some(read) => {
                    let outcome = self.attempt(&read.arguments, interaction).await;
                    tolerance::noted(outcome, read.note, self.spec())
                }
                None => tolerance::explained(outcome, self.spec()),
            },
        };
        match (self.which, self.catalogue.answer_bytes_max()) {
            (Which::Function(_), Some(max)) => self.shelf.hold(&self.spec().name, outcome, max),
            _ => outcome,
        }
    }

    /// Calls it once, as it stands.
    async fn attempt(&self, arguments: &str, interaction: Arc<dyn Interaction>) -> Outcome {
        match self.entry() {
            Ok(Entry { offer, .. }) => {
                let function = offer.function.as_str();
                offer.tool.call_with(function, arguments, interaction).await
            }
            Err(entry) => {
                self.attempt_built_in(entry.built_in, arguments, interaction)
                    .await
            }
        }
    }

    fn attempt_built_in<'a>(
        &'a self,
        built_in: BuiltIn,
        arguments: &'a str,
        interaction: Arc<dyn Interaction>,
    ) -> Pin<Box<dyn Future<Output = Outcome> + Send + 'a>> {
        Box::pin(async move {
            let answered = match built_in {
                BuiltIn::SearchTools => {
                    built_in::read(arguments).map(|wanted| self.search(&wanted))
                }
                BuiltIn::DescribeTool => built_in::read::<DescribeTool>(arguments)
                    .and_then(|wanted| self.other(&wanted.name))
                    .map(|other| built_in::answer(discovery::described(other.spec()))),
                BuiltIn::CallTool => match built_in::read::<CallTool>(arguments) {
                    Ok(wanted) => match self.other(&wanted.name) {
                        Ok(other) => return other.call(&wanted.arguments(), interaction).await,
                        Err(unknown) => Err(unknown),
                    },
                    Err(failure) => Err(failure),
                },
                BuiltIn::ReadAnswer => match built_in::read::<ReadAnswer>(arguments) {
                    Ok(wanted) => return self.shelf.read(wanted).await,
                    Err(failure) => Err(failure),
                },
            };
            answered.unwrap_or_else(Outcome::Failure)
        })
    }

    fn search(&self, wanted: &SearchTools) -> Outcome {
        let found = self.catalogue.search(&wanted.query).take(wanted.wanted());
        built_in::answer(discovery::found(found, self.catalogue.specs().len()))
    }

    /// The tool's function that agents call `name`.
    fn other(&self, name: &str) -> Result<Self, tool_hub_host::Failure> {
        match self.catalogue.position(name) {
            Some(index) => Ok(Self {
                catalogue: self.catalogue.clone(),
                shelf: self.shelf.clone(),
                which: Which::Function(index),
            }),
            None => {
                let unknown = UnknownFunction::new(name, &self.catalogue);
                Err(discovery::unknown(unknown.to_string()))
            }
        }
    }

    fn forwarded(&self, arguments: &str) -> Option<(Self, String)> {
        let built_in = self.entry().err()?.built_in;
        if built_in != BuiltIn::CallTool {
            return None;
        }
        let wanted: CallTool = built_in::read(arguments).ok()?;
        let other = self.other(&wanted.name).ok()?;
        Some((other, wanted.arguments()))
    }

    fn entry(&self) -> Result<&Entry, &BuiltInEntry> {
        match self.which {
            Which::Function(index) => Ok(self.catalogue.at(index)),
            Which::BuiltIn(index) => Err(self.catalogue.built_in_at(index)),
        }
    }
}

impl UnknownFunction {
    fn new(name: &str, catalogue: &Catalogue) -> Self {
        let name: String = name
            .chars()
            .take(SHOWN_CHARACTERS_MAX)
            .flat_map(char::escape_debug)
            .collect();
        Self {
            nearest: catalogue.nearest(&name).map(str::to_owned),
            is_listed: catalogue.lists_all(),
            name,
        }
    }
}

impl fmt::Display for UnknownFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, nearest, .. } = self;
        match nearest {
            Some(nearest) => write!(f, "unknown tool `{name}`; did you mean `{nearest}`?"),
            None if self.is_listed => {
                write!(f, "unknown tool `{name}`; list the tools to see every name")
            }
            None => write!(f, "unknown tool `{name}`; search_tools finds every name"),
        }
    }
}
