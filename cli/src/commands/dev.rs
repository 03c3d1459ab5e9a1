//! `tool dev`: builds a project anew at each change, shows what a model sees, calls it, serves it.
//!
//! Whoever starts it works on the project and is who grants: by flags, for this run. So nobody is
//! asked for consent, and nothing is written to a toolbox, a lock, `approvals.toml` or `dist`.

mod changes;
mod dev_tool;
mod grade;
mod report;
mod source_watch;
mod typed_call;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use tool_hub_manifest::package_file;
use tool_hub_serve::{Caller, Presentation, Toolset};

use crate::build;
use crate::commands::serve::http::{self, HttpFlags, OneCaller};
use crate::consent::rights_flags::RightsFlags;
use crate::consent::signing;
use crate::serving::toolbox_server::catalogue;
use crate::session::Session;
use crate::terminal::diagnosis;
use crate::terminal::exit::Exit;
use crate::terminal::phrases::counted;
use crate::terminal::problem::Problem;

use dev_tool::{DevProject, DevTool};
use report::{DataStream, Screen};
use source_watch::SourceWatch;
use typed_call::TypedCall;

/// Arguments of `tool dev`.
#[derive(Debug, Args)]
pub(crate) struct Dev {
    /// The project
    #[arg(value_name = "PROJECT", default_value = ".")]
    directory: PathBuf,

    /// Call a function after each build: its name, unless there is one only, and its arguments as
    /// `tool call` takes them, such as 'greet name=Ada' (repeatable)
    #[arg(long = "call", value_name = "CALL")]
    calls: Vec<TypedCall>,

    /// Build, show and call once, and end: with the exit code of a build or call that failed
    #[arg(long)]
    once: bool,

    /// Serve the project over MCP, on standard input and output or with --http; clients are told
    /// of each build
    #[arg(long, conflicts_with_all = ["once", "calls"])]
    serve: bool,

    #[command(flatten)]
    http: HttpFlags,

    /// Build with all that the project brings, without asking, and from now on, as `tool build`
    /// does
    #[arg(long)]
    trust: bool,

    #[command(flatten)]
    rights: RightsFlags,
}

impl Dev {
    pub(crate) async fn execute(&self, session: &Session) -> anyhow::Result<ExitCode> {
        let Session { config, .. } = session;
        if self.http.http && !self.serve {
            return Err(
                Problem::user("--http is how to serve, and nothing says to serve")
                    .hint("add --serve")
                    .into(),
            );
        }
        let directory = config.settings.place(&self.directory);
        let hint = "build the project, and load it: tool build, then tool load";
        signing::refuse_unrecorded("a project under development", hint, &config.settings)?;
        // A manifest that is wrong can be mended while it is watched; where there is none, this is
        // another directory than was meant.
        if self.trust || !directory.join(package_file::MANIFEST).is_file() {
            build::read_author_manifest(&directory)?;
        }
        if self.trust {
            build::remember_trust(&directory, config)?;
        }
        let serves_stdio = self.serve && !self.http.http;
        let screen = Screen {
            printer: session.printer,
            data: match serves_stdio {
                true => DataStream::Error,
                false => DataStream::Output,
            },
        };
        let project = DevProject::open(directory, &self.directory, &self.rights, session)?;
        let watch = SourceWatch::start(project.directory.clone())?;
        let work = Work {
            project,
            calls: &self.calls,
            screen,
            watch,
            before: None,
        };
        let ended = match (self.once, self.serve) {
            (true, _) => return work.once().await,
            (_, true) => self.serve(work, session).await,
            _ => work.repeat().await,
        };
        // Somebody who says stop while a program builds ends this as it is meant to be ended.
        match ended {
            Err(error) if diagnosis::of(&error).exit != Exit::Interrupted => Err(error),
            _ => Ok(ExitCode::SUCCESS),
        }
    }

    /// Serves what is built until the client leaves or somebody says stop.
    async fn serve(&self, mut work: Work<'_>, session: &Session) -> anyhow::Result<()> {
        let OneCaller { name, token, made } = self.http.caller(&session.config)?;
        // Opened first, so that its errors are reported before anything is built.
        let mut server = match self.http.http {
            true => Some(self.http.open(made, None).await?),
            false => None,
        };
        // What is broken is served when it is mended.
        let toolset = Toolset::new(catalogue(Vec::new(), Presentation::default())?);
        work.offer(&toolset).await?;
        let functions = work.before.as_ref().map_or(0, |tool| tool.specs.len());
        if let (Some(server), Some(token)) = (&mut server, token) {
            server.admit(Caller::new(name, token.digest(), toolset.clone()))?;
        }
        let functions = counted(functions, "function");
        let answering = http::answer(&toolset, server, &functions, &session.printer);
        let following = async {
            while let Some(change) = work.watch.changed_or_stopped().await {
                work.screen.printer.note(&change);
                work.offer(&toolset).await?;
            }
            // The server ends by itself when somebody says stop.
            std::future::pending().await
        };
        tokio::select! {
            answered = answering => answered,
            failed = following => failed,
        }
    }
}

/// A project that is built again and again.
struct Work<'a> {
    project: DevProject<'a>,
    calls: &'a [TypedCall],
    screen: Screen,
    watch: SourceWatch,
    /// What the last build that succeeded made.
    before: Option<DevTool>,
}

impl Work<'_> {
    /// Builds, shows and calls.
    ///
    /// # Errors
    /// When the build fails, and when a call cannot be made as it is written.
    async fn once(self) -> anyhow::Result<ExitCode> {
        let mut tool = self.project.build().await?;
        report::built(&tool, None, &self.project, &self.screen)?;
        let made = typed_call::make_all(self.calls, &tool, self.project.session).await?;
        let type_error = tool.type_error().await?;
        report::json(&tool, None, made.json, type_error.as_ref(), &self.screen)?;
        type_error.map_or(Ok(made.exit), Err)
    }

    /// Builds, shows and calls after each change, until somebody says stop.
    ///
    /// # Errors
    /// When nobody reads what is shown.
    async fn repeat(mut self) -> anyhow::Result<()> {
        loop {
            let mut change = None;
            if let Some(mut tool) = self.build().await? {
                let before = self.before.as_ref();
                report::built(&tool, before, &self.project, &self.screen)?;
                let (calls, session) = (self.calls, self.project.session);
                let round = async {
                    let made = typed_call::make_all(calls, &tool, session).await;
                    // After the answers, which nobody waits longer for.
                    (made, tool.type_error().await)
                };
                tokio::select! {
                    (made, type_error) = round => {
                        let type_error = type_error?;
                        match made {
                            Ok(made) => {
                                let type_error = type_error.as_ref();
                                report::json(&tool, before, made.json, type_error, &self.screen)?;
                            }
                            Err(error) => self.screen.failed(error)?,
                        }
                        if let Some(error) = type_error {
                            self.screen.told(&error);
                        }
                    },
                    // What is still under way is stopped: its answer would be an old one's.
                    changed = self.watch.changed_or_stopped() => change = Some(changed),
                }
                self.before = Some(tool);
            }
            let change = match change {
                Some(change) => change,
                None => self.watch.changed_or_stopped().await,
            };
            match change {
                Some(change) => self.screen.printer.note(&change),
                None => return Ok(()),
            }
        }
    }

    /// Builds and shows, in `toolset` too.
    async fn offer(&mut self, toolset: &Toolset) -> anyhow::Result<()> {
        if let Some(mut tool) = self.build().await? {
            let before = self.before.as_ref();
            report::built(&tool, before, &self.project, &self.screen)?;
            toolset.replace(catalogue(
                vec![tool.loaded.clone()],
                Presentation::default(),
            )?);
            let type_error = tool.type_error().await?;
            report::json(&tool, before, Vec::new(), type_error.as_ref(), &self.screen)?;
            if let Some(error) = type_error {
                self.screen.told(&error);
            }
            self.before = Some(tool);
        }
        Ok(())
    }

    /// Builds the project, or shows why that failed.
    ///
    /// # Errors
    /// When somebody said stop, or nobody reads what is shown.
    async fn build(&mut self) -> anyhow::Result<Option<DevTool>> {
        self.watch.begin();
        let built = self.project.build().await;
        self.watch.end();
        match built {
            Ok(tool) => Ok(Some(tool)),
            Err(error) => {
                self.screen.failed(error)?;
                Ok(None)
            }
        }
    }
}
