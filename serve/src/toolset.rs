//! What every front end offers and calls: the functions of a catalogue, which may be replaced
//! while it is served.

use std::fmt;
use std::sync::Arc;

use rmcp::model::Tool as Definition;
use tokio::sync::watch;
use tool_hub_agent::{ResultShape, repair};
use tool_hub_host::{Interaction, Outcome};
use tool_hub_manifest::FunctionSpec;

use crate::catalogue::Entry;
use crate::{Catalogue, tolerance};

/// How much of an unknown name is given back.
const SHOWN_CHARACTERS_MAX: usize = 80;

/// The functions that are offered now, to any number of clients. Cloning is cheap; clones
/// share everything.
#[derive(Clone)]
pub struct Toolset(Arc<watch::Sender<Arc<Catalogue>>>);

/// A function that somebody asked for. It stays what it is when the toolset changes.
pub(crate) struct Callee {
    catalogue: Arc<Catalogue>,
    index: usize,
}

/// Nothing of that name is offered. Its text is for the agent.
#[derive(Debug, thiserror::Error)]
pub(crate) struct UnknownFunction {
    /// Cut and escaped.
    name: String,
    nearest: Option<String>,
}

impl Toolset {
    /// Offers what `catalogue` holds.
    pub fn new(catalogue: Catalogue) -> Self {
        Self(Arc::new(watch::Sender::new(Arc::new(catalogue))))
    }

    /// Offers what `catalogue` holds, from now on. Calls under way end as they began, and
    /// clients that want to know are told.
    pub fn replace(&self, catalogue: Catalogue) {
        self.0.send_replace(Arc::new(catalogue));
    }

    /// What is offered now.
    pub(crate) fn catalogue(&self) -> Arc<Catalogue> {
        self.0.borrow().clone()
    }

    /// Wakes up at every replacement from now on.
    pub(crate) fn changes(&self) -> watch::Receiver<Arc<Catalogue>> {
        self.0.subscribe()
    }

    /// The function that agents call `name`.
    pub(crate) fn function(&self, name: &str) -> Result<Callee, UnknownFunction> {
        let catalogue = self.catalogue();
        match catalogue.position(name) {
            Some(index) => Ok(Callee { catalogue, index }),
            None => Err(UnknownFunction::new(name, &catalogue)),
        }
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
        &self.entry().offer.spec
    }

    /// The same as the Model Context Protocol says it.
    pub(crate) fn definition(&self) -> &Definition {
        &self.entry().definition
    }

    /// The shape of its structured results. Absent when the function declares none and every
    /// result speaks for itself.
    pub(crate) fn shape(&self) -> Option<ResultShape> {
        self.entry().shape
    }

    /// Calls it with the text of a JSON object, or of something that can be read as the one
    /// that was meant. Dropping the future stops the call.
    pub(crate) async fn call(&self, arguments: &str, interaction: Arc<dyn Interaction>) -> Outcome {
        let outcome = self.attempt(arguments, interaction.clone()).await;
        if !tolerance::is_refused(&outcome) {
            return outcome;
        }
        match repair(&self.spec().input_schema, arguments) {
            Some(read) => {
                let outcome = self.attempt(&read.arguments, interaction).await;
                tolerance::noted(outcome, read.note, self.spec())
            }
            None => tolerance::explained(outcome, self.spec()),
        }
    }

    /// Calls it once, as it stands.
    async fn attempt(&self, arguments: &str, interaction: Arc<dyn Interaction>) -> Outcome {
        let offer = &self.entry().offer;
        let function = offer.function.as_str();
        offer.tool.call_with(function, arguments, interaction).await
    }

    fn entry(&self) -> &Entry {
        self.catalogue.at(self.index)
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
            name,
        }
    }
}

impl fmt::Display for UnknownFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, nearest } = self;
        match nearest {
            Some(nearest) => write!(f, "unknown tool `{name}`; did you mean `{nearest}`?"),
            None => write!(f, "unknown tool `{name}`; list the tools to see every name"),
        }
    }
}
