//! The `Tools` that a program loaded: calls their functions by name, with limits and an audit log.
//! They may be presented as a model reads them. A call under way is a `Call`.

use std::future::Future;
use std::io;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use tool_hub_host::{Approved, Failure, FailureKind, HostError};
use tool_hub_manifest::{CallLimits, FunctionSpec, Source, ToolKey};
use tool_hub_serve::{Called, CallerName, Catalogue, Offer, Presentation, Toolset};
use tool_hub_toolbox::loaded::{LoadedTool, Loader};
use tool_hub_toolbox::notices::{Notice, Notices};
use tool_hub_toolbox::open_toolbox::{Member, OpenToolbox};
use tool_hub_toolbox::sensitive;

use crate::answer::Answer;
use crate::audit_file::AuditFile;
use crate::error::Error;
use crate::events::Listener;
use crate::per_process::PerProcess;
use crate::process;
use crate::workspace::Workspace;

/// Functions that may be called. Cloning is cheap.
#[derive(Clone)]
pub struct Tools {
    shared: Arc<Shared>,
    limits: CallLimits,
    audit: Option<Arc<AuditFile>>,
}

struct Shared {
    workspace: Workspace,
    members: Members,
    presentation: Option<Presentation>,
    functions: Vec<FunctionSpec>,
    /// After a fork the child loads the tools again, from the cache.
    loaded: PerProcess<Loaded>,
}

/// Tools as one process has them.
struct Loaded {
    tools: Arc<[LoadedTool]>,
    toolset: Toolset,
}

/// Approved tools, and all that is needed to load them in another process.
#[derive(Clone)]
pub(crate) enum Members {
    /// One that a program approved.
    Approved {
        key: ToolKey,
        approved: Box<Approved>,
        /// Whose storage it has, where that is granted. A connection to it cannot be shared with a
        /// child, so each process opens its own.
        storage: Option<Source>,
    },
    /// Those of the toolbox in `directory` that are called `names`, all where none is named, as far
    /// as the user approved them.
    Toolbox {
        directory: PathBuf,
        names: Vec<String>,
    },
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
    pub(crate) fn load(workspace: Workspace, members: Members) -> Result<Self, Error> {
        let tools = load(&workspace, &members)?;
        Ok(Self {
            shared: Shared::of(workspace, members, None, tools)?,
            limits: CallLimits::default(),
            audit: None,
        })
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
        let (workspace, members) = (workspace.clone(), members.clone());
        Ok(Self {
            shared: Shared::of(workspace, members, Some(presentation), tools)?,
            ..self.clone()
        })
    }

    /// The same functions with lower limits on each call. A limit that `lower` does not name, or
    /// names a higher value for, stays as it is.
    #[must_use]
    pub fn limited(&self, lower: &CallLimits) -> Self {
        Self {
            limits: self.limits.lowered_by(lower),
            ..self.clone()
        }
    }

    /// The limits of a call of the function `name`, as far as they can be lowered. Absent if it is
    /// no function of a tool.
    ///
    /// # Errors
    /// When the tools cannot be loaded in this process.
    ///
    /// # Panics
    /// After a fork, on a thread of the runtime.
    pub fn limits(&self, name: &str) -> Result<Option<CallLimits>, Error> {
        let toolset = self.loaded()?.toolset.clone();
        Ok(toolset.limited(&self.limits).call_limits(name))
    }

    /// The same functions; each call is noted in the audit log at `path`, relative to the
    /// workspace's directory, as a call of `caller`. `-` is standard error. While the log cannot be
    /// written no call is made. A log that they had before gets no more of their calls.
    ///
    /// # Errors
    /// When it cannot be appended to.
    pub fn audited(&self, path: &Path, caller: CallerName) -> io::Result<Self> {
        let path = match path == Path::new("-") {
            true => path.to_owned(),
            false => self.shared.workspace.settings().place(path),
        };
        Ok(Self {
            audit: Some(Arc::new(AuditFile::open(path, caller)?)),
            ..self.clone()
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
    pub fn call(&self, name: &str, arguments: String, listener: Listener) -> Result<Call, Error> {
        let process = process::get(&self.shared.workspace)?;
        let listener = Arc::new(listener);
        let mut toolset = self.loaded()?.toolset.clone().limited(&self.limits);
        let name = name.to_owned();
        if let Some(audit) = &self.audit {
            toolset = match audit.audited(toolset) {
                Ok(toolset) => toolset,
                Err(error) => return Ok(Call::not_audited(name, &error)),
            };
        }
        let call = process.run(toolset.call(&name, arguments, listener.clone()));
        Ok(Call {
            call: Box::pin(async move {
                let _turn = match listener.answers() {
                    false => None,
                    true => match process.turn_to_ask().await {
                        None => return Answer::new(Called::ended(name, too_many_ask()), None),
                        turn => turn,
                    },
                };
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
        loaded.get_or_try(|| Loaded::new(load(workspace, members)?, *presentation))
    }
}

impl Call {
    /// A call that is not made, because a fork's child could not open the audit log.
    fn not_audited(name: String, error: &io::Error) -> Self {
        let message = format!("no calls are made: the audit log cannot be written: {error}");
        let failure = Failure::new(FailureKind::Unavailable, message).retryable();
        let answer = Answer::new(Called::ended(name, failure), None);
        Self {
            call: Box::pin(std::future::ready(answer)),
        }
    }
}

impl Shared {
    fn of(
        workspace: Workspace,
        members: Members,
        presentation: Option<Presentation>,
        tools: Arc<[LoadedTool]>,
    ) -> Result<Arc<Self>, Error> {
        let loaded = Loaded::new(tools, presentation)?;
        Ok(Arc::new(Self {
            functions: loaded.toolset.functions(),
            loaded: PerProcess::with(loaded),
            workspace,
            members,
            presentation,
        }))
    }
}

impl Loaded {
    fn new(tools: Arc<[LoadedTool]>, presentation: Option<Presentation>) -> Result<Self, Error> {
        let mut offers = Vec::new();
        for tool in tools.iter() {
            let specs = tool.specs()?.into_iter();
            offers.extend(specs.map(|(function, spec)| Offer {
                spec,
                tool: tool.tool.clone(),
                alias:
                    (tool.called_by_key.as_ref() == Some(&function)).then(|| tool.key.to_string()),
                function,
            }));
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

fn too_many_ask() -> Failure {
    let message = "too many calls wait for answers of the program that made them";
    Failure::new(FailureKind::Unavailable, message)
        .with_fix("call again when some of them are answered")
        .retryable()
}

fn load(workspace: &Workspace, members: &Members) -> Result<Arc<[LoadedTool]>, Error> {
    let process = process::get(workspace)?;
    let _no_fork = process::loading();
    let settings = workspace.settings();
    match members {
        Members::Approved {
            key,
            approved,
            storage,
        } => {
            // A granted directory may have become dangerous since.
            sensitive::check(approved.grants(), settings)?;
            let mut approved = Approved::clone(approved);
            if let Some(source) = storage {
                approved = approved.with_storage(settings.storage(source))?;
            }
            let tool = process.block_on(process.host().load(approved))?;
            Ok([LoadedTool::without_toolbox(key.clone(), tool)].into())
        }
        Members::Toolbox { directory, names } => {
            let toolbox = OpenToolbox::open_in(directory.clone(), settings)?;
            let loader = Loader {
                host: process.host(),
                store: &settings.open_store()?,
                settings,
                advice: None,
            };
            let usable = toolbox.usable(names, workspace.notices())?;
            let usable = without_servers(usable, workspace.notices());
            Ok(process.block_on(loader.load_all(usable))?.into())
        }
    }
}

/// The members without MCP servers: a process that embeds tools starts no others. Each is told.
fn without_servers<'a>(members: Vec<Member<'a>>, notices: &dyn Notices) -> Vec<Member<'a>> {
    let is_here = |member: &Member<'a>| {
        let Source::Server { .. } = &member.locked.source else {
            return true;
        };
        if let Ok(tool) = member.key.as_str().replace('_', "-").parse() {
            let error = HostError::NoServers { tool }.into();
            notices.notice(&Notice::LeftOut { error: &error });
        }
        false
    };
    members.into_iter().filter(is_here).collect()
}
