//! `tool doctor`: checks build tools, registry, token, sandbox, store, toolbox, approvals, policy.

use std::path::Path;
use std::process::ExitCode;

use anyhow::Context as _;
use clap::Args;
use serde_json::json;
use tokio::process::Command;
use tool_hub_host::Confinement;
use tool_hub_mcp_client::local_support;
use tool_hub_toolbox::approvals::Approvals;
use tool_hub_toolbox::open_toolbox::OpenToolbox;
use tool_hub_toolbox::policy::policies::Policies;

use crate::build;
use crate::session::Session;
use crate::settings::config::Config;
use crate::terminal::phrases::counted;
use crate::terminal::table::table;
use crate::terminal::token_advice;
use crate::toolbox::sandbox;

/// Arguments of `tool doctor`.
#[derive(Debug, Args)]
pub(crate) struct Doctor {}

/// One thing that was looked at.
struct Finding {
    what: &'static str,
    state: State,
    says: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Good,
    /// Something cannot be done without it, but not everything needs it.
    Missing,
    Bad,
}

impl State {
    fn word(self) -> &'static str {
        match self {
            Self::Good => "ok",
            Self::Missing => "missing",
            Self::Bad => "bad",
        }
    }
}

impl Doctor {
    pub(crate) async fn execute(&self, session: &Session) -> anyhow::Result<ExitCode> {
        let Session { config, printer } = session;
        // Not in the working directory: files there can name programs to start.
        let home = config.settings.place(Path::new("~"));
        let findings = [
            rust(&home).await,
            program("python", "python3", &home, "to build tools in Python and C").await,
            program("node", "node", &home, "to build JavaScript tools").await,
            registry(session).await,
            token(config),
            sandbox(config),
            compiler(),
            cage(),
            store(config),
            toolbox(config),
            approvals(config),
            policy(config),
        ];
        if printer.wants_json() {
            let findings: Vec<_> = findings
                .iter()
                .map(|finding| json!({ "what": finding.what, "state": finding.state.word(), "says": finding.says }))
                .collect();
            printer.json(&json!({ "findings": findings }))?;
        } else {
            let rows = findings
                .iter()
                .map(|finding| {
                    [
                        finding.what.to_owned(),
                        finding.state.word().to_owned(),
                        finding.says.clone(),
                    ]
                })
                .collect();
            printer.data(&table(["WHAT", "STATE", ""], rows))?;
        }
        let bad = findings.iter().any(|finding| finding.state == State::Bad);
        Ok(if bad {
            ExitCode::FAILURE
        } else {
            ExitCode::SUCCESS
        })
    }
}

fn cage() -> Finding {
    let support = local_support();
    match support.task_bounds().first() {
        Some(bound) => good(
            "cage",
            format!("local MCP servers run in a cage here; {bound}"),
        ),
        None => missing(
            "cage",
            format!("local MCP servers cannot be caged here, so none is started: {support}"),
        ),
    }
}

fn good(what: &'static str, says: impl Into<String>) -> Finding {
    Finding {
        what,
        state: State::Good,
        says: says.into(),
    }
}

fn missing(what: &'static str, says: impl Into<String>) -> Finding {
    Finding {
        what,
        state: State::Missing,
        says: says.into(),
    }
}

fn bad(what: &'static str, error: &anyhow::Error) -> Finding {
    Finding {
        what,
        state: State::Bad,
        says: format!("{error:#}"),
    }
}

async fn rust(home: &Path) -> Finding {
    match build::has_target(home).await {
        Ok(true) => good("rust", format!("cargo, with the target {}", build::TARGET)),
        Ok(false) => missing(
            "rust",
            format!(
                "`tool build` adds the target {} when a Rust tool is built",
                build::TARGET
            ),
        ),
        Err(_) => missing("rust", "a Rust toolchain is needed to build Rust tools"),
    }
}

async fn program(what: &'static str, program: &str, home: &Path, purpose: &str) -> Finding {
    let mut command = Command::new(program);
    command.arg("--version").current_dir(home);
    match build::output_of(&mut command).await {
        Ok(output) if output.status.success() => {
            let said = [output.stdout, output.stderr].concat();
            good(what, String::from_utf8_lossy(&said).trim().to_owned())
        }
        _ => missing(what, format!("`{program}` is needed {purpose}")),
    }
}

async fn registry(session: &Session) -> Finding {
    let Session { config, printer } = session;
    let client = match config
        .settings
        .client_with(&config.settings.endpoint, None, printer)
    {
        Ok(client) => client,
        Err(error) => return bad("registry", &error.into()),
    };
    match client.search("", 1).await {
        Ok(_) => good("registry", config.settings.endpoint.to_string()),
        Err(error) => missing("registry", format!("{error}")),
    }
}

fn token(config: &Config) -> Finding {
    match config.settings.token_for(&config.settings.endpoint) {
        Ok(Some(_)) => good(
            "token",
            format!("there is one for {}", config.settings.endpoint),
        ),
        Ok(None) => {
            let advice = token_advice::of(&config.settings.endpoint, &config.settings).join("; ");
            missing(
                "token",
                format!("needed to push and for private tools: {advice}"),
            )
        }
        Err(error) => bad("token", &error.into()),
    }
}

fn sandbox(config: &Config) -> Finding {
    match sandbox::open_host(config) {
        Ok(_) => good("sandbox", config.settings.compiled.display().to_string()),
        Err(error) => bad("sandbox", &error),
    }
}

/// Reports how the compiler process, which compiles untrusted components, is confined.
fn compiler() -> Finding {
    let without = |what: &str| {
        missing(
            "compiler",
            format!("without {what}, an exploited compiler bug can use all rights of this user"),
        )
    };
    match Confinement::detect() {
        Confinement {
            landlock: true,
            seccomp: true,
            ..
        } => good("compiler", "confined by Landlock and seccomp"),
        Confinement { landlock: true, .. } => without("seccomp, which this kernel lacks"),
        Confinement { seccomp: true, .. } => good(
            "compiler",
            "confined by seccomp; this kernel lacks Landlock as a second layer",
        ),
        _ => without("seccomp and Landlock, which this system lacks"),
    }
}

fn store(config: &Config) -> Finding {
    let look = || -> anyhow::Result<Finding> {
        let store = config.settings.open_store()?;
        let directory = store.directory();
        // Opening it writes nothing when it is there, and every load has to write.
        tempfile::tempfile_in(directory)
            .with_context(|| format!("nothing can be written in {}", directory.display()))?;
        Ok(good("store", directory.display().to_string()))
    };
    look().unwrap_or_else(|error| bad("store", &error))
}

fn toolbox(config: &Config) -> Finding {
    let look = || -> anyhow::Result<Finding> {
        let toolbox = OpenToolbox::open(&config.settings)?;
        let members = toolbox.members()?;
        Ok(good(
            "toolbox",
            format!(
                "{} in {}",
                counted(members.len(), "tool"),
                toolbox.path().display()
            ),
        ))
    };
    look().unwrap_or_else(|error| bad("toolbox", &error))
}

fn policy(config: &Config) -> Finding {
    match Policies::read(&config.settings) {
        Ok(policies) if policies.is_empty() => good("policy", "there is none"),
        Ok(policies) => {
            let files = policies.iter().map(|policy| {
                format!(
                    "{} with the digest {}",
                    policy.file.display(),
                    policy.digest
                )
            });
            good("policy", files.collect::<Vec<_>>().join("; "))
        }
        Err(error) => bad("policy", &error.into()),
    }
}

fn approvals(config: &Config) -> Finding {
    let look = || -> anyhow::Result<Finding> {
        let approvals = Approvals::read(&config.settings)?;
        Ok(match approvals.required() {
            Some(required) => good(
                "approvals",
                format!(
                    "signed by {}, as {} requires",
                    required.fingerprints(),
                    required.place().display()
                ),
            ),
            None => missing(
                "approvals",
                "to keep agents that have a shell from approving, require signatures: tool approvals require KEY.pub",
            ),
        })
    };
    look().unwrap_or_else(|error| bad("approvals", &error))
}
