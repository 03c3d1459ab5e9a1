//! `tool demo`: runs all steps once in a directory of its own, from `tool new` to `tool serve`.
//! In between it builds, pushes to an embedded registry, inspects, loads and calls. Every step is
//! the real command in a process of its own, printed as a user would type it.

mod mcp;

use std::path::{Path, PathBuf};
use std::process::{ExitCode, Stdio};
use std::time::Instant;

use anyhow::Context as _;
use clap::Args;
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpListener;
use tokio::process::Command;
use tokio::sync::oneshot;
use tool_hub_registry_server::{Registry, RegistryConfig, TokenRole};

use crate::build;
use crate::scaffold::Template;
use crate::session::Session;
use crate::terminal::printer::Printer;
use crate::terminal::problem::Problem;
use crate::terminal::signals::{or_interrupted, stop_requested};

/// The user of the demo's registry.
const USER: &str = "ada";
/// The tool that the demo makes.
const TOOL: &str = "greeter";

/// Arguments of `tool demo`.
#[derive(Debug, Args)]
pub(crate) struct Demo {
    /// What to write the tool in [default: Rust, or Python where its WebAssembly target cannot be
    /// had]
    #[arg(long, value_enum)]
    lang: Option<Template>,
}

impl Demo {
    pub(crate) async fn execute(&self, session: &Session) -> anyhow::Result<ExitCode> {
        let started = Instant::now();
        let directory = build::scratch::directory("tool-demo-", &session.config)?;
        let template = self.template(session).await;
        let (stop, stopped) = oneshot::channel::<()>();
        let (endpoint, token) = start_registry(directory.path(), stopped).await?;
        session.printer.note(&format!(
            "a registry of its own runs at {endpoint}, and {USER} has a token for it"
        ));
        let environment = DemoEnvironment {
            directory: directory.path(),
            endpoint: &endpoint,
            printer: &session.printer,
        };
        let result = environment.play(template, &token).await;
        let result = result.map_err(or_interrupted);
        // The registry ends with this process in any case.
        let _ = stop.send(());
        result?;
        session.printer.note(&format!(
            "\nthe demo took {:.0} s; its directory is removed",
            started.elapsed().as_secs_f32()
        ));
        Ok(ExitCode::SUCCESS)
    }

    /// Rust where it can be built, which `tool build` tries itself; else Python, and why.
    async fn template(&self, session: &Session) -> Template {
        if let Some(template) = self.lang {
            return template;
        }
        match build::ensure_target(
            &session.config.settings.place(Path::new("~")),
            &session.printer,
        )
        .await
        {
            Ok(()) => Template::Rust,
            Err(error) => {
                session
                    .printer
                    .warning(&format!("{error}; the demo takes Python instead"));
                Template::Python
            }
        }
    }
}

/// Opens a registry with one user in `directory` and serves it until `stopped` resolves.
async fn start_registry(
    directory: &Path,
    stopped: oneshot::Receiver<()>,
) -> anyhow::Result<(String, String)> {
    let registry = Registry::open(RegistryConfig::new(directory.join("registry"))).await?;
    registry.add_user(USER, None).await?;
    let token = registry
        .create_token(USER, "demo", TokenRole::Write, None)
        .await?;
    let listener = TcpListener::bind("127.0.0.1:0")
        .await
        .context("no port is free on the loopback address")?;
    let endpoint = format!("http://{}", listener.local_addr()?);
    tokio::spawn(async move {
        let stopped = async {
            let _ = stopped.await;
        };
        if let Err(error) = tool_hub_registry_server::serve(listener, registry, stopped).await {
            tracing::error!(%error, "the demo's registry stopped");
        }
    });
    Ok((endpoint, token.secret.expose().to_owned()))
}

/// The directory and the program in which the demo's commands run.
struct DemoEnvironment<'a> {
    directory: &'a Path,
    endpoint: &'a str,
    printer: &'a Printer,
}

impl DemoEnvironment<'_> {
    async fn play(&self, template: Template, token: &str) -> anyhow::Result<()> {
        let repo = format!("{USER}/{TOOL}");
        let language = template.name();
        self.say("An author logs in, writes a tool, builds it and publishes it.");
        self.run(&["login", "--token-stdin"], Some(token)).await?;
        self.run(&["new", TOOL, "--lang", language], None).await?;
        self.run(&["build", TOOL], None).await?;
        self.run(&["check", TOOL], None).await?;
        self.run(&["push", &repo, "-C", TOOL], None).await?;
        self.say("A user finds it, reads what it can do, approves exactly that, and calls it.");
        self.run(&["search", TOOL], None).await?;
        self.run(&["inspect", &repo], None).await?;
        let digest = self.digest(&repo).await?;
        let load = [
            "load",
            &repo,
            "--allow-new",
            "--approve",
            &digest,
            "--quiet",
        ];
        self.run(&load, None).await?;
        self.run(&["list"], None).await?;
        self.run(&["call", TOOL, "name=Ada", "language=fr"], None)
            .await?;
        self.say("An agent sees it through the Model Context Protocol.");
        self.type_out(&["serve"]);
        let server = self.command(&["serve", "--quiet"])?;
        tokio::select! {
            visited = mcp::visit(server, self.printer) => visited,
            () = stop_requested() => Err(Problem::interrupted().into()),
        }
    }

    fn say(&self, text: &str) {
        self.printer.note(&format!("\n{text}"));
    }

    fn type_out(&self, arguments: &[&str]) {
        self.printer
            .note(&format!("\n$ tool {}", arguments.join(" ")));
    }

    /// Runs one command with its output shown, and `input` on its standard input.
    async fn run(&self, arguments: &[&str], input: Option<&str>) -> anyhow::Result<()> {
        self.type_out(arguments);
        let mut command = self.command(arguments)?;
        command.stdin(if input.is_some() {
            Stdio::piped()
        } else {
            Stdio::null()
        });
        let mut child = build::spawn(&mut command)?;
        if let (Some(text), Some(mut stdin)) = (input, child.stdin.take()) {
            stdin.write_all(text.as_bytes()).await?;
        }
        let status = build::status_of(&mut child).await?;
        if status.success() {
            return Ok(());
        }
        Err(Problem::user(format!(
            "the demo stopped: `tool {}` ended with {status}",
            arguments.join(" ")
        ))
        .into())
    }

    /// The digest that the inspection prints: what a person would copy from it.
    async fn digest(&self, repo: &str) -> anyhow::Result<String> {
        let mut command = self.command(&["inspect", repo, "--json"])?;
        let output = build::output_of(&mut command).await?;
        let report: serde_json::Value =
            serde_json::from_slice(&output.stdout).context("the inspection is not JSON")?;
        let digest = report["inspection"]["approval_digest"]
            .as_str()
            .context("the inspection names no digest")?;
        Ok(digest.to_owned())
    }

    /// This very program, with a home and a working directory of the demo's own, so that
    /// nothing of the user's is read or changed.
    fn command(&self, arguments: &[&str]) -> anyhow::Result<Command> {
        let program: PathBuf = std::env::current_exe().context("this program cannot be found")?;
        let mut command = Command::new(program);
        command
            .args(arguments)
            .current_dir(self.directory)
            .env("TOOL_HUB_HOME", self.directory.join("home"))
            .env("HF_ENDPOINT", self.endpoint)
            .env_remove("HF_TOKEN")
            .kill_on_drop(true);
        Ok(command)
    }
}
