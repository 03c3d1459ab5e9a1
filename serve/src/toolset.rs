//! What every front end offers and calls: the functions of a catalogue, which may be replaced
//! while it is served.

use std::fmt;
use std::sync::Arc;

use tokio::sync::{broadcast, watch};
use tool_hub_host::{CallerKey, Tool};
use tool_hub_manifest::ToolKey;
use tool_hub_manifest::contract::{EmbeddedResource, ResourceContents};

use crate::audit::Auditor;
use crate::cache::CallerCache;
use crate::callee::Callee;
use crate::offerings::{self, Offerings};
use crate::shelf::Shelf;
use crate::{Audit, CallerName, Catalogue};

/// How much of an unknown name is given back.
const SHOWN_CHARACTERS_MAX: usize = 80;
/// How much of what was read wrong is given back in an error.
const TOLD_CHARACTERS_MAX: usize = 400;
/// Changes that wait for a client that is told of others; when there are more, it is told that
/// anything may have changed.
const TOUCHED_WAITING_MAX: usize = 64;

/// The functions that are offered now, to any number of clients. Cloning is cheap; clones
/// share everything.
#[derive(Clone)]
pub struct Toolset {
    shared: Arc<Shared>,
    /// Where long answers are kept.
    shelf: Arc<Shelf>,
    /// Absent where nobody wants to know of calls.
    auditor: Option<Auditor>,
    /// The caller whose share of the host's places calls use. `None` if there is only one client.
    caller: Option<CallerKey>,
}

struct Shared {
    catalogue: watch::Sender<Arc<Catalogue>>,
    /// Tools whose resources a call may have changed, by the toolbox's name.
    touched: broadcast::Sender<ToolKey>,
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
        let shared = Shared {
            catalogue: watch::Sender::new(Arc::new(catalogue)),
            touched: broadcast::Sender::new(TOUCHED_WAITING_MAX),
        };
        Self {
            shared: Arc::new(shared),
            shelf: Arc::new(Shelf::new()),
            auditor: None,
            caller: None,
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

    /// The same functions, called for `caller`, with that caller's share of the host's places. Its
    /// long answers are kept in `cache`.
    pub(crate) fn for_caller(self, caller: &CallerName, cache: CallerCache) -> Self {
        Self {
            shelf: Arc::new(Shelf::on(cache)),
            caller: Some(CallerKey::new(caller.as_str())),
            ..self
        }
    }

    /// Offers what `catalogue` holds, from now on. Calls under way end as they began, and
    /// clients that want to know are told.
    pub fn replace(&self, catalogue: Catalogue) {
        self.shared.catalogue.send_replace(Arc::new(catalogue));
    }

    /// The long answer that is kept at `uri`, whole.
    pub fn kept_answer(&self, uri: &str) -> Option<EmbeddedResource> {
        let kept = self.shelf().get(uri).filter(|kept| kept.uri() == uri)?;
        Some(EmbeddedResource {
            uri: uri.to_owned(),
            media_type: Some(kept.media_type.to_owned()),
            contents: ResourceContents::Text(kept.text.clone()),
        })
    }

    /// What is offered now.
    pub(crate) fn catalogue(&self) -> Arc<Catalogue> {
        self.shared.catalogue.borrow().clone()
    }

    /// `tool`, with calls made for the caller.
    pub(crate) fn called(&self, tool: &Tool) -> Tool {
        offerings::for_caller(tool, self.caller.as_ref())
    }

    /// The tools with prompts or resources that are offered at this moment, with requests made for
    /// the caller.
    pub(crate) fn offerings(&self) -> Offerings {
        let catalogue = self.shared.catalogue.borrow();
        catalogue.offerings().for_caller(self.caller.clone())
    }

    /// Wakes up at every replacement from now on.
    pub(crate) fn changes(&self) -> watch::Receiver<Arc<Catalogue>> {
        self.shared.catalogue.subscribe()
    }

    /// Names every tool whose resources a call may change from now on.
    pub(crate) fn touched(&self) -> broadcast::Receiver<ToolKey> {
        self.shared.touched.subscribe()
    }

    /// Says that a call may have changed the resources of a tool, to whoever wants to know.
    pub(crate) fn touch(&self, key: impl FnOnce() -> Option<ToolKey>) {
        if self.shared.touched.receiver_count() > 0
            && let Some(key) = key()
        {
            // Whoever wanted to know may have left meanwhile.
            let _ = self.shared.touched.send(key);
        }
    }

    /// Who takes note of calls, where somebody does.
    pub(crate) fn auditor(&self) -> Option<&Auditor> {
        self.auditor.as_ref()
    }

    /// Where long answers are kept.
    pub(crate) fn shelf(&self) -> &Shelf {
        &self.shelf
    }

    /// The functions that are listed, in order.
    pub(crate) fn listed(&self) -> Vec<Callee> {
        let catalogue = self.catalogue();
        let names = catalogue.definitions().map(|(name, _)| name);
        let found = names.map(|name| Callee::find(self.clone(), catalogue.clone(), name));
        found.filter_map(Result::ok).collect()
    }

    /// The function that agents call `name`.
    pub(crate) fn function(&self, name: &str) -> Result<Callee, UnknownFunction> {
        let catalogue = self.catalogue();
        Callee::find(self.clone(), catalogue, name)
    }
}

impl From<Catalogue> for Toolset {
    fn from(catalogue: Catalogue) -> Self {
        Self::new(catalogue)
    }
}

impl UnknownFunction {
    pub(crate) fn new(name: &str, catalogue: &Catalogue) -> Self {
        let name = shown(name);
        Self {
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

/// A name that somebody asked for, cut and escaped.
pub(crate) fn shown(name: &str) -> String {
    let shown = name.chars().take(SHOWN_CHARACTERS_MAX);
    shown.flat_map(char::escape_debug).collect()
}

/// What is told of `error`, cut: it may repeat what somebody sent, however long.
pub(crate) fn told(error: &impl fmt::Display) -> String {
    let mut told = error.to_string();
    if let Some((end, _)) = told.char_indices().nth(TOLD_CHARACTERS_MAX) {
        told.truncate(end);
        told.push('…');
    }
    told
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
