//! The `Toolset` that every front end offers: a catalogue that may be replaced while it is served.
//! It also has the audit log, a store of long answers, and the caller and limits of its calls.

use std::sync::Arc;

use tokio::sync::{broadcast, watch};
use tool_hub_host::{CallerKey, Tool};
use tool_hub_manifest::contract::{EmbeddedResource, ResourceContents};
use tool_hub_manifest::{CallLimits, ToolKey};

use crate::audit::{Audit, Auditor};
use crate::cache::CallerCache;
use crate::catalogue::Catalogue;
use crate::http::caller_name::CallerName;
use crate::offerings::{self, Offerings};
use crate::stored_results::StoredResults;

/// The most changes that wait for a slow client; when there are more, it is told that anything may
/// have changed.
const TOUCHED_WAITING_MAX: usize = 64;

/// The functions that are offered now, to any number of clients. Cloning is cheap; clones
/// share everything.
#[derive(Clone)]
pub struct Toolset {
    shared: Arc<Shared>,
    /// The store of long answers.
    stored_results: Arc<StoredResults>,
    /// Absent where nobody wants to know of calls.
    auditor: Option<Auditor>,
    /// The caller whose share of the host's places calls use. `None` if there is only one client.
    caller: Option<CallerKey>,
    /// Lower limits on calls of functions.
    limits: CallLimits,
}

struct Shared {
    catalogue: watch::Sender<Arc<Catalogue>>,
    /// Tools whose resources a call may have changed, by the toolbox's name.
    touched: broadcast::Sender<ToolKey>,
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
            stored_results: Arc::new(StoredResults::new()),
            auditor: None,
            caller: None,
            limits: CallLimits::default(),
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

    /// The same functions with lower limits on each call of one. What is absent from `lower`, or
    /// higher there, stays as it is.
    #[must_use]
    pub fn limited(self, lower: &CallLimits) -> Self {
        Self {
            limits: self.limits.lowered_by(lower),
            ..self
        }
    }

    /// The same functions, called for `caller`, with that caller's share of the host's places. Its
    /// long answers are kept in `cache`.
    pub(crate) fn for_caller(self, caller: &CallerName, cache: CallerCache) -> Self {
        Self {
            stored_results: Arc::new(StoredResults::on(cache)),
            caller: Some(CallerKey::new(caller.as_str())),
            ..self
        }
    }

    /// Offers what `catalogue` holds, from now on. Calls under way end as they began, and
    /// clients that want to know are told.
    pub fn replace(&self, catalogue: Catalogue) {
        self.shared.catalogue.send_replace(Arc::new(catalogue));
    }

    /// The names of the functions that are offered at the moment.
    pub fn names(&self) -> Vec<String> {
        self.catalogue().names().map(str::to_owned).collect()
    }

    /// The long answer that is kept at `uri`, whole.
    pub fn stored_result(&self, uri: &str) -> Option<EmbeddedResource> {
        let kept = self
            .stored_results()
            .get(uri)
            .filter(|kept| kept.uri() == uri)?;
        Some(EmbeddedResource {
            uri: uri.to_owned(),
            media_type: Some(kept.media_type.to_owned()),
            contents: ResourceContents::Text(kept.text.clone()),
        })
    }

    /// The catalogue that is offered at the moment.
    pub(crate) fn catalogue(&self) -> Arc<Catalogue> {
        self.shared.catalogue.borrow().clone()
    }

    /// `tool`, with calls made for the caller, within the limits.
    pub(crate) fn called(&self, tool: &Tool) -> Tool {
        offerings::for_caller(tool, self.caller.as_ref()).limited(&self.limits)
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

    /// The log of calls, if there is one.
    pub(crate) fn auditor(&self) -> Option<&Auditor> {
        self.auditor.as_ref()
    }

    /// The store of long answers.
    pub(crate) fn stored_results(&self) -> &StoredResults {
        &self.stored_results
    }
}

impl From<Catalogue> for Toolset {
    fn from(catalogue: Catalogue) -> Self {
        Self::new(catalogue)
    }
}
