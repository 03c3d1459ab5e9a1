//! The `Bridge`: a JavaScript thread begins calls, loads, searches and pushes, and takes events.

use std::path::PathBuf;
use std::sync::Arc;

use napi::Env;
use napi::bindgen_prelude::Function;
use napi_derive::napi;
use serde_json::{Value, json};
use tool_hub_embed::{self as embed, Error, GrantRequest, Toolbox, Visibility, Workspace, process};

use crate::answer::answer_event;
use crate::error::error_event;
use crate::event::Event;
use crate::inspection::NativeInspection;
use crate::listener::listener;
use crate::surroundings::Surroundings;
use crate::thread::Thread;
use crate::tools::NativeTools;

/// The most tools that a search lists.
const FOUND_MAX: usize = 20;

/// One thread's way to all operations. JavaScript numbers them, and takes their events.
#[napi]
pub struct Bridge {
    thread: Arc<Thread>,
}

#[napi]
impl Bridge {
    /// A bridge for this thread. `wake` is called on it when events wait.
    #[napi(constructor)]
    pub fn new(env: Env, wake: Function<'_, (), ()>) -> napi::Result<Self> {
        let wake = wake.build_threadsafe_function::<()>();
        let wake = wake.callee_handled::<false>().weak::<true>().build()?;
        let thread = Thread::new(wake);
        env.add_env_cleanup_hook(Arc::clone(&thread), |thread| thread.close())?;
        Ok(Self { thread })
    }

    /// All events that wait, in order.
    #[napi]
    pub fn take_events(&self) -> Vec<Event> {
        self.thread.mailbox.take()
    }

    /// Drops an operation, which stops a guest. Events of it may still wait.
    #[napi]
    pub fn abort(&self, operation: u32) {
        self.thread.operations.abort(operation);
    }

    /// Ends all calls of the process, before it is taken apart.
    #[napi]
    pub fn stop(&self) {
        process::stop();
    }

    /// Answers a question with JSON, if somebody still waits for the answer.
    #[napi]
    pub fn answer(&self, question: u32, answer: String) -> napi::Result<()> {
        let answered = self.thread.operations.answer(question, &answer);
        answered.map_err(|error| napi::Error::from_reason(error.to_string()))
    }

    /// Calls a function with the text of its arguments. `heard` says which events are wanted.
    #[napi]
    pub fn call(
        &self,
        operation: u32,
        tools: &NativeTools,
        name: String,
        given: String,
        heard: Option<String>,
    ) -> napi::Result<()> {
        let heard = heard.map(|heard| serde_json::from_str(&heard)).transpose();
        let heard = heard.map_err(|error| napi::Error::from_reason(error.to_string()))?;
        let listener = listener(&self.thread, operation, heard);
        let tools = &tools.tools;
        let begun = tools
            .call(&name, given, listener)
            .and_then(|call| Ok((call, process::get(tools.workspace())?)));
        match begun {
            Ok((call, process)) => {
                self.thread
                    .begin_call(operation, process, call, answer_event);
            }
            Err(error) => self.thread.mailbox.put(error_event(operation, &error)),
        }
        Ok(())
    }

    /// Pulls, verifies and inspects a package.
    #[napi]
    pub fn load(&self, operation: u32, reference: String, at: String) -> napi::Result<()> {
        self.in_workspace(operation, &at, move |workspace| {
            let loaded = embed::load(workspace, &reference);
            let inspection = process::get(workspace)?.block_on(loaded)?;
            let inspection = NativeInspection {
                inspection: Arc::new(inspection),
            };
            Ok(Event {
                inspection: Some(inspection),
                ..Event::done(operation)
            })
        })
    }

    /// Approves and loads an inspected package.
    #[napi]
    pub fn approve(
        &self,
        operation: u32,
        inspection: &NativeInspection,
        digest: String,
        grants: String,
    ) -> napi::Result<()> {
        let inspection = Arc::clone(&inspection.inspection);
        self.thread.begin_blocking(operation, move || {
            let tools = inspection.approve(&digest, GrantRequest::read(&grants)?)?;
            Ok(Event {
                tools: Some(NativeTools { tools }),
                ..Event::done(operation)
            })
        })
    }

    /// Loads functions of a toolbox: those of the tools in `names`, a JSON array, or all.
    #[napi]
    pub fn toolbox(&self, operation: u32, names: String, at: String) -> napi::Result<()> {
        let names: Vec<String> = serde_json::from_str(&names)
            .map_err(|error| napi::Error::from_reason(error.to_string()))?;
        let surroundings = Surroundings::read(&at)?;
        let warn = self.warnings_of(operation);
        self.thread.begin_blocking(operation, move || {
            let directory = surroundings.toolbox.clone();
            let workspace = surroundings.workspace()?.with_warnings(warn);
            let toolbox = Toolbox::open(workspace, directory.as_deref())?;
            let tools = toolbox.tools(names)?;
            Ok(Event {
                tools: Some(NativeTools { tools }),
                ..Event::done(operation)
            })
        })
    }

    /// Finds packages on the registry.
    #[napi]
    pub fn search(&self, operation: u32, query: String, at: String) -> napi::Result<()> {
        self.in_workspace(operation, &at, move |workspace| {
            let searched = embed::search(workspace, &query, FOUND_MAX);
            let found = process::get(workspace)?.block_on(searched)?;
            let found = found.found.iter().map(|it| {
                let tool = it.tool.as_ref();
                json!({
                    "repo": it.repo.to_string(),
                    "description": it.description,
                    "version": tool.map(|tool| &tool.version),
                    "functions": tool.map(|tool| &tool.functions),
                    "downloads": it.downloads,
                    "likes": it.likes,
                    "private": it.private,
                })
            });
            let found: Value = found.collect();
            Ok(Event::new(operation, "done", found.to_string()))
        })
    }

    /// Publishes a built package.
    #[napi]
    pub fn push(
        &self,
        operation: u32,
        directory: String,
        repo: String,
        is_private: bool,
        at: String,
    ) -> napi::Result<()> {
        let visibility = match is_private {
            true => Visibility::Private,
            false => Visibility::Public,
        };
        self.in_workspace(operation, &at, move |workspace| {
            let directory = PathBuf::from(directory);
            let pushed = embed::push(workspace, &directory, &repo, visibility);
            let pushed = process::get(workspace)?.block_on(pushed)?;
            let pushed = json!({
                "repo": pushed.repo.to_string(),
                "version": pushed.version,
                "commit": pushed.commit,
                "url": pushed.url,
                "digest": pushed.digest.to_string(),
            });
            Ok(Event::new(operation, "done", pushed.to_string()))
        })
    }

    /// Begins an operation that takes a workspace.
    fn in_workspace(
        &self,
        operation: u32,
        at: &str,
        work: impl FnOnce(&Workspace) -> Result<Event, Error> + Send + 'static,
    ) -> napi::Result<()> {
        let surroundings = Surroundings::read(at)?;
        let warn = self.warnings_of(operation);
        self.thread.begin_blocking(operation, move || {
            work(&surroundings.workspace()?.with_warnings(warn))
        })
    }

    /// Sends warnings of an operation, and of the tools that it loaded, to this thread while that
    /// lives.
    fn warnings_of(&self, operation: u32) -> impl Fn(String) + Send + Sync + use<> {
        let thread = Arc::downgrade(&self.thread);
        move |text| {
            if let Some(thread) = thread.upgrade() {
                let text = json!(text).to_string();
                thread.mailbox.put(Event::new(operation, "warning", text));
            }
        }
    }
}
