//! What every front end offers and calls: the functions of a catalogue, which may be replaced
//! while it is served.

use std::fmt;
use std::sync::Arc;

use rmcp::model::Tool as Definition;
use tokio::sync::{broadcast, watch};
use tool_hub_agent::ResultShape;
use tool_hub_host::{Interaction, Outcome};
use tool_hub_manifest::{FunctionSpec, ToolKey};

use crate::audit::Auditor;
use crate::catalogue::Entry;
use crate::{Audit, CallerName, Catalogue, FrontEnd};

/// How much of an unknown name is given back.
const SHOWN_CHARACTERS_MAX: usize = 80;
/// Changes that wait for a client that is told of others; when there are more, it is told that
/// anything may have changed.
const TOUCHED_WAITING_MAX: usize = 64;

/// The functions that are offered now, to any number of clients. Cloning is cheap; clones
/// share everything.
#[derive(Clone)]
pub struct Toolset {
    shared: Arc<Shared>,
    /// Absent where nobody wants to know of calls.
    auditor: Option<Auditor>,
}

struct Shared {
    catalogue: watch::Sender<Arc<Catalogue>>,
    /// Tools whose resources a call may have changed, by the toolbox's name.
    touched: broadcast::Sender<ToolKey>,
}

/// A function that somebody asked for. It stays what it is when the toolset changes.
pub(crate) struct Callee {
    toolset: Toolset,
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
        let shared = Shared {
            catalogue: watch::Sender::new(Arc::new(catalogue)),
            touched: broadcast::Sender::new(TOUCHED_WAITING_MAX),
        };
        Self {
            shared: Arc::new(shared),
            auditor: None,
        }
    }

    /// The same functions; `log` takes note of every call that is made through what this gives
    /// back, as a call of `caller`.
    pub fn audited(self, log: Arc<dyn Audit>, caller: CallerName) -> Self {
        Self {
            auditor: Some(Auditor::new(log, caller)),
            ..self
        }
    }

    /// Offers what `catalogue` holds, from now on. Calls under way end as they began, and
    /// clients that want to know are told.
    pub fn replace(&self, catalogue: Catalogue) {
        self.shared.catalogue.send_replace(Arc::new(catalogue));
    }

    /// What is offered now.
    pub(crate) fn catalogue(&self) -> Arc<Catalogue> {
        self.shared.catalogue.borrow().clone()
    }

    /// Wakes up at every replacement from now on.
    pub(crate) fn changes(&self) -> watch::Receiver<Arc<Catalogue>> {
        self.shared.catalogue.subscribe()
    }

    /// Names every tool whose resources a call may change from now on.
    pub(crate) fn touched(&self) -> broadcast::Receiver<ToolKey> {
        self.shared.touched.subscribe()
    }

    /// The function that agents call `name`.
    pub(crate) fn function(&self, name: &str) -> Result<Callee, UnknownFunction> {
        let catalogue = self.catalogue();
        match catalogue.position(name) {
            Some(index) => Ok(Callee {
                toolset: self.clone(),
                catalogue,
                index,
            }),
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

    /// Calls it, for `front_end`, with the text of a JSON object. Dropping the future stops the
    /// call.
    pub(crate) async fn call(
        &self,
        front_end: FrontEnd,
        arguments: &str,
        interaction: Arc<dyn Interaction>,
    ) -> Outcome {
        let offer = &self.entry().offer;
        let function = offer.function.as_str();
        let call = |interaction| offer.tool.call_with(function, arguments, interaction);
        let outcome = match &self.toolset.auditor {
            Some(auditor) => auditor.call(offer, front_end, interaction, call).await,
            None => call(interaction).await,
        };
        self.tell_of_changes();
        outcome
    }

    /// Says that the tool's resources may be others now, to whoever wants to know. Only what
    /// calls itself read-only leaves them as they are.
    fn tell_of_changes(&self) {
        let touched = &self.toolset.shared.touched;
        let tool = &self.entry().offer.tool;
        let is_read_only = self.spec().annotations.read_only == Some(true);
        if is_read_only || touched.receiver_count() == 0 || !tool.has_resources() {
            return;
        }
        if let Some(key) = self.catalogue.beside().key_of(tool) {
            // Whoever wanted to know may have left meanwhile.
            let _ = touched.send(key.clone());
        }
    }

    fn entry(&self) -> &Entry {
        self.catalogue.at(self.index)
    }
}

impl UnknownFunction {
    fn new(name: &str, catalogue: &Catalogue) -> Self {
        let name = shown(name);
        Self {
            nearest: catalogue.nearest(&name).map(str::to_owned),
            name,
        }
    }

    /// The name that was probably meant.
    pub(crate) fn nearest(&self) -> Option<&str> {
        self.nearest.as_deref()
    }
}

/// A name that somebody asked for, cut and escaped.
pub(crate) fn shown(name: &str) -> String {
    let shown = name.chars().take(SHOWN_CHARACTERS_MAX);
    shown.flat_map(char::escape_debug).collect()
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
