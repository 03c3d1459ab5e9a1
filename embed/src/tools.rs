//! The `Tools` of an embedder: approved, loaded, and called by name.

use std::future::Future;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use tool_hub_host::{Approved, Failure, FailureKind, Storage, Tool};
use tool_hub_manifest::{FunctionSpec, ToolKey};
use tool_hub_serve::{Called, Catalogue, Offer, Presentation, Toolset};

use crate::answer::Answer;
use crate::error::Error;
use crate::events::Listener;
use crate::per_process::PerProcess;
use crate::process;
use crate::workspace::Workspace;

/// Functions that may be called. Cloning is cheap.
#[derive(Clone)]
pub struct Tools {
    shared: Arc<Shared>,
}

struct Shared {
    workspace: Workspace,
    members: Vec<Member>,
    presentation: Option<Presentation>,
    functions: Vec<FunctionSpec>,
    /// After a fork the child loads the tools again, from the cache.
    loaded: PerProcess<Loaded>,
}

/// Tools as one process has them.
struct Loaded {
    tools: Vec<Tool>,
    toolset: Toolset,
}

/// An approved tool, and all that is needed to load it in another process.
#[derive(Clone)]
pub(crate) struct Member {
    pub(crate) key: ToolKey,
    pub(crate) approved: Approved,
    /// The database of its storage, where that is granted. A connection cannot be shared with a
    /// child, so each process opens its own.
    pub(crate) storage: Option<PathBuf>,
}

/// A call under way. Dropping it stops the guest.
pub struct Call {
    call: Pin<Box<dyn Future<Output = Answer> + Send>>,
}

impl Tools {
    /// Loads `members`.
    ///
    /// # Panics
    /// On a thread of the runtime.
    pub(crate) fn load(workspace: Workspace, members: Vec<Member>) -> Result<Self, Error> {
        let tools = load(&workspace, &members)?;
        Self::of(workspace, members, None, tools)
    }

    /// The same functions as a model reads them: of long answers it gets the beginning and reads
    /// the rest with `read_answer`, and of many functions it gets those that find and call them.
    ///
    /// # Errors
    /// When a tool has the name of one of those functions, or cannot be loaded in this process.
    ///
    /// # Panics
    /// After a fork, on a thread of the runtime.
    pub fn presented(&self, presentation: Presentation) -> Result<Self, Error> {
        let Shared {
            workspace, members, ..
        } = &*self.shared;
        let tools = self.loaded()?.tools.clone();
        Self::of(workspace.clone(), members.clone(), Some(presentation), tools)
    }

    fn of(
        workspace: Workspace,
        members: Vec<Member>,
        presentation: Option<Presentation>,
        tools: Vec<Tool>,
    ) -> Result<Self, Error> {
        let loaded = Loaded::new(&members, tools, presentation)?;
        Ok(Self {
            shared: Arc::new(Shared {
                functions: loaded.toolset.functions(),
                loaded: PerProcess::with(loaded),
                workspace,
                members,
                presentation,
            }),
        })
    }

    /// The functions, in order, as agents see them.
    pub fn functions(&self) -> &[FunctionSpec] {
        &self.shared.functions
    }

    /// Begins a call of the function `name` with `arguments`, the text of a JSON object, or of
    /// something that can be read as the one that was meant. The call runs where it is polled.
    ///
    /// # Errors
    /// When the tools cannot be loaded in this process, which has to be done after a fork.
    ///
    /// # Panics
    /// After a fork, on a thread of the runtime.
    pub fn call(
        &self,
        name: &str,
        arguments: String,
        listener: Listener,
    ) -> Result<Call, Error> {
        let process = process::get(&self.shared.workspace)?;
        let listener = Arc::new(listener);
        let toolset = &self.loaded()?.toolset;
        let call = process.run(toolset.call(name, arguments, listener.clone()));
        let name = name.to_owned();
        Ok(Call {
            call: Box::pin(async move {
                let called = call.await.unwrap_or_else(|| {
                    // It may have done what it was called for, so nobody should repeat it unasked.
                    let message = "the program ends, and the call with it";
                    Called::ended(name, Failure::new(FailureKind::Failed, message))
                });
                Answer::new(called, listener.usage())
            }),
        })
    }

    /// The workspace that they were loaded from.
    pub fn workspace(&self) -> &Workspace {
        &self.shared.workspace
    }

    fn loaded(&self) -> Result<&Loaded, Error> {
        let Shared {
            workspace,
            members,
            presentation,
            loaded,
            ..
        } = &*self.shared;
        loaded.get_or_try(|| Loaded::new(members, load(workspace, members)?, *presentation))
    }
}

impl Loaded {
    fn new(
        members: &[Member],
        tools: Vec<Tool>,
        presentation: Option<Presentation>,
    ) -> Result<Self, Error> {
        let mut offers = Vec::new();
        for (member, tool) in members.iter().zip(&tools) {
            offers.extend(Offer::all(&member.key, tool)?);
        }
        let catalogue = Catalogue::new(offers)?;
        let catalogue = match presentation {
            Some(presentation) => catalogue.presented(presentation)?,
            None => catalogue,
        };
        Ok(Self {
            toolset: Toolset::new(catalogue),
            tools,
        })
    }
}

impl Future for Call {
    type Output = Answer;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Answer> {
        self.call.as_mut().poll(context)
    }
}

fn load(workspace: &Workspace, members: &[Member]) -> Result<Vec<Tool>, Error> {
    let _no_fork = process::loading();
    let process = process::get(workspace)?;
    let load = |member: &Member| {
        let mut approved = member.approved.clone();
        if let Some(path) = &member.storage {
            approved = approved.with_storage(Storage::in_file(path))?;
        }
        Ok(process.block_on(process.host().load(approved))?)
    };
    members.iter().map(load).collect()
}
